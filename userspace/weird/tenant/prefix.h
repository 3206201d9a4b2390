/* SPDX-License-Identifier: GPL-2.0 */
/* Address prefixes: "10.0.0.0/8", "fd00::/8", or an address alone. */
#ifndef WEIRD_PREFIX_H
#define WEIRD_PREFIX_H

#include <json-c/json.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/addr.h"
#include "base/refusal.h"

struct prefix {
	struct addr addr;
	unsigned int bits;
};

struct prefixes {
	size_t count;
	struct prefix *prefix;
};

/* From a list of JSON, or NULL for none. */
bool prefixes_read(struct prefixes *prefixes, struct json_object *list, const char *name,
		   struct refusal *refusal);
void prefixes_free(struct prefixes *prefixes);
bool prefixes_have(const struct prefixes *prefixes, const struct addr *addr);

#endif
