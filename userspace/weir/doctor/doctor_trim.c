// SPDX-License-Identifier: GPL-2.0
/* Trimming: check that attached programs and qdiscs bring packets to each policy, and whole ones. */
#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <weir_trim_nl.h>

#include "base/device.h"
#include "doctor/doctor.h"
#include "netlink/netdev.h"
#include "program/sender.h"
#include "trim/trim.h"

#define DSCP_CS6	48
#define DSCP_CS7	56

#define CHILD_DROPS_ONE_IN	100

/* State that all policies with hook xdp share. */
struct forward {
	int err;
	unsigned int devices;
};

static const char *set_line(const struct link *link, const char *more)
{
	return fix("run `weir trim set dev %s%s`", quoted(link->name), more);
}

/* XDP forwards without it, except frames for which the device has no room. */
static bool needs_qdisc(const struct trim *trim)
{
	return trim->hook != WEIR_TRIM_HOOK_XDP || trim->meter == WEIR_TRIM_METER_BACKLOG;
}

static void check_qdisc(struct patient *patient, const struct link *link, const char *subject,
			const struct trim *trim)
{
	struct finding finding = { DOCTOR_OK, "qdisc", subject, NULL };
	bool there = false;
	int err;

	err = trim_qdisc_find(&patient->rtnl, link->ifindex, &there);
	if (there) {
		report(&finding, "%s has a weir qdisc", link->name);
		return;
	}
	finding.verdict = needs_qdisc(trim) ? DOCTOR_FAIL : DOCTOR_WARN;
	finding.fix = set_line(link, "");
	if (err)
		report(&finding, "the qdiscs of %s cannot be listed: %s", link->name,
		       strerror(-err));
	else if (needs_qdisc(trim))
		report(&finding, "there is no weir qdisc on %s, so nothing is trimmed", link->name);
	else
		report(&finding, "there is no weir qdisc on %s, so what it has no room for of what XDP redirects is not trimmed",
		       link->name);
}

/* Trimming does not see changes by programs and filters that run after it. */
static void report_filter(struct finding *finding, const struct hook *hook)
{
	unsigned int after = hook->tcx ? hook->after + hook->filters : 0;
	const char *where = hook->tcx ? "tcx" : "clsact";

	if (after)
		report(finding, "program %u (%s) is attached at egress (%s); after it come %u of others, and what those change it does not see",
		       hook->id, hook->name, where, after);
	else
		report(finding, "program %u (%s) is attached at egress (%s)", hook->id,
		       hook->name, where);
}

static void check_filter(struct patient *patient, const struct link *link, const char *subject)
{
	struct finding finding = { DOCTOR_OK, "program", subject, NULL };
	struct hook hook;
	int err;

	err = tc_find(&patient->rtnl, link->ifindex, &tc_egress, &hook);
	if (!err && hook.ours) {
		report_filter(&finding, &hook);
		return;
	}
	if (err) {
		finding.verdict = DOCTOR_WARN;
		finding.fix = "run weir as root";
		report(&finding, "whose tc programs there are cannot be told: %s", strerror(-err));
		return;
	}
	finding.verdict = DOCTOR_FAIL;
	finding.fix = set_line(link, "");
	report(&finding, "no program is attached at egress of %s, so nothing is trimmed",
	       link->name);
}

/* A merged packet has no single payload that could be cut off for all its segments. */
static void check_merging(const struct link *link, const char *subject)
{
	static const char *const features[] = {
		"tx-generic-segmentation", "tx-tcp-segmentation", "tx-tcp6-segmentation",
		"tx-udp-segmentation",
	};
	struct finding finding = { DOCTOR_OK, "merging", subject, NULL };
	const char *on = NULL;
	size_t i;

	for (i = 0; !on && i < sizeof(features) / sizeof(features[0]); i++) {
		if (device_feature(link->name, features[i]))
			on = features[i];
	}
	if (!on) {
		report(&finding, "%s gets packets one by one", link->name);
		return;
	}
	finding.verdict = DOCTOR_WARN;
	finding.fix = fix("run `ethtool -K %s gso off tso off tx-udp-segmentation off`, or trim with hook qdisc",
			  quoted(link->name));
	report(&finding, "%s is on: merged packets pass the program whole", on);
}

static void check_forward(const struct link *link, const char *subject,
			  const struct forward *forward)
{
	struct finding finding = { DOCTOR_OK, "program", subject, NULL };

	if (forward->devices) {
		report(&finding, "the program that forwards is on %u device%s", forward->devices,
		       forward->devices > 1 ? "s" : "");
		return;
	}
	if (forward->err) {
		finding.verdict = DOCTOR_WARN;
		finding.fix = "run weir as root";
		report(&finding, "whose XDP programs there are takes CAP_SYS_ADMIN to say");
		return;
	}
	finding.verdict = DOCTOR_FAIL;
	finding.fix = set_line(link, " from DEVICE");
	report(&finding, "no device has the program that forwards, so nothing is trimmed");
}

/* The device that programs redirect to, which stands before the policy's own. */
static bool before_is_down(struct patient *patient, const struct link *link, struct link *before)
{
	struct link *links;
	bool down = false;
	size_t count, i;

	rtnl_links(&patient->rtnl, &links, &count);
	for (i = 0; !down && i < count; i++) {
		*before = links[i];
		down = !strcmp(before->kind, "weir") && before->peer == link->ifindex &&
		       !(before->flags & IFF_UP);
	}
	free(links);
	return down;
}

/* The module takes a policy where the driver has a way to send; the driver may not allow it now. */
static void check_sends(struct patient *patient, const struct link *link, const char *subject,
			const struct trim *trim)
{
	struct finding finding = { DOCTOR_OK, "redirect", subject, NULL };
	struct link before;

	if (trim->sends) {
		report(&finding, "%s takes what XDP redirects", link->name);
		return;
	}
	finding.verdict = DOCTOR_FAIL;
	if (before_is_down(patient, link, &before)) {
		finding.fix = fix("run `ip link set dev %s up`", quoted(before.name));
		report(&finding, "%s is down, by which XDP redirects to %s, so the stack forwards, and nothing is trimmed",
		       before.name, link->name);
		return;
	}
	finding.fix = strcmp(link->kind, "veth") ?
		      "give the device an XDP program, too, or look for a setting of its driver" :
		      "run `ethtool -K DEVICE gro on` at its other end";
	report(&finding, "%s does not take what XDP redirects, so the stack forwards it, and nothing is trimmed",
	       link->name);
}

static void check_hook(struct patient *patient, const struct link *link, const char *subject,
		       const struct trim *trim, const struct forward *forward)
{
	switch (trim->hook) {
	case WEIR_TRIM_HOOK_QDISC:
		check_qdisc(patient, link, subject, trim);
		break;
	case WEIR_TRIM_HOOK_TC:
		check_filter(patient, link, subject);
		check_merging(link, subject);
		break;
	case WEIR_TRIM_HOOK_XDP:
		check_forward(link, subject, forward);
		check_qdisc(patient, link, subject, trim);
		if (trim->meter != WEIR_TRIM_METER_BACKLOG)
			check_sends(patient, link, subject, trim);
		break;
	}
}

/* The hook that let them through counts them as sent. */
static void check_losses(const struct link *link, const char *subject, const struct trim *trim)
{
	struct finding finding = { DOCTOR_WARN, "losses", subject, NULL };

	if (!trim->device_dropped)
		return;
	if (trim->hook == WEIR_TRIM_HOOK_QDISC)
		finding.fix = "see with `weir top` whether it goes on; if so, put a shaper above the weir qdisc, or trim with hook tc and a rate";
	else
		finding.fix = "see with `weir top` whether it goes on; if so, say a lower rate";
	report(&finding, "%s itself has dropped %llu packets since its policy came, and told nobody",
	       link->name, (unsigned long long)trim->device_dropped);
}

/*
 * Some qdiscs drop a packet now and then to have its sender slow down. With more losses, packets
 * are lost that weir's own queue would have trimmed.
 */
static void check_child(const struct link *link, const char *subject, const struct trim *trim)
{
	struct finding finding = { DOCTOR_WARN, "losses", subject, NULL };

	if (trim->child_dropped <= trim->passed / CHILD_DROPS_ONE_IN)
		return;
	finding.fix = fix("see with `tc -s qdisc show dev %s` which one does; with a lower limit in `weir trim set dev %s limit PACKETS` more is trimmed before it",
			  quoted(link->name), quoted(link->name));
	report(&finding, "the qdisc below weir's on %s has dropped %llu packets, which were not trimmed, of about %llu",
	       link->name, (unsigned long long)trim->child_dropped,
	       (unsigned long long)trim->passed);
}

/* The device had no room for them, and the port no queue. */
static void check_lost(const struct link *link, const char *subject, const struct trim *trim)
{
	struct finding finding = { DOCTOR_WARN, "losses", subject, NULL };

	if (!trim->lost)
		return;
	finding.fix = fix("run `weir trim set dev %s`, which gives it a weir qdisc: what the device has no room for is trimmed and queued there",
			  quoted(link->name));
	report(&finding, "%s did not take %llu frames that XDP redirected, and its qdisc neither",
	       link->name, (unsigned long long)trim->lost);
}

static bool any_edge(const struct patient *patient)
{
	struct trim trim;
	size_t i;

	for (i = 0; i < patient->trims.count; i++) {
		trim_read(patient->trims.message[i], &trim);
		if (trim.edge)
			return true;
	}
	return false;
}

/* An edge takes the mark off all packets that a rule may match, even of routing protocols. */
static void check_mark(struct patient *patient, const struct link *link, const char *subject,
		       const struct trim *trim)
{
	struct finding finding = { DOCTOR_WARN, "mark", subject, NULL };

	if ((trim->dscp != DSCP_CS6 && trim->dscp != DSCP_CS7) || !trim->bgp || !any_edge(patient))
		return;
	if (*trim->acl && !trim_acl_leaves(&patient->acls, trim->acl, IPPROTO_TCP, TRIM_BGP_PORT))
		return;
	finding.fix = "at all ports set a DSCP that nothing else uses, such as 45, or say `disable-trim proto=tcp,port=179 disable-trim proto=tcp,sport=179` with the rules, or in their ACL";
	report(&finding, "%s marks trimmed packets cs%u, as routing protocols do theirs: BGP that comes in by an edge loses it",
	       link->name, trim->dscp >> 3);
}

/* The MTU may have been lowered, or was not raised yet. */
static void check_size(const struct link *link, const char *subject, const struct trim *trim)
{
	struct finding finding = { DOCTOR_WARN, "size", subject, NULL };

	if (!trim->idle)
		return;
	finding.fix = fix("raise the MTU of %s, which is %u, or run `weir trim set dev %s size NUMBER` with less",
			  quoted(link->name), link->mtu, quoted(link->name));
	report(&finding, "no frame of %s is longer than the %u bytes that trimming leaves, so nothing is trimmed",
	       link->name, trim->size);
}

static void check_trim(struct patient *patient, const struct nlmsghdr *message,
		       const struct forward *forward)
{
	struct trim trim;
	char subject[64];
	struct link link;

	trim_read(message, &trim);
	snprintf(subject, sizeof(subject), "trim %s", trim.dev);
	if (rtnl_link(&patient->rtnl, trim.ifindex, &link)) {
		report(&(struct finding){ DOCTOR_FAIL, "device", subject,
					  "look with `ip link`" },
		       "device number %u is not in this network namespace", trim.ifindex);
		return;
	}
	doctor_device(&link, subject);
	check_hook(patient, &link, subject, &trim, forward);
	if (trim.hook == WEIR_TRIM_HOOK_NONE)
		return;
	check_size(&link, subject, &trim);
	check_losses(&link, subject, &trim);
	check_child(&link, subject, &trim);
	check_lost(&link, subject, &trim);
	check_mark(patient, &link, subject, &trim);
}

/* The other end of a veth may have been told again to leave checksums undone. */
void doctor_sender(const struct link *link, const struct link *links, size_t count)
{
	struct finding finding = { DOCTOR_WARN, "checksums", NULL, NULL };
	const char *peer = NULL;
	char subject[64];
	size_t i;

	snprintf(subject, sizeof(subject), "device %s", link->name);
	finding.subject = subject;
	for (i = 0; i < count; i++) {
		if (links[i].ifindex == link->peer && links[i].peer == link->ifindex)
			peer = links[i].name;
	}
	if (!sender_unfinished(link->ifindex)) {
		finding.verdict = DOCTOR_OK;
		report(&finding, "its other end%s%s sends whole checksums", peer ? ", " : "",
		       peer ?: "");
		return;
	}
	finding.fix = fix("run `ethtool -K %s tx off`%s", peer ? quoted(peer) : "DEVICE",
			  peer ? "" : " at the other end");
	report(&finding, "packets that XDP forwards from a veth keep the checksums that its other end leaves undone");
}

/*
 * A tag that the device takes off is not in the frame. A program that was loaded for the device
 * asks the driver for it; @name: the program's name.
 */
static void check_tags(const struct link *link, const char *name)
{
	struct finding finding = { DOCTOR_OK, "vlan", NULL, NULL };
	char subject[64];

	snprintf(subject, sizeof(subject), "device %s", link->name);
	finding.subject = subject;
	if (!device_hides_vlan(link->name)) {
		report(&finding, "frames that XDP forwards from %s keep their VLAN tags", link->name);
		return;
	}
	if (!strcmp(name, WEIR_FORWARD_BOUND_NAME) && netdev_tells_vlan(link->ifindex)) {
		report(&finding, "%s takes VLAN tags off, and tells the program that forwards", link->name);
		return;
	}
	finding.verdict = DOCTOR_WARN;
	finding.fix = fix("run `ethtool -K %s rxvlan off rx-vlan-stag-hw-parse off` if it gets frames of VLANs",
			  quoted(link->name));
	report(&finding, "%s takes VLAN tags off, and what XDP forwards from it goes on without", link->name);
}

/* The devices that the program is on, under any policy. */
static void check_senders(struct patient *patient)
{
	struct link *links;
	struct hook hook;
	size_t count, i;

	rtnl_links(&patient->rtnl, &links, &count);
	for (i = 0; i < count; i++) {
		if (!trim_forward_has(&links[i], &hook))
			continue;
		check_tags(&links[i], hook.name);
		if (!strcmp(links[i].kind, "veth"))
			doctor_sender(&links[i], links, count);
	}
	free(links);
}

void doctor_trims(struct patient *patient)
{
	struct forward forward;
	size_t i;

	if (!patient->trims.count)
		return;
	forward.err = trim_forward_count(&patient->rtnl, &forward.devices);
	for (i = 0; i < patient->trims.count; i++)
		check_trim(patient, patient->trims.message[i], &forward);
	check_senders(patient);
}
