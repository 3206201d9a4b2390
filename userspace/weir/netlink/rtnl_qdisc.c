// SPDX-License-Identifier: GPL-2.0
/* Queueing disciplines of a device. */
#include <linux/pkt_sched.h>
#include <linux/rtnetlink.h>
#include <stdio.h>
#include <string.h>

#include "netlink/rtnl.h"

static void parse_options(const struct nlattr *attr, struct qdisc *qdisc)
{
	qdisc->length = attr ? mnl_attr_get_payload_len(attr) : 0;
	qdisc->type = attr ? attr->nla_type : 0;
	if (attr && qdisc->length <= sizeof(qdisc->options))
		memcpy(qdisc->options, mnl_attr_get_payload(attr), qdisc->length);
}

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
	parse_options(table[TCA_OPTIONS], qdisc);
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
			const struct qdisc *qdisc)
{
	char buffer[NL_REQUEST_SIZE];
	struct tcmsg *header;

	nl->header = sizeof(*header);
	header = nl_begin(nl, buffer, type, flags);
	header->tcm_ifindex = ifindex;
	header->tcm_parent = qdisc->parent;
	header->tcm_handle = qdisc->handle;
	if (*qdisc->kind)
		nl_put_text((struct nlmsghdr *)buffer, TCA_KIND, qdisc->kind);
	if (qdisc->type)
		nl_put((struct nlmsghdr *)buffer, qdisc->type, qdisc->length,
			     qdisc->options);
	return nl_talk(nl, buffer, NULL);
}

int rtnl_qdisc_add(struct nl *nl, unsigned int ifindex, uint32_t parent, uint32_t handle,
		   const char *kind)
{
	struct qdisc qdisc = { .handle = handle, .parent = parent };

	snprintf(qdisc.kind, sizeof(qdisc.kind), "%s", kind);
	return change_qdisc(nl, RTM_NEWQDISC, NLM_F_CREATE | NLM_F_EXCL, ifindex, &qdisc);
}

int rtnl_qdisc_replace(struct nl *nl, unsigned int ifindex, const struct qdisc *qdisc)
{
	return change_qdisc(nl, RTM_NEWQDISC, NLM_F_CREATE | NLM_F_REPLACE, ifindex, qdisc);
}

int rtnl_qdisc_del(struct nl *nl, unsigned int ifindex, uint32_t parent, uint32_t handle)
{
	struct qdisc qdisc = { .handle = handle, .parent = parent };

	return change_qdisc(nl, RTM_DELQDISC, 0, ifindex, &qdisc);
}
