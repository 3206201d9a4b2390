// SPDX-License-Identifier: GPL-2.0
/* Recorded flows: check that packets come to the table, and that it has room. */
#include <stdio.h>

#include <weir_xdp_nl.h>

#include "doctor/doctor.h"
#include "program/program.h"

/* The chain itself, and whether it runs, is looked at with chains. */
static void check_program(const char *subject, const struct nlattr *const table[])
{
	struct finding finding = { DOCTOR_OK, "program", subject, NULL };

	if (chain_program_id(nl_uint(table[WEIR_A_FLOW_IFINDEX]), WEIR_XDP_CHAIN_PRIO_FLOW)) {
		report(&finding, "the device's chain hands it packets");
		return;
	}
	finding.verdict = DOCTOR_FAIL;
	finding.fix = fix("run `weir flow on dev %s`", quoted(nl_string(table[WEIR_A_FLOW_IFNAME])));
	report(&finding, "no packet comes to the records: the program is not in the device's chain");
}

static void check_room(const char *subject, const struct nlattr *const table[])
{
	const struct nlattr *stats[WEIR_A_FLOW_STATS_MAX + 1] = {};
	struct finding finding = { DOCTOR_WARN, "room", subject, NULL };
	uint64_t flows = nl_uint(table[WEIR_A_FLOW_FLOWS]), unrecorded, went;
	const char *dev = nl_string(table[WEIR_A_FLOW_IFNAME]);

	nl_nested(table[WEIR_A_FLOW_STATS], stats, WEIR_A_FLOW_STATS_MAX);
	unrecorded = nl_uint(stats[WEIR_A_FLOW_STATS_UNRECORDED]);
	went = nl_uint(stats[WEIR_A_FLOW_STATS_ROOM]);
	if (!unrecorded && !went)
		return;
	finding.fix = fix("run `weir flow off dev %s`, then `weir flow on dev %s flows %llu`, or take a sample",
			  quoted(dev), quoted(dev), (unsigned long long)flows * 2);
	report(&finding, "it had no room for all flows: %llu records went before their time, and %llu packets have none",
	       (unsigned long long)went, (unsigned long long)unrecorded);
}

void doctor_flows(struct patient *patient)
{
	const struct nlattr *table[WEIR_A_FLOW_MAX + 1];
	char subject[64];
	size_t i;

	for (i = 0; i < patient->flows.count; i++) {
		weir_attributes(patient->flows.message[i], table, WEIR_A_FLOW_MAX);
		snprintf(subject, sizeof(subject), "flow %s", nl_string(table[WEIR_A_FLOW_IFNAME]));
		check_program(subject, table);
		check_room(subject, table);
	}
}
