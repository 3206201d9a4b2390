// SPDX-License-Identifier: GPL-2.0
/* Ports: check that the device is up, that our program is on it, and that the packets fit. */
#include <stdio.h>
#include <string.h>

#include <weir.h>
#include <weir_xdp_nl.h>
#include <weir_wire.h>

#include "base/device.h"
#include "doctor/doctor.h"
#include "grammar/names.h"
#include "port/attach.h"

void doctor_device(const struct link *link, const char *subject)
{
	struct finding finding = { DOCTOR_OK, "device", subject, NULL };

	if (!(link->flags & IFF_UP)) {
		finding.verdict = DOCTOR_FAIL;
		finding.fix = fix("run `ip link set dev %s up`", quoted(link->name));
		report(&finding, "%s is down", link->name);
	} else if (!(link->flags & IFF_RUNNING)) {
		finding.verdict = DOCTOR_WARN;
		finding.fix = "look at the cable, or at the other end";
		report(&finding, "%s is up, but has no carrier", link->name);
	} else {
		report(&finding, "%s is up, MTU %u", link->name, link->mtu);
	}
}

static const char *attach_line(const char *dev, uint32_t mode)
{
	return fix("run `weir port attach dev %s mode %s`", quoted(dev),
		   names_word(&mode_names, mode));
}

/* Check that our program, which is at a hook, is in the mode that the module has for the port. */
static void check_mode(const char *subject, const char *dev, uint32_t mode,
		       const struct hook *hook)
{
	struct finding finding = { DOCTOR_OK, "program", subject, NULL };
	char where[16];

	snprintf(where, sizeof(where), "%s", names_word(&mode_names, hook->mode));
	if (hook->mode != mode) {
		finding.verdict = DOCTOR_FAIL;
		finding.fix = attach_line(dev, mode);
		report(&finding, "program %u is attached in mode %s, but the port has mode %s",
		       hook->id, where, names_word(&mode_names, mode));
		return;
	}
	report(&finding, hook->chain ? "program %u is in the chain of %s, in mode %s" :
	       "program %u (%s) is attached in mode %s",
	       hook->chain ? hook->member : hook->id, hook->chain ? dev : hook->name, where);
}

static void check_program(struct patient *patient, const struct link *link,
			  const char *subject, uint32_t mode)
{
	struct finding finding = { DOCTOR_FAIL, "program", subject, NULL };
	struct hook tc = { .fd = -1 }, xdp;
	int unseen = xdp_look(link, WEIR_XDP_CHAIN_PRIO_SUM, &xdp), err;

	hook_close(&xdp);
	err = tc_find(&patient->rtnl, link->ifindex, &tc_ingress, &tc);
	if (mode == WEIR_MODE_TC && tc.ours) {
		check_mode(subject, link->name, mode, &tc);
		return;
	}
	if (unseen) {
		finding.verdict = DOCTOR_WARN;
		finding.fix = "run weir as root";
		report(&finding, "XDP program %u is attached, but whose it is takes CAP_SYS_ADMIN to say",
		       xdp.id);
	} else if (xdp.ours) {
		check_mode(subject, link->name, mode, &xdp);
	} else if (tc.ours) {
		check_mode(subject, link->name, mode, &tc);
	} else if (xdp.id && !xdp.shared) {
		finding.fix = fix("run `ip link set dev %s xdp off`, then `weir port attach dev %s mode %s`; or use mode tc",
				  quoted(link->name), quoted(link->name), names_word(&mode_names, mode));
		report(&finding, "XDP program %u (%s) of somebody else is in the place of weir's",
		       xdp.id, xdp.name);
	} else if (err) {
		finding.verdict = DOCTOR_WARN;
		finding.fix = "run weir as root";
		report(&finding, "whose tc programs there are cannot be told: %s", strerror(-err));
	} else {
		finding.fix = attach_line(link->name, mode);
		report(&finding, "no program is attached, so no packet is handed over");
	}
}

static uint32_t grads_within(const struct job *job, uint32_t mtu)
{
	uint32_t size = job_grad_size(job), fixed = job_mtu(job) - size * job->grads;

	return mtu > fixed ? (mtu - fixed) / size : 0;
}

static void check_mtu(struct patient *patient, const struct link *link, const char *subject)
{
	size_t i;

	for (i = 0; i < patient->jobs.count; i++) {
		struct finding finding = { DOCTOR_OK, "mtu", subject, NULL };
		struct job job;
		uint32_t need;

		job_read(patient->jobs.message[i], &job);
		if (!job_wanted(patient, job.id))
			continue;
		need = job_mtu(&job);
		if (link->mtu < need) {
			finding.verdict = DOCTOR_FAIL;
			finding.fix = fix("run `ip link set dev %s mtu %u` on every link of the way, or add job %u with at most %u grads",
					  quoted(link->name), need, job.id,
					  grads_within(&job, link->mtu));
		}
		report(&finding, "MTU %u, job %u with %u grads needs %u", link->mtu, job.id,
		       job.grads, need);
	}
}

/* The tc program sums merged packets in one pass. */
static void check_tc(const struct link *link, const char *subject, const char *merged)
{
	struct finding finding = { DOCTOR_OK, "merging", subject, NULL };

	if (merged) {
		report(&finding, "packets come merged: %s", merged);
		return;
	}
	if (device_feature_free(link->name, "rx-udp-gro-forwarding")) {
		finding.verdict = DOCTOR_WARN;
		finding.fix = fix("run `ethtool -K %s gro on rx-udp-gro-forwarding on`, and those that come together are summed in one pass",
				  quoted(link->name));
	}
	report(&finding, "packets come one by one, as GRO does not merge UDP on %s", link->name);
}

/*
 * XDP sees no merged packets: a veth's other end cuts them for it, and GRO is behind it. To
 * generic XDP, which is behind GRO, several contributions look like one that is too long.
 */
static void check_merging(const struct link *link, const char *subject, uint32_t mode)
{
	struct finding finding = { DOCTOR_WARN, "merging", subject, NULL };
	const char *merged = port_merged(link);

	if (mode == WEIR_MODE_TC) {
		check_tc(link, subject, merged);
	} else if (merged) {
		finding.fix = attach_line(link->name, WEIR_MODE_TC);
		report(&finding, mode == WEIR_MODE_GENERIC ?
		       "generic XDP cannot take packets apart that come merged: %s" :
		       "XDP gets packets one by one that would come merged to tc: %s", merged);
	} else if (mode == WEIR_MODE_GENERIC) {
		finding.fix = fix("run `weir port attach dev %s`, which takes a better mode",
				  quoted(link->name));
		report(&finding, "generic XDP copies each frame that is not in one piece, and runs where tc does");
	} else {
		finding.verdict = DOCTOR_OK;
		report(&finding, "packets come one by one, to XDP in the driver");
	}
}

/* Results leave merged, too, by the ports mostly. A tap cuts what its guest does not take. */
static void check_segmentation(const struct link *link, const char *subject)
{
	struct finding finding = { DOCTOR_OK, "segmentation", subject, NULL };
	bool on = device_feature(link->name, "tx-udp-segmentation");

	if (!on && strcmp(link->kind, "tun") &&
	    device_feature_free(link->name, "tx-udp-segmentation")) {
		finding.verdict = DOCTOR_WARN;
		finding.fix = fix("run `ethtool -K %s tx-udp-segmentation on`", quoted(link->name));
	}
	report(&finding, on ? "%s takes merged UDP packets" :
	       "merged UDP packets that leave by %s are cut in software", link->name);
}

/* Check that the offloads that a device is capable of are not turned off. */
static void check_offloads(const struct link *link, const char *subject)
{
	static const struct { const char *feature; const char *word; } wanted[] = {
		{ "rx-checksum", "rx" }, { "tx-checksum-ip-generic", "tx" },
		{ "tx-checksum-ipv4", "tx" }, { "tx-scatter-gather", "sg" },
	};
	struct finding finding = { DOCTOR_OK, "offloads", subject, NULL };
	char off[128] = "", words[64] = "";
	size_t i;

	for (i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++) {
		if (device_feature(link->name, wanted[i].feature) ||
		    !device_feature_free(link->name, wanted[i].feature))
			continue;
		snprintf(off + strlen(off), sizeof(off) - strlen(off), "%s%s",
			 *off ? ", " : "", wanted[i].feature);
		snprintf(words + strlen(words), sizeof(words) - strlen(words), " %s on",
			 wanted[i].word);
	}
	if (!*off) {
		report(&finding, "checksums and scattered packets are left to %s as far as it can",
		       link->name);
		return;
	}
	finding.verdict = DOCTOR_WARN;
	finding.fix = fix("run `ethtool -K %s%s`", quoted(link->name), words);
	report(&finding, "%s is told not to do what it can: %s", link->name, off);
}

/* More than one of so many packets is too much: workers send each one again. */
#define DROPS_ONE_IN 1000

static bool are_many(uint64_t dropped, uint64_t packets)
{
	return dropped && dropped >= packets / DROPS_ONE_IN;
}

/* Some drivers count what XDP has taken, and weir takes all that it sums. */
static void check_drops(const struct link *link, const char *subject, uint32_t mode)
{
	struct finding finding = { DOCTOR_WARN, "drops", subject, NULL };
	const struct drops *drops = &link->drops;

	if (are_many(drops->missed, drops->in)) {
		finding.fix = fix("see with `ip -s link show dev %s` whether it goes on; if so, give it longer rings (`ethtool -G %s rx NUMBER`) or more queues",
				  quoted(link->name), quoted(link->name));
		report(&finding, "%s had no buffer for %ju packets, and took %ju", link->name,
		       (uintmax_t)drops->missed, (uintmax_t)drops->in);
	}
	if (mode != WEIR_MODE_XDP && are_many(drops->in_dropped, drops->in)) {
		finding.fix = fix("see with `ip -s -s link show dev %s` whether it goes on; packets of protocols that nothing here speaks count, too",
				  quoted(link->name));
		report(&finding, "%s has dropped %ju packets that came in, and taken %ju",
		       link->name, (uintmax_t)drops->in_dropped, (uintmax_t)drops->in);
	}
	if (are_many(drops->out_dropped, drops->out)) {
		finding.fix = fix("see with `ip -s -s link show dev %s` whether it goes on; if so, see that the other end is up and has as large an MTU",
				  quoted(link->name));
		report(&finding, "%s has dropped %ju packets that were to leave, and sent %ju",
		       link->name, (uintmax_t)drops->out_dropped, (uintmax_t)drops->out);
	}
}

static bool listens(const struct format_ports *ports, const struct job *job)
{
	if (job->format == WEIR_FORMAT_LAB_ETHERNET)
		return formats_have(ports, WEIR_LAB_ETHERTYPE, job->format);
	return formats_have(ports, job->port, job->format);
}

/* "UDP port 8000", for packets of format lab */
static const char *place_of(const struct job *job)
{
	static char text[64];

	if (job->format == WEIR_FORMAT_LAB_ETHERNET)
		snprintf(text, sizeof(text), "EtherType %#x", WEIR_LAB_ETHERTYPE);
	else
		snprintf(text, sizeof(text), "UDP port %u", job->port);
	return text;
}

/* Packets to a port that the program does not know pass by, uncounted. */
static void check_udp(struct patient *patient, const struct link *link,
		      const char *subject, uint32_t mode)
{
	struct format_ports ports;
	size_t i;

	if (formats_of(&patient->rtnl, link->ifindex, mode, &ports))
		return;
	for (i = 0; i < patient->jobs.count; i++) {
		struct finding finding = { DOCTOR_OK, "udp", subject, NULL };
		struct job job;

		job_read(patient->jobs.message[i], &job);
		if (!job_wanted(patient, job.id))
			continue;
		if (listens(&ports, &job)) {
			report(&finding, "the program listens to %s of job %u", place_of(&job),
			       job.id);
			continue;
		}
		finding.verdict = DOCTOR_FAIL;
		finding.fix = fix("run `weir port attach dev %s mode %s`, which listens to the ports of all jobs",
				  quoted(link->name), names_word(&mode_names, mode));
		report(&finding, "the program does not listen to %s of job %u", place_of(&job),
		       job.id);
	}
}

/* Return true if a source that is bound to a VLAN, or to none, may come by this device. */
static bool binds_vlan(const struct patient *patient, unsigned int ifindex)
{
	const struct nlattr *source[WEIR_A_SOURCE_MAX + 1];
	unsigned int only;
	size_t i;

	for (i = 0; i < patient->sources.count; i++) {
		weir_attributes(patient->sources.message[i], source, WEIR_A_SOURCE_MAX);
		only = nl_uint(source[WEIR_A_SOURCE_IFINDEX]);
		if (source[WEIR_A_SOURCE_VLAN] &&
		    job_wanted(patient, nl_uint(source[WEIR_A_SOURCE_JOB])) &&
		    (!only || only == ifindex))
			return true;
	}
	return false;
}

/* XDP sees no tag that the device takes off; some drivers let programs read it. */
static void check_vlan(const struct patient *patient, const struct link *link,
		       const char *subject, uint32_t mode)
{
	struct finding finding = { DOCTOR_OK, "vlan", subject, NULL };

	if (mode == WEIR_MODE_TC || !binds_vlan(patient, link->ifindex))
		return;
	/* A program of a chain is bound to no device, and cannot ask the driver either. */
	if (chain_program_id(link->ifindex, WEIR_XDP_CHAIN_PRIO_SUM))
		mode = WEIR_MODE_GENERIC;
	if (!device_hides_vlan(link->name)) {
		report(&finding, "VLAN tags are in the frames, where the program sees them");
		return;
	}
	finding.verdict = mode == WEIR_MODE_GENERIC ? DOCTOR_FAIL : DOCTOR_WARN;
	finding.fix = fix("run `ethtool -K %s rxvlan off rx-vlan-stag-hw-parse off`%s", quoted(link->name),
			  mode == WEIR_MODE_GENERIC ? ", or use mode tc" :
						      " if sources with a VLAN are refused as spoofed");
	report(&finding, mode == WEIR_MODE_GENERIC ?
	       "%s takes VLAN tags off before XDP: sources that are bound to one are refused" :
	       "%s takes VLAN tags off before XDP: sources that are bound to one are refused, unless the driver tells",
	       link->name);
}

static void check_port(struct patient *patient, const struct nlmsghdr *message)
{
	const struct nlattr *port[WEIR_A_PORT_MAX + 1];
	unsigned int ifindex;
	char subject[64];
	struct link link;
	uint32_t mode;

	weir_attributes(message, port, WEIR_A_PORT_MAX);
	ifindex = nl_uint(port[WEIR_A_PORT_IFINDEX]);
	mode = nl_uint(port[WEIR_A_PORT_MODE]);
	snprintf(subject, sizeof(subject), "port %s", nl_string(port[WEIR_A_PORT_IFNAME]));
	if (rtnl_link(&patient->rtnl, ifindex, &link)) {
		report(&(struct finding){ DOCTOR_FAIL, "device", subject,
					  "look with `ip link`" },
		       "device number %u is not in this network namespace", ifindex);
		return;
	}
	doctor_device(&link, subject);
	check_program(patient, &link, subject, mode);
	check_udp(patient, &link, subject, mode);
	check_mtu(patient, &link, subject);
	check_merging(&link, subject, mode);
	check_segmentation(&link, subject);
	check_offloads(&link, subject);
	check_drops(&link, subject, mode);
	check_vlan(patient, &link, subject, mode);
}

void doctor_ports(struct patient *patient)
{
	size_t i;

	if (!patient->ports.count && !patient->trims.count)
		report(&(struct finding){ DOCTOR_WARN, "ports", "",
			"run `weir port attach dev DEVICE` for each device that workers are behind" },
		       "there is no port, so no packet is handed over");
	for (i = 0; i < patient->ports.count; i++)
		check_port(patient, patient->ports.message[i]);
}
