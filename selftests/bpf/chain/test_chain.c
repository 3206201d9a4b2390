// SPDX-License-Identifier: GPL-2.0
/*
 * Chains by requests and on frames: who runs after whom, what is counted, what is refused, and
 * changes while another thread's frames run. In a namespace of its own, on its loopback device.
 */
#define _GNU_SOURCE
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <err.h>
#include <errno.h>
#include <linux/genetlink.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <weir_xdp_nl.h>

#include "bpf/members.skel.h"
#include "bpf/weir_chain.skel.h"
#include "ktap.h"
#include "lib/genl.h"

#define LOOPBACK	1
#define VETH		50
#define TEXT		999
#define CHANGES		200
#define BURST		2000

static struct members_bpf *members;
static struct weir_chain_bpf *base;

static int fd_of(const struct bpf_program *program)
{
	return bpf_program__fd(program);
}

/* Frames through the chain: the verdict of the last one. */
static unsigned int run_frames(unsigned int repeat)
{
	uint8_t frame[64] = { 0 };
	LIBBPF_OPTS(bpf_test_run_opts, opts, .data_in = frame, .data_size_in = sizeof(frame),
		    .repeat = repeat);

	if (bpf_prog_test_run_opts(fd_of(base->progs.weir_chain), &opts))
		err(1, "a frame cannot be run");
	return opts.retval;
}

static bool runs(unsigned int verdict, uint64_t trail)
{
	unsigned int said;

	members->bss->trail = 0;
	said = run_frames(1);
	if (said == verdict && members->bss->trail == trail)
		return true;
	printf("# verdict %u, trail %llu\n", said, (unsigned long long)members->bss->trail);
	return false;
}

/**
 * struct ask - a request about a chain; what is 0, or of fd -1, is left out
 * @text: length of the names of file and section
 */
struct ask {
	uint8_t cmd;
	uint32_t ifindex;
	uint32_t prio;
	uint32_t to;
	int fd;
	unsigned int text;
};

static char sentence[256];

static int ask(const struct ask *what)
{
	static char text[2048];
	char buf[GENL_REQUEST_MAX];
	struct nlmsghdr *request = genl_begin(buf, what->cmd);

	memset(text, 'x', sizeof(text));
	text[what->text] = '\0';
	if (what->ifindex)
		mnl_attr_put_u32(request, WEIR_A_CHAIN_IFINDEX, what->ifindex);
	if (what->prio)
		mnl_attr_put_u32(request, WEIR_A_CHAIN_PRIO, what->prio);
	if (what->fd != -1)
		mnl_attr_put_u32(request, WEIR_A_CHAIN_FD, what->fd);
	if (what->to)
		mnl_attr_put_u32(request, WEIR_A_CHAIN_TO, what->to);
	if (what->text) {
		mnl_attr_put_strz(request, WEIR_A_CHAIN_FILE, text);
		mnl_attr_put_strz(request, WEIR_A_CHAIN_SECTION, text);
	}
	return genl_try(request, NULL, NULL, sentence, sizeof(sentence));
}

static int add(uint32_t prio, const struct bpf_program *program)
{
	return ask(&(struct ask){ WEIR_XDP_CMD_CHAIN_ADD, LOOPBACK, prio, 0, fd_of(program), 0 });
}

static int replace(uint32_t prio, const struct bpf_program *program, uint32_t to)
{
	return ask(&(struct ask){ WEIR_XDP_CMD_CHAIN_SET, LOOPBACK, prio, to, fd_of(program), 0 });
}

static int move(uint32_t prio, uint32_t to)
{
	return ask(&(struct ask){ WEIR_XDP_CMD_CHAIN_SET, LOOPBACK, prio, to, -1, 0 });
}

static int del(uint32_t prio)
{
	return ask(&(struct ask){ WEIR_XDP_CMD_CHAIN_DEL, LOOPBACK, prio, 0, -1, 0 });
}

static void flush(void)
{
	char buf[GENL_REQUEST_MAX];

	genl_ask(genl_begin(buf, WEIR_XDP_CMD_CHAIN_FLUSH), NULL, NULL, "chains are flushed");
}

/**
 * struct seen - what a dump tells
 * @count: programs
 * @prio: of each
 * @stats: of each
 * @text: bytes of all names of files
 */
struct seen {
	unsigned int count;
	uint32_t prio[WEIR_XDP_CHAIN_MEMBERS_MAX + 1];
	uint64_t stats[WEIR_XDP_CHAIN_MEMBERS_MAX + 1][WEIR_A_CHAIN_STATS_MAX + 1];
	size_t text;
};

static int take(const struct nlmsghdr *message, void *data)
{
	struct seen *seen = data;
	struct nlattr *attr, *inner;

	mnl_attr_for_each(attr, message, sizeof(struct genlmsghdr)) {
		switch (mnl_attr_get_type(attr)) {
		case WEIR_A_CHAIN_PRIO:
			seen->prio[seen->count] = mnl_attr_get_u32(attr);
			break;
		case WEIR_A_CHAIN_FILE:
			seen->text += strlen(mnl_attr_get_str(attr));
			break;
		case WEIR_A_CHAIN_STATS:
			mnl_attr_for_each_nested(inner, attr)
				seen->stats[seen->count][mnl_attr_get_type(inner)] = genl_uint(inner);
			break;
		}
	}
	if (seen->count < WEIR_XDP_CHAIN_MEMBERS_MAX)
		seen->count++;
	return MNL_CB_OK;
}

static void look(struct seen *seen)
{
	char buf[GENL_REQUEST_MAX];
	struct nlmsghdr *request = genl_begin(buf, WEIR_XDP_CMD_CHAIN_GET);

	memset(seen, 0, sizeof(*seen));
	request->nlmsg_flags &= ~NLM_F_ACK;
	request->nlmsg_flags |= NLM_F_DUMP;
	genl_ask(request, take, seen, "chains are dumped");
}

/* Of the program with this place, which is there. */
static uint64_t counter(uint32_t prio, int stat)
{
	struct seen seen;
	unsigned int i;

	look(&seen);
	for (i = 0; i < seen.count; i++)
		if (seen.prio[i] == prio)
			return seen.stats[i][stat];
	errx(1, "no program has prio %u", prio);
}

static void test_order(void)
{
	ktap_ok(runs(XDP_PASS, 0), "without a chain a frame passes");
	ktap_ok(!add(30, members->progs.member_3) && !add(10, members->progs.member_1) &&
		!add(20, members->progs.member_2) && runs(XDP_PASS, 123),
		"programs run by their prio, whichever came first");
	ktap_ok(!move(10, 40) && runs(XDP_PASS, 231), "one is moved behind the others");
	ktap_ok(!move(40, 40) && runs(XDP_PASS, 231), "one is moved to where it is");
	ktap_ok(!replace(20, members->progs.member_4, 20) && runs(XDP_PASS, 431), "one is replaced");
	ktap_ok(!replace(20, members->progs.member_2, 60) && runs(XDP_PASS, 312),
		"one is replaced and moved");
	ktap_ok(!add(35, members->progs.member_drop) && runs(XDP_DROP, 35), "a verdict ends it");
	ktap_ok(!replace(35, members->progs.member_tx, 35) && runs(XDP_TX, 36), "XDP_TX");
	ktap_ok(!replace(35, members->progs.member_redirect, 35) && runs(XDP_REDIRECT, 37),
		"XDP_REDIRECT");
	ktap_ok(!replace(35, members->progs.member_odd, 35) && runs(XDP_ABORTED, 38),
		"a verdict that there is not");
	ktap_ok(!replace(35, members->progs.member_again, 35) && runs(XDP_ABORTED, 39),
		"the chain does not run in itself");
	ktap_ok(!del(35) && runs(XDP_PASS, 312), "one is taken out");
	flush();
	ktap_ok(runs(XDP_PASS, 0), "all are taken out");
}

static void test_counters(void)
{
	bool ok = !add(1, members->progs.member_1) && !add(2, members->progs.member_drop);
	uint64_t timed;

	run_frames(6400);
	ktap_ok(ok && counter(1, WEIR_A_CHAIN_STATS_PASS) == 6400 &&
		counter(2, WEIR_A_CHAIN_STATS_DROP) == 6400 &&
		!counter(2, WEIR_A_CHAIN_STATS_PASS), "each frame is counted by verdict");
	/* The loop may run on several CPUs, each of which has its own turn. */
	timed = counter(1, WEIR_A_CHAIN_STATS_TIMED);
	ktap_ok(timed >= 100 && timed <= 100u + libbpf_num_possible_cpus() &&
		counter(1, WEIR_A_CHAIN_STATS_TIME), "one of 64 has its time taken");
	ok = !replace(2, members->progs.member_2, 2);
	run_frames(100);
	ktap_ok(ok && counter(2, WEIR_A_CHAIN_STATS_DROP) == 6400 &&
		counter(2, WEIR_A_CHAIN_STATS_PASS) == 100, "the counters stay when it is replaced");
	ktap_ok(!move(2, 3) && counter(3, WEIR_A_CHAIN_STATS_DROP) == 6400, "and when it is moved");
	ktap_ok(!del(3) && !add(3, members->progs.member_2) &&
		!counter(3, WEIR_A_CHAIN_STATS_DROP), "and not when another one comes");
	flush();
}

/* With fds and places that are no good; the chain stays as it is. */
static void refuse(const char *name, int number, const struct ask *what)
{
	int said = ask(what);

	if (said != number || !*sentence)
		printf("# %s: '%s'\n", strerror(said), sentence);
	ktap_ok(said == number && *sentence && runs(XDP_PASS, 1), "refused: %s", name);
}

static int bound_fd(void)
{
	LIBBPF_OPTS(bpf_prog_load_opts, opts, .prog_flags = 1U << 6 /* BPF_F_XDP_DEV_BOUND_ONLY */,
		    .prog_ifindex = VETH);
	const struct bpf_insn pass[] = {
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0, .imm = XDP_PASS },
		{ .code = BPF_JMP | BPF_EXIT },
	};

	return bpf_prog_load(BPF_PROG_TYPE_XDP, "bound", "GPL", pass, 2, &opts);
}

static void test_refusals(void)
{
	const uint8_t make = WEIR_XDP_CMD_CHAIN_ADD, set = WEIR_XDP_CMD_CHAIN_SET, end = WEIR_XDP_CMD_CHAIN_DEL;
	int good = fd_of(members->progs.member_2), bound = bound_fd();

	if (add(10, members->progs.member_1))
		errx(1, "no chain: %s", sentence);
	refuse("a descriptor that is closed", EBADF, &(struct ask){ make, 1, 20, 0, 9999, 0 });
	refuse("one that is no program", EINVAL, &(struct ask){ make, 1, 20, 0, bpf_map__fd(members->maps.bss), 0 });
	refuse("a program for tc", EINVAL, &(struct ask){ make, 1, 20, 0, fd_of(members->progs.member_tc), 0 });
	refuse("one for cpumaps", EINVAL, &(struct ask){ make, 1, 20, 0, fd_of(members->progs.member_cpumap), 0 });
	refuse("one for devmaps", EINVAL, &(struct ask){ set, 1, 10, 0, fd_of(members->progs.member_devmap), 0 });
	if (bound >= 0) {
		refuse("one that is bound to a device", EINVAL, &(struct ask){ make, 1, 20, 0, bound, 0 });
		close(bound);
	}
	refuse("no program", EINVAL, &(struct ask){ make, 1, 20, 0, -1, 0 });
	refuse("no device", EINVAL, &(struct ask){ make, 0, 20, 0, good, 0 });
	refuse("no place", EINVAL, &(struct ask){ make, 1, 0, 0, good, 0 });
	refuse("a device that there is not", ENODEV, &(struct ask){ make, 77, 20, 0, good, 0 });
	refuse("a place that is taken", EEXIST, &(struct ask){ make, 1, 10, 0, good, 0 });
	refuse("a move to where another one is", ENOENT, &(struct ask){ set, 1, 11, 10, -1, 0 });
	refuse("a move to weir's own place", EINVAL, &(struct ask){ set, 1, 10, WEIR_XDP_CHAIN_PRIO_SUM, -1, 0 });
	refuse("nothing to change", EINVAL, &(struct ask){ set, 1, 10, 0, -1, 0 });
	refuse("an empty place is changed", ENOENT, &(struct ask){ set, 1, 11, 0, good, 0 });
	refuse("an empty place is emptied", ENOENT, &(struct ask){ end, 1, 11, 0, -1, 0 });
	refuse("a device without a chain", ENOENT, &(struct ask){ end, 77, 10, 0, -1, 0 });
	ktap_ok(!add(20, members->progs.member_2) && move(20, 10) == EEXIST && runs(XDP_PASS, 12),
		"refused: a move to a place that is taken");
	flush();
}

/* More than fits one message. */
static void test_dump(void)
{
	int fd = fd_of(members->progs.member_1), failed = 0;
	struct seen seen;
	unsigned int i;

	for (i = WEIR_XDP_CHAIN_MEMBERS_MAX; i; i--)
		failed |= ask(&(struct ask){ WEIR_XDP_CMD_CHAIN_ADD, LOOPBACK, i * 1000, 0, fd, TEXT });
	look(&seen);
	for (i = 0; i < WEIR_XDP_CHAIN_MEMBERS_MAX; i++)
		failed |= seen.prio[i] != (i + 1) * 1000;
	ktap_ok(!failed && seen.count == WEIR_XDP_CHAIN_MEMBERS_MAX &&
		seen.text == TEXT * WEIR_XDP_CHAIN_MEMBERS_MAX, "a dump of the longest chain is whole");
	ktap_ok(add(1, members->progs.member_1) == E2BIG, "a longer one is refused");
	flush();
}

static volatile bool over;
static uint64_t frames;

static void *send_frames(void *unused)
{
	(void)unused;
	while (!over) {
		run_frames(BURST);
		frames += BURST;
	}
	return NULL;
}

/* A program that stays sees each frame once, whatever comes and goes around it. */
static void test_changes(void)
{
	pthread_t thread;
	int failed, i;

	failed = add(500, members->progs.member_1);
	if (pthread_create(&thread, NULL, send_frames, NULL))
		err(1, "thread");
	for (i = 0; i < CHANGES; i++) {
		failed |= add(10, members->progs.member_2);
		failed |= replace(10, members->progs.member_3, 10);
		failed |= move(10, 900);
		failed |= replace(500, i % 2 ? members->progs.member_1 : members->progs.member_4, 500);
		failed |= del(900);
	}
	over = true;
	pthread_join(thread, NULL);
	ktap_ok(!failed && counter(500, WEIR_A_CHAIN_STATS_PASS) == frames,
		"programs come, change, move and go while frames run");
	flush();
}

int main(void)
{
	libbpf_set_print(NULL);
	if (unshare(CLONE_NEWNET) || system("ip link set lo up && ip link add index 50 type veth"))
		err(1, "namespace");
	members = members_bpf__open_and_load();
	base = weir_chain_bpf__open_and_load();
	if (!members || !base)
		err(1, "programs");
	ktap_header();
	test_order();
	test_counters();
	test_refusals();
	test_dump();
	test_changes();
	return ktap_end();
}
