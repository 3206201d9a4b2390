// SPDX-License-Identifier: GPL-2.0
#include <linux/genetlink.h>
#include <libmnl/libmnl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include <weir_xdp_nl.h>

#include "base/tool.h"
#include "base/units.h"
#include "grammar/args.h"
#include "grammar/cpus.h"
#include "netlink/nl.h"

#define CPU_MAX 8191

/* Reads "2" or "2-5", and moves behind it and a comma. */
static bool range(const char **at, uint64_t *first, uint64_t *last)
{
	char *end;

	if (!units_digits(*at, &end, first))
		return false;
	*last = *first;
	if (*end == '-' && !units_digits(end + 1, &end, last))
		return false;
	if (*end && (*end != ',' || !end[1]))
		return false;
	*at = *end ? end + 1 : end;
	return *first <= *last && *last <= CPU_MAX;
}

static int parse(struct value *value)
{
	const char *at = value->word;
	uint64_t first, last, count = 0;

	while (*at || !count) {
		if (!range(&at, &first, &last))
			return usage(value->key->name, "%s takes a list of CPUs such as 0-3,8, not '%s'",
				     value->key->name, value->word);
		count += last - first + 1;
	}
	if (count > WEIR_XDP_ORDER_CPUS_MAX)
		return usage(value->key->name, "%s are %d CPUs at most", value->key->name,
			     WEIR_XDP_ORDER_CPUS_MAX);
	return WEIR_OK;
}

static int put(struct nlmsghdr *message, const struct value *value)
{
	const char *at = value->word;
	uint64_t first, last;

	while (*at && range(&at, &first, &last))
		for (; first <= last; first++)
			nl_put_u32(message, value->key->attr, first);
	return WEIR_OK;
}

const struct syntax cpus_syntax = { .parse = parse, .put = put };

const char *cpus_text(char text[static CPUS_TEXT], const struct nlmsghdr *message, uint16_t attr)
{
	const struct nlattr *at;
	uint32_t cpu, last = 0;
	bool begun = false, run = false;
	size_t used = 0;

	*text = '\0';
	mnl_attr_for_each(at, message, sizeof(struct genlmsghdr)) {
		if (mnl_attr_get_type(at) != attr)
			continue;
		cpu = nl_uint(at);
		if (begun && cpu == last + 1) {
			run = true;
		} else {
			if (run)
				used += snprintf(text + used, CPUS_TEXT - used, "-%u", last);
			used += snprintf(text + used, CPUS_TEXT - used, "%s%u", begun ? "," : "", cpu);
			run = false;
		}
		begun = true;
		last = cpu;
	}
	if (run)
		snprintf(text + used, CPUS_TEXT - used, "-%u", last);
	return text;
}
