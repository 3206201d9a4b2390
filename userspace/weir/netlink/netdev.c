// SPDX-License-Identifier: GPL-2.0
#include <linux/genetlink.h>

#include "netlink/genl.h"
#include "netlink/netdev.h"

/* linux/netdev.h has the metadata since 6.8, the rest since 6.3. */
#define FAMILY_NAME		"netdev"
#define CMD_DEV_GET		1
#define A_DEV_IFINDEX		1
#define A_DEV_XDP_FEATURES	3
#define A_DEV_RX_METADATA	5
#define RX_METADATA_VLAN_TAG	4

/* An attribute of a device; false where the kernel has none. */
static bool dev_get(unsigned int ifindex, uint16_t attribute, uint64_t *value)
{
	const struct nlattr *table[A_DEV_RX_METADATA + 1];
	struct nl_replies replies = {};
	char buffer[NL_REQUEST_SIZE];
	struct nlmsghdr *message;
	struct family family;
	bool there = false;
	struct nl nl;

	if (nl_open(&nl, NETLINK_GENERIC, sizeof(struct genlmsghdr)))
		return false;
	if (genl_find(&nl, FAMILY_NAME, &family)) {
		nl_close(&nl);
		return false;
	}
	message = genl_begin(&nl, buffer, family.id, CMD_DEV_GET, 0);
	nl_put_u32(message, A_DEV_IFINDEX, ifindex);
	if (!nl_talk(&nl, buffer, &replies) && replies.count) {
		weir_attributes(replies.message[0], table, A_DEV_RX_METADATA);
		there = table[attribute];
		*value = nl_uint(table[attribute]);
	}
	nl_replies_free(&replies);
	nl_close(&nl);
	return there;
}

bool netdev_features(unsigned int ifindex, uint64_t *features)
{
	return dev_get(ifindex, A_DEV_XDP_FEATURES, features);
}

bool netdev_tells_vlan(unsigned int ifindex)
{
	uint64_t metadata;

	return dev_get(ifindex, A_DEV_RX_METADATA, &metadata) && metadata & RX_METADATA_VLAN_TAG;
}
