// SPDX-License-Identifier: GPL-2.0
/* A port's trimming policy, set and read over netlink. */
#include <err.h>
#include <libmnl/libmnl.h>
#include <linux/genetlink.h>
#include <string.h>

#include "cases.h"
#include "policy.h"

static struct mnl_socket *nl;
static uint16_t family;

static void ask(struct nlmsghdr *nlh, mnl_cb_t cb, void *data)
{
	char buf[8192];
	int n, ret = 1;

	nlh->nlmsg_flags = NLM_F_REQUEST | NLM_F_ACK;
	nlh->nlmsg_seq = 1;
	if (mnl_socket_sendto(nl, nlh, nlh->nlmsg_len) < 0)
		err(1, "netlink send");
	while (ret > 0) {
		n = mnl_socket_recvfrom(nl, buf, sizeof(buf));
		if (n < 0)
			err(1, "netlink receive");
		ret = mnl_cb_run(buf, n, 1, mnl_socket_get_portid(nl), cb, data);
	}
	if (ret < 0)
		err(1, "netlink request");
}

static struct nlmsghdr *request(char *buf, uint16_t type, uint8_t cmd)
{
	struct nlmsghdr *nlh = mnl_nlmsg_put_header(buf);
	struct genlmsghdr *genl;

	nlh->nlmsg_type = type;
	genl = mnl_nlmsg_put_extra_header(nlh, sizeof(*genl));
	genl->cmd = cmd;
	genl->version = 1;
	return nlh;
}

static int read_family(const struct nlmsghdr *nlh, void *data)
{
	const struct nlattr *attr;

	(void)data;
	mnl_attr_for_each(attr, nlh, sizeof(struct genlmsghdr))
		if (mnl_attr_get_type(attr) == CTRL_ATTR_FAMILY_ID)
			family = mnl_attr_get_u16(attr);
	return MNL_CB_OK;
}

static void open_family(void)
{
	char buf[1024];
	struct nlmsghdr *nlh;

	if (nl)
		return;
	nl = mnl_socket_open(NETLINK_GENERIC);
	if (!nl || mnl_socket_bind(nl, 0, MNL_SOCKET_AUTOPID))
		err(1, "netlink socket");
	nlh = request(buf, GENL_ID_CTRL, CTRL_CMD_GETFAMILY);
	mnl_attr_put_strz(nlh, CTRL_ATTR_FAMILY_NAME, WEIR_FAMILY_NAME);
	ask(nlh, read_family, NULL);
}

static void put_rules(struct nlmsghdr *nlh)
{
	struct nlattr *nest;

	nest = mnl_attr_nest_start(nlh, WEIR_A_TRIM_RULE);
	mnl_attr_put_u32(nlh, WEIR_A_TRIM_RULE_DSCP, TRIM_DSCP);
	mnl_attr_nest_end(nlh, nest);
	nest = mnl_attr_nest_start(nlh, WEIR_A_TRIM_RULE);
	mnl_attr_put_u32(nlh, WEIR_A_TRIM_RULE_PORT, TRIM_OFF_PORT);
	mnl_attr_put(nlh, WEIR_A_TRIM_RULE_DISABLE, 0, NULL);
	mnl_attr_nest_end(nlh, nest);
}

static void put_policy(struct nlmsghdr *nlh, const struct policy *p)
{
	mnl_attr_put_u32(nlh, WEIR_A_TRIM_SIZE, p->size);
	mnl_attr_put_u32(nlh, WEIR_A_TRIM_DSCP, TRIM_TRIMMED);
	mnl_attr_put_u32(nlh, WEIR_A_TRIM_LENGTH, p->keep ?
			 WEIR_TRIM_LENGTH_KEEP : WEIR_TRIM_LENGTH_UPDATE);
	put_rules(nlh);
	mnl_attr_put_u64(nlh, WEIR_A_TRIM_LIMIT_BYTES, p->limit);
	mnl_attr_put_u32(nlh, WEIR_A_TRIM_LIMIT, 0);
	mnl_attr_put_u32(nlh, WEIR_A_TRIM_HEADER_TIME, p->header_time);
	if (p->returns) {
		mnl_attr_put_u32(nlh, WEIR_A_TRIM_FULL, WEIR_TRIM_FULL_RETURN);
		mnl_attr_put_u32(nlh, WEIR_A_TRIM_RETURN_DSCP, TRIM_RETURN);
	}
	mnl_attr_put_u64(nlh, WEIR_A_TRIM_RATE, p->rate);
	if (p->priority)
		mnl_attr_put_u32(nlh, WEIR_A_TRIM_PRIORITY, p->priority);
}

void policy_set(unsigned int ifindex, const struct policy *p)
{
	struct nlmsghdr *nlh;
	char buf[4096];

	open_family();
	nlh = request(buf, family, WEIR_CMD_TRIM_SET);
	mnl_attr_put_u32(nlh, WEIR_A_TRIM_IFINDEX, ifindex);
	mnl_attr_put_u32(nlh, WEIR_A_TRIM_HOOK, p->hook);
	mnl_attr_put_u32(nlh, WEIR_A_TRIM_EDGE, p->edge);
	if (p->hook != WEIR_TRIM_HOOK_NONE)
		put_policy(nlh, p);
	ask(nlh, NULL, NULL);
}

static int read_stats(const struct nlmsghdr *nlh, void *data)
{
	const struct nlattr *nest, *attr;
	uint64_t *count = data;
	int type;

	mnl_attr_for_each(nest, nlh, sizeof(struct genlmsghdr)) {
		if (mnl_attr_get_type(nest) != WEIR_A_TRIM_STATS)
			continue;
		mnl_attr_for_each_nested(attr, nest) {
			type = mnl_attr_get_type(attr) - 1;
			if (type >= 0 && type < WEIR_TRIM_C_MAX)
				count[type] =
					mnl_attr_get_payload_len(attr) == 8 ?
					mnl_attr_get_u64(attr) :
					mnl_attr_get_u32(attr);
		}
	}
	return MNL_CB_OK;
}

void policy_counters(unsigned int ifindex, uint64_t count[WEIR_TRIM_C_MAX])
{
	struct nlmsghdr *nlh;
	char buf[1024];

	open_family();
	memset(count, 0, WEIR_TRIM_C_MAX * sizeof(*count));
	nlh = request(buf, family, WEIR_CMD_TRIM_GET);
	mnl_attr_put_u32(nlh, WEIR_A_TRIM_IFINDEX, ifindex);
	ask(nlh, read_stats, count);
}
