// SPDX-License-Identifier: GPL-2.0
/* `weir top`: look, wait, look again, and show what has changed. */
#include <errno.h>
#include <string.h>

#include "base/tool.h"
#include "grammar/args.h"
#include "grammar/commands.h"
#include "watch/top.h"

#define INTERVAL_MICROS 1000000

/**
 * struct watch - a run of it
 * @interval: nanoseconds
 * @left: how many looks are still to be shown; counts only where @counted
 * @now: the last look
 * @change: the page shown: the difference to the look before
 */
struct watch {
	struct weir weir;
	struct screen screen;
	uint64_t interval;
	uint32_t left;
	bool counted;
	struct sample now;
	struct sample change;
};

static void show(struct watch *watch)
{
	if (opt.json) {
		top_print_json(&watch->change);
		fflush(stdout);
		return;
	}
	top_draw(&watch->screen, &watch->change);
	screen_show(&watch->screen);
}

/* Returns 0 or a negative errno. */
static int look(struct watch *watch)
{
	struct sample next;
	int err;

	err = sample_take(&next, &watch->weir);
	if (err)
		return err;
	sample_free(&watch->change);
	sample_change(&watch->change, &next, watch->now.time ? &watch->now : NULL);
	sample_free(&watch->now);
	watch->now = next;
	return 0;
}

/* Until the next look is due; false where it is not to come. */
static bool wait_for(struct watch *watch, uint64_t due)
{
	for (;;) {
		switch (screen_wait(&watch->screen, due)) {
		case SCREEN_TIME:
			return true;
		case SCREEN_CHANGED:
			show(watch);
			break;
		case SCREEN_QUIT:
			return false;
		}
	}
}

/* A terminal is not left empty until there are rates; elsewhere all pages have them. */
static int run(struct watch *watch)
{
	int err;

	err = look(watch);
	if (!err && watch->screen.live)
		show(watch);
	while (!err && !ferror(stdout) && (!watch->counted || watch->left--)) {
		if (!wait_for(watch, watch->now.time + watch->interval))
			break;
		err = look(watch);
		if (!err)
			show(watch);
	}
	return err;
}

int top_run(const struct args *args)
{
	struct watch watch = {
		.interval = args_number(args, "interval", INTERVAL_MICROS) * 1000ull,
		.left = args_number(args, "count", 0),
		.counted = args_get(args, "count"),
	};
	int status, err = 0;

	status = weir_open(&watch.weir);
	if (status)
		return status;
	status = screen_open(&watch.screen, opt.json);
	if (!status) {
		err = run(&watch);
		screen_close(&watch.screen);
	}
	if (err)
		status = refused(err, "the module does not answer any more: %s",
				 *watch.weir.nl.error.text ? watch.weir.nl.error.text :
				 strerror(-err));
	sample_free(&watch.now);
	sample_free(&watch.change);
	weir_close(&watch.weir);
	return status;
}
