// SPDX-License-Identifier: GPL-2.0
/* The module's counters, read over netlink. */
#include <err.h>
#include <libmnl/libmnl.h>
#include <linux/genetlink.h>
#include <string.h>
#include <time.h>

#include "counters.h"

static uint64_t get_uint(const struct nlattr *attr)
{
	return mnl_attr_get_payload_len(attr) == 8 ? mnl_attr_get_u64(attr) :
						     mnl_attr_get_u32(attr);
}

static void read_refusal(const struct nlattr *nest, struct counters *c)
{
	const struct nlattr *attr;
	uint32_t reason = 0;

	mnl_attr_for_each_nested(attr, nest) {
		if (mnl_attr_get_type(attr) == WEIR_A_REFUSAL_REASON)
			reason = mnl_attr_get_u32(attr);
		else if (reason <= WEIR_REASON_MAX)
			c->refused[reason] = get_uint(attr);
	}
}

static int read_total(const struct nlmsghdr *nlh, void *data)
{
	const struct nlattr *nest, *attr;
	struct counters *c = data;

	mnl_attr_for_each(nest, nlh, sizeof(struct genlmsghdr)) {
		if (mnl_attr_get_type(nest) != WEIR_A_TOTAL_STATS)
			continue;
		mnl_attr_for_each_nested(attr, nest) {
			if (mnl_attr_get_type(attr) == WEIR_A_STATS_REFUSAL)
				read_refusal(attr, c);
			else if (mnl_attr_get_type(attr) <= WEIR_A_STATS_MAX)
				c->stat[mnl_attr_get_type(attr)] =
					get_uint(attr);
		}
	}
	return MNL_CB_OK;
}

static int read_family(const struct nlmsghdr *nlh, void *data)
{
	const struct nlattr *attr;

	mnl_attr_for_each(attr, nlh, sizeof(struct genlmsghdr))
		if (mnl_attr_get_type(attr) == CTRL_ATTR_FAMILY_ID)
			*(uint16_t *)data = mnl_attr_get_u16(attr);
	return MNL_CB_OK;
}

static void ask(struct mnl_socket *nl, struct nlmsghdr *nlh, mnl_cb_t cb,
		void *data)
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
		ret = mnl_cb_run(buf, n, 1, mnl_socket_get_portid(nl), cb,
				 data);
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

void counters_read(struct counters *c)
{
	struct mnl_socket *nl = mnl_socket_open(NETLINK_GENERIC);
	struct nlmsghdr *nlh;
	uint16_t family = 0;
	char buf[1024];

	if (!nl || mnl_socket_bind(nl, 0, MNL_SOCKET_AUTOPID))
		err(1, "netlink socket");
	nlh = request(buf, GENL_ID_CTRL, CTRL_CMD_GETFAMILY);
	mnl_attr_put_strz(nlh, CTRL_ATTR_FAMILY_NAME, WEIR_FAMILY_NAME);
	ask(nl, nlh, read_family, &family);

	memset(c, 0, sizeof(*c));
	ask(nl, request(buf, family, WEIR_CMD_STATS_GET), read_total, c);
	mnl_socket_close(nl);
}
