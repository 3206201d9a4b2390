/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The modules that an upgrade finds loaded, and how their objects are read, removed and restored: by this
 * tool's own netlink, or by the tool that came with them where that netlink is another one.
 */
#ifndef WEIR_KEEP_LOADED_H
#define WEIR_KEEP_LOADED_H

#include <stdint.h>

#include "keep/batch.h"
#include "keep/module.h"

struct loaded;

/**
 * struct loaded_ops - operations on the network namespace that the process is in
 * @read: read its configuration; @netns is its name, "" for the tool's own
 * @read_memory: add the bytes of its jobs to @named, and set @all to those of all jobs of the machine
 * @flush: remove the objects that hold the modules; @kept is its configuration
 * @restore: make it so again; @file has @kept as text
 *
 * Each returns an exit status, with the reason told.
 */
struct loaded_ops {
	int (*read)(const struct loaded *loaded, const char *netns, struct batch *kept);
	int (*read_memory)(const struct loaded *loaded, uint64_t *named, uint64_t *all);
	int (*flush)(const struct loaded *loaded, const struct batch *kept);
	int (*restore)(const struct loaded *loaded, const struct batch *kept, const char *file);
};

/**
 * struct loaded - the loaded modules
 * @ops: how to speak to them
 * @modules: those that are replaced
 * @tool: path of the tool that came with them
 */
struct loaded {
	const struct loaded_ops *ops;
	const struct modules *modules;
	const char *tool;
};

/* By netlink; and by running the tool that came with them, which has `save`, `flush`, `restore` and `stats`. */
extern const struct loaded_ops loaded_own_ops;
extern const struct loaded_ops loaded_former_ops;

#endif
