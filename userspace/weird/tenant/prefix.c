// SPDX-License-Identifier: GPL-2.0
#include "tenant/prefix.h"

#include <stdlib.h>
#include <string.h>

#include "base/log.h"

static bool prefix_read(struct prefix *prefix, const char *text)
{
	const char *slash = strchr(text, '/');
	size_t length = slash ? (size_t)(slash - text) : strlen(text);
	char address[ADDR_TEXT], *end;
	unsigned long bits;

	if (length >= sizeof(address))
		return false;
	memcpy(address, text, length);
	address[length] = '\0';
	if (!addr_parse(&prefix->addr, address) || addr_is_link(&prefix->addr))
		return false;
	prefix->bits = prefix->addr.len * 8;
	if (!slash)
		return true;
	if (slash[1] < '0' || slash[1] > '9')
		return false;
	bits = strtoul(slash + 1, &end, 10);
	if (*end || bits > prefix->bits)
		return false;
	prefix->bits = bits;
	return true;
}

bool prefixes_read(struct prefixes *prefixes, struct json_object *list, const char *name,
		   struct refusal *refusal)
{
	size_t i, count = list ? json_object_array_length(list) : 0;

	prefixes->prefix = count ? zalloc(count * sizeof(*prefixes->prefix)) : NULL;
	prefixes->count = count;
	for (i = 0; i < count; i++) {
		struct json_object *entry = json_object_array_get_idx(list, i);
		const char *text = json_object_is_type(entry, json_type_string) ?
				   json_object_get_string(entry) : "";

		if (!prefix_read(&prefixes->prefix[i], text))
			return refuse(refusal, 400, "'%s' has '%.60s': it must be as 10.0.0.0/8",
				      name, text);
	}
	return true;
}

void prefixes_free(struct prefixes *prefixes)
{
	free(prefixes->prefix);
	prefixes->prefix = NULL;
	prefixes->count = 0;
}

static bool prefix_has(const struct prefix *prefix, const struct addr *addr)
{
	unsigned int bytes = prefix->bits / 8, rest = prefix->bits % 8;
	unsigned int mask = 0xff00 >> rest & 0xff;

	if (prefix->addr.len != addr->len || memcmp(prefix->addr.bytes, addr->bytes, bytes))
		return false;
	return !rest || !((prefix->addr.bytes[bytes] ^ addr->bytes[bytes]) & mask);
}

bool prefixes_have(const struct prefixes *prefixes, const struct addr *addr)
{
	size_t i;

	for (i = 0; i < prefixes->count; i++) {
		if (prefix_has(&prefixes->prefix[i], addr))
			return true;
	}
	return false;
}
