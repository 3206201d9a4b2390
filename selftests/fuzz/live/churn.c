// SPDX-License-Identifier: GPL-2.0
/* Devices that come and go, by requests to the kernel's own family for that. */
#include <errno.h>
#include <libmnl/libmnl.h>
#include <linux/if_link.h>
#include <linux/pkt_sched.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <stdio.h>
#include <string.h>

#include "report.h"
#include "scene.h"

#define REQUEST_MAX	1024

struct change {
	struct mnl_socket *nl;
	struct nlmsghdr *nlh;
	int device;
	char buf[REQUEST_MAX];
};

/* Send the request and take the answer, which may be an error: others change the same devices. */
static void finish(struct change *c)
{
	char buf[REQUEST_MAX];

	mnl_socket_sendto(c->nl, c->nlh, c->nlh->nlmsg_len);
	mnl_socket_recvfrom(c->nl, buf, sizeof(buf));
}

static struct nlmsghdr *begin(struct change *c, uint16_t type, uint16_t flags)
{
	c->nlh = mnl_nlmsg_put_header(c->buf);
	c->nlh->nlmsg_type = type;
	c->nlh->nlmsg_flags = NLM_F_REQUEST | NLM_F_ACK | flags;
	return c->nlh;
}

static struct ifinfomsg *begin_link(struct change *c, uint16_t type, uint16_t flags)
{
	struct ifinfomsg *ifm;

	begin(c, type, flags);
	ifm = mnl_nlmsg_put_extra_header(c->nlh, sizeof(*ifm));
	ifm->ifi_index = SCENE_BASE + c->device;
	return ifm;
}

static void come(struct change *c)
{
	struct ifinfomsg *ifm = begin_link(c, RTM_NEWLINK, NLM_F_CREATE | NLM_F_EXCL);
	struct nlattr *info;
	char name[IFNAMSIZ];

	snprintf(name, sizeof(name), "fz%d", c->device);
	ifm->ifi_flags = IFF_UP;
	ifm->ifi_change = IFF_UP;
	mnl_attr_put_strz(c->nlh, IFLA_IFNAME, name);
	mnl_attr_put_u32(c->nlh, IFLA_NUM_TX_QUEUES, 2);
	info = mnl_attr_nest_start(c->nlh, IFLA_LINKINFO);
	mnl_attr_put_str(c->nlh, IFLA_INFO_KIND, "dummy");
	mnl_attr_nest_end(c->nlh, info);
	finish(c);
}

static void go(struct change *c)
{
	begin_link(c, RTM_DELLINK, 0);
	finish(c);
}

static void mtu(struct change *c, struct rng *rng)
{
	begin_link(c, RTM_NEWLINK, 0);
	mnl_attr_put_u32(c->nlh, IFLA_MTU, rng_range(rng, 68, 9000));
	finish(c);
}

static void move(struct change *c, int elsewhere)
{
	begin_link(c, RTM_NEWLINK, 0);
	mnl_attr_put_u32(c->nlh, IFLA_NET_NS_FD, elsewhere);
	finish(c);
}

static void up_or_down(struct change *c, struct rng *rng)
{
	struct ifinfomsg *ifm = begin_link(c, RTM_NEWLINK, 0);

	ifm->ifi_flags = rng_percent(rng, 80) ? IFF_UP : 0;
	ifm->ifi_change = IFF_UP;
	finish(c);
}

static void qdisc(struct change *c, uint16_t type, uint16_t flags)
{
	struct tcmsg *tcm;

	begin(c, type, flags);
	tcm = mnl_nlmsg_put_extra_header(c->nlh, sizeof(*tcm));
	tcm->tcm_ifindex = SCENE_BASE + c->device;
	tcm->tcm_parent = TC_H_ROOT;
	if (type == RTM_NEWQDISC)
		mnl_attr_put_strz(c->nlh, TCA_KIND, "weir");
	finish(c);
}

void scene_churn(struct rng *rng, int elsewhere)
{
	struct change c = {
		.nl = mnl_socket_open(NETLINK_ROUTE),
		.device = rng_below(rng, SCENE_DEVICES),
	};

	if (!c.nl || mnl_socket_bind(c.nl, 0, MNL_SOCKET_AUTOPID) < 0)
		fault("no socket: %s", strerror(errno));
	switch (rng_below(rng, elsewhere < 0 ? 8 : 9)) {
	case 0: case 1: case 2: come(&c); break;
	case 3: go(&c); break;
	case 4: mtu(&c, rng); break;
	case 5: up_or_down(&c, rng); break;
	case 6: qdisc(&c, RTM_NEWQDISC, NLM_F_CREATE | NLM_F_REPLACE); break;
	case 7: qdisc(&c, RTM_DELQDISC, 0); break;
	default: move(&c, elsewhere); break;
	}
	mnl_socket_close(c.nl);
}
