// SPDX-License-Identifier: GPL-2.0
#include "base/addr.h"
#include "netlink/nl.h"

bool nl_addr(const struct nlattr *attr, struct addr *addr)
{
	return attr && addr_from(addr, mnl_attr_get_payload(attr), mnl_attr_get_payload_len(attr));
}
