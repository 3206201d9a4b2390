// SPDX-License-Identifier: GPL-2.0
/* Chains: check that they run, and that their programs can be loaded again. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <weir_xdp_nl.h>

#include "doctor/doctor.h"
#include "program/program.h"

/* The first program of a chain speaks for the whole. */
static void check_run(struct patient *patient, const char *subject,
		      const struct nlattr *const place[])
{
	struct finding finding = { DOCTOR_OK, "program", subject, NULL };
	const char *dev = nl_string(place[WEIR_A_CHAIN_IFNAME]);
	unsigned int prio = nl_uint(place[WEIR_A_CHAIN_PRIO]);
	struct link link;
	struct hook hook;

	if (rtnl_link(&patient->rtnl, nl_uint(place[WEIR_A_CHAIN_IFINDEX]), &link) ||
	    xdp_look(&link, 0, &hook))
		return;
	hook_close(&hook);
	if (hook.chain) {
		report(&finding, "its programs are run by program %u (%s)", hook.id, hook.name);
		return;
	}
	finding.verdict = DOCTOR_FAIL;
	if (prio == WEIR_XDP_CHAIN_PRIO_FILTER)
		finding.fix = fix("run `ip link set dev %s xdp off`, and `weir filter replace dev %s` with a rule that is there",
				  quoted(dev), quoted(dev));
	else if (hook.id)
		finding.fix = fix("run `ip link set dev %s xdp off`, then `weir chain move dev %s prio %u to %u`",
				  quoted(dev), quoted(dev), prio, prio);
	else
		finding.fix = fix("run `weir chain move dev %s prio %u to %u`", quoted(dev), prio, prio);
	report(&finding, "none of its programs is run: somebody took weir's off the device");
}

/* Check that the file of a program can be read. A program that another tool has added has no file. */
static void check_file(const char *subject, const struct nlattr *const place[])
{
	struct finding finding = { DOCTOR_WARN, "file", subject, NULL };
	const char *file = nl_string(place[WEIR_A_CHAIN_FILE]);

	if (!place[WEIR_A_CHAIN_FILE] || !access(file, R_OK))
		return;
	finding.fix = fix("put it back, or run `weir chain replace dev %s prio %u program FILE`",
			  quoted(nl_string(place[WEIR_A_CHAIN_IFNAME])),
			  (unsigned int)nl_uint(place[WEIR_A_CHAIN_PRIO]));
	report(&finding, "%s cannot be read (%s), so the chain cannot be restored", file,
	       strerror(errno));
}

void doctor_chains(struct patient *patient)
{
	const struct nlattr *place[WEIR_A_CHAIN_MAX + 1];
	unsigned int last = 0, ifindex;
	char subject[64];
	size_t i;

	for (i = 0; i < patient->chains.count; i++) {
		weir_attributes(patient->chains.message[i], place, WEIR_A_CHAIN_MAX);
		ifindex = nl_uint(place[WEIR_A_CHAIN_IFINDEX]);
		snprintf(subject, sizeof(subject), "chain %s", nl_string(place[WEIR_A_CHAIN_IFNAME]));
		if (ifindex != last)
			check_run(patient, subject, place);
		last = ifindex;
		check_file(subject, place);
	}
}
