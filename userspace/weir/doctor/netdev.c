// SPDX-License-Identifier: GPL-2.0
/* Metadata that XDP programs can read from a device's driver, by the kernel's netdev family. */
#include <stdbool.h>

#include "doctor/doctor.h"
#include "netlink/genl.h"

/* linux/netdev.h has them since 6.8. */
#define FAMILY_NAME		"netdev"
#define CMD_DEV_GET		1
#define A_DEV_IFINDEX		1
#define A_DEV_RX_METADATA	5
#define RX_METADATA_VLAN_TAG	4

bool device_tells_vlan(unsigned int ifindex)
{
	const struct nlattr *table[A_DEV_RX_METADATA + 1];
	struct nl_replies replies = {};
	char buffer[NL_REQUEST_SIZE];
	struct nlmsghdr *message;
	struct weir family;
	bool tells = false;

	if (genl_try_open(&family, FAMILY_NAME))
		return false;
	message = weir_begin(&family, buffer, CMD_DEV_GET, 0);
	mnl_attr_put_u32(message, A_DEV_IFINDEX, ifindex);
	if (!nl_talk(&family.nl, buffer, &replies) && replies.count) {
		weir_attributes(replies.message[0], table, A_DEV_RX_METADATA);
		tells = nl_uint(table[A_DEV_RX_METADATA]) & RX_METADATA_VLAN_TAG;
	}
	nl_replies_free(&replies);
	weir_close(&family);
	return tells;
}
