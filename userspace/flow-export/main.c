// SPDX-License-Identifier: GPL-2.0
/* weir-flow-export: records of flows that have ended, or go on for long, as IPFIX. */
#include <errno.h>
#include <getopt.h>
#include <linux/genetlink.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <weir_xdp_nl.h>

#include "ipfix.h"
#include "netlink/genl.h"

static const char usage[] =
"usage: weir-flow-export [--tcp] [--domain N] [--refresh SECONDS] HOST PORT\n"
"\n"
"Sends records of the network namespace's flows that have ended, or go on for the active\n"
"timeout, to a collector of IPFIX, until it is ended. Which devices have their flows recorded,\n"
"and how, says `weir flow`.\n"
"\n"
"  --tcp       by TCP (UDP)\n"
"  --domain N  observation domain (0)\n"
"  --refresh SECONDS\n"
"              send templates again by UDP after so many seconds (60)\n"
"  --help      show this\n";

/* Milliseconds without a report after which messages go that are not full. */
#define PATIENCE	1000

/* Bytes of reports that may wait to be read: the module does not wait long. */
#define RECEIVE_ROOM	(8 << 20)

/* Seconds after which the module is looked for again, where there is none. */
#define ASK_EVERY	5

static volatile sig_atomic_t ended;

static void on_signal(int number)
{
	(void)number;
	ended = 1;
}

/* Ask the module to send its reports to this socket. Return 0 or a negative errno. */
static int ask(struct weir *weir)
{
	char buffer[NL_REQUEST_SIZE];
	int room = RECEIVE_ROOM, err;

	err = weir_try_open(weir);
	if (err)
		return err;
	setsockopt(mnl_socket_get_fd(weir->nl.socket), SOL_SOCKET, SO_RCVBUFFORCE, &room,
		   sizeof(room));
	weir_begin(weir, buffer, WEIR_XDP_CMD_FLOW_LISTEN, 0);
	err = nl_talk(&weir->nl, buffer, NULL);
	if (!err)
		err = weir_listen(weir);
	if (err)
		weir_close(weir);
	return err;
}

/* Returns true if the module was unloaded. */
static bool take(struct ipfix *ipfix, struct weir *weir, const char *buffer, int got)
{
	const struct nlmsghdr *message = (const void *)buffer;
	enum family_of family;
	bool gone = false;

	for (; mnl_nlmsg_ok(message, got); message = mnl_nlmsg_next(message, &got)) {
		if (mnl_nlmsg_get_payload_len(message) < sizeof(struct genlmsghdr))
			continue;
		if (weir_gone(weir, message, &family))
			gone |= family == FAMILY_XDP;
		else if (message->nlmsg_type == weir->family[FAMILY_XDP].id &&
			 weir_command(message) == WEIR_XDP_CMD_FLOW_RECORD_NTF)
			ipfix_add(ipfix, message);
	}
	return gone;
}

/* Returns true if the module was unloaded. */
static bool hear(struct ipfix *ipfix, struct weir *weir)
{
	struct pollfd ready = { mnl_socket_get_fd(weir->nl.socket), POLLIN, 0 };
	static char buffer[65536] __attribute__((aligned(8)));
	ssize_t got;

	if (poll(&ready, 1, PATIENCE) <= 0) {
		ipfix_send(ipfix);
		return false;
	}
	got = mnl_socket_recvfrom(weir->nl.socket, buffer, sizeof(buffer));
	return got > 0 && take(ipfix, weir, buffer, got);
}

/* With one module, until it goes. */
static void export(struct ipfix *ipfix, struct weir *weir)
{
	while (!ended && !hear(ipfix, weir))
		;
	ipfix_send(ipfix);
}

static int run(struct ipfix *ipfix, const struct ipfix_to *to)
{
	struct weir weir;
	int err;

	while (!ended) {
		err = ask(&weir);
		if (err && err != -ENOENT) {
			fprintf(stderr, "weir-flow-export: the module does not report flows: %s\n",
				*weir.nl.error.text ? weir.nl.error.text : strerror(-err));
			return 1;
		}
		if (err) {
			sleep(ASK_EVERY);
			continue;
		}
		printf("sends records to %s port %s\n", to->host, to->port);
		fflush(stdout);
		export(ipfix, &weir);
		weir_close(&weir);
	}
	return ipfix_dropped(ipfix) ? 1 : 0;
}

static int parse(int argc, char **argv, struct ipfix_to *to)
{
	static const struct option options[] = {
		{ "tcp", no_argument, NULL, 't' }, { "domain", required_argument, NULL, 'd' },
		{ "refresh", required_argument, NULL, 'r' }, { "help", no_argument, NULL, 'h' },
		{ NULL, 0, NULL, 0 },
	};
	char *end;
	int c;

	while ((c = getopt_long(argc, argv, "h", options, NULL)) != -1) {
		switch (c) {
		case 't':
			to->tcp = true;
			break;
		case 'd':
			to->domain = strtoul(optarg, &end, 10);
			if (*optarg < '0' || *optarg > '9' || *end)
				return 2;
			break;
		case 'r':
			to->refresh = strtoul(optarg, &end, 10);
			if (*optarg < '1' || *optarg > '9' || *end || strlen(optarg) > 6)
				return 2;
			break;
		case 'h':
			fputs(usage, stdout);
			exit(0);
		default:
			return 2;
		}
	}
	if (argc - optind != 2)
		return 2;
	to->host = argv[optind];
	to->port = argv[optind + 1];
	return 0;
}

int main(int argc, char **argv)
{
	const struct sigaction action = { .sa_handler = on_signal };
	struct ipfix_to to = { .refresh = IPFIX_REFRESH };
	struct ipfix *ipfix;
	int status;

	if (parse(argc, argv, &to)) {
		fputs(usage, stderr);
		return 2;
	}
	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	signal(SIGPIPE, SIG_IGN);
	ipfix = ipfix_open(&to);
	if (!ipfix)
		return 1;
	status = run(ipfix, &to);
	ipfix_close(ipfix);
	return status;
}
