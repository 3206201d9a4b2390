// SPDX-License-Identifier: GPL-2.0
/* Loaded modules whose netlink is this tool's. */
#include <errno.h>
#include <linux/pkt_sched.h>
#include <stdio.h>
#include <string.h>

#include <weir.h>
#include <weir_trim_nl.h>

#include "base/tool.h"
#include "keep/keep.h"
#include "keep/loaded.h"
#include "request/request.h"
#include "trim/trim.h"

/* Return true if tc has put the qdisc there. The tool's own have its handles, or are below those. */
static bool is_foreign(const struct nlattr **queue)
{
	struct qdisc qdisc = { .handle = nl_uint(queue[WEIR_A_TRIM_QUEUE_HANDLE]), .kind = TRIM_QDISC_KIND };

	return !trim_classes_is(&qdisc) && TC_H_MAJ(nl_uint(queue[WEIR_A_TRIM_QUEUE_HANDLE])) != TRIM_QDISC_HANDLE &&
	       TC_H_MAJ(nl_uint(queue[WEIR_A_TRIM_QUEUE_PARENT])) != TRIM_QDISC_HANDLE;
}

static int refuse_queue(const char *netns, const struct nlattr **queue)
{
	const char *dev = nl_string(queue[WEIR_A_TRIM_QUEUE_IFNAME]);
	char place[TRIM_PLACE_TEXT], in[300] = "", ns[300] = "";

	trim_place_text(place, nl_uint(queue[WEIR_A_TRIM_QUEUE_PARENT]));
	if (*netns) {
		snprintf(in, sizeof(in), " in the network namespace %s", netns);
		snprintf(ns, sizeof(ns), "-n %s ", netns);
	}
	return refused(EBUSY, "the weir qdisc at %s of %s%s was put there with tc and holds the module: run `tc %sqdisc del dev %s %s`, and `tc %sqdisc add dev %s %s weir` after the upgrade",
		       place, dev, in, ns, dev, place, ns, dev, place);
}

/* Qdiscs that were put below a class with tc would not be made again. */
static int check_queues(const char *netns)
{
	const struct nlattr *queue[WEIR_A_TRIM_QUEUE_MAX + 1];
	struct nl_replies replies = {};
	int status;
	size_t i;

	status = request_list(WEIR_CMD_TRIM_QUEUE_GET, "qdiscs", &replies);
	for (i = 0; !status && i < replies.count; i++) {
		weir_attributes(replies.message[i], queue, WEIR_A_TRIM_QUEUE_MAX);
		if (queue[WEIR_A_TRIM_QUEUE_HANDLE] && is_foreign(queue))
			status = refuse_queue(netns, queue);
	}
	nl_replies_free(&replies);
	return status;
}

static int own_read(const struct loaded *loaded, const char *netns, struct batch *kept)
{
	int status = loaded->modules->family[FAMILY_TRIM] ? check_queues(netns) : WEIR_OK;

	return status ?: keep_read(kept, true);
}

static int own_read_memory(const struct loaded *loaded, uint64_t *named, uint64_t *all)
{
	const struct nlattr *total[WEIR_A_TOTAL_MAX + 1];
	struct nl_replies replies = {};
	char buffer[NL_REQUEST_SIZE];
	struct weir weir;
	int status, err;

	(void)loaded;
	status = weir_open_any(&weir);
	if (status)
		return status;
	weir_begin(&weir, buffer, WEIR_CMD_STATS_GET, 0);
	err = nl_talk(&weir.nl, buffer, &replies);
	if (!err && replies.count) {
		weir_attributes(replies.message[0], total, WEIR_A_TOTAL_MAX);
		*named += nl_uint(total[WEIR_A_TOTAL_MEMORY]);
		*all = nl_uint(total[WEIR_A_TOTAL_MEMORY_USED]);
	}
	nl_replies_free(&replies);
	weir_close(&weir);
	return err ? refused(err, "the module does not tell its memory: %s", strerror(-err)) : WEIR_OK;
}

static int run_words(size_t count, const char *const *word)
{
	struct batch batch = {};
	struct args args;
	int status;

	batch_add_words(&batch, count, word);
	status = batch_parse(&batch.command[0], "", &args);
	status = status ?: args.verb->run(&args);
	batch_free(&batch);
	return status;
}

/* Flush the objects that hold the modules from the namespace that was entered. Return an exit status. */
static int flush_space(const struct modules *modules)
{
	int status = WEIR_OK;
	size_t i;

	for (i = 0; !status && i < HOLDERS; i++) {
		if (modules->family[holders[i].family])
			status = run_words(2, (const char *[]){ holders[i].object, "flush" });
	}
	return status;
}

/* Ports and policies of other modules, whose programs are in chains. */
static int take_members(const struct modules *modules, const struct batch *kept)
{
	struct args args;
	int status = WEIR_OK;
	size_t i;

	for (i = 0; !status && i < kept->count; i++) {
		const char *verb;

		if (batch_parse(&kept->command[i], "", &args) || !item_is_member(&args) ||
		    modules->family[item_family(&args)])
			continue;
		verb = item_family(&args) == FAMILY_WEIR ? "detach" : "del";
		status = run_words(4, (const char *[]){ args.object->name, verb, "dev",
							args_word(&args, "dev") });
	}
	return status;
}

static int own_flush(const struct loaded *loaded, const struct batch *kept)
{
	int status = loaded->modules->family[FAMILY_XDP] ? take_members(loaded->modules, kept) : WEIR_OK;

	return status ?: flush_space(loaded->modules);
}

static int own_restore(const struct loaded *loaded, const struct batch *kept, const char *file)
{
	(void)loaded;
	(void)file;
	return keep_restore(kept, "what there was");
}

const struct loaded_ops loaded_own_ops = {
	.read = own_read,
	.read_memory = own_read_memory,
	.flush = own_flush,
	.restore = own_restore,
};
