// SPDX-License-Identifier: GPL-2.0
#include <linux/genetlink.h>
#include <stdio.h>
#include <string.h>

#include "base/print.h"
#include "base/tool.h"
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

void ranks_bitmap(struct ranks *ranks, const struct nlattr *attr)
{
	uint32_t words[WEIR_RANKS_MAX / 32] = {}, length = mnl_attr_get_payload_len(attr), i;

	memcpy(words, mnl_attr_get_payload(attr), length < sizeof(words) ? length : sizeof(words));
	for (i = 0; i < WEIR_RANKS_MAX; i++)
		ranks->in[i] |= words[i / 32] >> i % 32 & 1;
}

const char *ranks_text(const struct ranks *ranks, char text[static RANKS_TEXT])
{
	size_t used = 0;
	uint32_t i, last;

	*text = '\0';
	for (i = 0; i < WEIR_RANKS_MAX; i++) {
		if (!ranks->in[i])
			continue;
		for (last = i; last + 1 < WEIR_RANKS_MAX && ranks->in[last + 1]; last++)
			;
		used += snprintf(text + used, RANKS_TEXT - used, "%s%u", used ? "," : "", i);
		if (last > i)
			used += snprintf(text + used, RANKS_TEXT - used, "-%u", last);
		i = last;
	}
	return text;
}

void ranks_print(const char *key, const struct ranks *ranks)
{
	char text[RANKS_TEXT];
	uint32_t i;

	if (!opt.json) {
		print_string_as(NULL, COLOR_WARN, key, ranks_text(ranks, text));
		return;
	}
	print_list(key);
	for (i = 0; i < WEIR_RANKS_MAX; i++) {
		if (ranks->in[i])
			print_uint(NULL, i);
	}
	print_end();
}
