// SPDX-License-Identifier: GPL-2.0
/* Jobs: check that all sources are bound, and that results find their way to them. */
#include <errno.h>
#include <linux/neighbour.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <stdio.h>
#include <string.h>

#include <weir.h>

#include "base/units.h"
#include "doctor/doctor.h"

/* The checks of one job; @good counts sources without a complaint. */
struct visit {
	struct patient *patient;
	struct job job;
	char subject[32];
	unsigned int good;
};

struct source {
	uint32_t job;
	uint32_t id;
	uint32_t ifindex;
	uint64_t contributions;
	struct addr address;
};

static void source_read(const struct nlmsghdr *message, struct source *source)
{
	const struct nlattr *table[WEIR_A_SOURCE_MAX + 1], *stats[WEIR_A_STATS_MAX + 1];

	memset(source, 0, sizeof(*source));
	weir_attributes(message, table, WEIR_A_SOURCE_MAX);
	source->job = nl_uint(table[WEIR_A_SOURCE_JOB]);
	source->id = nl_uint(table[WEIR_A_SOURCE_ID]);
	source->ifindex = nl_uint(table[WEIR_A_SOURCE_IFINDEX]);
	nl_addr(table[WEIR_A_SOURCE_ADDRESS], &source->address);
	if (table[WEIR_A_SOURCE_STATS]) {
		nl_nested(table[WEIR_A_SOURCE_STATS], stats, WEIR_A_STATS_MAX);
		source->contributions = nl_uint(stats[WEIR_A_STATS_CONTRIBUTIONS]);
	}
}

/* The lowest source id of the job that has no address. */
static uint32_t first_unbound(const struct visit *visit)
{
	bool bound[WEIR_SOURCES_MAX] = {};
	struct source source;
	uint32_t id;
	size_t i;

	for (i = 0; i < visit->patient->sources.count; i++) {
		source_read(visit->patient->sources.message[i], &source);
		if (source.job == visit->job.id && source.id < WEIR_SOURCES_MAX)
			bound[source.id] = true;
	}
	for (id = 0; id < WEIR_SOURCES_MAX && bound[id]; id++)
		;
	return id;
}

static void check_bound(const struct visit *visit)
{
	struct finding finding = { DOCTOR_OK, "sources", visit->subject, NULL };
	const struct job *job = &visit->job;

	if (job->bound < job->sources) {
		finding.verdict = DOCTOR_FAIL;
		finding.fix = fix("run `weir source add job %u id %u address ADDRESS`",
				  job->id, first_unbound(visit));
	}
	report(&finding, "%u of %u sources have an address", job->bound, job->sources);
}

/* Return true if ports answer ARP for the job's address when no host has it. */
static bool is_answered_for(const struct job *job)
{
	return job->format == WEIR_FORMAT_LAB && job->address.len == 4;
}

static void check_address(const struct visit *visit)
{
	struct finding finding = { DOCTOR_OK, "address", visit->subject, NULL };
	char text[ADDR_TEXT];
	struct route route;
	int err;

	addr_text(&visit->job.address, text);
	if (addr_is_link(&visit->job.address)) {
		report(&finding, "frames to %s are taken at all ports", text);
		return;
	}
	err = rtnl_route(&visit->patient->rtnl, &visit->job.address, &route);
	if ((err || route.type != RTN_LOCAL) && is_answered_for(&visit->job)) {
		report(&finding, "%s is no address of this box, and its ports answer for it", text);
		return;
	}
	if (err || route.type != RTN_LOCAL) {
		finding.verdict = DOCTOR_WARN;
		finding.fix = fix("run `ip address add %s/%u dev DEVICE`, or see that workers route it through a port",
				  text, visit->job.address.len * 8);
		report(&finding, "%s is no address of this box, so nobody answers when workers look for it",
		       text);
		return;
	}
	report(&finding, "%s is an address of this box", text);
}

/*
 * As the module sends to a group: over IPv4 by the device that has the job's address, unless that is
 * a loopback or dummy device; else by the route to the group.
 */
static bool group_device(const struct visit *visit, struct link *link)
{
	struct nl *rtnl = &visit->patient->rtnl;
	const struct addr *group = &visit->job.group;
	struct route route;

	if (group->len == 4 && !rtnl_route_from(rtnl, group, &visit->job.address, &route) &&
	    !rtnl_link(rtnl, route.ifindex, link) && link->flags & IFF_MULTICAST &&
	    strcmp(link->kind, "vrf"))
		return true;
	return !rtnl_route(rtnl, group, &route) && !rtnl_link(rtnl, route.ifindex, link) &&
	       !(link->flags & IFF_LOOPBACK);
}

/* Return true if the job has sources, and none of them is behind the device that results go by. */
static bool group_misses_all(const struct visit *visit, const struct link *link)
{
	struct source source;
	struct route route;
	bool has = false;
	size_t i;

	for (i = 0; i < visit->patient->sources.count; i++) {
		source_read(visit->patient->sources.message[i], &source);
		if (source.job != visit->job.id)
			continue;
		has = true;
		if (source.ifindex == link->ifindex ||
		    rtnl_route(&visit->patient->rtnl, &source.address, &route) ||
		    route.ifindex == link->ifindex)
			return false;
	}
	return has;
}

static void check_group(const struct visit *visit)
{
	struct finding finding = { DOCTOR_OK, "group", visit->subject, NULL };
	const struct addr *group = &visit->job.group;
	char text[ADDR_TEXT];
	struct link link;

	if (!group->len)
		return;
	addr_text(group, text);
	if (!group_device(visit, &link)) {
		finding.verdict = DOCTOR_FAIL;
		finding.fix = fix("run `ip route add %s/%u dev DEVICE`", text, group->len * 8);
		report(&finding, "there is no route to the group %s", text);
		return;
	}
	if (group_misses_all(visit, &link)) {
		finding.verdict = DOCTOR_WARN;
		finding.fix = fix("run `ip route add %s/%u dev DEVICE`, with the job's address on that device or on lo",
				  text, group->len * 8);
	}
	report(&finding, "results go to the group %s by %s%s", text, link.name,
	       finding.verdict == DOCTOR_OK ? "" : ", and no source is there");
}

/* Devices that carry others, whose members may be the ports. */
static bool is_upper(const struct link *link)
{
	static const char *const kinds[] = { "bridge", "bond", "team", "vrf", "vlan" };
	size_t i;

	for (i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		if (!strcmp(link->kind, kinds[i]))
			return true;
	}
	return false;
}

/* Returns true where there is nothing to report. */
static bool check_link(const struct visit *visit, const char *who, const struct link *link,
		       const struct route *route)
{
	uint32_t need = job_mtu(&visit->job), mtu = link->mtu;

	if (route->mtu && route->mtu < mtu)
		mtu = route->mtu;
	if (mtu < need) {
		report(&(struct finding){ DOCTOR_FAIL, "route", who,
			fix("run `ip link set dev %s mtu %u` on every link of the way",
			    quoted(link->name), need) },
		       "the way out by %s has MTU %u, results need %u", link->name, mtu, need);
		return false;
	}
	if (!port_known(visit->patient, link->ifindex) && !is_upper(link)) {
		report(&(struct finding){ DOCTOR_WARN, "route", who,
			fix("if the worker's packets come in there too, run `weir port attach dev %s`",
			    quoted(link->name)) },
		       "results leave by %s, which is no port", link->name);
		return false;
	}
	return true;
}

static const char *state_word(int state)
{
	if (state == -ENOENT)
		return "not known yet";
	return state & NUD_FAILED ? "failed" : "incomplete";
}

/* Workers of SwitchML take a question for their address for a result. */
static bool check_permanent(const char *who, const struct link *link, const char *text,
			    int state)
{
	if (state > 0 && state & NUD_PERMANENT)
		return true;
	report(&(struct finding){ DOCTOR_FAIL, "neighbour", who,
		fix("run `ip neigh replace %s lladdr MAC dev %s nud permanent`, with the worker's address; weir-switchml(8) does",
		    text, quoted(link->name)) },
	       "%s on %s is no permanent neighbour, and asking for it by ARP upsets the worker",
	       text, link->name);
	return false;
}

/* The first results to a neighbour that is not resolved yet are lost. */
static bool check_neighbour(const struct visit *visit, const char *who,
			    const struct link *link, const struct addr *next)
{
	char text[ADDR_TEXT];
	int state;

	if (link->flags & (IFF_NOARP | IFF_LOOPBACK | IFF_POINTOPOINT))
		return true;
	state = rtnl_neighbour(&visit->patient->rtnl, link->ifindex, next);
	if (state < 0 && state != -ENOENT)
		return true;
	if (visit->job.format == WEIR_FORMAT_SWITCHML)
		return check_permanent(who, link, addr_text(next, text), state);
	if (state > 0 && !(state & (NUD_FAILED | NUD_INCOMPLETE)))
		return true;
	addr_text(next, text);
	report(&(struct finding){ DOCTOR_WARN, "neighbour", who,
		fix("run `ping -c 1 %s`: it must answer", text) },
	       "%s on %s is %s", text, link->name, state_word(state));
	return false;
}

/* Packets that a port has refused as not-local. */
static uint64_t not_local(const struct nlattr *stats)
{
	const struct nlattr *refusal[WEIR_A_REFUSAL_MAX + 1];
	const struct nlattr *attr;

	mnl_attr_for_each_nested(attr, stats) {
		if (mnl_attr_get_type(attr) != WEIR_A_STATS_REFUSAL)
			continue;
		nl_nested(attr, refusal, WEIR_A_REFUSAL_MAX);
		if (nl_uint(refusal[WEIR_A_REFUSAL_REASON]) == WEIR_REASON_NOT_LOCAL)
			return nl_uint(refusal[WEIR_A_REFUSAL_PACKETS]);
	}
	return 0;
}

/*
 * A worker of SwitchML sends to the MAC address of the device that the route to it leads to. If it
 * is behind another port, that port refuses its packets. Returns true if nothing indicates that.
 */
static bool check_arrival(const struct visit *visit, const char *who, const struct source *source,
			  const struct link *link)
{
	const struct nlattr *port[WEIR_A_PORT_MAX + 1];
	const struct patient *patient = visit->patient;
	char name[IF_NAMESIZE], text[ADDR_TEXT];
	uint32_t ifindex;
	uint64_t packets;
	size_t i;

	if (visit->job.format != WEIR_FORMAT_SWITCHML || source->contributions || is_upper(link))
		return true;
	for (i = 0; i < patient->ports.count; i++) {
		weir_attributes(patient->ports.message[i], port, WEIR_A_PORT_MAX);
		ifindex = nl_uint(port[WEIR_A_PORT_IFINDEX]);
		packets = port[WEIR_A_PORT_STATS] ? not_local(port[WEIR_A_PORT_STATS]) : 0;
		if (!packets || ifindex == link->ifindex || !if_indextoname(ifindex, name))
			continue;
		addr_text(&source->address, text);
		report(&(struct finding){ DOCTOR_WARN, "arrival", who,
			fix("if the worker is behind %s, run `ip route replace %s dev %s` and start the workers again",
			    quoted(name), text, quoted(name)) },
		       "nothing has come from %s by %s, where the route to it leads, and %s has refused %ju packets to the MAC address of another device",
		       text, link->name, name, (uintmax_t)packets);
		return false;
	}
	return true;
}

static bool check_route(const struct visit *visit, const char *who, const struct source *source)
{
	struct patient *patient = visit->patient;
	char text[ADDR_TEXT];
	struct route route;
	struct link link;
	int err;

	addr_text(&source->address, text);
	err = rtnl_route(&patient->rtnl, &source->address, &route);
	if (err || (route.type != RTN_UNICAST && route.type != RTN_LOCAL)) {
		report(&(struct finding){ DOCTOR_FAIL, "route", who,
			fix("run `ip route add %s via GATEWAY`", text) },
		       "there is no route to %s%s%s", text, err ? ": " : "",
		       err ? strerror(-err) : "");
		return false;
	}
	if (route.type == RTN_LOCAL) {
		report(&(struct finding){ DOCTOR_WARN, "route", who,
			"bind the source to the worker's address; a worker needs a network namespace of its own" },
		       "%s is an address of this box itself", text);
		return false;
	}
	if (rtnl_link(&patient->rtnl, route.ifindex, &link))
		return true;
	if (!check_link(visit, who, &link, &route) || !check_arrival(visit, who, source, &link))
		return false;
	return check_neighbour(visit, who, &link,
			       route.gateway.len ? &route.gateway : &source->address);
}

/* Results go by the device that the source is bound to, to all of its link. */
static bool check_device(const struct visit *visit, const char *who,
			 const struct source *source)
{
	const struct route none = {};
	struct link link;

	if (!rtnl_link(&visit->patient->rtnl, source->ifindex, &link))
		return check_link(visit, who, &link, &none);
	report(&(struct finding){ DOCTOR_FAIL, "device", who,
		fix("run `weir source set job %u id %u dev DEVICE`", source->job, source->id) },
	       "device number %u, which it is bound to, is gone", source->ifindex);
	return false;
}

static void check_sources(struct visit *visit)
{
	unsigned int seen = 0;
	struct source source;
	char who[64];
	size_t i;

	for (i = 0; i < visit->patient->sources.count; i++) {
		source_read(visit->patient->sources.message[i], &source);
		if (source.job != visit->job.id)
			continue;
		seen++;
		snprintf(who, sizeof(who), "source %u of job %u", source.id, source.job);
		visit->good += addr_is_link(&source.address) ? check_device(visit, who, &source) :
							       check_route(visit, who, &source);
	}
	if (visit->good)
		report(&(struct finding){ DOCTOR_OK, "routes", visit->subject, NULL },
		       addr_is_link(&visit->job.address) ?
		       "%u of %u bound sources have a device and an MTU that serve" :
		       "%u of %u bound sources have a way, an MTU and a neighbour that serve",
		       visit->good, seen);
}

/* Of SwitchML a slot has two blocks, and workers leave every other slot alone. */
static uint32_t window_of(const struct job *job)
{
	uint32_t share = job->format == WEIR_FORMAT_SWITCHML ? 4 : 2;

	return job->blocks > share ? job->blocks / share : 1;
}

static void check_window(const struct visit *visit)
{
	const struct job *job = &visit->job;
	uint64_t bytes = (uint64_t)window_of(job) * job_mtu(job);
	long backlog = doctor_number("/proc/sys/net/core/netdev_max_backlog");
	long rmem = doctor_number("/proc/sys/net/core/rmem_max");

	/* Of key-value streams the box says with each answer how much it has room for. */
	if (job->format == WEIR_FORMAT_KV)
		return;
	report(&(struct finding){ DOCTOR_OK, "window", visit->subject, NULL },
	       "a worker may keep %u blocks in flight, which is up to %ju KiB",
	       window_of(job), (uintmax_t)bytes / 1024);
	if (job->format == WEIR_FORMAT_TRIO && rmem >= 0 && (uint64_t)rmem < bytes)
		report(&(struct finding){ DOCTOR_OK, "rmem", visit->subject,
			fix("on workers that lose packets run `sysctl net.core.rmem_max=%ju`",
			    (uintmax_t)bytes) },
		       "net.core.rmem_max is %ld here; workers that use the whole window want more",
		       rmem);
	if (backlog >= 0 && (uint64_t)backlog < (uint64_t)job->sources * window_of(job))
		report(&(struct finding){ DOCTOR_OK, "backlog", visit->subject,
			"if /proc/net/softnet_stat counts drops (second column), raise net.core.netdev_max_backlog" },
		       "net.core.netdev_max_backlog is %ld; %u workers with a whole window send %u packets at once",
		       backlog, job->sources, job->sources * window_of(job));
}

/* One late worker must not cost a block all others that are behind this box. */
static void check_nesting(const struct visit *visit)
{
	struct finding finding = { DOCTOR_OK, "nesting", visit->subject, NULL };
	const struct job *job = &visit->job;
	char own[UNITS_TEXT], above[UNITS_TEXT], half[UNITS_TEXT];

	if (!job->parent_timeout)
		return;
	units_duration(above, (uint64_t)job->parent_timeout * 1000);
	units_duration(own, (uint64_t)job->answers_after * 1000);
	if (job->answers_after && job->answers_after < job->parent_timeout) {
		report(&finding, "blocks go up without late workers after %s, before the parent's %s",
		       own, above);
		return;
	}
	finding.verdict = DOCTOR_WARN;
	finding.fix = fix("run `weir job set id %u policy partial timeout %s`, or lengthen the parent's",
			  job->id, units_duration(half, (uint64_t)job->parent_timeout * 500));
	report(&finding, "the parent answers blocks without this box after %s, and this box waits for its own late workers %s%s",
	       above, job->answers_after ? "for " : "without end", job->answers_after ? own : "");
}

static void check_job(struct patient *patient, const struct job *job)
{
	struct visit visit = { .patient = patient, .job = *job };

	snprintf(visit.subject, sizeof(visit.subject), "job %u", job->id);
	check_bound(&visit);
	check_address(&visit);
	check_group(&visit);
	check_sources(&visit);
	check_window(&visit);
	check_nesting(&visit);
}

void doctor_jobs(struct patient *patient)
{
	unsigned int seen = 0;
	struct job job;
	size_t i;

	for (i = 0; i < patient->jobs.count; i++) {
		job_read(patient->jobs.message[i], &job);
		if (!job_wanted(patient, job.id))
			continue;
		seen++;
		check_job(patient, &job);
	}
	if (seen)
		return;
	if (patient->only >= 0)
		report(&(struct finding){ DOCTOR_FAIL, "jobs", "",
			"`weir job show` lists those there are" },
		       "there is no job %d in this network namespace", patient->only);
	else if (!patient->trims.count)
		report(&(struct finding){ DOCTOR_WARN, "jobs", "",
			"run `weir job add`; `weir help job` lists its keys" },
		       "there is no job in this network namespace");
}
