// SPDX-License-Identifier: GPL-2.0
/*
 * feed [--tcp] PORT REFRESH: hands made-up records to the exporter of weir-flow-export, for the test's
 * collector on this machine: one for each line of standard input, and with "send" what waits is sent. A
 * line "icmp" is a record of ICMP, type 8, code 3, and "sample" one of a sample of one packet in 100. At the
 * end the number of dropped records is printed.
 */
#include <linux/genetlink.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <weir_xdp_nl.h>

#include "ipfix.h"
#include "netlink/nl.h"

static void make(struct nlmsghdr *message, uint32_t number, const char *kind)
{
	static const uint8_t address[4] = { 10, 0, 0, 1 };

	mnl_nlmsg_put_header(message);
	mnl_nlmsg_put_extra_header(message, sizeof(struct genlmsghdr));
	nl_room(message, 1024);
	nl_put(message, WEIR_A_FLOW_RECORD_SRC, sizeof(address), address);
	nl_put(message, WEIR_A_FLOW_RECORD_DST, sizeof(address), address);
	nl_put_u64(message, WEIR_A_FLOW_RECORD_PACKETS, number);
	nl_put_u32(message, WEIR_A_FLOW_RECORD_IFINDEX, 7);
	if (!strcmp(kind, "icmp\n")) {
		nl_put_u32(message, WEIR_A_FLOW_RECORD_PROTO, 1);
		nl_put_u32(message, WEIR_A_FLOW_RECORD_ICMP_TYPE, 8);
		nl_put_u32(message, WEIR_A_FLOW_RECORD_ICMP_CODE, 3);
	} else {
		nl_put_u32(message, WEIR_A_FLOW_RECORD_PROTO, 17);
		nl_put_u32(message, WEIR_A_FLOW_RECORD_DPORT, 53);
	}
	if (!strcmp(kind, "sample\n"))
		nl_put_u32(message, WEIR_A_FLOW_RECORD_SAMPLE, 100);
}

int main(int argc, char **argv)
{
	static char buffer[1024] __attribute__((aligned(8)));
	bool tcp = argc == 4 && !strcmp(argv[1], "--tcp");
	struct ipfix_to to = { .host = "127.0.0.1", .tcp = tcp };
	struct ipfix *ipfix;
	char line[64];
	uint32_t n = 0;

	if (argc != 3 + tcp)
		return 2;
	to.port = argv[1 + tcp];
	to.refresh = strtoul(argv[2 + tcp], NULL, 10);
	signal(SIGPIPE, SIG_IGN);
	ipfix = ipfix_open(&to);
	if (!ipfix)
		return 1;
	while (fgets(line, sizeof(line), stdin)) {
		if (!strcmp(line, "send\n")) {
			ipfix_send(ipfix);
			continue;
		}
		make((struct nlmsghdr *)buffer, ++n, line);
		ipfix_add(ipfix, (struct nlmsghdr *)buffer);
	}
	ipfix_send(ipfix);
	printf("%ju\n", (uintmax_t)ipfix_dropped(ipfix));
	ipfix_close(ipfix);
	return 0;
}
