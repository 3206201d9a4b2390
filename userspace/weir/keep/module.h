/* SPDX-License-Identifier: GPL-2.0 */
/* The modules that an upgrade replaces. */
#ifndef WEIR_KEEP_MODULE_H
#define WEIR_KEEP_MODULE_H

#include <stdbool.h>

#include "netlink/genl.h"

/**
 * struct modules - what an upgrade replaces
 * @family: the modules of these families
 * @core: weir_core, too: where all modules go that are loaded
 * @file: file of the only one, or NULL
 * @dir: directory of all, or NULL: both NULL for what modprobe finds
 */
struct modules {
	bool family[FAMILIES];
	bool core;
	const char *file;
	const char *dir;
};

/*
 * All that are loaded where @path is NULL or a directory, else the one that is in this file.
 * Returns an exit status; a file that is no module of weir's for this kernel is refused.
 */
int modules_choose(struct modules *modules, const char *path);

/* Return an exit status. A module that is held is waited for for some seconds. */
int modules_unload(const struct modules *modules);
int modules_load(const struct modules *modules);

#endif
