/* SPDX-License-Identifier: GPL-2.0 */
/*
 * `weir import`: the trimming of another system's configuration, as commands of this tool. Settings
 * without a counterpart are noted with the reason, so that none is lost silently.
 */
#ifndef WEIR_IMPORT_H
#define WEIR_IMPORT_H

#include <json-c/json.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "keep/batch.h"

/**
 * struct import - a configuration and what becomes of it
 * @file: its name, for sentences
 * @root: the configuration
 * @maps: words PORT=DEVICE
 * @map_count: number of words in @maps
 * @classes: the handle of the devices' root qdisc whose classes trim, as "1:"; NULL for ports as a
 *	whole
 * @commands: commands that make the same here
 * @left: array of what has no counterpart: objects of table, key, field, value and why
 */
struct import {
	const char *file;
	struct json_object *root;
	char **maps;
	int map_count;
	const char *classes;
	struct batch commands;
	struct json_object *left;
};

/* Return the network device of a port: as a word PORT=DEVICE says, else of the same name. */
const char *import_device(const struct import *import, const char *port);

/* Note a setting without a counterpart. @field: NULL for the whole entry */
void import_left(struct import *import, const char *table, const char *key, const char *field,
		 const char *why);

/* Return a table, or an entry of one; NULL if it is not there or is no object. */
struct json_object *import_entry(const struct import *import, const char *table, const char *key);

/* Return a field as text, NULL if it is not there. */
const char *import_field(struct json_object *entry, const char *field);

/* Read a number in decimal or with 0x, all of the text, of @max at most. */
bool import_number(const char *text, uint64_t max, uint64_t *number);

/* sonic.c: fill @commands and @left from a config_db.json. Return an exit status. */
int sonic_import(struct import *import);

#endif
