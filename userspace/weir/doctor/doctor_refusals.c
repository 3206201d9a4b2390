// SPDX-License-Identifier: GPL-2.0
/* Packets that were refused for a reason that an administrator has to mend. */
#include <weir.h>

#include "doctor/doctor.h"
#include "grammar/names.h"

static const struct { uint32_t reason; const char *fix; } mendable[] = {
	{ WEIR_REASON_FRAGMENT, "raise the MTU on the way, or add the job with fewer grads" },
	{ WEIR_REASON_NO_PORT, "detach the program from devices that are no port: `weir port show`, `ip link`" },
	{ WEIR_REASON_NO_JOB, "compare the job number and the format of the workers with `weir job show`" },
	{ WEIR_REASON_NOT_LOCAL, "let workers send to the job's address: `weir job show`" },
	{ WEIR_REASON_LENGTH, "see that workers write the gradients of one block into each packet" },
	{ WEIR_REASON_CHECKSUM, "look for a link or a device that breaks packets" },
	{ WEIR_REASON_NO_SOURCE, "bind the worker's rank: `weir source add`" },
	{ WEIR_REASON_SPOOFED, "bind the rank to the address, port, device and VLAN that the worker really has: `weir source set`" },
	{ WEIR_REASON_JOB_RATE, "let workers send less, or raise the job's rate: `weir job set`" },
	{ WEIR_REASON_SOURCE_RATE, "let the worker send less, or raise its rate: `weir source set`" },
	{ WEIR_REASON_TOO_LONG, "let workers send fewer gradients a packet, or add the job with more grads" },
	{ WEIR_REASON_COUNT, "let all workers split their vectors alike" },
	{ WEIR_REASON_WEIGHT, "let workers send src_cnt 1" },
	{ WEIR_REASON_EXCLUDED, "start the worker again, so that it joins the next generation" },
	{ WEIR_REASON_BUSY, "keep the workers' windows at or below half of the job's blocks" },
	{ WEIR_REASON_NOMEM, "free memory, or add the job with fewer blocks" },
	{ WEIR_REASON_JOIN, "start as many workers as the job has sources" },
	{ WEIR_REASON_MARTIAN, "look for who forges addresses: the event weir:weir_refusal and tcpdump show the packets" },
	{ WEIR_REASON_MERGED, "look for who sends packets with a tiny gso_size: a guest, or a program with a tap" },
	{ WEIR_REASON_WORKERS, "start as many workers as the job has sources, and say that number in all packets" },
	{ WEIR_REASON_CHUNK, "see that workers count chunks from 1 to total_chunks, with slot_mod the lowest bit of the number" },
	{ WEIR_REASON_PAIR, "see that mappers send keys of 1 to 64 bytes, and as many pairs as a packet says" },
	{ WEIR_REASON_OPERATION, "compare the operation and the type of mappers, job and reducer: `weir job show`" },
	{ WEIR_REASON_LOOP, "see with `weir job show` on each box that none of them is a parent of its own parent" },
	{ WEIR_REASON_UNREADABLE, "let the workers' flows go to queues of the device without a binding to its memory: `ethtool -N`" },
};

static void check_reason(uint32_t reason, uint64_t packets)
{
	struct finding finding = { DOCTOR_WARN, "refusals", "", NULL };
	size_t i;

	for (i = 0; i < sizeof(mendable) / sizeof(mendable[0]); i++) {
		if (mendable[i].reason != reason)
			continue;
		finding.fix = mendable[i].fix;
		report(&finding, "%ju packets were refused as %s since the module was loaded",
		       (uintmax_t)packets, names_word(&reason_names, reason));
	}
}

void doctor_refusals(struct patient *patient)
{
	const struct nlattr *total[WEIR_A_TOTAL_MAX + 1];
	const struct nlattr *refusal[WEIR_A_REFUSAL_MAX + 1];
	struct nl_replies replies = {};
	char buffer[NL_REQUEST_SIZE];
	const struct nlattr *attr;

	weir_begin(&patient->weir, buffer, WEIR_CMD_STATS_GET, 0);
	if (nl_talk(&patient->weir.nl, buffer, &replies) || !replies.count)
		return;
	weir_attributes(replies.message[0], total, WEIR_A_TOTAL_MAX);
	if (total[WEIR_A_TOTAL_STATS]) {
		mnl_attr_for_each_nested(attr, total[WEIR_A_TOTAL_STATS]) {
			if (mnl_attr_get_type(attr) != WEIR_A_STATS_REFUSAL)
				continue;
			nl_nested(attr, refusal, WEIR_A_REFUSAL_MAX);
			check_reason(nl_uint(refusal[WEIR_A_REFUSAL_REASON]),
				     nl_uint(refusal[WEIR_A_REFUSAL_PACKETS]));
		}
	}
	nl_replies_free(&replies);
}
