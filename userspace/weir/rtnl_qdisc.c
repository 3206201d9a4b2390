// SPDX-License-Identifier: GPL-2.0
/* Queueing disciplines of a device. */
#include <linux/pkt_sched.h>
#include <linux/rtnetlink.h>
#include <stdio.h>
#include <string.h>

#include "rtnl.h"

/* False where it is another device's, or no queue. */
static bool parse_qdisc(const struct nlmsghdr *message, unsigned int ifindex,
			struct qdisc *qdisc)
{
	const struct tcmsg *header = mnl_nlmsg_get_payload(message);
	const struct nlattr *table[TCA_MAX + 1];

	nl_attributes(message, sizeof(*header), table, TCA_MAX);
	qdisc->handle = header->tcm_handle;
	qdisc->parent = header->tcm_parent;
	snprintf(qdisc->kind, sizeof(qdisc->kind), "%s", nl_string(table[TCA_KIND]));
	return (unsigned int)header->tcm_ifindex == ifindex &&
	       header->tcm_parent != TC_H_INGRESS;
}

/* The kernel lists those of all devices. */
int rtnl_qdiscs(struct nl *nl, unsigned int ifindex, struct qdisc **qdiscs, size_t *count)
{
	struct nl_replies replies = {};
	char buffer[NL_REQUEST_SIZE];
	struct tcmsg *header;
	size_t i;
	int err;

	*count = 0;
	nl->header = sizeof(*header);
	header = nl_begin(nl, buffer, RTM_GETQDISC, NLM_F_DUMP);
	header->tcm_ifindex = ifindex;
	*qdiscs = nl_list(nl, buffer, &replies, sizeof(**qdiscs), &err);
	for (i = 0; !err && i < replies.count; i++)
		*count += parse_qdisc(replies.message[i], ifindex, &(*qdiscs)[*count]);
	nl_replies_free(&replies);
	return err;
}

static int change_qdisc(struct nl *nl, uint16_t type, uint16_t flags, unsigned int ifindex,
			uint32_t parent, uint32_t handle, const char *kind)
{
	char buffer[NL_REQUEST_SIZE];
	struct tcmsg *header;

	nl->header = sizeof(*header);
	header = nl_begin(nl, buffer, type, flags);
	header->tcm_ifindex = ifindex;
	header->tcm_parent = parent;
	header->tcm_handle = handle;
	if (kind)
		mnl_attr_put_strz((struct nlmsghdr *)buffer, TCA_KIND, kind);
	return nl_talk(nl, buffer, NULL);
}

int rtnl_qdisc_add(struct nl *nl, unsigned int ifindex, uint32_t parent, uint32_t handle,
		   const char *kind)
{
	return change_qdisc(nl, RTM_NEWQDISC, NLM_F_CREATE | NLM_F_EXCL, ifindex, parent, handle,
			    kind);
}

int rtnl_qdisc_del(struct nl *nl, unsigned int ifindex, uint32_t parent, uint32_t handle)
{
	return change_qdisc(nl, RTM_DELQDISC, 0, ifindex, parent, handle, NULL);
}
