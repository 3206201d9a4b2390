// SPDX-License-Identifier: GPL-2.0
/*
 * A port that hands packets over to jobs. A frame that goes in and does not come out is
 * counted once: as a contribution, a join, or refused; or it was answered.
 */
#include <stdio.h>
#include <string.h>

#include "arena.h"
#include "bpf/counters.h"
#include "lib/genl.h"
#include "programs.h"

static struct counters start;

/* Packets that are many in one come to the program as they are. */
static bool comes_whole;

/**
 * struct job - a job of two sources
 * @id: its id
 * @ipv6: of IPv6
 * @blocks: slots
 * @grads: gradients a block
 * @timeout: microseconds, 0 to wait for all
 * @quorum: contributions that are enough, 0 for all
 * @packets: a second at most, 0 for no limit
 */
struct job {
	uint32_t id;
	bool ipv6;
	uint32_t blocks;
	uint32_t grads;
	uint32_t timeout;
	uint32_t quorum;
	uint32_t packets;
};

static const struct job jobs[] = {
	{ .id = 4, .blocks = 128, .grads = 2048 },
	{ .id = 6, .ipv6 = true, .blocks = 64, .grads = 2048, .timeout = 20000 },
	{ .id = 8, .blocks = 16, .grads = 256, .timeout = 1000, .quorum = 1, .packets = 2000 },
};

/* As wires.c has them; host 254 is the box. */
static void put_address(struct nlmsghdr *nlh, uint16_t attr, bool ipv6, int host)
{
	const uint8_t v4[4] = { 10, 99, 0, host }, v6[16] = { 0xfd, 0x99, [15] = host };

	if (ipv6)
		mnl_attr_put(nlh, attr, sizeof(v6), v6);
	else
		mnl_attr_put(nlh, attr, sizeof(v4), v4);
}

static void add_job(const struct job *job)
{
	char buf[GENL_REQUEST_MAX];
	struct nlmsghdr *nlh = genl_begin(buf, WEIR_CMD_JOB_ADD);
	struct nlattr *nest;

	mnl_attr_put_u32(nlh, WEIR_A_JOB_ID, job->id);
	mnl_attr_put_u32(nlh, WEIR_A_JOB_SOURCES, 2);
	mnl_attr_put_u32(nlh, WEIR_A_JOB_BLOCKS, job->blocks);
	mnl_attr_put_u32(nlh, WEIR_A_JOB_GRADS, job->grads);
	put_address(nlh, WEIR_A_JOB_ADDRESS, job->ipv6, job->ipv6 ? 0xfe : 254);
	mnl_attr_put_u32(nlh, WEIR_A_JOB_TIMEOUT, job->timeout);
	mnl_attr_put_u32(nlh, WEIR_A_JOB_QUORUM, job->quorum);
	nest = mnl_attr_nest_start(nlh, WEIR_A_JOB_RATE);
	mnl_attr_put_u32(nlh, WEIR_A_RATE_PACKETS, job->packets);
	mnl_attr_nest_end(nlh, nest);
	genl_ask(nlh, NULL, NULL, "job");
}

static void add_source(const struct job *job, int id)
{
	char buf[GENL_REQUEST_MAX];
	struct nlmsghdr *nlh = genl_begin(buf, WEIR_CMD_SOURCE_ADD);

	mnl_attr_put_u32(nlh, WEIR_A_SOURCE_JOB, job->id);
	mnl_attr_put_u32(nlh, WEIR_A_SOURCE_ID, id);
	put_address(nlh, WEIR_A_SOURCE_ADDRESS, job->ipv6, id + 1);
	genl_ask(nlh, NULL, NULL, "source");
}

static void add_port(unsigned int ifindex, uint32_t mode)
{
	char buf[GENL_REQUEST_MAX];
	struct nlmsghdr *nlh = genl_begin(buf, WEIR_CMD_PORT_ADD);

	mnl_attr_put_u32(nlh, WEIR_A_PORT_IFINDEX, ifindex);
	mnl_attr_put_u32(nlh, WEIR_A_PORT_MODE, mode);
	genl_ask(nlh, NULL, NULL, "port");
}

static void enter(const struct wires *w, uint32_t mode)
{
	const struct job *job;

	for (job = jobs; job < jobs + sizeof(jobs) / sizeof(*jobs); job++) {
		add_job(job);
		add_source(job, 0);
		add_source(job, 1);
	}
	add_port(w->box[WIRE_A], mode);
	if (mode == WEIR_MODE_TC)
		program_tc(w->box[WIRE_A], PROGRAM_TC, false);
	else
		program_xdp(w->box[WIRE_A], PROGRAM_XDP, mode == WEIR_MODE_GENERIC);
}

static void enter_xdp(struct wires *w)
{
	wires_stop(w);
	enter(w, WEIR_MODE_XDP);
}

static void enter_generic(struct wires *w)
{
	wires_stop(w);
	enter(w, WEIR_MODE_GENERIC);
}

static void enter_tc(struct wires *w)
{
	wires_lead(w, WIRE_S);
	comes_whole = true;
	enter(w, WEIR_MODE_TC);
}

static void flush(uint8_t cmd)
{
	char buf[GENL_REQUEST_MAX];

	genl_ask(genl_begin(buf, cmd), NULL, NULL, "flush");
}

static void leave(void)
{
	flush(WEIR_CMD_PORT_FLUSH);
	flush(WEIR_CMD_JOB_FLUSH);
}

static void leave_xdp(struct wires *w)
{
	program_no_xdp(w->box[WIRE_A], false);
	leave();
}

static void leave_generic(struct wires *w)
{
	program_no_xdp(w->box[WIRE_A], true);
	leave();
}

static void leave_tc(struct wires *w)
{
	program_no_tc(w->box[WIRE_A], false);
	comes_whole = false;
	leave();
}

static void next_round(struct wires *w, struct rng *rng, struct fates *f)
{
	(void)w;
	(void)rng;
	f->trims = false;
	arena_local = false;
	counters_read(&start);
}

static void make(struct frame *frame, struct rng *rng)
{
	frame_contribution(frame, rng, arena_gso, WIRES_MTU);
}

static uint64_t since(const struct counters *now, int stat)
{
	return now->stat[stat] - start.stat[stat];
}

static uint64_t refused(const struct counters *now, int reason)
{
	return now->refused[reason] - start.refused[reason];
}

static uint64_t refused_from(const struct counters *now, int first)
{
	uint64_t n = 0;
	int i;

	for (i = first; i <= WEIR_REASON_MAX; i++)
		n += refused(now, i);
	return n;
}

/* Packets with a reason below runt are passed. */
static uint64_t passed_on(const struct counters *now)
{
	return refused_from(now, 1) - refused_from(now, WEIR_REASON_RUNT);
}

/*
 * A source that asks, contributes again or comes late is answered: with a result
 * (repeats), or with a reply where there is none. A question that finds its block's slot
 * busy is both refused and answered, so the number of these refusals is the uncertainty
 * here. Of packets that are many in one each is counted, those behind the first with any reason.
 */
static bool adds_up(const struct wires *w, const struct fates *f)
{
	uint64_t passed = fates_out(f, WIRE_S), most, slack;
	struct counters now;

	(void)w;
	counters_read(&now);
	most = since(&now, WEIR_A_STATS_CONTRIBUTIONS) + since(&now, WEIR_A_STATS_JOINS) +
	       since(&now, WEIR_A_STATS_REPEATS) + since(&now, WEIR_A_STATS_REPLIES) +
	       refused_from(&now, WEIR_REASON_RUNT);
	slack = refused(&now, WEIR_REASON_BUSY);
	if (f->box < since(&now, WEIR_A_STATS_RESULTS) + since(&now, WEIR_A_STATS_REPEATS) +
		     since(&now, WEIR_A_STATS_REPLIES) + since(&now, WEIR_A_STATS_ANSWERS) +
		     since(&now, WEIR_A_STATS_NOTICES))
		return false;
	if (since(&now, WEIR_A_STATS_RESULT_ERRORS))
		return false;
	if (arena_gso)
		return !comes_whole || f->parts <= passed + most + passed_on(&now);
	return f->sent <= passed + most && f->sent + slack >= passed + most;
}

static void tell(const struct wires *w)
{
	struct counters now;
	int i;

	(void)w;
	counters_read(&now);
	for (i = 1; i <= WEIR_A_STATS_MAX; i++)
		if (since(&now, i))
			printf("# counter %d: %llu\n", i, (unsigned long long)since(&now, i));
	for (i = 1; i <= WEIR_REASON_MAX; i++)
		if (refused(&now, i))
			printf("# reason %d: %llu\n", i, (unsigned long long)refused(&now, i));
}

#define SUMS(mode, said)							\
	{ .name = said, .enter = enter_##mode, .leave = leave_##mode,		\
	  .round = next_round, .frame = make, .adds_up = adds_up, .tell = tell }

const struct arena arena_sum_xdp = SUMS(xdp, "a port, XDP");
const struct arena arena_sum_generic = SUMS(generic, "a port, generic XDP");
const struct arena arena_sum_tc = SUMS(tc, "a port, tc");
