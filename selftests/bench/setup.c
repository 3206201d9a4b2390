// SPDX-License-Identifier: GPL-2.0
/*
 * Makes jobs with their sources, many in one go: a process of the command line
 * tool for each would take most of a measurement's time under emulation.
 */
#include <arpa/inet.h>
#include <err.h>
#include <errno.h>
#include <getopt.h>
#include <libmnl/libmnl.h>
#include <linux/genetlink.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <weir.h>

static const char usage[] =
	"usage: bench-setup --address ADDRESS [OPTION...] WORKER...\n"
	"\n"
	"Makes jobs in this network namespace. Source S is bound to WORKER number S\n"
	"modulo their number, the second of a worker to the next address up, and so on.\n"
	"\n"
	"  --address ADDRESS  the jobs' address\n"
	"  --job N            first job's id (0)\n"
	"  --jobs N           how many jobs (1)\n"
	"  --sources N        sources that complete a block (one a WORKER)\n"
	"  --bound N          how many of them are bound (all)\n"
	"  --blocks N         block slots (64)\n"
	"  --grads N          gradients a block (1024)\n"
	"  --timeout US       answer blocks so many microseconds after their first packet\n";

/**
 * struct options - the command line, which see
 * @address: network byte order
 * @workers: network byte order
 * @n: how many workers
 */
struct options {
	uint32_t address;
	uint32_t job;
	uint32_t jobs;
	uint32_t sources;
	uint32_t bound;
	uint32_t blocks;
	uint32_t grads;
	uint32_t timeout;
	uint32_t workers[256];
	uint32_t n;
};

static struct mnl_socket *nl;
static uint16_t family;

static struct nlmsghdr *begin(char *buf, uint16_t type, uint8_t cmd)
{
	struct nlmsghdr *msg = mnl_nlmsg_put_header(buf);
	struct genlmsghdr *hdr;

	msg->nlmsg_type = type;
	msg->nlmsg_flags = NLM_F_REQUEST | NLM_F_ACK;
	msg->nlmsg_seq = 1;
	hdr = mnl_nlmsg_put_extra_header(msg, sizeof(*hdr));
	hdr->cmd = cmd;
	hdr->version = 1;
	return msg;
}

static int take_family(const struct nlattr *attr, void *data)
{
	if (mnl_attr_get_type(attr) == CTRL_ATTR_FAMILY_ID)
		*(uint16_t *)data = mnl_attr_get_u16(attr);
	return MNL_CB_OK;
}

static int take_reply(const struct nlmsghdr *msg, void *data)
{
	return mnl_attr_parse(msg, sizeof(struct genlmsghdr), take_family,
			      data);
}

/* Sends and reads on to the acknowledgement. */
static void talk(const struct nlmsghdr *msg, const char *what, uint32_t which)
{
	char buf[8192];
	ssize_t n;
	int ret = MNL_CB_OK;

	if (mnl_socket_sendto(nl, msg, msg->nlmsg_len) < 0)
		err(1, "netlink");
	while (ret > MNL_CB_STOP) {
		n = mnl_socket_recvfrom(nl, buf, sizeof(buf));
		if (n < 0)
			err(1, "netlink");
		ret = mnl_cb_run(buf, n, 1, mnl_socket_get_portid(nl),
				 take_reply, &family);
	}
	if (ret < 0)
		err(1, "%s %u", what, which);
}

static void connect_family(void)
{
	char buf[8192] = {};
	struct nlmsghdr *msg;

	nl = mnl_socket_open(NETLINK_GENERIC);
	if (!nl || mnl_socket_bind(nl, 0, MNL_SOCKET_AUTOPID) < 0)
		err(1, "netlink");
	msg = begin(buf, GENL_ID_CTRL, CTRL_CMD_GETFAMILY);
	mnl_attr_put_strz(msg, CTRL_ATTR_FAMILY_NAME, WEIR_FAMILY_NAME);
	talk(msg, "no weir module", 0);
}

static void add_job(const struct options *o, uint32_t id)
{
	char buf[8192] = {};
	struct nlmsghdr *msg = begin(buf, family, WEIR_CMD_JOB_ADD);

	mnl_attr_put_u32(msg, WEIR_A_JOB_ID, id);
	mnl_attr_put_u32(msg, WEIR_A_JOB_SOURCES, o->sources);
	mnl_attr_put_u32(msg, WEIR_A_JOB_BLOCKS, o->blocks);
	mnl_attr_put_u32(msg, WEIR_A_JOB_GRADS, o->grads);
	mnl_attr_put_u32(msg, WEIR_A_JOB_TIMEOUT, o->timeout);
	mnl_attr_put(msg, WEIR_A_JOB_ADDRESS, sizeof(o->address), &o->address);
	talk(msg, "job", id);
}

static void add_source(const struct options *o, uint32_t job, uint32_t id)
{
	uint32_t addr = htonl(ntohl(o->workers[id % o->n]) + id / o->n);
	char buf[8192] = {};
	struct nlmsghdr *msg = begin(buf, family, WEIR_CMD_SOURCE_ADD);

	mnl_attr_put_u32(msg, WEIR_A_SOURCE_JOB, job);
	mnl_attr_put_u32(msg, WEIR_A_SOURCE_ID, id);
	mnl_attr_put(msg, WEIR_A_SOURCE_ADDRESS, sizeof(addr), &addr);
	talk(msg, "source", id);
}

static uint32_t address(const char *text)
{
	uint32_t addr;

	if (inet_pton(AF_INET, text, &addr) != 1)
		errx(2, "%s is no IPv4 address", text);
	return addr;
}

static void parse(int argc, char **argv, struct options *o)
{
	static const struct option longs[] = {
		{ "address", 1, NULL, 'a' }, { "job", 1, NULL, 'j' },
		{ "jobs", 1, NULL, 'J' }, { "sources", 1, NULL, 's' },
		{ "bound", 1, NULL, 'b' }, { "blocks", 1, NULL, 'B' },
		{ "grads", 1, NULL, 'g' }, { "timeout", 1, NULL, 't' }, { }
	};
	int c;

	while ((c = getopt_long(argc, argv, "", longs, NULL)) != -1) {
		switch (c) {
		case 'a': o->address = address(optarg); break;
		case 'j': o->job = atoi(optarg); break;
		case 'J': o->jobs = atoi(optarg); break;
		case 's': o->sources = atoi(optarg); break;
		case 'b': o->bound = atoi(optarg); break;
		case 'B': o->blocks = atoi(optarg); break;
		case 'g': o->grads = atoi(optarg); break;
		case 't': o->timeout = atoi(optarg); break;
		default:
			fputs(usage, stderr);
			exit(2);
		}
	}
	for (; optind < argc && o->n < 256; optind++)
		o->workers[o->n++] = address(argv[optind]);
	if (!o->address || !o->n) {
		fputs(usage, stderr);
		exit(2);
	}
	if (!o->sources)
		o->sources = o->n;
	if (!o->bound)
		o->bound = o->sources;
}

int main(int argc, char **argv)
{
	static struct options o = { .jobs = 1, .blocks = 64, .grads = 1024 };
	uint32_t j, s;

	parse(argc, argv, &o);
	connect_family();
	for (j = o.job; j < o.job + o.jobs; j++) {
		add_job(&o, j);
		for (s = 0; s < o.bound; s++)
			add_source(&o, j, s);
	}
	return 0;
}
