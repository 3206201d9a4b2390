/* SPDX-License-Identifier: GPL-2.0 */
/* Hears the module's events, and notices when it goes and comes back. */
#ifndef WEIRD_HEAR_H
#define WEIRD_HEAR_H

#include <json-c/json.h>
#include <stdint.h>

/**
 * struct hearer - who is told
 * @removed: a job has left the module, or so it seems
 * @again: the module is there, and before it was not
 * @event: any event, as JSON; the object is the caller's
 */
struct hearer {
	void (*removed)(uint32_t id);
	void (*again)(void);
	void (*event)(struct json_object *event);
};

void hear_open(const struct hearer *hearer);

/* Looks for a module that is not there. Returns in how many milliseconds to call again. */
int hear_tick(void);

#endif
