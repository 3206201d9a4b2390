// SPDX-License-Identifier: GPL-2.0
/*
 * Requests of weir's families to the live modules, good ones and broken ones, from many
 * processes in several namespaces at once: answers must be of the form that
 * uapi/weir.yaml gives them, wrong requests must be refused in words, and in the end
 * nothing may be left.
 */
#define _GNU_SOURCE
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <linux/genetlink.h>
#include <poll.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <weir.h>
#include <weir_trim_nl.h>
#include <weir_xdp_nl.h>

#include "bpf/ktap.h"
#include "echo.h"
#include "lib/genl.h"
#include "report.h"
#include "scene.h"
#include "talk.h"

#define NOBODY		65534
#define HALF_READ_MAX	4
#define BATCH_MAX	8
#define CHILDREN_MAX	32

static const char usage[] =
	"usage: fuzz-netlink [--seconds N | --count N] [--seed SEED] [--senders N]\n"
	"\n"
	"Sends requests of weir's families, and looks at what comes back. With --count each\n"
	"sender ends after so many; --senders 1 makes the same ones from the same seed.\n"
	"Works in namespaces of its own; the module must be loaded. Speaks KTAP.\n";

struct options {
	unsigned int seconds;
	uint64_t count;
	uint64_t seed;
	unsigned int senders;
};

static struct options options = { .seconds = 60, .senders = 4 };

/* The namespaces that last: two for the senders, one where only one changes anything. */
enum place { HERE, THERE, ALONE, PLACES };

static int places[PLACES], home;

/**
 * struct actor - a process of a run
 * @name: for its report
 * @act: called again and again
 * @begin: called first, or NULL
 * @place: its namespace
 * @counted: ends after options.count
 */
struct actor {
	const char *name;
	void (*act)(struct rng *rng);
	void (*begin)(struct rng *rng);
	enum place place;
	bool counted;
};

static int fd;				/* the actor's own socket */
static bool privileged = true;

static bool is_documented(int error)
{
	static const int errors[] = {
		0, EINVAL, EEXIST, ENOENT, EOPNOTSUPP, EDQUOT, ENOMEM, ENODEV, ERANGE,
	};
	unsigned int i;

	for (i = 0; i < sizeof(errors) / sizeof(*errors); i++)
		if (errors[i] == error)
			return true;
	return false;
}

/* Only these give a job or a source an address, which another one, or the box, may have. */
static bool takes_a_place(const struct grammar_op *op)
{
	return op->cmd == WEIR_CMD_JOB_ADD || op->cmd == WEIR_CMD_JOB_SET ||
	       op->cmd == WEIR_CMD_SOURCE_ADD || op->cmd == WEIR_CMD_SOURCE_SET;
}

/* A filter has so many rules, matches and tuples. */
static bool takes_a_rule(const struct grammar_op *op, int error)
{
	return error == E2BIG && (op->cmd == WEIR_XDP_CMD_FILTER_ADD ||
				  op->cmd == WEIR_XDP_CMD_FILTER_SET || op->cmd == WEIR_XDP_CMD_FILTER_COMMIT);
}

/* Of these a program is wrong, or the chain is as long as it may be. */
static bool takes_a_program(const struct grammar_op *op, int error)
{
	if (error == EBADF)
		return op->cmd == WEIR_XDP_CMD_CHAIN_ADD || op->cmd == WEIR_XDP_CMD_CHAIN_SET;
	return error == E2BIG && (op->cmd == WEIR_XDP_CMD_CHAIN_ADD || op->cmd == WEIR_XDP_CMD_ORDER_ADD);
}

/* A table has its size, and reports their listener. */
static bool is_busy(const struct grammar_op *op, int error)
{
	return error == EBUSY && (op->cmd == WEIR_XDP_CMD_FLOW_SET || op->cmd == WEIR_XDP_CMD_FLOW_LISTEN);
}

static void judge_refusal(const struct message *m, const struct answer *answer)
{
	if (!is_documented(answer->err) && !(answer->err == EADDRINUSE && takes_a_place(m->op)) &&
	    !takes_a_program(m->op, answer->err) && !is_busy(m->op, answer->err) &&
	    !takes_a_rule(m->op, answer->err))
		fault("%s ends with errno %d", m->op->name, answer->err);
	if (answer->err != ENOMEM && !answer->sentence && !answer->place)
		fault("%s is refused with %d and no word", m->op->name, answer->err);
	run->refused++;
}

static void judge_taken(const struct message *m, const struct answer *answer, const char *wrong)
{
	if (wrong)
		fault("%s is taken, although: %s", m->op->name, wrong);
	if (!m->dump && answer->replies != !!m->op->do_reply)
		fault("%s is answered with %u objects", m->op->name, answer->replies);
	run->taken++;
	run->of[m->op->cmd % RUN_KINDS]++;
}

static void judge(const struct message *m, const struct answer *answer)
{
	if (m->odd)
		return;
	if (!answer->came)
		fault("%s was not answered", m->op->name);
	if (m->op->admin && !privileged) {
		if (answer->err != EPERM)
			fault("%s by nobody ends with errno %d", m->op->name, answer->err);
	} else if (answer->err) {
		judge_refusal(m, answer);
	} else {
		judge_taken(m, answer, message_fault(m));
	}
}

/**
 * struct order - objects come in the order of their ids, each once
 * @keys: how many attributes, from the first on, identify the object
 * @last: those of the last one, behind each other
 */
struct order {
	unsigned int keys;
	int64_t last;
};

static void check_order(const struct nlmsghdr *nlh, void *data)
{
	const struct nlattr *nla = (const void *)((const uint8_t *)nlh + MESSAGE_HEAD);
	struct order *order = data;
	int64_t now = 0;
	uint32_t value;
	unsigned int i;

	for (i = 0; i < order->keys; i++) {
		memcpy(&value, nla + 1, sizeof(value));
		now = now << 31 | (value & 0x7fffffff);
		nla = (const void *)((const uint8_t *)nla + NLA_ALIGN(nla->nla_len));
	}
	if (now <= order->last) {
		report_about(nlh, nlh->nlmsg_len);
		fault("a dump shows an object after one that comes behind it");
	}
	order->last = now;
}

/* Blocks come in the order of slots, programs and rules in that of their places. */
static void ask(const struct message *m)
{
	struct order order = { .keys = m->op->cmd == WEIR_CMD_SOURCE_GET ? 2 : 1, .last = -1 };
	bool ordered = m->dump && !m->odd && m->op->cmd != WEIR_CMD_BLOCK_GET &&
		       m->op->cmd != WEIR_XDP_CMD_CHAIN_GET && m->op->cmd != WEIR_XDP_CMD_FILTER_GET &&
		       m->op->cmd != WEIR_XDP_CMD_ORDER_GET;
	struct answer answer;

	talk(fd, m, &answer, ordered ? check_order : NULL, &order);
	judge(m, &answer);
}

static void one_request(struct rng *rng)
{
	static struct message m;

	message_any(&m, rng);
	ask(&m);
}

static const struct grammar_op *any_dump(struct rng *rng)
{
	const struct grammar_op *op;

	do {
		op = &grammar_ops[rng_below(rng, grammar_ops_count)];
	} while (!op->dump_it);
	return op;
}

/* Of some dumps only the beginning is read; the rest later, or never. */
static void half_a_dump(struct rng *rng)
{
	static int half_read[HALF_READ_MAX];
	int *slot = &RNG_PICK(rng, half_read);
	static struct message m;
	struct answer answer = {};

	if (*slot) {
		while (rng_percent(rng, 60) && talk_read(*slot, NULL, &answer, NULL, NULL))
			;
		close(*slot);
	}
	*slot = talk_open();
	message_good(&m, rng, any_dump(rng), true);
	talk_send(*slot, &m);
	if (rng_percent(rng, 50))
		talk_read(*slot, &m, &answer, NULL, NULL);
	/* It is said that one is under way. */
	if (rng_percent(rng, 20))
		talk_send(*slot, &m);
}

/* Several messages in one write. */
static void many_requests(struct rng *rng)
{
	unsigned int n = rng_range(rng, 2, BATCH_MAX);
	static struct message m, all;
	struct answer answer;

	all.len = 0;
	while (n--) {
		message_any(&m, rng);
		if (all.len + NLMSG_ALIGN(m.len) > sizeof(all.data))
			break;
		memcpy(all.data + all.len, m.data, m.len);
		all.len += NLMSG_ALIGN(m.len);
		run->sent++;
	}
	run->sent--;
	all.odd = true;
	talk(fd, &all, &answer, NULL, NULL);
}

static void new_socket(void)
{
	if (fd)
		close(fd);
	fd = talk_open();
}

static void send_any(struct rng *rng)
{
	unsigned int what = rng_below(rng, 100);

	if (what < 84)
		one_request(rng);
	else if (what < 90)
		half_a_dump(rng);
	else if (what < 95)
		many_requests(rng);
	else if (what < 98)
		scene_churn(rng, rng_percent(rng, 50) ? home : places[rng_below(rng, PLACES - 1)]);
	else
		new_socket();
}

static void echo_or_ask(struct rng *rng)
{
	unsigned int what = rng_below(rng, 100);

	if (what < 40)
		one_request(rng);
	else if (what < 70)
		echo_said(fd, rng);
	else
		echo_any(fd, rng);
}

static void traffic_begin(struct rng *rng)
{
	(void)rng;
	scene_traffic_open();
}

/* The port goes while senders run, and comes back. */
static void traffic(struct rng *rng)
{
	static struct message m;
	struct answer answer;

	scene_traffic(rng, 4);
	message_begin(&m, grammar_op(WEIR_CMD_PORT_ADD), false);
	message_put_u32(&m, "ifindex", 1);
	message_put_u32(&m, "mode", WEIR_MODE_TC);
	talk(fd, &m, &answer, NULL, NULL);
	judge(&m, &answer);
	poll(NULL, 0, 10);
}

static void listen_begin(struct rng *rng)
{
	(void)rng;
	talk_join(fd);
}

static void listen_on(struct rng *rng)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };

	/* Now and then more comes than there is room for. */
	if (rng_percent(rng, 1))
		poll(NULL, 0, 200);
	if (poll(&p, 1, 100) > 0)
		talk_hear(fd);
}

static void enter(int place)
{
	if (setns(place, CLONE_NEWNET))
		err(1, "setns");
}

/* A namespace goes with all that is in it, dumps under way, and packets, too. */
static void short_life(struct rng *rng)
{
	bool busy = rng_percent(rng, 25);
	unsigned int n = rng_range(rng, 10, 100);

	scene_make(1);
	new_socket();
	if (busy) {
		scene_attach();
		scene_traffic_open();
	}
	while (n-- && !run->stop) {
		if (busy)
			scene_traffic(rng, 4);
		if (rng_percent(rng, 90))
			one_request(rng);
		else
			half_a_dump(rng);
	}
	if (busy)
		scene_traffic_close();
}

/* The system call, as the library would have all threads follow. */
static void become_nobody(struct rng *rng)
{
	(void)rng;
	if (syscall(SYS_setresuid, NOBODY, NOBODY, NOBODY))
		err(1, "setresuid");
	privileged = false;
	new_socket();
}

/* Root of a user namespace has no rights in the box. */
static void become_other_root(struct rng *rng)
{
	(void)rng;
	if (unshare(CLONE_NEWUSER | CLONE_NEWNET))
		err(1, "user namespace");
	privileged = false;
	new_socket();
}

static void ask_now_and_then(struct rng *rng)
{
	one_request(rng);
	poll(NULL, 0, 2);
}

static const struct actor others[] = {
	{ .name = "listener", .act = listen_on, .begin = listen_begin, .place = HERE },
	{ .name = "second listener", .act = listen_on, .begin = listen_begin, .place = THERE },
	{ .name = "traffic", .act = traffic, .begin = traffic_begin, .place = HERE },
	{ .name = "second traffic", .act = traffic, .begin = traffic_begin, .place = THERE },
	{ .name = "echo", .act = echo_or_ask, .place = ALONE },
	{ .name = "short lives", .act = short_life, .place = HERE },
	{ .name = "nobody", .act = ask_now_and_then, .begin = become_nobody, .place = HERE },
	{ .name = "root of others", .act = ask_now_and_then, .begin = become_other_root,
	  .place = THERE },
};

static void play(const struct actor *actor, unsigned int number)
{
	struct rng rng = { .state = options.seed * 1000 + number };
	uint64_t n;

	report_as(actor->name);
	enter(places[actor->place]);
	new_socket();
	if (actor->begin)
		actor->begin(&rng);
	for (n = 0; !run->stop; n++) {
		if (actor->counted && options.count && n == options.count)
			break;
		actor->act(&rng);
	}
	fflush(stdout);
	_exit(0);
}

static pid_t start(const struct actor *actor, unsigned int number)
{
	pid_t pid = fork();

	if (pid < 0)
		err(1, "fork");
	if (!pid)
		play(actor, number);
	return pid;
}

static unsigned int start_all(pid_t *pids)
{
	unsigned int n = 0, i;

	for (i = 0; i < options.senders; i++) {
		struct actor sender = {
			.name = "sender", .act = send_any, .place = i % 2 ? THERE : HERE,
			.counted = true,
		};

		pids[n++] = start(&sender, i);
	}
	for (i = 0; i < sizeof(others) / sizeof(*others); i++)
		pids[n++] = start(&others[i], 100 + i);
	return n;
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

/* Return false if a process has ended with a failure. @ended is set if it has ended at all. */
static bool is_well(pid_t pid, bool wait, bool *ended)
{
	int status;

	*ended = waitpid(pid, &status, wait ? 0 : WNOHANG) == pid;
	return !*ended || (WIFEXITED(status) && !WEXITSTATUS(status));
}

/* Until the time is over, all senders are through, or a process has found a fault. */
static bool wait_all(pid_t *pids, unsigned int n, double end)
{
	unsigned int left = options.senders, i;
	bool well = true, ended;

	while (!run->stop && left && (options.count || now() < end)) {
		poll(NULL, 0, 50);
		for (i = 0; i < n; i++) {
			if (!pids[i])
				continue;
			well &= is_well(pids[i], false, &ended);
			if (!ended)
				continue;
			pids[i] = 0;
			left -= i < options.senders;
		}
		if (!well)
			break;
	}
	run->stop = true;
	for (i = 0; i < n; i++)
		if (pids[i])
			well &= is_well(pids[i], true, &ended);
	return well;
}

static void flush(uint8_t cmd)
{
	static struct message m;
	struct answer answer;

	message_begin(&m, grammar_op(cmd), false);
	talk(fd, &m, &answer, NULL, NULL);
	if (!answer.came || answer.err)
		fault("%s ends with errno %d", m.op->name, answer.err);
}

/* Sums the numbers of a reply that must be 0 by now. */
static void take_left(const struct nlmsghdr *nlh, void *data)
{
	const struct nlattr *attr;
	uint64_t *left = data;

	mnl_attr_for_each(attr, nlh, sizeof(struct genlmsghdr)) {
		switch (mnl_attr_get_type(attr)) {
		case WEIR_A_TOTAL_JOBS:
		case WEIR_A_TOTAL_PORTS:
		case WEIR_A_TOTAL_MEMORY:
			left[0] += genl_uint(attr);
			break;
		case WEIR_A_TOTAL_MEMORY_USED:
			left[1] += genl_uint(attr);
			break;
		}
	}
}

/* The objects left: in the namespace, and by memory in all of them. */
static void look(uint64_t left[2])
{
	static struct message m;
	struct answer answer;

	left[0] = 0;
	left[1] = 0;
	message_begin(&m, grammar_op(WEIR_CMD_STATS_GET), false);
	talk(fd, &m, &answer, take_left, left);
	if (answer.replies != 1)
		fault("there are no totals");
	message_begin(&m, grammar_op(WEIR_CMD_TRIM_GET), true);
	talk(fd, &m, &answer, NULL, NULL);
	left[0] += answer.replies;
	message_begin(&m, grammar_op(WEIR_XDP_CMD_CHAIN_GET), true);
	talk(fd, &m, &answer, NULL, NULL);
	left[0] += answer.replies;
	message_begin(&m, grammar_op(WEIR_XDP_CMD_FLOW_GET), true);
	talk(fd, &m, &answer, NULL, NULL);
	left[0] += answer.replies;
	message_begin(&m, grammar_op(WEIR_XDP_CMD_FILTER_GET), true);
	talk(fd, &m, &answer, NULL, NULL);
	left[0] += answer.replies;
	message_begin(&m, grammar_op(WEIR_XDP_CMD_ORDER_GET), true);
	talk(fd, &m, &answer, NULL, NULL);
	left[0] += answer.replies;
}

static bool is_flushed(void)
{
	uint64_t left[2];
	bool empty = true;
	int i;

	for (i = 0; i < PLACES; i++) {
		enter(places[i]);
		new_socket();
		flush(WEIR_CMD_JOB_FLUSH);
		flush(WEIR_CMD_PORT_FLUSH);
		flush(WEIR_XDP_CMD_ORDER_FLUSH);
		flush(WEIR_XDP_CMD_CHAIN_FLUSH);
		flush(WEIR_XDP_CMD_FLOW_FLUSH);
		flush(WEIR_XDP_CMD_FILTER_FLUSH);
		flush(WEIR_CMD_TRIM_FLUSH);
		look(left);
		empty &= !left[0];
		close(places[i]);
	}
	enter(home);
	new_socket();
	return empty;
}

/* Namespaces go some time after their last process. */
static bool is_memory_back(void)
{
	double end = now() + 60;
	uint64_t left[2];

	do {
		look(left);
		if (!left[1])
			return true;
		poll(NULL, 0, 100);
	} while (now() < end);
	printf("# %llu bytes are left\n", (unsigned long long)left[1]);
	return false;
}

/* Print the numbers of requests, and how many of each kind were accepted. */
static void tell(double seconds)
{
	const struct grammar_op *op;

	printf("# %llu requests, %llu taken, %llu refused, %llu objects shown\n#",
	       (unsigned long long)run->sent, (unsigned long long)run->taken,
	       (unsigned long long)run->refused, (unsigned long long)run->shown);
	for (op = grammar_ops; op < grammar_ops + grammar_ops_count; op++)
		if (op->do_it || op->dump_it)
			printf(" %s %llu", op->name, (unsigned long long)run->of[op->cmd]);
	printf("\n# figure fuzz_netlink_a_minute %.0f\n", run->sent * 60 / seconds);
}

static int namespace_of_self(void)
{
	int here = open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC);

	if (here < 0)
		err(1, "namespace");
	return here;
}

static void set_up(void)
{
	int i;

	report_init();
	scene_load();
	report_as("set-up");
	talk_init();
	home = namespace_of_self();
	for (i = 0; i < PLACES; i++) {
		scene_make(SCENE_DEVICES);
		scene_attach();
		places[i] = namespace_of_self();
	}
	enter(home);
}

static void parse(int argc, char **argv)
{
	static const struct option known[] = {
		{ "seconds", required_argument, NULL, 's' },
		{ "count", required_argument, NULL, 'c' },
		{ "seed", required_argument, NULL, 'S' },
		{ "senders", required_argument, NULL, 'n' },
		{ }
	};
	int c;

	options.seed = time(NULL);
	while ((c = getopt_long(argc, argv, "", known, NULL)) != -1) {
		switch (c) {
		case 's': options.seconds = atoi(optarg); break;
		case 'c': options.count = strtoull(optarg, NULL, 0); break;
		case 'S': options.seed = strtoull(optarg, NULL, 0); break;
		case 'n': options.senders = atoi(optarg); break;
		default: fputs(usage, stderr); exit(2);
		}
	}
	if (optind != argc || !options.senders || options.senders > CHILDREN_MAX / 2) {
		fputs(usage, stderr);
		exit(2);
	}
}

int main(int argc, char **argv)
{
	pid_t pids[CHILDREN_MAX];
	double start;
	bool well;

	parse(argc, argv);
	ktap_header();
	printf("# seed %llu\n", (unsigned long long)options.seed);
	set_up();
	start = now();
	well = wait_all(pids, start_all(pids), start + options.seconds);
	tell(now() - start);
	ktap_ok(well, "no request shows a fault");
	ktap_ok(is_flushed(), "what is flushed is gone");
	ktap_ok(is_memory_back(), "no memory is left");
	return ktap_end();
}
