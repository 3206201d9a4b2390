// SPDX-License-Identifier: GPL-2.0
/* A namespace with a port, and a record of the packets that the module sends. */
#include "box.h"

#include "agg/base/payload.h"
#include "agg/base/notify.h"
#include "xdp/base/notify.h"
#include "agg/format/format.h"
#include "agg/job/path.h"
#include "agg/out/ether.h"
#include "agg/type/reduce.h"

struct box box;
unsigned int weir_net_id, weir_xdp_net_id;
u64 weir_dev_secret = 0x9e3779b97f4a7c15;

struct in6_addr box_addr(int host)
{
	struct in6_addr a = { };

	a.s6_addr32[2] = htonl(0xffff);
	a.s6_addr32[3] = htonl(0x0a000000 | host);
	return a;
}

void box_port_gone(void)
{
	hlist_del_rcu(&box.port.node);
}

void box_port_back(void)
{
	hlist_add_head_rcu(&box.port.node, weir_dev_bucket(box.wn.port_table, box.port.ifindex));
}

void box_up(void)
{
	memset(&box, 0, sizeof(box));
	box.policy.mode = WEIR_POLICY_WAIT;
	box.timers = WEIR_TIMERS_DEFAULT;
	box.net.generic = &box.wn;
	box.dev.ifindex = 3;
	box.dev.net = &box.net;
	box.wn.ns.net = &box.net;
	box.wn.stats = calloc(1, sizeof(*box.wn.stats));
	box.port.ifindex = 3;
	box.port.stats = calloc(1, sizeof(*box.port.stats));
	box_port_back();
	box.wn.ns.lock.held = 1;
	weir_pool_init();
}

void box_forget(void)
{
	unsigned int i, p;

	for (i = 0; i < box.sent; i++)
		for (p = 0; p < 2; p++)
			if (box.packet[i].pages[p])
				put_page(box.packet[i].pages[p]);
	memset(box.packet, 0, box.sent * sizeof(box.packet[0]));
	box.sent = 0;
}

void box_down(void)
{
	box_forget();
	weir_job_flush(&box.wn);
	free(box.wn.stats);
	free(box.port.stats);
	mock_assert(!mock_pages, "pages are left");
	mock_assert(!mock_memory, "memory is left");
	mock_assert(!mock_locks, "locks are left");
	mock_assert(!mock_timers(), "timers are left");
	mock_assert(!weir_pool_used(), "memory is left charged");
}

struct weir_job_config box_config(const struct weir_format_ops *format, unsigned int id,
				  unsigned int sources, u32 blocks, u16 grads)
{
	return (struct weir_job_config) {
		.id = id, .format = format, .settings.order = WEIR_ORDER_ARRIVAL,
		.settings.byte_order = format->joins ? WEIR_BYTE_ORDER_WORKERS : WEIR_BYTE_ORDER_NETWORK,
		.blocks = {
			.size = blocks, .slots = blocks, .sources = sources, .grads = grads,
			.reduction = weir_reduction_find(format->dtype ?: WEIR_DTYPE_INT32, WEIR_OP_SUM,
							 WEIR_ORDER_ARRIVAL),
			.marking = { .size = format->mark, .fold = format->fold },
			.paired = format->pair, .modular = format->modular,
		},
		.port = format->udp, .address = box_addr(254), .timers = box.timers,
		.policy = box.policy,
	};
}

struct weir_job *box_job_of(const struct weir_job_config *cfg)
{
	struct netlink_ext_ack extack = { };
	struct weir_job *job = weir_job_add(&box.wn, cfg, &extack);
	unsigned int i;

	if (IS_ERR(job))
		return NULL;
	for (i = 0; i < cfg->blocks.sources; i++) {
		struct weir_source_config source = {
			.addr = box_addr(i + 1), .vlan = WEIR_VLAN_ANY,
		};

		if (weir_source_bind(job, i, &source))
			return NULL;
	}
	return job;
}

struct weir_job *box_job(unsigned int id, unsigned int sources, u32 blocks,
			 u16 grads)
{
	struct weir_job_config cfg = box_config(&weir_format_trio, id, sources, blocks, grads);

	return box_job_of(&cfg);
}

u64 box_counter(unsigned int counter)
{
	return box.wn.stats->c[counter];
}

struct weir_contrib box_contrib(const struct weir_job *job, u16 source,
				u32 block, u16 count)
{
	struct weir_contrib c = {
		.job = job->id, .block = block, .source = source, .weight = 1,
		.count = count, .generation = weir_blocks_generation(&job->blocks),
		.udp_len = 20 + 4 * count, .payload_off = 20,
		.dport = 12000, .sport = 12000, .format = WEIR_FORMAT_TRIO,
		.flags = job->joined ? WEIR_CONTRIB_JOINED : 0,
	};
	struct in6_addr saddr = box_addr(source + 1);

	memcpy(c.saddr, &saddr, sizeof(saddr));
	memcpy(c.daddr, &job->local.addr, sizeof(job->local.addr));
	return c;
}

/* As the last datagram of a merged packet. */
static int box_take_merged(struct weir_contrib *c, struct weir_payload *datagram)
{
	struct weir_pass pass;
	int ret;

	weir_pass_begin(&pass, &box.dev);
	pass.merged.sent = box.sent_before;
	weir_payload_pull(datagram, sizeof(struct udphdr));
	ret = weir_pass_take(&pass, c, datagram, true);
	weir_pass_end(&pass);
	return ret;
}

int box_send(const struct weir_contrib *c, const s32 *grads,
	     unsigned int split)
{
	struct weir_contrib copy = *c;
	u8 *buf = calloc(1, 20 + 4 * c->count + c->udp_len);
	struct weir_payload pl = { .n = 0 };
	u32 off, n, g;
	int ret, i;

	for (i = 0; i < (int)c->count; i++) {
		g = htonl(grads ? grads[i] : 0);
		memcpy(buf + 20 + 4 * i, &g, 4);
	}
	for (off = 0; off < c->udp_len; off += n) {
		n = min(split ?: c->udp_len, c->udp_len - off);
		pl.seg[pl.n].data = buf + off;
		pl.seg[pl.n++].len = n;
	}
	ret = box.sent_before ? box_take_merged(&copy, &pl) :
				weir_contribute(&box.dev, &copy, &pl, true);
	free(buf);
	return ret;
}

int box_give(const struct weir_job *job, u16 source, u32 block, s32 grad)
{
	struct weir_contrib c = box_contrib(job, source, block, 1);

	return box_send(&c, &grad, 0);
}

int box_ask(const struct weir_job *job, u16 source, u32 block)
{
	struct weir_contrib c = box_contrib(job, source, block, 0);

	return box_send(&c, NULL, 0);
}

/* All results before @block are acknowledged. */
int box_ack(const struct weir_job *job, u16 source, u32 block, bool present)
{
	struct weir_contrib c = box_contrib(job, source, block, 0);

	c.flags |= WEIR_CONTRIB_JOINED | WEIR_CONTRIB_ACK | (present ? WEIR_CONTRIB_FINAL : 0);
	return box_send(&c, NULL, 0);
}

int box_join_without(const struct weir_job *job, u16 source, u32 block,
		     const struct weir_join *join)
{
	struct weir_contrib c = box_contrib(job, source, block, 0);
	u8 head[20] = { };
	struct weir_payload pl = {
		.n = 2,
		.seg = { { head, sizeof(head) },
			 { (const u8 *)join, sizeof(*join) } },
	};

	c.flags = WEIR_CONTRIB_JOIN;
	c.udp_len = sizeof(head) + sizeof(*join);
	return weir_contribute(&box.dev, &c, &pl, true);
}

int box_join_as(const struct weir_job *job, u16 source, u32 block,
		const struct weir_join *join)
{
	struct weir_join with = *join;

	with.dtype = job->blocks.reduction->dtype;
	with.op = job->blocks.reduction->op;
	with.format = job->format->id;
	with.cookie = weir_source_cookie(weir_source_get(job, source), 12000,
					 join->nonce);
	return box_join_without(job, source, block, &with);
}

int box_join(const struct weir_job *job, u16 source, u32 nonce)
{
	const struct weir_join join = {
		.nonce = nonce, .ranks = htonl(job->blocks.sources),
		.grads = htonl(job->grads),
	};

	return box_join_as(job, source, 0, &join);
}

void box_all_joined(struct weir_job *job)
{
	u16 i;

	job->joined = true;
	for (i = 0; i < job->blocks.sources; i++) {
		job->join.joiner[i].is_member = true;
		if (weir_source_get(job, i))
			weir_source_get(job, i)->hears = true;
	}
}

u32 box_block(const struct box_sent *packet)
{
	return get_unaligned_be32(packet->hdr.block_id);
}

s32 box_result(const struct box_sent *packet, unsigned int i)
{
	return get_unaligned_be32(packet->pages[i / 1024]->data +
				  4 * (i % 1024));
}

/* In the place of dest.c and of the listeners to events. */

bool weir_local_has(struct net *net, const struct in6_addr *addr)
{
	struct in6_addr own = box_addr(254), other = box_addr(253);

	(void)net;
	return ipv6_addr_equal(addr, &own) || ipv6_addr_equal(addr, &other);
}

int weir_dest_init(struct weir_dest *dest, const struct in6_addr *addr,
		   u16 port, gfp_t gfp)
{
	void *cache = mock_alloc(1);

	(void)gfp;
	if (!cache)
		return -ENOMEM;
	kfree(cache);
	dest->addr = *addr;
	dest->port = htons(port);
	dest->cache.initialised = 1;
	return 0;
}

void weir_dest_uninit(struct weir_dest *dest)
{
	mock_assert(dest->cache.initialised, "a route cache is freed twice");
	dest->cache.initialised = 0;
}

static void box_keep(const struct weir_dest *dest, const struct weir_packet *pkt)
{
	struct box_sent *p = &box.packet[box.sent];
	unsigned int i, left;

	mock_assert(box.sent < BOX_SENT_MAX, "the test forgets too rarely");
	box.sent++;
	p->to = dest->addr;
	p->at = mock_ns;
	p->port = ntohs(dest->port);
	p->dport = ntohs(pkt->dport);
	p->tos = pkt->tos;
	p->ifindex = dest->ifindex;
	p->head_len = pkt->head_len;
	if (p->head_len <= sizeof(p->head))
		memcpy(p->head, pkt->head, p->head_len);
	memcpy(&p->hdr, pkt->head, sizeof(p->hdr));
	if (pkt->head_len == sizeof(p->hdr) + sizeof(p->join))
		memcpy(&p->join, (u8 *)pkt->head + sizeof(p->hdr),
		       sizeof(p->join));
	if (pkt->head_len == sizeof(p->hdr) + sizeof(p->behind))
		memcpy(&p->behind, (u8 *)pkt->head + sizeof(p->hdr), sizeof(p->behind));
	if (pkt->head_len == sizeof(p->hdr) + sizeof(p->notice))
		memcpy(&p->notice, (u8 *)pkt->head + sizeof(p->hdr),
		       sizeof(p->notice));
	p->bytes = pkt->head_len + pkt->len + pkt->tail_len;
	p->mask_len = pkt->tail_len;
	for (i = 0; i < pkt->tail_len / 4; i++)
		p->mask[i] = ntohl(((const u32 *)pkt->tail)[i]);
	p->len = pkt->len;
	for (i = 0, left = pkt->len; left; i++) {
		get_page(pkt->pages[i]);
		p->pages[i] = pkt->pages[i];
		left -= min(left, 4096U);
	}
}

static int box_may_send(const struct weir_dest *dest)
{
	mock_assert(!mock_locks, "a packet is sent under a lock");
	mock_assert(dest->cache.initialised, "a freed destination is used");
	return box.send_error;
}

int weir_dest_send(struct weir_dest *dest, const struct weir_local *from,
		   const struct weir_packet *pkt)
{
	int err = box_may_send(dest);

	(void)from;
	if (!err)
		box_keep(dest, pkt);
	return err;
}

u32 weir_dest_room(struct weir_dest *dest, const struct weir_local *from)
{
	(void)dest;
	(void)from;
	return box.mtu ? box.mtu - 28 : U16_MAX;
}

bool weir_dest_carries(struct weir_dest *dest, const struct weir_local *from,
		       const struct weir_packet *pkt)
{
	return weir_packet_bytes(pkt) <= weir_dest_room(dest, from);
}

/* In the place of merge.c: packets with bytes of their own, that share the pages. */

struct box_merging {
	struct weir_packet pkt[BOX_MERGED_MAX];
	u8 head[BOX_MERGED_MAX][WEIR_HEAD_MAX];
	u8 tail[BOX_MERGED_MAX][4 * WEIR_BITMAP_WORDS];
	struct page *pages[BOX_MERGED_MAX][WEIR_RESULT_PAGES];
};

bool weir_merge_takes(const struct weir_merge *merge, const struct weir_packet *pkt)
{
	return !merge->n || (merge->whole && weir_packet_bytes(pkt) <= merge->size &&
			     pkt->tos == merge->tos && merge->n < BOX_MERGED_MAX);
}

bool weir_merge_add(struct weir_merge *merge, const struct weir_packet *pkt)
{
	struct box_merging *m = (void *)merge->skb;
	struct weir_packet *kept;
	unsigned int i;

	if (box.merge_fails)
		return false;
	mock_assert(weir_merge_takes(merge, pkt), "a packet is merged that does not fit");
	if (!m)
		m = calloc(1, sizeof(*m));
	merge->skb = (void *)m;
	if (!merge->n) {
		merge->size = weir_packet_bytes(pkt);
		merge->tos = pkt->tos;
	}
	merge->whole = weir_packet_bytes(pkt) == merge->size;
	kept = &m->pkt[merge->n];
	*kept = *pkt;
	kept->head = memcpy(m->head[merge->n], pkt->head, pkt->head_len);
	if (pkt->tail_len)
		kept->tail = memcpy(m->tail[merge->n], pkt->tail, pkt->tail_len);
	kept->pages = m->pages[merge->n];
	for (i = 0; i * 4096 < pkt->len; i++) {
		get_page(pkt->pages[i]);
		kept->pages[i] = pkt->pages[i];
	}
	merge->n++;
	return true;
}

void weir_merge_drop(struct weir_merge *merge)
{
	struct box_merging *m = (void *)merge->skb;
	unsigned int i, p;

	for (i = 0; i < merge->n; i++)
		for (p = 0; p * 4096 < m->pkt[i].len; p++)
			put_page(m->pages[i][p]);
	free(m);
	*merge = (struct weir_merge){};
}

int weir_dest_send_merged(struct weir_dest *dest, const struct weir_local *from,
			  struct weir_merge *merge, bool last)
{
	struct box_merging *m = (void *)merge->skb;
	int err = box_may_send(dest);
	unsigned int i;

	(void)from;
	mock_assert(merge->n, "nothing is sent");
	for (i = 0; !err && i < merge->n; i++)
		box_keep(dest, &m->pkt[i]);
	box.merged += !err;
	if (!err && last)
		weir_merge_drop(merge);
	return err;
}

int weir_ether_send(const struct weir_dest *dest, const struct weir_local *from,
		    const struct weir_packet *pkt)
{
	return weir_dest_send((struct weir_dest *)dest, from, pkt);
}

static void told_generation(const struct weir_job *job)
{
	(void)job;
	box.generations++;
}

static void told_source(const struct weir_job *job, u32 event, u32 source, u64 straggles)
{
	(void)job;
	(void)source;
	(void)straggles;
	box.events[event]++;
}

static const struct weir_notify told = { .generation = told_generation, .source = told_source };
const struct weir_notify *weir_notify = &told;
const struct weir_xdp_notify *weir_xdp_notify;
