// SPDX-License-Identifier: GPL-2.0
/* A builder of frames, for tests. */
#include <arpa/inet.h>
#include <linux/if_ether.h>
#include <linux/in.h>
#include <netinet/ip.h>
#include <netinet/ip6.h>
#include <netinet/udp.h>
#include <string.h>

#include <weir_wire.h>

#include "packet.h"

struct cursor {
	uint8_t *at;
};

static void put(struct cursor *c, const void *data, size_t len)
{
	if (data)
		memcpy(c->at, data, len);
	else
		memset(c->at, 0, len);
	c->at += len;
}

static void put16(struct cursor *c, uint16_t v)
{
	v = htons(v);
	put(c, &v, sizeof(v));
}

static uint32_t sum16(const void *data, size_t len, uint32_t sum)
{
	const uint8_t *p = data;
	size_t i;

	for (i = 0; i + 1 < len; i += 2)
		sum += p[i] << 8 | p[i + 1];
	if (len & 1)
		sum += p[len - 1] << 8;
	while (sum >> 16)
		sum = (sum & 0xffff) + (sum >> 16);
	return sum;
}

static void put_eth(struct cursor *c, const struct packet_spec *s)
{
	static const uint8_t to[][6] = {
		{}, { 2, 0, 0, 0, 0, 1 }, { 1, 0, 0x5e, 0, 0, 1 },
		{ 0xff, 0xff, 0xff, 0xff, 0xff, 0xff },
	};
	uint8_t from[6] = { 2, 0, 0, 0, 0, 2 };
	int i;

	if (s->lab)
		from[5] = s->host ?: s->source + 1;

	put(c, to[s->frame_to], sizeof(to[0]));
	put(c, from, sizeof(from));
	for (i = 0; i < s->vlans; i++) {
		put16(c, i + 1 < s->vlans ? ETH_P_8021AD : ETH_P_8021Q);
		put16(c, 100 + i);
	}
	if (s->ethertype || s->no_ip)
		put16(c, s->ethertype ?: WEIR_LAB_ETHERTYPE);
	else
		put16(c, s->ipv6 ? ETH_P_IPV6 : ETH_P_IP);
}

/* 10.99.0.x and fd99::x; the box is .254 */
static void addr4(uint8_t *a, int host)
{
	uint8_t v[4] = { 10, host < 0 ? 98 : 99, 0, host };

	memcpy(a, v, sizeof(v));
}

static void addr6(uint8_t *a, int host)
{
	memset(a, 0, 16);
	a[0] = 0xfd;
	a[1] = 0x99;
	a[15] = host;
}

/* The addresses of an IPv6 header, 32 bytes. */
static void addrs6(uint8_t *a, const struct packet_spec *s)
{
	int host[2] = { s->host ?: s->source + 1, s->to ?: 254 }, i;

	for (i = 0; i < 2; i++, a += 16) {
		addr6(a, host[i]);
		if (!(s->mapped >> i & 1))
			continue;
		memset(a, 0, 10);
		memset(a + 10, 0xff, 2);
		addr4(a + 12, host[i]);
	}
}

static void put_ip4(struct cursor *c, const struct packet_spec *s, size_t len)
{
	struct iphdr ip = {
		.version	= 4,
		.tos		= s->panama ? (56 + s->panama->dscp) << 2 | s->panama->ecn : 0,
		.ihl		= 5 + s->options / 4,
		.ttl		= 64,
		.protocol	= s->protocol ?: IPPROTO_UDP,
		.tot_len	= htons(20 + s->options + len + s->ip_len_more),
	};
	uint8_t *start = c->at;

	if (s->fragment == 1)
		ip.frag_off = htons(0x2000);
	if (s->fragment == 2)
		ip.frag_off = htons(0x2000 | 100);
	addr4((uint8_t *)&ip.saddr, s->host ?: s->source + 1);
	addr4((uint8_t *)&ip.daddr, s->to ?: 254);
	put(c, &ip, sizeof(ip));
	memset(c->at, 1, s->options);		/* no operation */
	c->at += s->options;
	ip.check = s->ip_csum == 2 ? 0 : htons(~sum16(start, c->at - start, 0) ^ s->ip_csum << 8);
	memcpy(start + offsetof(struct iphdr, check), &ip.check, 2);
}

static void put_ip6(struct cursor *c, const struct packet_spec *s, size_t len)
{
	int last = s->protocol ?: IPPROTO_UDP, i;
	struct ip6_hdr ip = {};

	ip.ip6_flow = htonl(0x60000000 | (s->panama ? 56 << 22 : 0));
	ip.ip6_plen = htons(len + 8 * s->exthdrs + 8 * !!s->fragment +
			    s->ip_len_more);
	ip.ip6_nxt = s->exthdrs ? IPPROTO_DSTOPTS :
		     s->fragment ? IPPROTO_FRAGMENT : last;
	ip.ip6_hlim = 64;
	addrs6((uint8_t *)&ip.ip6_src, s);
	put(c, &ip, sizeof(ip));
	for (i = 0; i < s->exthdrs; i++) {
		uint8_t ext[8] = { 0, 0, 1, 4 };	/* PadN */

		ext[0] = i + 1 < s->exthdrs ? IPPROTO_DSTOPTS :
			 s->fragment ? IPPROTO_FRAGMENT : last;
		put(c, ext, sizeof(ext));
	}
	if (s->fragment) {
		struct ip6_frag frag = { .ip6f_nxt = last };

		frag.ip6f_offlg = s->fragment == 1 ? htons(1) :
				  s->fragment == 2 ? htons(0x81) : 0;
		put(c, &frag, sizeof(frag));
	}
}

static void put32(struct cursor *c, uint32_t v)
{
	v = htonl(v);
	put(c, &v, sizeof(v));
}

/* The bytes behind any header. */
static void put_grads(struct cursor *c, const struct packet_spec *s)
{
	int i;

	if (s->body) {
		put(c, s->body, s->body_len);
		return;
	}
	for (i = 0; i < s->count; i++)
		put32(c, s->grads ? s->grads[i] : 0);
}

static void put_lab(struct cursor *c, const struct packet_spec *s)
{
	const struct lab_spec *lab = s->lab;
	uint8_t slot = lab->slot;

	put32(c, lab->workers + 1);
	put32(c, s->count_says ?: s->count);
	if (lab->reliable) {
		put32(c, lab->rank);
		put32(c, lab->chunk);
		put32(c, lab->total);
		put(c, &slot, sizeof(slot));
	}
	if (lab->scaled)
		put32(c, lab->scale);
}

static void put_panama(struct cursor *c, const struct packet_spec *s)
{
	const struct panama_spec *panama = s->panama;
	uint8_t head[2] = { panama->kind ?: WEIR_PANAMA_UP, panama->flags };
	uint8_t tree[2] = { s->job % 16 + panama->tree, s->source };

	put(c, head, sizeof(head));
	put16(c, s->job / 16 + panama->job);
	put(c, tree, sizeof(tree));
	put16(c, panama->cap);
	put32(c, s->block);
	put16(c, s->generation);
	put16(c, s->weight == -1 ? 0 : s->weight ?: 1);
}

static void put_trio(struct cursor *c, const struct packet_spec *s)
{
	struct weir_trio hdr = {
		.job_id		= s->job,
		.flags		= s->flags,
		.src_id		= s->source,
		.src_cnt	= s->weight == -1 ? 0 : s->weight ?: 1,
	};
	uint32_t block = htonl(s->block);
	uint16_t v;

	memcpy(hdr.block_id, &block, 4);
	v = htons(s->generation);
	memcpy(hdr.gen_id, &v, 2);
	v = htons((s->count_says ?: s->count) |
		  (s->has_exponent ? WEIR_TRIO_EXPONENT : 0));
	memcpy(hdr.grad_cnt, &v, 2);
	put(c, &hdr, sizeof(hdr));
	if (s->has_exponent)
		put32(c, s->exponent);
}

static size_t head_len(const struct packet_spec *s)
{
	if (s->head)
		return s->head_len;
	if (s->lab)
		return sizeof(struct weir_lab) + (s->lab->scaled ? 4 : 0) +
		       (s->lab->reliable ? sizeof(struct weir_lab_chunk) : 0);
	if (s->panama)
		return sizeof(struct weir_panama);
	return sizeof(struct weir_trio) + (s->has_exponent ? 4 : 0);
}

/* The payload of a datagram. */
static void put_payload(struct cursor *c, const struct packet_spec *s)
{
	if (s->head)
		put(c, s->head, s->head_len);
	else if (s->lab)
		put_lab(c, s);
	else if (s->panama)
		put_panama(c, s);
	else
		put_trio(c, s);
	put_grads(c, s);
}

/* The checksum over the pseudo header and, unless asked not to, the rest. */
static uint16_t udp_csum(const struct packet_spec *s, const uint8_t *udp,
			 size_t len, bool pseudo_only)
{
	uint8_t pseudo[40] = {};
	size_t n;
	uint32_t sum;

	if (s->ipv6) {
		addrs6(pseudo, s);
		n = 32;
	} else {
		addr4(pseudo, s->host ?: s->source + 1);
		addr4(pseudo + 4, s->to ?: 254);
		n = 8;
	}
	sum = sum16(pseudo, n, IPPROTO_UDP + len + s->udp_len_more);
	if (pseudo_only)
		return sum;
	sum = sum16(udp, len, sum);
	return ~sum & 0xffff ?: 0xffff;
}

/* The datagram, and its IP header. */
static void put_udp(struct cursor *c, const struct packet_spec *spec)
{
	size_t body = spec->body ? spec->body_len : spec->count * 4;
	size_t len = sizeof(struct udphdr) + head_len(spec) + body;
	int port = spec->lab ? 8000 : spec->panama ? 12056 : 12000;
	struct udphdr uh = {
		.source	= htons(spec->sport ?: port),
		.dest	= htons(spec->dport ?: port),
		.len	= htons(len + spec->udp_len_more),
	};
	uint8_t *udp;

	if (spec->ipv6)
		put_ip6(c, spec, len);
	else
		put_ip4(c, spec, len);
	udp = c->at;
	put(c, &uh, sizeof(uh));
	put_payload(c, spec);
	if (spec->csum == 2)
		return;
	uh.check = htons(udp_csum(spec, udp, len, spec->csum == 3));
	if (spec->csum == 1)
		uh.check ^= htons(0x0100);
	memcpy(udp + offsetof(struct udphdr, check), &uh.check, 2);
}

/**
 * packet_build() - build a frame
 * @spec: its properties
 * @frame: PACKET_MAX bytes
 *
 * Return: its length.
 */
size_t packet_build(const struct packet_spec *spec, uint8_t *frame)
{
	struct cursor c = { .at = frame };

	put_eth(&c, spec);
	if (spec->no_ip)
		put_payload(&c, spec);
	else
		put_udp(&c, spec);
	c.at -= spec->cut;
	memset(c.at, spec->pad_with == -1 ? 0 : spec->pad_with ?: 0xee, spec->pad);
	c.at += spec->pad;
	return c.at - frame;
}
