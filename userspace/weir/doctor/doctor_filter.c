// SPDX-License-Identifier: GPL-2.0
/*
 * Filters: check that packets come to them, that each rule has all of its packets, and that they can be
 * restored.
 */
#include <errno.h>
#include <linux/genetlink.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <weir_xdp_nl.h>

#include "base/device.h"
#include "doctor/doctor.h"
#include "grammar/match.h"
#include "program/program.h"

static unsigned int prio_of(const struct nlattr *const rule[])
{
	return nl_uint(rule[WEIR_A_FILTER_PRIO]);
}

/* Check that the device's chain has the program. The checks of chains report a chain that is not run. */
static void check_program(const char *subject, const struct nlattr *const rule[])
{
	struct finding finding = { DOCTOR_OK, "program", subject, NULL };
	const char *dev = nl_string(rule[WEIR_A_FILTER_IFNAME]);
	uint32_t id = chain_program_id(nl_uint(rule[WEIR_A_FILTER_IFINDEX]),
				       WEIR_XDP_CHAIN_PRIO_FILTER);

	if (id) {
		report(&finding, "program %u hands packets to its rules", id);
		return;
	}
	finding.verdict = DOCTOR_FAIL;
	finding.fix = fix("run `weir filter replace dev %s prio %u` with the rule that is there",
			  quoted(dev),
			  prio_of(rule));
	report(&finding, "no packet comes to its rules: the chain of %s has no program for them", dev);
}

static void check_pending(const char *subject, const struct nlattr *const rule[])
{
	struct finding finding = { DOCTOR_WARN, "pending", subject, NULL };
	const char *dev = nl_string(rule[WEIR_A_FILTER_IFNAME]);

	if (!rule[WEIR_A_FILTER_PENDING])
		return;
	finding.fix = fix("run `weir filter del dev %s prio %u`, and load it again", quoted(dev),
			  prio_of(rule));
	report(&finding, "rule %u has no packets yet: what loaded it has not come to its end",
	       prio_of(rule));
}

static void check_file(const char *subject, const struct nlattr *const rule[])
{
	struct finding finding = { DOCTOR_WARN, "file", subject, NULL };
	const char *file = nl_string(rule[WEIR_A_FILTER_FILE]);

	if (!rule[WEIR_A_FILTER_FILE] || !access(file, R_OK))
		return;
	finding.fix = fix("put it back, or run `weir filter replace dev %s prio %u set FILE ...`",
			  quoted(nl_string(rule[WEIR_A_FILTER_IFNAME])), prio_of(rule));
	report(&finding, "%s cannot be read (%s), so rule %u cannot be restored", file,
	       strerror(errno), prio_of(rule));
}

static void check_room(const char *subject, const struct nlattr *const rule[])
{
	struct finding finding = { DOCTOR_WARN, "sources", subject, NULL };
	const struct nlattr *stats[WEIR_A_FILTER_STATS_MAX + 1];

	nl_nested(rule[WEIR_A_FILTER_STATS], stats, WEIR_A_FILTER_STATS_MAX);
	if (!nl_uint(stats[WEIR_A_FILTER_STATS_CROWDED]))
		return;
	finding.fix = fix("give rule %u of %s more `sources`, by `weir filter replace`",
			  prio_of(rule), quoted(nl_string(rule[WEIR_A_FILTER_IFNAME])));
	report(&finding, "%ju packets of sources that found no room had one rate together",
	       (uintmax_t)nl_uint(stats[WEIR_A_FILTER_STATS_CROWDED]));
}

/* A chain's programs see no tag that the driver takes off. */
static void check_vlan(const char *subject, const struct nlattr *const rule[],
		       const struct nlmsghdr *message)
{
	struct finding finding = { DOCTOR_WARN, "vlan", subject, NULL };
	const char *dev = nl_string(rule[WEIR_A_FILTER_IFNAME]);
	const struct nlattr *attr;
	struct match match;
	bool asks = false;

	mnl_attr_for_each(attr, message, sizeof(struct genlmsghdr)) {
		if (mnl_attr_get_type(attr) != WEIR_A_FILTER_MATCH)
			continue;
		match_read(&match, attr);
		asks |= match.vlan;
	}
	if (!asks || !device_hides_vlan(dev))
		return;
	finding.fix = fix("run `ethtool -K %s rx-vlan-offload off`", quoted(dev));
	report(&finding, "rule %u asks for a VLAN, but %s takes the tags off before", prio_of(rule),
	       dev);
}

void doctor_filters(struct patient *patient)
{
	const struct nlattr *rule[WEIR_A_FILTER_MAX + 1];
	unsigned int last = 0, ifindex;
	char subject[64];
	size_t i;

	for (i = 0; i < patient->filters.count; i++) {
		const struct nlmsghdr *message = patient->filters.message[i];

		weir_attributes(message, rule, WEIR_A_FILTER_MAX);
		ifindex = nl_uint(rule[WEIR_A_FILTER_IFINDEX]);
		snprintf(subject, sizeof(subject), "filter %s",
			 nl_string(rule[WEIR_A_FILTER_IFNAME]));
		if (ifindex != last)
			check_program(subject, rule);
		last = ifindex;
		check_pending(subject, rule);
		check_file(subject, rule);
		check_room(subject, rule);
		check_vlan(subject, rule, message);
	}
}
