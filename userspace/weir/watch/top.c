// SPDX-License-Identifier: GPL-2.0
/* `weir top`: look, wait, look again, and show what has changed. */
#include <errno.h>
#include <string.h>

#include "base/tool.h"
#include "grammar/args.h"
#include "grammar/commands.h"
#include "watch/top.h"
#include "watch/view.h"

#define INTERVAL_MICROS 1000000

/**
 * struct watch - a run of it
 * @interval: nanoseconds
 * @left: number of looks that are still to be shown; counts only if @counted
 * @now: the last look
 * @change: the difference to the look before
 * @view: order, first rows and filter of the lists
 */
struct watch {
	struct weir weir;
	struct screen screen;
	uint64_t interval;
	uint32_t left;
	bool counted;
	struct sample now;
	struct sample change;
	struct view view;
};

static void show(struct watch *watch)
{
	struct sample page;
	char status[96];

	view_page(&watch->view, &watch->change, &page);
	if (opt.json) {
		top_print_json(&page);
		fflush(stdout);
	} else {
		top_draw(&watch->screen, &page, view_text(&watch->view, status));
		screen_show(&watch->screen);
	}
	sample_free(&page);
}

/* False: it is to end. */
static bool take_keys(struct watch *watch)
{
	if (!view_keys(&watch->view, watch->screen.keys, watch->screen.pressed))
		return false;
	view_note(&watch->view, &watch->change);
	show(watch);
	return true;
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
	view_note(&watch->view, &watch->change);
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
		case SCREEN_KEYS:
			if (!take_keys(watch))
				return false;
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
	const struct value *filter = args_get(args, "filter");
	int status, err = 0;

	view_begin(&watch.view, args_number(args, "sort", 0),
		   filter ? filter->word : NULL);
	status = weir_open_any(&watch.weir);
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
	view_end(&watch.view);
	weir_close(&watch.weir);
	return status;
}
