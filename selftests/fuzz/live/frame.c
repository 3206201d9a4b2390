// SPDX-License-Identifier: GPL-2.0
#include <arpa/inet.h>
#include <err.h>
#include <linux/if_ether.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <weir.h>
#include <weir_wire.h>

#include "bpf/packet.h"
#include "frame.h"
#include "fuzz/slow.h"
#include "trim/cases.h"

#define CORPUS		"selftests/fuzz/corpus/"
#define CORPUS_MAX	64
#define SAMPLE_MAX	600

/* Bytes before the frame in an input of the fuzzer "trim". */
#define TRIM_INPUT	3

#define VIRTIO_UDP_L4	5	/* VIRTIO_NET_HDR_GSO_UDP_L4 */

/* The shortest with a tag that the stack does not throw away itself. */
#define LEN_MIN		14
#define LEN_TAGGED	20

static const uint8_t id_head[2] = { 0x02, 0xf7 };

uint8_t frame_router[6];

struct sample {
	size_t len;
	uint8_t data[SAMPLE_MAX];
};

static struct sample samples[CORPUS_MAX];
static unsigned int samples_count;

static void read_sample(const char *line, size_t skip)
{
	struct sample *s = &samples[samples_count];
	unsigned int byte;

	for (line += 2 * skip; s->len < SAMPLE_MAX && sscanf(line, "%2x", &byte) == 1; line += 2)
		s->data[s->len++] = byte;
	samples_count += s->len >= LEN_TAGGED;
}

static void read_corpus(const char *name, size_t skip)
{
	char *line = NULL;
	size_t room = 0;
	FILE *file = fopen(name, "r");

	if (!file)
		err(1, "%s", name);
	while (samples_count < CORPUS_MAX && getline(&line, &room, file) > 0)
		if (line[0] != '#')
			read_sample(line, skip);
	free(line);
	fclose(file);
}

void frame_init(void)
{
	read_corpus(CORPUS "contrib", 0);
	read_corpus(CORPUS "trim", TRIM_INPUT);
}

static void from_sample(struct frame *f, struct rng *rng)
{
	const struct sample *s = &samples[rng_below(rng, samples_count)];

	f->len = s->len;
	memcpy(f->data, s->data, s->len);
}

static void from_case(struct frame *f, struct rng *rng)
{
	const struct trim_case *c = &trim_cases[rng_below(rng, trim_cases_count)];
	struct trim_spec spec = c->spec;

	if (rng_percent(rng, 50) && spec.payload)
		spec.payload = spec.lost + rng_below(rng, 8000);
	if (rng_percent(rng, 20))
		spec.dscp = rng_percent(rng, 50) ? TRIM_TRIMMED : TRIM_RETURN;
	f->len = trim_build(&spec, f->data);
}

static struct packet_spec contribution(struct rng *rng)
{
	static const int counts[] = { 0, 1, 2, 63, 64, 256, 1024, 2048 };
	struct packet_spec spec = {
		.job = 4, .source = rng_below(rng, 2), .block = rng_below(rng, 300),
		.count = RNG_PICK(rng, counts),
	};

	spec.ipv6 = rng_percent(rng, 30);
	if (spec.ipv6)
		spec.job = 6;
	else if (rng_percent(rng, 20))
		spec.job = 8;
	spec.vlans = rng_percent(rng, 10) ? rng_below(rng, 4) : 0;
	return spec;
}

/* One thing about it, or none, is not as it should be. */
static void spoil(struct packet_spec *spec, struct rng *rng)
{
	switch (rng_below(rng, 24)) {
	case 0: spec->options = 4 * rng_below(rng, 11); break;
	case 1: spec->exthdrs = rng_below(rng, 9); break;
	case 2: spec->fragment = rng_below(rng, 4); break;
	case 3: spec->protocol = rng_below(rng, 256); break;
	case 4: spec->host = rng_below(rng, 8); break;
	case 5: spec->to = rng_below(rng, 256); break;
	case 6: spec->dport = rng_range(rng, 11999, 12002); break;
	case 7: spec->csum = rng_below(rng, 4); break;
	case 8: spec->job = rng_below(rng, 256); break;
	case 9: spec->flags = rng_below(rng, 256); break;
	case 10: spec->weight = rng_range(rng, 0, 3) - 1; break;
	case 11: spec->generation = rng_percent(rng, 90) ? 65535 : rng_below(rng, 3); break;
	case 12: spec->count_says = rng_below(rng, 4096); break;
	case 13: spec->udp_len_more = rng_range(rng, 0, 16) - 8; break;
	case 14: spec->ip_len_more = rng_range(rng, 0, 16) - 8; break;
	case 15: spec->cut = rng_below(rng, 40); break;
	case 16: spec->pad = rng_below(rng, 20); break;
	}
}

/* By job, source and number. */
#define COOKIE_JOBS	9
#define COOKIE_NONCES	3

static uint64_t cookies[COOKIE_JOBS][2][COOKIE_NONCES];

void frame_hear(const uint8_t *data, size_t len)
{
	size_t at = data[12] == 0x86 ? 14 + 40 + 8 : 14 + 20 + 8;
	struct weir_trio hdr;
	struct weir_join join;

	if (len < at + sizeof(hdr) + sizeof(join))
		return;
	memcpy(&hdr, data + at, sizeof(hdr));
	memcpy(&join, data + at + sizeof(hdr), sizeof(join));
	if (hdr.flags == WEIR_TRIO_COOKIE && hdr.job_id < COOKIE_JOBS && hdr.src_id < 2 &&
	    join.nonce < COOKIE_NONCES)
		cookies[hdr.job_id][hdr.src_id][join.nonce] = join.cookie;
}

static void from_spec(struct frame *f, struct rng *rng)
{
	struct packet_spec spec = contribution(rng);
	struct weir_join join = {
		.nonce = rng_below(rng, COOKIE_NONCES), .ranks = htonl(2), .grads = htonl(64),
		.dtype = WEIR_DTYPE_INT32, .op = WEIR_OP_SUM, .format = WEIR_FORMAT_TRIO,
	};

	join.cookie = cookies[spec.job][spec.source][join.nonce];
	if (!spec.count && rng_percent(rng, 50)) {
		spec.flags = WEIR_TRIO_CONTROL;
		spec.body = &join;
		spec.body_len = sizeof(join);
	}
	spoil(&spec, rng);
	f->len = packet_build(&spec, f->data);
}

/* Bytes change, come, or go; most of the frame stays as it was. */
static void mutate_once(struct frame *f, struct rng *rng)
{
	static const uint8_t odd_bytes[] = {
		0, 1, 0x7f, 0x80, 0xff, 6, 17, 44, 60, 199, 0x45, 0x60,
	};
	size_t headers = f->len < 100 ? f->len : 100;
	size_t at = 12 + rng_below(rng, headers - 12), n;

	switch (rng_below(rng, 6)) {
	case 0: f->data[at] ^= 1 << rng_below(rng, 8); break;
	case 1: f->data[at] = RNG_PICK(rng, odd_bytes); break;
	case 2: f->data[at] = rng_next(rng); break;
	case 3:
		f->len = rng_range(rng, LEN_MIN, f->len);
		break;
	case 4:
		n = rng_range(rng, 1, 64);
		memset(f->data + f->len, 0xee, n);
		f->len += n;
		break;
	default:
		n = rng_range(rng, 1, 8);
		memmove(f->data + at + n, f->data + at, f->len - at);
		f->len += n;
		break;
	}
}

static bool is_tag(const uint8_t *at)
{
	return (at[0] == 0x81 && at[1] == 0x00) || (at[0] == 0x88 && at[1] == 0xa8);
}

/* Neither longer than the device sends, nor too short for the stack. */
static void fit(struct frame *f, size_t mtu)
{
	if (f->len > mtu + LEN_MIN)
		f->len = mtu + LEN_MIN;
	if (f->len >= LEN_TAGGED || !is_tag(f->data + 12))
		return;
	memset(f->data + f->len, 0, LEN_TAGGED - f->len);
	f->len = LEN_TAGGED;
}

static size_t checksum_at(const struct slow_packet *p)
{
	return p->proto == 17 ? 6 : 16;
}

/* The device is left the checksum, in its place most of the time. */
static void leave_checksum(struct frame *f, struct rng *rng)
{
	struct slow_packet p;

	slow_parse(&p, f->data, f->len);
	f->hdr.flags = VIRTIO_NET_HDR_F_NEEDS_CSUM;
	f->partial = true;
	if (p.ip && p.chain && (p.proto == 17 || p.proto == 6) && p.l4_off < f->len &&
	    rng_percent(rng, 90)) {
		f->hdr.csum_start = p.l4_off;
		f->hdr.csum_offset = checksum_at(&p);
		return;
	}
	f->odd = true;
	f->hdr.csum_start = rng_below(rng, f->len);
	f->hdr.csum_offset = rng_below(rng, 20);
}

static size_t headers_len(const struct frame *f, const struct slow_packet *p)
{
	if (p->proto == 17)
		return p->l4_off + 8;
	return slow_has(f->len, p->l4_off, 20) ? p->l4_off + f->data[p->l4_off + 12] / 16 * 4 :
						 p->l4_off + 20;
}

/* Many packets in one: the bytes behind the headers are as long as many. */
static void merge(struct frame *f, struct rng *rng)
{
	struct slow_packet p;
	size_t headers, more;

	slow_parse(&p, f->data, f->len);
	if (!p.ip || !p.chain || (p.proto != 17 && p.proto != 6))
		return;
	headers = headers_len(f, &p);
	if (headers >= f->len)
		return;
	leave_checksum(f, rng);
	f->gso = true;
	f->parts = 0;
	f->hdr.gso_type = p.proto == 17 ? VIRTIO_UDP_L4 :
			  p.ip == 4 ? VIRTIO_NET_HDR_GSO_TCPV4 : VIRTIO_NET_HDR_GSO_TCPV6;
	f->hdr.gso_size = rng_percent(rng, 90) ? rng_range(rng, 64, 1400) : rng_next(rng);
	f->hdr.hdr_len = headers;
	more = rng_below(rng, 60000);
	memset(f->data + f->len, 0x5a, more);
	f->len += more;
}

/* Behind its headers comes so much more. */
static void lengthen(struct frame *f, const struct slow_packet *p, size_t more)
{
	uint16_t udp = htons(f->len + more - p->l4_off);
	uint16_t ip = htons(f->len + more - p->ip_off - (p->ip == 6 ? 40 : 0));

	memcpy(f->data + p->l4_off + 4, &udp, sizeof(udp));
	memcpy(f->data + p->ip_off + (p->ip == 6 ? 4 : 2), &ip, sizeof(ip));
	if (p->ip == 4) {
		memset(f->data + p->ip_off + 10, 0, 2);
		ip = htons(slow_checksum(f->data + p->ip_off, p->l4_off - p->ip_off, 0));
		memcpy(f->data + p->ip_off + 10, &ip, sizeof(ip));
	}
	f->len += more;
}

/* The length that a merged packet is cut at: mostly right. */
static uint16_t cut_at(struct rng *rng, size_t each, size_t all)
{
	switch (rng_below(rng, 10)) {
	case 0: return rng_range(rng, 1, each + 20);
	case 1: return rng_range(rng, 1, all + 1);
	case 2: return rng_next(rng);
	default: return each;
	}
}

#define PAYLOAD_MAX	65000
#define PARTS_MAX	200
#define SEGMENTS_MAX	128	/* UDP_MAX_SEGMENTS; a packet of more is refused as one */

/* Datagrams of @payload bytes. What is no longer than it is to be cut at is not merged. */
static unsigned int parts_of(const struct virtio_net_hdr *hdr, size_t payload)
{
	size_t parts = hdr->gso_size ? (payload + hdr->gso_size - 1) / hdr->gso_size : 1;

	return hdr->gso_type == VIRTIO_UDP_L4 && parts <= SEGMENTS_MAX ? parts : 1;
}

/*
 * Contributions to blocks one behind the other, as one packet. The last one may be shorter than
 * the others, and what the packet is cut at may not be their length.
 */
static void merge_contributions(struct frame *f, struct rng *rng)
{
	struct packet_spec spec = contribution(rng);
	size_t each, parts, i;
	struct slow_packet p;
	uint8_t *payload;
	uint32_t block;

	f->len = packet_build(&spec, f->data);
	slow_parse(&p, f->data, f->len);
	payload = f->data + p.l4_off + 8;
	each = f->len - p.l4_off - 8;
	parts = rng_range(rng, 1, PAYLOAD_MAX / each < PARTS_MAX ? PAYLOAD_MAX / each : PARTS_MAX);
	for (i = 1; i < parts; i++) {
		memcpy(payload + i * each, payload, each);
		block = htonl(spec.block + i);
		memcpy(payload + i * each + offsetof(struct weir_trio, block_id), &block,
		       sizeof(block));
	}
	lengthen(f, &p, (parts - 1) * each - (rng_percent(rng, 20) ? rng_below(rng, each) : 0));
	f->gso = true;
	f->partial = true;
	f->hdr.flags = VIRTIO_NET_HDR_F_NEEDS_CSUM;
	f->hdr.csum_start = p.l4_off;
	f->hdr.csum_offset = 6;
	f->hdr.gso_type = rng_percent(rng, 90) ? VIRTIO_UDP_L4 : VIRTIO_NET_HDR_GSO_UDP;
	f->hdr.gso_size = cut_at(rng, each, parts * each);
	f->hdr.hdr_len = p.l4_off + 8;
	f->parts = parts_of(&f->hdr, f->len - p.l4_off - 8);
}

static void finish(struct frame *f, struct rng *rng, bool gso, size_t mtu)
{
	unsigned int changes = rng_percent(rng, 50) ? 0 : rng_range(rng, 1, 4);

	while (changes--)
		mutate_once(f, rng);
	fit(f, mtu);
	if (gso && rng_percent(rng, 40))
		merge(f, rng);
	else if (rng_percent(rng, 30))
		leave_checksum(f, rng);
	else if (rng_percent(rng, 20))
		f->hdr.hdr_len = rng_below(rng, f->len);
}

static void begin(struct frame *f)
{
	memset(f, 0, offsetof(struct frame, data));
	f->parts = 1;
}

void frame_trim(struct frame *f, struct rng *rng, bool gso, size_t mtu)
{
	begin(f);
	if (rng_percent(rng, 90))
		from_case(f, rng);
	else
		from_sample(f, rng);
	finish(f, rng, gso, mtu);
	if (!gso && rng_percent(rng, 10)) {
		memcpy(f->data, frame_router, sizeof(frame_router));
		f->routed = true;
	}
}

void frame_contribution(struct frame *f, struct rng *rng, bool gso, size_t mtu)
{
	begin(f);
	if (gso && rng_percent(rng, 30)) {
		merge_contributions(f, rng);
		memcpy(f->data, frame_router, sizeof(frame_router));
		return;
	}
	if (rng_percent(rng, 90))
		from_spec(f, rng);
	else
		from_sample(f, rng);
	/* A frame for another host is passed, and no more. */
	if (rng_percent(rng, 95))
		memcpy(f->data, frame_router, sizeof(frame_router));
	finish(f, rng, gso, mtu);
}

void frame_number(struct frame *f, uint32_t number)
{
	memcpy(f->data + FRAME_ID_AT, id_head, sizeof(id_head));
	memcpy(f->data + FRAME_ID_AT + sizeof(id_head), &number, sizeof(number));
}

static int64_t number_at(const uint8_t *data, size_t len, size_t at)
{
	uint32_t number;

	if (len < LEN_MIN || memcmp(data + at, id_head, sizeof(id_head)))
		return -1;
	memcpy(&number, data + at + sizeof(id_head), sizeof(number));
	return number;
}

int64_t frame_is(const uint8_t *data, size_t len)
{
	return number_at(data, len, FRAME_ID_AT);
}

int64_t frame_comes_back(const uint8_t *data, size_t len)
{
	return number_at(data, len, 0);
}
