/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The objects of a network namespace, as the commands that make them: read from the kernel, compared
 * with others, and run.
 */
#ifndef WEIR_KEEP_H
#define WEIR_KEEP_H

#include <weir_trim_nl.h>

#include "keep/batch.h"
#include "netlink/genl.h"

#define KEEP_FILE	"/etc/weir/weir.conf"
#define KEEP_STATE_DIR	"/run/weir"

/*
 * save.c: the namespace's commands, in the order in which they can be run: jobs before
 * their sources and before ports, which listen for them; chains before what of weir's
 * takes its place in them: filters, flows, ports, policies. Jobs of programs, which make them again
 * themselves, are part of @all alone. Returns an exit status.
 */
int keep_save(FILE *file, bool all);
int keep_read(struct batch *batch, bool all);

/* A command as a line of text, which a shell takes too, or as a member of a list in JSON. */
void keep_show(const struct command *command);

/* file.c: replace a file by one with these commands, or leave it as it was. Returns an exit status. */
int keep_write(const struct batch *batch, const char *name);

/*
 * lock.c: wait until no other process changes the state by what it has read, and exclude others until
 * this one ends. Returns an exit status.
 */
int keep_lock(void);
void keep_unlock(void);

/*
 * item.c: the objects that commands make.
 *
 * struct item - an object that a command makes
 * @kind: its place in KINDS, in the order of commands
 * @name: of the object, the same in all commands about it: "source 7 0"
 * @owner: of a source, the name of its job
 * @acl: of a rule of an ACL, the ACL's name; of a policy, that of the ACL that it names; "" if none
 * @of_program: a job that a program makes and ends, as weird does
 * @command: the one that makes it
 */
enum kind {
	KIND_POOL, KIND_ACL, KIND_DEFAULT, KIND_JOB, KIND_SOURCE, KIND_CHAIN, KIND_FILTER, KIND_FLOW,
	KIND_ORDER, KIND_PORT, KIND_TRIM, KINDS
};

struct item {
	enum kind kind;
	char *name;
	char owner[16];
	char acl[WEIR_TRIM_ACL_NAME_MAX + 1];
	bool of_program;
	const struct command *command;
};

struct items {
	size_t count;
	struct item *item;
};

/* Return true if `job add` with these words makes a job of a program. */
bool job_is_of_program(const struct args *args);

/* Sorted by their names. Refuses commands that make nothing, and two that make the same. */
int items_read(struct items *items, const struct batch *batch, const char *name);
const struct item *items_find(const struct items *items, const char *name);
void items_free(struct items *items);

/* Changes of an object between two commands that make it. */
enum change { CHANGE_NONE, CHANGE_SET, CHANGE_ANEW };

enum change item_change(const struct item *now, const struct item *wanted);

/* The command that changes it so, or the one that removes it. */
void item_set(struct batch *steps, const struct item *now, const struct item *wanted);
void item_remove(struct batch *steps, const struct item *item);

/*
 * Of a trimming policy: the command that gives it all settings that it is to have, also those that
 * it is to inherit from the default, or NULL: it depends on no default then.
 */
void item_set_alone(struct batch *steps, const struct item *trim, const struct item *inherited);

/* Return true if a policy sends packets back and is no longer to, or is to with another DSCP. */
bool item_returns_otherwise(const struct item *now, const struct item *wanted);

/* The command that has a policy send no packets back. */
void item_return_none(struct batch *steps, const struct item *trim);

/* The first device that it needs and that is not there; NULL where all are. */
const char *item_lacks(const struct item *item);

/* Return true if it names the device. */
bool item_names(const struct item *item, const char *dev);

/* The module of the object that a command makes. */
enum family_of item_family(const struct args *args);

/* Return true if the object has an XDP program, which may be in the chain of a device. */
bool item_is_member(const struct args *args);

/**
 * struct holder - objects that hold a module
 * @family: the module's
 * @object: their word on the command line, with the verb `flush`
 */
struct holder {
	enum family_of family;
	const char *object;
};

/* In the order in which they are flushed before modules are unloaded. */
#define HOLDERS	6
extern const struct holder holders[HOLDERS];

/* plan.c: the steps from one namespace's objects to another's. */
void plan(struct batch *steps, const struct items *now, const struct items *wanted);

/*
 * restore.c: makes the namespace so, jobs of programs included, or leaves it as it was. Returns an
 * exit status, with the reason told.
 */
int keep_restore(const struct batch *wanted, const char *name);

#endif
