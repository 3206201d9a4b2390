// SPDX-License-Identifier: GPL-2.0
/*
 * Trimming of any frame (bpf/lib/trim/weir_trim_*.h), against the slow parser and
 * checksums made byte by byte. The input: a byte of flags, the policy's size in
 * two bytes, then a frame.
 */
#include <string.h>
#include <linux/types.h>

#include <weir_trim_nl.h>

#include "trim/weir_trim_class.h"

#include "trim/sum.h"
#include "trim/weir_trim_mark.h"

#include "fuzz.h"
#include "trim_check.h"

#define INPUT_KEEP	0x1
#define INPUT_RETURN	0x2
#define INPUT_EDGE	0x4

#define TRIMMED		48
#define RETURNED	40

/* An input whose frame has a fault is one that is kept. */
static void no_fault(const char *fault)
{
	if (fault)
		fprintf(stderr, "does not hold: %s\n", fault);
	HOLDS(!fault);
}

static void trim(const struct weir_trim_policy *policy, struct weir_trim_pkt *pkt,
		 const uint8_t *was)
{
	const struct trim_was marked = {
		.data = was, .len = pkt->len, .dscp = policy->dscp,
		.keep = policy->flags & WEIR_TRIM_KEEP_LENGTH,
	};
	struct trim_was returned = marked;
	uint32_t len = weir_trim_length(policy, pkt);

	HOLDS(len >= pkt->headers && len <= pkt->len);
	HOLDS(len == pkt->len || len == policy->size || len == pkt->headers);
	weir_trim_mark(policy, pkt, len);
	no_fault(trim_marked_fault(&marked, pkt->start, len));
	weir_trim_return(policy, pkt);
	returned.dscp = policy->return_dscp;
	no_fault(trim_returned_fault(&returned, pkt->start, len));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct weir_trim_policy policy = {
		.dscps = ~(1ULL << TRIMMED | 1ULL << RETURNED),
		.marks = 1ULL << TRIMMED, .dscp = TRIMMED, .return_dscp = RETURNED, .rules = 1,
	};
	struct weir_trim_pkt pkt = { };
	uint8_t *copy;
	int class;

	if (size < 3)
		return 0;
	policy.rule[0].dscps = policy.dscps;
	policy.flags = (data[0] & INPUT_KEEP ? WEIR_TRIM_KEEP_LENGTH : 0) |
		       (data[0] & INPUT_RETURN ? WEIR_TRIM_RETURN : 0);
	policy.size = WEIR_TRIM_SIZE_MIN + (data[1] * 256 + data[2]) %
		      (WEIR_TRIM_SIZE_MAX - WEIR_TRIM_SIZE_MIN + 1);
	size -= 3;
	copy = malloc(size + 2);
	if (!copy)
		return 0;
	/* As a driver lays it: the IP header is aligned. */
	memcpy(copy + 2, data + 3, size);
	pkt.start = copy + 2;
	pkt.end = copy + 2 + size;
	pkt.len = size;
	if (!weir_trim_parse(&pkt)) {
		class = weir_trim_classify(&policy, &pkt);
		if (data[0] & INPUT_EDGE && weir_trim_is_marked(class))
			class = weir_trim_distrust(&policy, &pkt, class);
		if (class == WEIR_TRIM_DATA) {
			no_fault(trim_eligible_fault(data + 3, size));
			trim(&policy, &pkt, data + 3);
		} else if (class == WEIR_TRIM_UNTRUSTED) {
			weir_trim_unmark(&pkt);
		}
	}
	free(copy);
	return 0;
}
