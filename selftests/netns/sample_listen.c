// SPDX-License-Identifier: GPL-2.0
/* Prints what the kernel's psample family tells: packets that somebody has sampled. */
#include <err.h>
#include <inttypes.h>
#include <linux/genetlink.h>
#include <linux/psample.h>
#include <stdio.h>
#include <string.h>

#include "lib/genl.h"

static const char usage[] =
"usage: sample-listen\n"
"\n"
"Prints 'listens' once it does, and then a line for each packet: the group, the rate, the\n"
"index of the device, the packet's length, how many bytes of it came, and those in\n"
"hexadecimal digits.\n";

static uint32_t number(const struct nlattr *attr)
{
	if (!attr)
		return 0;
	return mnl_attr_get_payload_len(attr) == 2 ? mnl_attr_get_u16(attr) :
						     mnl_attr_get_u32(attr);
}

static void print_bytes(const struct nlattr *data)
{
	const unsigned char *byte = data ? mnl_attr_get_payload(data) : NULL;
	unsigned int i, count = data ? mnl_attr_get_payload_len(data) : 0;

	printf("%u ", count);
	for (i = 0; i < count; i++)
		printf("%02x", byte[i]);
	putchar('\n');
}

static int take(const struct nlmsghdr *message, void *data)
{
	const struct nlattr *table[PSAMPLE_ATTR_DATA + 1] = {};
	const struct nlattr *attr;

	(void)data;
	mnl_attr_for_each(attr, message, sizeof(struct genlmsghdr)) {
		if (mnl_attr_get_type(attr) <= PSAMPLE_ATTR_DATA)
			table[mnl_attr_get_type(attr)] = attr;
	}
	printf("%" PRIu32 " %" PRIu32 " %" PRIu32 " %" PRIu32 " ",
	       number(table[PSAMPLE_ATTR_SAMPLE_GROUP]), number(table[PSAMPLE_ATTR_SAMPLE_RATE]),
	       number(table[PSAMPLE_ATTR_IIFINDEX]), number(table[PSAMPLE_ATTR_ORIGSIZE]));
	print_bytes(table[PSAMPLE_ATTR_DATA]);
	return MNL_CB_OK;
}

int main(int argc, char **argv)
{
	uint32_t group;
	char buffer[8192];
	struct mnl_socket *nl;
	ssize_t size;

	(void)argv;
	if (argc > 1) {
		fputs(usage, stderr);
		return 2;
	}
	setlinebuf(stdout);
	genl_use(PSAMPLE_GENL_NAME);
	group = genl_group(0, PSAMPLE_NL_MCGRP_SAMPLE_NAME);
	nl = mnl_socket_open(NETLINK_GENERIC);
	if (!nl || mnl_socket_bind(nl, 0, MNL_SOCKET_AUTOPID) < 0 ||
	    mnl_socket_setsockopt(nl, NETLINK_ADD_MEMBERSHIP, &group, sizeof(group)) < 0)
		err(1, "psample");
	puts("listens");
	while ((size = mnl_socket_recvfrom(nl, buffer, sizeof(buffer))) > 0)
		mnl_cb_run(buffer, size, 0, 0, take, NULL);
	err(1, "psample");
}
