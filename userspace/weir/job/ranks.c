// SPDX-License-Identifier: GPL-2.0
#include <linux/genetlink.h>
#include <stdio.h>

#include "job/ranks.h"
#include "netlink/nl.h"

void ranks_missing(struct ranks *ranks, const struct nlmsghdr *block)
{
	const struct nlattr *attr;

	mnl_attr_for_each(attr, block, sizeof(struct genlmsghdr)) {
		uint32_t rank = nl_uint(attr);

		if (mnl_attr_get_type(attr) == WEIR_A_BLOCK_MISSING && rank < WEIR_SOURCES_MAX)
			ranks->in[rank] = true;
	}
}

/* The longest text has every other rank in it, of three digits and a comma mostly. */
const char *ranks_text(const struct ranks *ranks, char text[static RANKS_TEXT])
{
	size_t used = 0;
	uint32_t i, last;

	*text = '\0';
	for (i = 0; i < WEIR_SOURCES_MAX; i++) {
		if (!ranks->in[i])
			continue;
		for (last = i; last + 1 < WEIR_SOURCES_MAX && ranks->in[last + 1]; last++)
			;
		used += snprintf(text + used, RANKS_TEXT - used, "%s%u", used ? "," : "", i);
		if (last > i)
			used += snprintf(text + used, RANKS_TEXT - used, "-%u", last);
		i = last;
	}
	return text;
}
