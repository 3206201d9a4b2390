// SPDX-License-Identifier: GPL-2.0
#include <linux/genetlink.h>
#include <string.h>

#include "job/lateness.h"
#include "netlink/nl.h"

static void sum_up(struct lateness *lateness)
{
	unsigned int i;

	lateness->total = 0;
	for (i = 0; i < WEIR_LATENESS_BUCKETS; i++)
		lateness->total += lateness->bucket[i];
}

/* A module with more buckets than the tool knows: buckets beyond are later still. */
void lateness_read_attr(struct lateness *lateness, const struct nlmsghdr *message, uint16_t type)
{
	const struct nlattr *attr;
	unsigned int i = 0;

	memset(lateness, 0, sizeof(*lateness));
	mnl_attr_for_each(attr, message, sizeof(struct genlmsghdr)) {
		if (mnl_attr_get_type(attr) != type)
			continue;
		lateness->bucket[i] += nl_uint(attr);
		i += i < LATENESS_LAST;
	}
	sum_up(lateness);
}

void lateness_read(struct lateness *lateness, const struct nlmsghdr *source)
{
	lateness_read_attr(lateness, source, WEIR_A_SOURCE_LATENESS);
}

void lateness_since(struct lateness *lateness, const struct lateness *before)
{
	unsigned int i;

	for (i = 0; i < WEIR_LATENESS_BUCKETS; i++) {
		if (lateness->bucket[i] < before->bucket[i])
			return;
	}
	for (i = 0; i < WEIR_LATENESS_BUCKETS; i++)
		lateness->bucket[i] -= before->bucket[i];
	sum_up(lateness);
}

int lateness_quantile(const struct lateness *lateness, unsigned int permille)
{
	double wanted = lateness->total * (permille / 1000.0);
	uint64_t seen = 0;
	int i;

	if (!lateness->total)
		return -1;
	for (i = 0; i < LATENESS_LAST; i++) {
		seen += lateness->bucket[i];
		if (seen && seen >= wanted)
			break;
	}
	return i;
}

uint64_t lateness_from(unsigned int bucket)
{
	return bucket ? 1ull << bucket : 0;
}

uint64_t lateness_below(unsigned int bucket)
{
	return bucket < LATENESS_LAST ? 2ull << bucket : UINT64_MAX;
}
