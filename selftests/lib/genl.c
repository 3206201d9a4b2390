// SPDX-License-Identifier: GPL-2.0
#include <err.h>
#include <errno.h>
#include <linux/genetlink.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <weir.h>
#include <weir_trim_nl.h>
#include <weir_xdp_nl.h>

#include "genl.h"

static struct mnl_socket *nl;

/**
 * struct family - a family, which is asked for when it is first needed
 * @first: the first of its commands; weir's modules number theirs apart
 * @number: 0 before that
 * @groups: as the family's description has them
 */
static struct family {
	const char *name;
	uint8_t first;
	uint16_t number;
	struct nlattr *groups;
} families[] = {
	{ WEIR_XDP_FAMILY_NAME, WEIR_XDP_CMD_CHAIN_ADD, 0, NULL },
	{ WEIR_TRIM_FAMILY_NAME, WEIR_CMD_TRIM_SET, 0, NULL },
	{ WEIR_FAMILY_NAME, 0, 0, NULL },
};

static struct nlmsghdr *begin(char *buf, uint16_t type, uint8_t cmd)
{
	struct nlmsghdr *nlh = mnl_nlmsg_put_header(buf);
	struct genlmsghdr *genl;

	nlh->nlmsg_type = type;
	nlh->nlmsg_flags = NLM_F_REQUEST | NLM_F_ACK;
	nlh->nlmsg_seq = 1;
	genl = mnl_nlmsg_put_extra_header(nlh, sizeof(*genl));
	genl->cmd = cmd;
	genl->version = 1;
	return nlh;
}

static int take_family(const struct nlmsghdr *nlh, void *data)
{
	struct family *family = data;
	const struct nlattr *attr;

	mnl_attr_for_each(attr, nlh, sizeof(struct genlmsghdr)) {
		if (mnl_attr_get_type(attr) == CTRL_ATTR_FAMILY_ID)
			family->number = mnl_attr_get_u16(attr);
		if (mnl_attr_get_type(attr) != CTRL_ATTR_MCAST_GROUPS)
			continue;
		family->groups = malloc(attr->nla_len);
		if (!family->groups)
			err(1, "groups");
		memcpy(family->groups, attr, attr->nla_len);
	}
	return MNL_CB_OK;
}

static void open_socket(void)
{
	int on = 1;

	nl = mnl_socket_open(NETLINK_GENERIC);
	if (!nl || mnl_socket_bind(nl, 0, MNL_SOCKET_AUTOPID) < 0)
		err(1, "netlink socket");
	mnl_socket_setsockopt(nl, NETLINK_EXT_ACK, &on, sizeof(on));
	mnl_socket_setsockopt(nl, NETLINK_CAP_ACK, &on, sizeof(on));
}

static struct family *family_of(uint8_t cmd)
{
	struct family *family = families;
	char buf[GENL_REQUEST_MAX];
	struct nlmsghdr *nlh;

	while (cmd < family->first)
		family++;
	if (!nl)
		open_socket();
	if (family->number)
		return family;
	nlh = begin(buf, GENL_ID_CTRL, CTRL_CMD_GETFAMILY);
	mnl_attr_put_strz(nlh, CTRL_ATTR_FAMILY_NAME, family->name);
	genl_ask(nlh, take_family, family, family->name);
	return family;
}

void genl_use(const char *name)
{
	families[0] = (struct family){ name, 0, 0, NULL };
}

struct nlmsghdr *genl_begin(char *buf, uint8_t cmd)
{
	return begin(buf, family_of(cmd)->number, cmd);
}

uint16_t genl_family(uint8_t cmd)
{
	return family_of(cmd)->number;
}

/* The number of a group that is named so, else 0. */
static uint32_t group_number(const struct nlattr *group, const char *name)
{
	const struct nlattr *attr;
	uint32_t number = 0;
	bool named = false;

	mnl_attr_for_each_nested(attr, group) {
		if (mnl_attr_get_type(attr) == CTRL_ATTR_MCAST_GRP_ID)
			number = mnl_attr_get_u32(attr);
		else if (mnl_attr_get_type(attr) == CTRL_ATTR_MCAST_GRP_NAME)
			named = !strcmp(mnl_attr_get_str(attr), name);
	}
	return named ? number : 0;
}

uint32_t genl_group(uint8_t cmd, const char *name)
{
	const struct nlattr *group, *groups = family_of(cmd)->groups;
	uint32_t number = 0;

	mnl_attr_for_each_nested(group, groups)
		number = number ? number : group_number(group, name);
	if (!number)
		errx(1, "the family has no group %s", name);
	return number;
}

/* Of an answer of NETLINK_CAP_ACK, which has the request's header alone. */
static void take_sentence(const struct nlmsghdr *nlh, char *sentence, size_t room)
{
	const struct nlattr *attr;

	if (nlh->nlmsg_type != NLMSG_ERROR || !(nlh->nlmsg_flags & NLM_F_ACK_TLVS))
		return;
	mnl_attr_for_each(attr, nlh, sizeof(struct nlmsgerr))
		if (mnl_attr_get_type(attr) == NLMSGERR_ATTR_MSG)
			snprintf(sentence, room, "%s", mnl_attr_get_str(attr));
}

int genl_try(struct nlmsghdr *request, mnl_cb_t take, void *data, char *sentence, size_t room)
{
	char buf[8192];
	int ret = MNL_CB_OK;
	ssize_t n;

	*sentence = '\0';
	if (mnl_socket_sendto(nl, request, request->nlmsg_len) < 0)
		err(1, "netlink send");
	while (ret > MNL_CB_STOP) {
		n = mnl_socket_recvfrom(nl, buf, sizeof(buf));
		if (n < 0)
			err(1, "netlink receive");
		take_sentence((struct nlmsghdr *)buf, sentence, room);
		ret = mnl_cb_run(buf, n, 1, mnl_socket_get_portid(nl), take, data);
	}
	return ret < 0 ? errno : 0;
}

void genl_ask(struct nlmsghdr *request, mnl_cb_t take, void *data, const char *what)
{
	char sentence[256];

	errno = genl_try(request, take, data, sentence, sizeof(sentence));
	if (errno)
		err(1, "%s", what);
}

uint64_t genl_uint(const struct nlattr *attr)
{
	return mnl_attr_get_payload_len(attr) == 8 ? mnl_attr_get_u64(attr) :
						     mnl_attr_get_u32(attr);
}
