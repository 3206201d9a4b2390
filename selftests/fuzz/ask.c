// SPDX-License-Identifier: GPL-2.0
/* The text of a request that a worker sends to weird(8). */
#include <string.h>

#include "ask/ask.h"

#include "fuzz.h"

/* Check that a request that was taken is within its bounds, and is the same when written and taken again. */
static void check(const struct ask *ask)
{
	struct json_object *object = json_object_new_object();
	struct refusal refusal = {};
	struct ask again;

	HOLDS(ask_name_fits(ask->name));
	HOLDS(ask->spec.ranks && ask->spec.ranks <= 256 && ask->rank < ask->spec.ranks);
	HOLDS(ask->spec.blocks && !(ask->spec.blocks & (ask->spec.blocks - 1)));
	HOLDS(ask->spec.grads && ask->spec.grads <= 2048 && ask->spec.quorum <= ask->spec.ranks);
	json_object_object_add(object, "name", json_object_new_string(ask->name));
	json_object_object_add(object, "rank", json_object_new_int((int)ask->rank));
	spec_write(&ask->spec, object);
	HOLDS(ask_take(&again, object, &refusal));
	HOLDS(again.rank == ask->rank && !strcmp(again.name, ask->name));
	HOLDS(spec_same(&ask->spec, &again.spec, &refusal));
	json_object_put(object);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct refusal refusal = {};
	struct ask ask;

	if (ask_read(&ask, (const char *)data, size, &refusal)) {
		HOLDS(!refusal.status);
		check(&ask);
	} else {
		HOLDS(refusal.status >= 400 && *refusal.text);
	}
	return 0;
}
