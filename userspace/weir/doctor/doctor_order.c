// SPDX-License-Identifier: GPL-2.0
/* Orders: check that packets come to them, that they come in time, and that their CPUs are there. */
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <weir.h>
#include <weir_xdp_nl.h>

#include "doctor/doctor.h"
#include "program/program.h"

static const char *dev_of(const struct nlattr *const order[])
{
	return nl_string(order[WEIR_A_ORDER_IFNAME]);
}

/* Packets come by weir's program in the device's chain. */
static void check_program(struct finding finding, const struct nlattr *const order[])
{
	if (chain_program_id(nl_uint(order[WEIR_A_ORDER_IFINDEX]), WEIR_XDP_CHAIN_PRIO_ORDER)) {
		report(&finding, "weir's program hands its packets over");
		return;
	}
	finding.verdict = DOCTOR_FAIL;
	finding.fix = fix("run `weir order del dev %s prio %u`, and add it again", quoted(dev_of(order)),
			  (unsigned int)nl_uint(order[WEIR_A_ORDER_PRIO]));
	report(&finding, "no packet comes to it: weir's program is not in the chain of %s", dev_of(order));
}

/* The kernel drops packets that are redirected to a device that is down; weir's passes them by. */
static void check_device(struct patient *patient, struct finding finding,
			 const struct nlattr *const order[])
{
	const char *name = nl_string(order[WEIR_A_ORDER_DEVICE]);
	struct link link;

	if (rtnl_link(&patient->rtnl, if_nametoindex(name), &link) || link.flags & IFF_UP)
		return;
	finding.verdict = DOCTOR_WARN;
	finding.fix = fix("run `ip link set %s up`", quoted(name));
	report(&finding, "packets are in no order while %s is down", name);
}

static uint64_t stat_of(const struct nlattr *const order[], uint16_t attr)
{
	const struct nlattr *stats[WEIR_A_ORDER_STATS_MAX + 1] = {};

	nl_nested(order[WEIR_A_ORDER_STATS], stats, WEIR_A_ORDER_STATS_MAX);
	return nl_uint(stats[attr]);
}

/* One packet in a thousand is more than chance. */
static void check_late(struct finding finding, const struct nlattr *const order[])
{
	uint64_t packets = stat_of(order, WEIR_A_ORDER_STATS_PACKETS);
	uint64_t late = stat_of(order, WEIR_A_ORDER_STATS_LATE);

	if (!packets || late * 1000 < packets)
		return;
	finding.verdict = DOCTOR_WARN;
	finding.fix = fix("add it again with a longer hold; `weir order show` says how long packets wait");
	report(&finding, "%llu of %llu packets came when their turn had been given up",
	       (unsigned long long)late, (unsigned long long)packets);
}

static void check_full(struct finding finding, const struct nlattr *const order[])
{
	uint64_t full = stat_of(order, WEIR_A_ORDER_STATS_FULL);

	if (!full)
		return;
	finding.verdict = DOCTOR_WARN;
	finding.fix = fix("add it again with more flows, or a narrower rule");
	report(&finding, "%llu packets came when all its %u flows were in use, and went on in no order",
	       (unsigned long long)full, (unsigned int)nl_uint(order[WEIR_A_ORDER_FLOWS]));
}

/* Return true if the device is a veth and the driver's XDP orders its frames, which may lack checksums. */
static bool loses_checksums(const struct link *link)
{
	struct hook hook;

	if (strcmp(link->kind, "veth") || xdp_look(link, WEIR_XDP_CHAIN_PRIO_ORDER, &hook))
		return false;
	hook_close(&hook);
	return hook.member && hook.mode == WEIR_MODE_XDP;
}

static void check_senders(struct patient *patient)
{
	struct link *links;
	size_t count, i;

	rtnl_links(&patient->rtnl, &links, &count);
	for (i = 0; i < count; i++) {
		if (loses_checksums(&links[i]))
			doctor_sender(&links[i], links, count);
	}
	free(links);
}

void doctor_orders(struct patient *patient)
{
	const struct nlattr *order[WEIR_A_ORDER_MAX + 1];
	char subject[64];
	size_t i;

	for (i = 0; i < patient->orders.count; i++) {
		struct finding finding = { DOCTOR_OK, "order", subject, NULL };

		weir_attributes(patient->orders.message[i], order, WEIR_A_ORDER_MAX);
		snprintf(subject, sizeof(subject), "order %s %u", dev_of(order),
			 (unsigned int)nl_uint(order[WEIR_A_ORDER_PRIO]));
		check_program(finding, order);
		check_device(patient, finding, order);
		check_late(finding, order);
		check_full(finding, order);
	}
	if (patient->orders.count)
		check_senders(patient);
}
