// SPDX-License-Identifier: GPL-2.0
#include "refbox.h"

#include <arpa/inet.h>
#include <errno.h>
#include <net/if.h>
#include <netinet/ip.h>
#include <netinet/udp.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include <weir.h>
#include <weir_wire.h>

#include "base/address.h"
#include "refsum.h"

#define BATCH	32
/* Results that wait to be sent together; a block has as many as there are sources. */
#define OUTBOX	256
/* Packets and bytes of a merged message, at most. */
#define MERGED	64
#define MERGED_BYTES	65000
/* The longest message that may come. */
#define MESSAGE_BYTES	(64 << 10)
/* Packets that are held back, each way, to come out of order. */
#define HELD	32

#define HEADER	sizeof(struct weir_trio)
#define JOIN	(HEADER + sizeof(struct weir_join))
#define EXPONENT sizeof(struct weir_trio_exponent)
#define NOTICE	(HEADER + sizeof(struct weir_notice))
#define BEHIND	(HEADER + sizeof(struct weir_behind))
/* The longest result without its gradients. */
#define BRIEF	(HEADER + EXPONENT + REFBOX_SOURCES / 8)

/* Notices are said again so often, while they have something to say. */
#define NOTICE_MS	100

enum slot_state { FREE, OPEN, COMPLETE };

struct slot {
	enum slot_state state;
	uint32_t block;
	uint16_t count;
	uint16_t seen;
	uint8_t final;
	bool overflow;
	bool has_sums;		/* some contribution had gradients */
	bool has_exponent;
	bool little;		/* gradients are little-endian */
	bool unlike;		/* exponents or forms are not all the same */
	uint8_t ecn;		/* of the result, as the module makes it of the contributions' */
	int32_t exponent;	/* the largest so far */
	uint64_t opened;	/* ms */
	uint64_t completed;	/* ms */
	size_t length;		/* of the result */
	uint64_t sources[REFBOX_SOURCES / 64];
	uint64_t briefs[REFBOX_SOURCES / 64];	/* those that do not need the result's gradients */
	union refsum *sums;	/* while open */
	uint8_t *packet;	/* the result, when complete */
	size_t brief_length;
	uint8_t brief[BRIEF];	/* the result without its gradients */
};

struct source {
	bool bound;
	struct address address;
	uint32_t nonce;
	uint32_t next_nonce;
	uint32_t lacks;	/* the first block that it lacks, as it said with next_nonce */
	uint32_t newest;/* the last block that it was heard of */
	uint32_t acked;	/* the first block that it lacks, as it has acknowledged */
	bool little;	/* it can send and receive little-endian gradients, as it said with next_nonce */
	bool late;	/* it missed a block, and has not caught up */
	bool overtaken;	/* and results are not retained for it */
	uint32_t losing;	/* the block whose result does not get there, */
	unsigned int losses;	/* so many times */
	uint32_t from;	/* where it has caught up: the first block that waits for it */
	bool joining;	/* heard since the last new number */
	bool waiting;	/* next_nonce is valid */
	uint64_t spoke;	/* with it, ms */
	bool hears;	/* it has brought a cookie */
	bool dead;
	bool excluded;
};

/* An order of another thread. */
struct order {
	pthread_mutex_t lock;
	pthread_cond_t done;
	void (*what)(struct refbox *box, void *data);
	void *data;
	bool is_running;
};

struct held {
	struct address address;
	size_t length;
	uint8_t ecn;
	uint8_t *data;
};

struct outbox {
	unsigned int count;
	struct iovec vectors[OUTBOX];
	struct address to[OUTBOX];
	uint8_t ecn[OUTBOX];
	bool sent[OUTBOX];
};

/* Of a message: the length of its packets, and the byte with ECN of IP's header. */
union control {
	struct cmsghdr header;
	uint8_t bytes[2 * CMSG_SPACE(sizeof(int))];
};

struct inbox {
	struct mmsghdr messages[BATCH];
	struct iovec vectors[BATCH];
	struct address from[BATCH];
	union control controls[BATCH];
	uint8_t *memory;
};

/* Packets of one length to one address, the last may be shorter. */
struct merged {
	unsigned int count;
	size_t bytes;
	uint8_t ecn;
	struct iovec vectors[MERGED];
};

struct refbox {
	struct refbox_options options;
	struct refbox_counters counters;
	struct faults faults;
	struct address group;
	int fd;
	int wake_fd;
	atomic_bool stopping;
	struct order order;
	bool mute;
	bool begun;		/* a generation was given out */
	bool little;		/* its gradients are little-endian */
	uint16_t generation;
	uint32_t start;		/* the block that it began with */
	uint32_t oldest;	/* no result from it on was evicted */
	uint32_t next;		/* the block after the newest one */
	unsigned int reloads;
	uint64_t secret;	/* secret of cookies */
	uint64_t noticed;	/* ms */
	uint64_t wait;		/* since when workers wait for a generation, ms */
	uint8_t ecn;		/* of the packet that is being taken */
	size_t packet_size;
	struct source sources[REFBOX_SOURCES];
	struct slot *slots;
	uint8_t *slot_memory;
	union refsum *sums;	/* of all slots */
	struct inbox in;
	struct outbox out;
	unsigned int held_in_count;
	struct held held_in[HELD];
	unsigned int held_out_count;
	struct held held_out[HELD];
	uint8_t *held_memory;
	uint8_t *forgery;
};

static uint32_t get32(const uint8_t *at)
{
	uint32_t value;

	memcpy(&value, at, sizeof(value));
	return ntohl(value);
}

static void put32(uint8_t *at, uint32_t value)
{
	value = htonl(value);
	memcpy(at, &value, sizeof(value));
}

static uint64_t now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000 + (uint64_t)ts.tv_nsec / 1000000;
}

/* Sending. */

static bool is_same(const struct address *a, const struct address *b)
{
	return a->length == b->length && !memcmp(&a->any, &b->any, a->length);
}

/* Return true if a packet can be appended to those that are merged already. */
static bool has_room(const struct refbox *box, const struct merged *merged, size_t length)
{
	size_t first = merged->vectors[0].iov_len;

	if (!merged->count)
		return true;
	return box->options.merge && merged->count < MERGED && length <= first &&
	       merged->vectors[merged->count - 1].iov_len == first &&
	       merged->bytes + length <= MERGED_BYTES;
}

/*
 * Takes the packets to one address, from a first one on, as long as they can be merged: those that
 * have one ECN.
 */
static void gather(struct refbox *box, unsigned int first, struct merged *merged)
{
	struct outbox *out = &box->out;

	merged->count = 0;
	merged->bytes = 0;
	merged->ecn = out->ecn[first];
	for (unsigned int i = first; i < out->count; i++) {
		if (out->sent[i] || !is_same(&out->to[i], &out->to[first]))
			continue;
		if (out->ecn[i] != merged->ecn || !has_room(box, merged, out->vectors[i].iov_len))
			return;
		merged->vectors[merged->count++] = out->vectors[i];
		merged->bytes += out->vectors[i].iov_len;
		out->sent[i] = true;
	}
}

static void add_control(struct msghdr *header, int level, int type, const void *data, size_t size)
{
	struct cmsghdr *control = (void *)((uint8_t *)header->msg_control + header->msg_controllen);

	*control = (struct cmsghdr) {
		.cmsg_len = CMSG_LEN(size), .cmsg_level = level, .cmsg_type = type,
	};
	memcpy(CMSG_DATA(control), data, size);
	header->msg_controllen += CMSG_SPACE(size);
}

static void send_merged(struct refbox *box, const struct address *to, struct merged *merged)
{
	uint16_t size = (uint16_t)merged->vectors[0].iov_len;
	int ecn = merged->ecn;
	union control control = { 0 };
	struct mmsghdr message = {
		.msg_hdr = {
			.msg_name = (void *)&to->any,
			.msg_namelen = to->length,
			.msg_iov = merged->vectors,
			.msg_iovlen = merged->count,
		},
	};

	message.msg_hdr.msg_control = &control;
	if (merged->count > 1)
		add_control(&message.msg_hdr, SOL_UDP, UDP_SEGMENT, &size, sizeof(size));
	if (to->any.sa_family == AF_INET)
		add_control(&message.msg_hdr, IPPROTO_IP, IP_TOS, &ecn, sizeof(ecn));
	else
		add_control(&message.msg_hdr, IPPROTO_IPV6, IPV6_TCLASS, &ecn, sizeof(ecn));
	/* One that cannot be sent is lost, as on any network. */
	sendmmsg(box->fd, &message, 1, 0);
}

/* Where packets are merged, they are also lost together. */
static void flush(struct refbox *box)
{
	struct outbox *out = &box->out;
	struct merged merged;

	for (unsigned int i = 0; i < out->count; i++) {
		if (out->sent[i])
			continue;
		gather(box, i, &merged);
		if (!box->options.merge || !faults_lose(&box->faults))
			send_merged(box, &out->to[i], &merged);
	}
	out->count = 0;
}

static void post(struct refbox *box, const struct address *to, const void *packet, size_t length,
		 uint8_t ecn)
{
	struct outbox *out = &box->out;
	unsigned int i = out->count++;

	out->to[i] = *to;
	out->vectors[i] = (struct iovec) { .iov_base = (void *)packet, .iov_len = length };
	out->ecn[i] = ecn;
	out->sent[i] = false;
	if (out->count == OUTBOX)
		flush(box);
}

static void post_forgery(struct refbox *box, const struct address *to, const void *packet,
			 size_t length)
{
	memcpy(box->forgery, packet, length);
	length = faults_mutate(&box->faults, box->forgery, length, box->packet_size);
	post(box, to, box->forgery, length, 0);
	/* The next one takes the same memory. */
	flush(box);
}

static bool hold(struct held *held, unsigned int *count, const struct address *address,
		 const void *packet, size_t length, uint8_t ecn)
{
	if (*count == HELD)
		return false;
	held[*count].address = *address;
	held[*count].length = length;
	held[*count].ecn = ecn;
	memcpy(held[*count].data, packet, length);
	++*count;
	return true;
}

static void release_out(struct refbox *box)
{
	for (unsigned int i = 0; i < box->held_out_count; i++)
		post(box, &box->held_out[i].address, box->held_out[i].data,
		     box->held_out[i].length, box->held_out[i].ecn);
	flush(box);
	box->held_out_count = 0;
}

static void transmit(struct refbox *box, const struct address *to, const void *packet,
		     size_t length, uint8_t ecn)
{
	struct faults *faults = &box->faults;

	if (!box->options.merge && faults_lose(faults))
		return;
	if (faults_double(faults))
		post(box, to, packet, length, ecn);
	if (faults_hold(faults) &&
	    hold(box->held_out, &box->held_out_count, to, packet, length, ecn))
		return;
	post(box, to, packet, length, ecn);
}

static void transmit_result(struct refbox *box, const struct address *to, const struct slot *slot,
			    bool is_brief)
{
	const uint8_t *packet = is_brief ? slot->brief : slot->packet;
	size_t length = is_brief ? slot->brief_length : slot->length;

	box->counters.results++;
	box->counters.brief += is_brief;
	if (faults_forge(&box->faults))
		post_forgery(box, to, packet, length);
	transmit(box, to, packet, length, slot->ecn);
}

/* A packet that is the caller's only. */
static void transmit_now(struct refbox *box, const struct address *to, const void *packet,
			 size_t length)
{
	transmit(box, to, packet, length, 0);
	flush(box);
}

static void start_header(const struct refbox *box, struct weir_trio *header, uint32_t block,
			 uint8_t flags)
{
	uint16_t generation = htons(box->generation);

	memset(header, 0, sizeof(*header));
	header->job_id = box->options.job;
	put32(header->block_id, block);
	header->flags = flags;
	memcpy(header->gen_id, &generation, sizeof(generation));
	header->grad_cnt[0] = WEIR_TRIO_DOWN >> 8;
}

/* Sets of sources. */

static void set_bit(uint32_t *words, unsigned int source)
{
	words[source / 32] |= htonl(1u << (source % 32));
}

/* Returns whether there is anything to tell. */
static bool fill_notice(const struct refbox *box, struct weir_notice *notice)
{
	bool any = false;

	memset(notice, 0, sizeof(*notice));
	for (unsigned int i = 0; i < box->options.sources; i++) {
		const struct source *source = &box->sources[i];

		if (source->dead)
			set_bit(notice->dead, i);
		if (source->excluded)
			set_bit(notice->excluded, i);
		if (source->waiting)
			set_bit(notice->waiting, i);
		any |= source->dead || source->excluded || source->waiting;
	}
	return any;
}

/* One that has not shown that it hears gets the header alone. */
static void notify(struct refbox *box, const struct address *to, uint8_t source, uint32_t block,
		   bool is_gone)
{
	bool hears = box->sources[source].hears;
	uint8_t packet[NOTICE];
	struct weir_trio header;
	struct weir_notice notice;

	start_header(box, &header, block,
		     WEIR_TRIO_NOTICE | (box->begun ? 0 : WEIR_TRIO_DEGRADED));
	header.src_id = source;
	fill_notice(box, &notice);
	/* It has come back too late. */
	if (is_gone)
		set_bit(notice.dead, source);
	memcpy(packet, &header, sizeof(header));
	memcpy(packet + HEADER, &notice, sizeof(notice));
	box->counters.notices++;
	transmit_now(box, to, packet, hears ? sizeof(packet) : HEADER);
}

static void tell_behind(struct refbox *box, const struct address *to, uint8_t source, uint32_t block)
{
	uint8_t packet[BEHIND];
	struct weir_trio header;
	struct weir_behind behind = { htonl(box->oldest), htonl(box->next) };

	if (!box->sources[source].hears)
		return;
	start_header(box, &header, block, WEIR_TRIO_BEHIND);
	header.src_id = source;
	memcpy(packet, &header, sizeof(header));
	memcpy(packet + HEADER, &behind, sizeof(behind));
	box->counters.behind++;
	transmit_now(box, to, packet, sizeof(packet));
}

static void notify_all(struct refbox *box)
{
	box->noticed = now_ms();
	for (unsigned int i = 0; i < box->options.sources; i++)
		if (box->sources[i].hears)
			notify(box, &box->sources[i].address, (uint8_t)i, 0, false);
}

static void notify_again(struct refbox *box)
{
	struct weir_notice notice;

	if (now_ms() - box->noticed >= NOTICE_MS && fill_notice(box, &notice))
		notify_all(box);
}

/* Joining. */

/* A waiting worker repeats its join each 640 ms at least. */
#define SILENCE_MS 2000

static uint16_t count_waiting(const struct refbox *box)
{
	uint16_t n = 0;

	for (unsigned int i = 0; i < box->options.sources; i++)
		n += box->sources[i].waiting && now_ms() - box->sources[i].spoke < SILENCE_MS;
	return n;
}

/* Return true if contributions, and results of sources that ask for it, may have no gradients. */
static bool has_shares(const struct refbox *box)
{
	return !box->options.no_shares && box->options.op == WEIR_OP_SUM;
}

static void answer_join(struct refbox *box, const struct address *to, uint32_t nonce,
			uint64_t cookie, uint8_t flags)
{
	const struct refbox_options *o = &box->options;
	uint8_t packet[JOIN];
	struct weir_trio header;
	struct weir_join join = {
		.nonce = htonl(nonce),
		.ranks = htonl(o->sources),
		.blocks = htonl(o->blocks),
		.grads = htonl(o->grads),
		.cookie = cookie,
		.dtype = o->dtype,
		.op = o->op,
		.format = WEIR_FORMAT_TRIO,
		.features = (o->acks ? WEIR_JOIN_ACKS : 0) |
			    (has_shares(box) ? WEIR_JOIN_SHARES : 0) |
			    (box->little && !flags ? WEIR_JOIN_LITTLE : 0),
		.member = htons(flags == WEIR_TRIO_COOKIE ? count_waiting(box) : 0),
		.cwnd_cap = htons(o->cwnd_cap),
	};

	start_header(box, &header, box->start, WEIR_TRIO_CONTROL | flags);
	header.src_cnt = (uint8_t)o->sources;
	memcpy(packet, &header, sizeof(header));
	memcpy(packet + HEADER, &join, sizeof(join));
	transmit_now(box, to, packet, sizeof(packet));
}

static bool all_joining(const struct refbox *box)
{
	for (unsigned int i = 0; i < box->options.sources; i++)
		if (!box->sources[i].joining && !box->sources[i].excluded)
			return false;
	return true;
}

static void admit(struct refbox *box, struct source *source)
{
	source->nonce = source->next_nonce;
	source->newest = box->start;
	source->acked = box->start;
	source->from = box->start;
	source->late = false;
	source->overtaken = false;
	source->joining = false;
	source->waiting = false;
	source->dead = false;
	source->excluded = false;
	source->bound = true;
	answer_join(box, &source->address, source->nonce, 0, 0);
}

/* The earliest block that any of them lacks. */
static uint32_t first_lacking(const struct refbox *box, uint32_t first)
{
	for (unsigned int i = 0; i < box->options.sources; i++) {
		const struct source *source = &box->sources[i];

		if (source->joining && (int32_t)(source->lacks - first) < 0)
			first = source->lacks;
	}
	return first;
}

/* Return true if gradients of the generation that begins are little-endian. */
static bool begins_little(const struct refbox *box)
{
	if (box->options.order != REFBOX_LITTLE)
		return box->options.order == REFBOX_TURNS && !box->little;
	for (unsigned int i = 0; i < box->options.sources; i++)
		if (box->sources[i].joining && !box->sources[i].little)
			return false;
	return true;
}

static void begin_generation(struct refbox *box, uint32_t lacks)
{
	box->little = begins_little(box);
	box->generation++;
	box->begun = true;
	box->start = first_lacking(box, lacks);
	box->oldest = box->start;
	box->next = box->start;
	for (uint32_t i = 0; i < box->options.blocks; i++)
		box->slots[i].state = FREE;
	for (unsigned int i = 0; i < box->options.sources; i++) {
		if (box->sources[i].joining)
			admit(box, &box->sources[i]);
		else
			box->sources[i].bound = false;
	}
}

/* The cookie of a source at that address: FNV, as no test attacks it. */
static uint64_t cookie_of(const struct refbox *box, const struct address *from, uint8_t source,
			  uint32_t nonce)
{
	const uint8_t *at = (const uint8_t *)&from->any;
	uint64_t hash = box->secret ^ ((uint64_t)source << 32 | nonce);

	for (size_t i = 0; i < from->length; i++)
		hash = (hash ^ at[i]) * 0x100000001b3;
	return hash;
}

static void take_join(struct refbox *box, const struct address *from, const uint8_t *packet,
		      size_t length)
{
	const struct refbox_options *o = &box->options;
	const struct weir_trio *header = (const struct weir_trio *)packet;
	struct source *source = &box->sources[header->src_id];
	struct weir_join join;
	uint64_t cookie;
	uint32_t nonce;
	bool is_new;

	if (length != JOIN) {
		box->counters.refused++;
		return;
	}
	memcpy(&join, packet + HEADER, sizeof(join));
	nonce = ntohl(join.nonce);
	if (ntohl(join.ranks) != o->sources || ntohl(join.grads) > o->grads ||
	    (join.dtype && join.dtype != o->dtype) || (join.op && join.op != o->op) ||
	    header->src_id >= o->sources) {
		box->counters.misfits++;
		answer_join(box, from, nonce, 0, WEIR_TRIO_DEGRADED);
		return;
	}
	box->counters.joins++;
	cookie = cookie_of(box, from, header->src_id, nonce);
	if (join.cookie != cookie) {
		answer_join(box, from, nonce, cookie, WEIR_TRIO_COOKIE);
		return;
	}
	source->hears = true;
	if (source->bound && source->nonce == nonce) {
		answer_join(box, from, nonce, 0, 0);
		return;
	}
	is_new = !source->waiting || source->next_nonce != nonce;
	for (unsigned int i = 0; i < o->sources && is_new; i++)
		box->sources[i].joining = false;
	if (is_new && !count_waiting(box))
		box->wait = now_ms();
	source->address = *from;
	source->next_nonce = nonce;
	source->lacks = get32(header->block_id);
	source->little = join.features & WEIR_JOIN_LITTLE;
	source->waiting = true;
	source->spoke = now_ms();
	source->joining = true;
	if (all_joining(box))
		begin_generation(box, source->lacks);
	else if (is_new)
		notify_all(box);
	else if (now_ms() - box->wait >= NOTICE_MS)
		notify(box, from, header->src_id, 0, false);
}

/* Summing. */

static bool has_exponent(const struct weir_trio *header)
{
	return header->grad_cnt[0] & WEIR_TRIO_EXPONENT >> 8;
}

static bool is_little(const struct weir_trio *header)
{
	return header->flags & WEIR_TRIO_LITTLE;
}

static bool is_empty(const struct weir_trio *header)
{
	return header->flags & WEIR_TRIO_EMPTY;
}

static void open_slot(struct slot *slot, uint32_t block, uint16_t count,
		      const struct weir_trio *header)
{
	slot->state = OPEN;
	slot->block = block;
	slot->count = count;
	slot->seen = 0;
	slot->final = 0;
	slot->overflow = false;
	slot->has_sums = false;
	slot->has_exponent = has_exponent(header);
	slot->little = is_little(header);
	slot->unlike = false;
	slot->exponent = INT32_MIN;
	slot->ecn = IPTOS_ECN_ECT0;
	slot->opened = now_ms();
	memset(slot->sources, 0, sizeof(slot->sources));
	memset(slot->briefs, 0, sizeof(slot->briefs));
}

static bool has_source(const uint64_t *set, unsigned int source)
{
	return set[source / 64] >> (source % 64) & 1;
}

static bool is_in(const struct slot *slot, unsigned int source)
{
	return has_source(slot->sources, source);
}

/* The bitmap of a block's contributors; of none where there is no such block. Returns its bytes. */
static size_t write_contributors(const struct refbox *box, const struct slot *slot, uint8_t *at)
{
	uint32_t words[REFBOX_SOURCES / 32] = { 0 };
	size_t length = 4 * (((size_t)box->options.sources + 31) / 32);

	for (unsigned int i = 0; slot && i < box->options.sources; i++)
		if (is_in(slot, i))
			set_bit(words, i);
	memcpy(at, words, length);
	return length;
}

/* Copy the result but for its gradients: what is before them, and the contributors after them. */
static void write_brief(struct slot *slot, size_t before, size_t after)
{
	struct weir_trio *header = (struct weir_trio *)slot->brief;

	memcpy(slot->brief, slot->packet, before);
	memcpy(slot->brief + before, slot->packet + slot->length - after, after);
	slot->brief_length = before + after;
	header->flags |= WEIR_TRIO_EMPTY;
}

static void write_result(const struct refbox *box, struct slot *slot, uint8_t flags)
{
	struct weir_trio *header = (struct weir_trio *)slot->packet;
	uint16_t count = htons(slot->count | WEIR_TRIO_DOWN);
	size_t before, after = 0;

	flags |= slot->final | (slot->overflow ? WEIR_TRIO_OVERFLOW : 0) |
		 (slot->unlike ? WEIR_TRIO_UNLIKE : 0) | (slot->little ? WEIR_TRIO_LITTLE : 0);
	if (slot->seen < box->options.sources)
		flags |= WEIR_TRIO_DEGRADED;
	start_header(box, header, slot->block, flags);
	header->src_cnt = (uint8_t)slot->seen;
	memcpy(header->grad_cnt, &count, sizeof(count));
	slot->length = HEADER;
	if (slot->has_exponent) {
		header->grad_cnt[0] |= WEIR_TRIO_EXPONENT >> 8;
		put32(slot->packet + slot->length, (uint32_t)slot->exponent);
		slot->length += EXPONENT;
	}
	before = slot->length;
	if (!slot->has_sums)
		refsum_set_neutral(slot->sums, slot->count, box->options.dtype);
	refsum_get(slot->packet + slot->length, slot->sums, slot->count, box->options.dtype,
		   slot->little);
	slot->length += refsum_size(box->options.dtype) * slot->count;
	if (flags & WEIR_TRIO_DEGRADED && !box->options.anonymous)
		after = write_contributors(box, slot, slot->packet + slot->length);
	slot->length += after;
	write_brief(slot, before, after);
}

static void send_to(struct refbox *box, struct source *source, const struct slot *slot,
		    bool is_brief)
{
	if (source->losses && source->losing == slot->block)
		source->losses--;
	else
		transmit_result(box, &source->address, slot, is_brief);
}

static void send_to_all(struct refbox *box, const struct slot *slot)
{
	if (box->group.length) {
		transmit_result(box, &box->group, slot, false);
		return;
	}
	for (unsigned int i = faults_mute(&box->faults); i < box->options.sources; i++)
		if (box->sources[i].bound)
			send_to(box, &box->sources[i], slot, has_source(slot->briefs, i));
}

/* As a queue that is full does now and then; those of which a source is not ECN-capable it loses. */
static void mark(struct refbox *box, struct slot *slot)
{
	uint32_t every = box->options.mark_every;

	if (every && slot->ecn && box->counters.blocks % every == 0)
		slot->ecn = IPTOS_ECN_CE;
	box->counters.marked += slot->ecn == IPTOS_ECN_CE;
}

static void complete(struct refbox *box, struct slot *slot, uint8_t flags)
{
	slot->state = COMPLETE;
	slot->completed = now_ms();
	for (unsigned int i = 0; i < box->options.sources; i++)
		box->sources[i].late |= !is_in(slot, i);
	mark(box, slot);
	write_result(box, slot, flags);
	box->counters.blocks++;
	box->counters.overflows += slot->overflow;
	box->counters.degraded += slot->seen < box->options.sources;
	send_to_all(box, slot);
}

/* Blocks do not wait for a source that missed one, until it has caught up. */
static bool is_not_awaited(const struct refbox *box, const struct source *source, uint32_t block)
{
	return source->excluded ||
	       (box->options.evict && (source->late || (int32_t)(block - source->from) < 0));
}

/* Return true if all sources that the block waits for are in it. */
static bool is_complete(const struct refbox *box, const struct slot *slot)
{
	unsigned int done = slot->seen;

	for (unsigned int i = 0; i < box->options.sources; i++)
		done += !is_in(slot, i) && is_not_awaited(box, &box->sources[i], slot->block);
	return done >= box->options.quorum;
}

static void complete_aged(struct refbox *box)
{
	uint64_t now = now_ms();

	if (!box->options.timeout_ms)
		return;
	for (uint32_t i = 0; i < box->options.blocks; i++)
		if (box->slots[i].state == OPEN &&
		    now - box->slots[i].opened >= box->options.timeout_ms)
			complete(box, &box->slots[i], WEIR_TRIO_AGED);
}

static void combine(struct refbox *box, struct slot *slot, const struct weir_trio *header)
{
	const struct refbox_options *o = &box->options;
	const uint8_t *gradients = (const uint8_t *)(header + 1);

	if (slot->has_exponent) {
		int32_t exponent = (int32_t)get32(gradients);

		slot->unlike |= slot->seen && exponent != slot->exponent;
		slot->exponent = exponent > slot->exponent ? exponent : slot->exponent;
		gradients += EXPONENT;
	}
	slot->seen++;
	if (is_empty(header)) {
		box->counters.empty++;
		return;
	}
	if (!slot->has_sums)
		refsum_set(slot->sums, gradients, slot->count, o->dtype, slot->little);
	else
		slot->overflow |= refsum_add(slot->sums, gradients, slot->count, o->dtype, o->op,
					     slot->little);
	slot->has_sums = true;
}

/* Of another form than the block's others: it is in, without its gradients. */
static void spoil(struct refbox *box, struct slot *slot)
{
	slot->unlike = true;
	slot->exponent = INT32_MAX;
	slot->seen++;
	box->counters.refused++;
}

static void take_into(struct refbox *box, struct slot *slot, const struct weir_trio *header,
		      bool is_like)
{
	uint64_t *word = &slot->sources[header->src_id / 64];
	uint64_t bit = 1ULL << (header->src_id % 64);

	if (*word & bit) {
		box->counters.duplicates++;
		return;
	}
	*word |= bit;
	if (header->flags & WEIR_TRIO_BRIEF)
		slot->briefs[header->src_id / 64] |= bit;
	slot->final |= header->flags & WEIR_TRIO_FINAL;
	if (box->ecn == IPTOS_ECN_CE || slot->ecn == IPTOS_ECN_CE)
		slot->ecn = IPTOS_ECN_CE;
	else if (!box->ecn)
		slot->ecn = 0;
	box->counters.capable += box->ecn != 0;
	if (is_like) {
		combine(box, slot, header);
		box->counters.contributions++;
	} else {
		spoil(box, slot);
	}
	if (is_complete(box, slot))
		complete(box, slot, 0);
}

/* Of the wire's own form, and from where the source is. */
static bool is_from_source(const struct refbox *box, const struct address *from,
			   const struct weir_trio *header)
{
	const struct source *source = &box->sources[header->src_id];

	return source->bound && is_same(from, &source->address);
}

static bool is_current(const struct refbox *box, const struct weir_trio *header)
{
	return header->gen_id[0] == box->generation >> 8 &&
	       header->gen_id[1] == (box->generation & 0xff);
}

/* Return the flags that a contribution or query may have. */
static uint8_t allowed_flags(const struct refbox *box, const struct weir_trio *header,
			     uint16_t count)
{
	uint8_t flags = WEIR_TRIO_FINAL | WEIR_TRIO_LITTLE;

	if (count && has_shares(box) && header->grad_cnt[0] & WEIR_TRIO_JOINED >> 8)
		flags |= WEIR_TRIO_EMPTY | WEIR_TRIO_BRIEF;
	return flags;
}

static bool has_form(const struct refbox *box, const struct weir_trio *header, size_t length,
		     uint16_t count)
{
	size_t gradients = is_empty(header) ? 0 : count * refsum_size(box->options.dtype);

	return header->src_id < box->options.sources && header->src_cnt == 1 &&
	       !(header->flags & ~allowed_flags(box, header, count)) &&
	       count <= box->options.grads &&
	       length == HEADER + (has_exponent(header) ? EXPONENT : 0) + gradients;
}

/* Return true if a source has shown that it has all up to a block. */
static bool has_shown(const struct refbox *box, const struct source *source, uint32_t block)
{
	return (int32_t)(source->newest - box->options.blocks / 2 - block) >= 0 ||
	       (int32_t)(source->acked - block) > 0;
}

/* Some source may lack a result, of those that are overtaken or of the others. */
static bool is_lacked(const struct refbox *box, uint32_t block, bool overtaken)
{
	for (unsigned int i = 0; i < box->options.sources; i++) {
		const struct source *source = &box->sources[i];

		if (source->bound && !source->dead && !source->excluded &&
		    source->overtaken == overtaken && !has_shown(box, source, block))
			return true;
	}
	return false;
}

/* A result goes when no source can lack it that keeps its window to half of the slots. */
static bool is_retained(const struct refbox *box, const struct slot *slot)
{
	return is_lacked(box, slot->block, false) &&
	       !(box->options.evict && box->options.timeout_ms &&
		 now_ms() - slot->completed >= box->options.timeout_ms);
}

/* Return true if a result's slot may be taken. An eviction is counted if a source lacks the result. */
static bool may_evict(struct refbox *box, const struct slot *slot)
{
	if (is_retained(box, slot))
		return false;
	if (!is_lacked(box, slot->block, false) && !is_lacked(box, slot->block, true))
		return true;
	box->counters.evicted++;
	if ((int32_t)(slot->block - box->oldest) >= 0)
		box->oldest = slot->block + 1;
	return true;
}

/* Return true if the block is gone, which is reported to a source that lacks it. */
static bool is_gone(struct refbox *box, const struct address *from,
		    const struct weir_trio *header, const struct slot *slot)
{
	const struct source *source = &box->sources[header->src_id];
	uint32_t block = get32(header->block_id);

	if (slot->state == FREE || (int32_t)(block - slot->block) >= 0)
		return false;
	box->counters.refused++;
	if (has_shown(box, source, block))
		return true;
	if (box->options.acks)
		tell_behind(box, from, header->src_id, block);
	else
		notify(box, from, header->src_id, block, true);
	return true;
}

static void note_heard(struct refbox *box, const struct weir_trio *header)
{
	struct source *source = &box->sources[header->src_id];
	uint32_t block = get32(header->block_id);

	if ((int32_t)(block - source->newest) > 0)
		source->newest = block;
	if (!source->dead)
		return;
	source->dead = false;
	notify_all(box);
}

static void reply(struct refbox *box, const struct address *from, const struct weir_trio *query,
		  const struct slot *slot)
{
	uint32_t block = get32(query->block_id);
	bool is_open = slot->state == OPEN && slot->block == block;
	uint8_t packet[HEADER + REFBOX_SOURCES / 8] = { 0 };
	size_t length = HEADER;
	struct weir_trio header;

	start_header(box, &header, block,
		     is_open && is_in(slot, query->src_id) ? 0 : WEIR_TRIO_WANTED);
	header.src_id = query->src_id;
	header.src_cnt = (uint8_t)(is_open ? slot->seen : 0);
	memcpy(packet, &header, sizeof(header));
	if (has_exponent(query))
		length += write_contributors(box, is_open ? slot : NULL, packet + length);
	box->counters.replies++;
	transmit_now(box, from, packet, length);
}

static void contribute(struct refbox *box, const struct weir_trio *header, uint16_t count,
		       struct slot *slot)
{
	uint32_t block = get32(header->block_id);

	if (slot->state != FREE && slot->block != block &&
	    (slot->state == OPEN || !may_evict(box, slot))) {
		box->counters.busy++;
		return;
	}
	if ((int32_t)(block - box->next) >= 0)
		box->next = block + 1;
	if (slot->state == FREE || slot->block != block)
		open_slot(slot, block, count, header);
	take_into(box, slot, header,
		  slot->count == count && slot->has_exponent == has_exponent(header) &&
		  slot->little == is_little(header));
}

/* A contribution or a query of a source that is in the generation. */
static void serve_source(struct refbox *box, const struct address *from,
			 const struct weir_trio *header, uint16_t count)
{
	uint32_t block = get32(header->block_id);
	struct slot *slot = &box->slots[block & (box->options.blocks - 1)];

	if (is_gone(box, from, header, slot))
		return;
	note_heard(box, header);
	if (slot->state == COMPLETE && slot->block == block) {
		box->counters.repeats++;
		send_to(box, &box->sources[header->src_id], slot, header->flags & WEIR_TRIO_BRIEF);
	} else if (count) {
		contribute(box, header, count, slot);
	} else {
		reply(box, from, header, slot);
	}
}

static void take_ack(struct refbox *box, const struct weir_trio *header)
{
	struct source *source = &box->sources[header->src_id];
	uint32_t block = get32(header->block_id);

	box->counters.acks++;
	if ((int32_t)(block - source->acked) > 0)
		source->acked = block;
	if (!(header->flags & WEIR_TRIO_FINAL))
		return;
	box->counters.final_acks++;
	if (source->late)
		source->from = block;
	source->late = false;
	source->overtaken = false;
}

/* An acknowledgment has the form of a query. */
static bool is_ack(const struct refbox *box, const struct weir_trio *header, uint16_t count)
{
	return box->options.acks && !count && header->flags & WEIR_TRIO_ACK &&
	       header->grad_cnt[0] & WEIR_TRIO_JOINED >> 8 && !has_exponent(header);
}

static void take_source(struct refbox *box, const struct address *from, const uint8_t *packet,
			size_t length)
{
	const struct weir_trio *header = (const struct weir_trio *)packet;
	uint16_t count = (uint16_t)((header->grad_cnt[0] & 0xf) << 8 | header->grad_cnt[1]);

	if (count && faults_deaf(&box->faults))
		return;
	if (is_ack(box, header, count) && length == HEADER && header->src_id < box->options.sources &&
	    box->begun && is_current(box, header) && is_from_source(box, from, header)) {
		take_ack(box, header);
		return;
	}
	box->counters.queries += !count;
	if (has_form(box, header, length, count) && box->begun && is_current(box, header) &&
	    is_from_source(box, from, header) && !box->sources[header->src_id].excluded) {
		serve_source(box, from, header, count);
		return;
	}
	box->counters.refused++;
	if (has_form(box, header, length, count) && (header->grad_cnt[0] & WEIR_TRIO_JOINED >> 8))
		notify(box, from, header->src_id, get32(header->block_id), false);
}

static void take(struct refbox *box, const struct address *from, const uint8_t *packet,
		 size_t length)
{
	const struct weir_trio *header = (const struct weir_trio *)packet;

	if (length < HEADER || header->job_id != box->options.job ||
	    (header->grad_cnt[0] & WEIR_TRIO_DOWN >> 8))
		box->counters.refused++;
	else if (header->flags & WEIR_TRIO_CONTROL)
		take_join(box, from, packet, length);
	else
		take_source(box, from, packet, length);
}

/* Receiving. */

static void release_in(struct refbox *box, unsigned int count)
{
	for (unsigned int i = 0; i < count; i++) {
		box->ecn = box->held_in[i].ecn;
		take(box, &box->held_in[i].address, box->held_in[i].data, box->held_in[i].length);
	}
	/* Packets held meanwhile move up, by exchange: the memory goes along. */
	for (unsigned int i = count; i < box->held_in_count; i++) {
		struct held first = box->held_in[i - count];

		box->held_in[i - count] = box->held_in[i];
		box->held_in[i] = first;
	}
	box->held_in_count -= count;
}

static void arrive(struct refbox *box, const struct address *from, const uint8_t *packet,
		   size_t length)
{
	struct faults *faults = &box->faults;

	if (box->mute)
		return;
	if (faults_double(faults))
		take(box, from, packet, length);
	if (faults_hold(faults) && hold(box->held_in, &box->held_in_count, from, packet, length, box->ecn))
		return;
	take(box, from, packet, length);
}

static const struct cmsghdr *control_of(struct mmsghdr *message, int level, int type)
{
	struct cmsghdr *control = CMSG_FIRSTHDR(&message->msg_hdr);

	while (control && (control->cmsg_level != level || control->cmsg_type != type))
		control = CMSG_NXTHDR(&message->msg_hdr, control);
	return control;
}

/* Bytes of each packet of a message, but the last. */
static size_t stride_of(struct mmsghdr *message)
{
	const struct cmsghdr *control = control_of(message, SOL_UDP, UDP_GRO);
	int size;

	if (!control)
		return message->msg_len;
	memcpy(&size, CMSG_DATA(control), sizeof(size));
	return (size_t)size;
}

static uint8_t ecn_of(struct mmsghdr *message)
{
	const struct cmsghdr *v4 = control_of(message, IPPROTO_IP, IP_TOS);
	const struct cmsghdr *v6 = control_of(message, IPPROTO_IPV6, IPV6_TCLASS);
	int tclass = 0;

	if (v4)
		return *CMSG_DATA(v4) & IPTOS_ECN_MASK;
	if (v6)
		memcpy(&tclass, CMSG_DATA(v6), sizeof(tclass));
	return tclass & IPTOS_ECN_MASK;
}

static bool is_contribution(const uint8_t *packet, size_t length)
{
	const struct weir_trio *header = (const struct weir_trio *)packet;

	return length >= HEADER && !(header->flags & WEIR_TRIO_CONTROL) &&
	       ((header->grad_cnt[0] & 0xf) || header->grad_cnt[1]);
}

/* The packets of a message, which are lost together. */
static void arrive_all(struct refbox *box, unsigned int index)
{
	struct mmsghdr *message = &box->in.messages[index];
	const uint8_t *packet = box->in.vectors[index].iov_base;
	size_t left = message->msg_len, stride = stride_of(message);
	bool is_lost = !box->mute && faults_lose(&box->faults);

	box->counters.merged += left > stride;
	box->ecn = ecn_of(message);
	do {
		size_t length = left < stride ? left : stride;

		if (is_lost)
			box->counters.lost += is_contribution(packet, length);
		else
			arrive(box, &box->in.from[index], packet, length);
		packet += length;
		left -= length;
	} while (left);
}

/* Returns how many messages came. */
static int serve(struct refbox *box)
{
	struct inbox *in = &box->in;
	unsigned int held = box->held_in_count;
	int got;

	for (unsigned int i = 0; i < BATCH; i++) {
		in->messages[i].msg_hdr.msg_namelen = sizeof(in->from[i].v6);
		in->messages[i].msg_hdr.msg_controllen = sizeof(in->controls[i]);
	}
	got = recvmmsg(box->fd, in->messages, BATCH, MSG_DONTWAIT, NULL);
	for (int i = 0; i < got; i++) {
		in->from[i].length = in->messages[i].msg_hdr.msg_namelen;
		/* A packet that was cut off is longer than any contribution. */
		if (in->messages[i].msg_hdr.msg_flags & MSG_TRUNC)
			box->counters.refused++;
		else
			arrive_all(box, (unsigned int)i);
	}
	flush(box);
	if (held)
		release_in(box, held);
	release_out(box);
	complete_aged(box);
	notify_again(box);
	flush(box);
	return got > 0 ? got : 0;
}

/* Carries out another thread's orders. */
static void obey(struct refbox *box)
{
	struct order *order = &box->order;

	pthread_mutex_lock(&order->lock);
	if (order->what) {
		order->what(box, order->data);
		flush(box);
		order->what = NULL;
		pthread_cond_broadcast(&order->done);
	}
	pthread_mutex_unlock(&order->lock);
}

static void set_running(struct refbox *box, bool is_running)
{
	pthread_mutex_lock(&box->order.lock);
	box->order.is_running = is_running;
	pthread_mutex_unlock(&box->order.lock);
	obey(box);
}

static void wake(struct refbox *box)
{
	uint64_t one = 1;

	if (write(box->wake_fd, &one, sizeof(one)) < 0)
		abort();
}

static bool was_woken(struct refbox *box)
{
	uint64_t count;

	return read(box->wake_fd, &count, sizeof(count)) > 0;
}

/* Until when to sleep, where no packet comes. */
static int pause_ms(const struct refbox *box)
{
	uint32_t timeout = box->options.timeout_ms;

	return timeout && timeout / 4 < NOTICE_MS ? (int)(timeout / 4 + 1) : NOTICE_MS;
}

static int run(struct refbox *box)
{
	struct pollfd polls[] = {
		{ .fd = box->fd, .events = POLLIN },
		{ .fd = box->wake_fd, .events = POLLIN },
	};

	while (!atomic_load(&box->stopping)) {
		if (was_woken(box))
			obey(box);
		if (serve(box) || box->held_in_count)
			continue;
		if (poll(polls, 2, pause_ms(box)) < 0 && errno != EINTR)
			return -errno;
	}
	return 0;
}

int refbox_run(struct refbox *box)
{
	int err;

	set_running(box, true);
	err = run(box);
	set_running(box, false);
	return err;
}

void refbox_stop(struct refbox *box)
{
	atomic_store(&box->stopping, true);
	wake(box);
}

/* In the thread that runs the box, where there is one. */
static void have_done(struct refbox *box, void (*what)(struct refbox *box, void *data), void *data)
{
	struct order *order = &box->order;

	pthread_mutex_lock(&order->lock);
	if (!order->is_running) {
		what(box, data);
		pthread_mutex_unlock(&order->lock);
		return;
	}
	order->what = what;
	order->data = data;
	wake(box);
	while (order->what)
		pthread_cond_wait(&order->done, &order->lock);
	pthread_mutex_unlock(&order->lock);
}

/*
 * The addresses stay: an administrator would set them again. The generation may be the
 * same as before, by chance, and then mean another.
 */
static void reload(struct refbox *box, void *data)
{
	(void)data;
	box->begun = false;
	box->generation = (uint16_t)(box->options.generation + 4711 * (box->reloads++ / 2 % 2));
	box->secret = 0x9e3779b97f4a7c15 * box->reloads;
	box->start = 0;
	for (uint32_t i = 0; i < box->options.blocks; i++)
		box->slots[i].state = FREE;
	for (unsigned int i = 0; i < box->options.sources; i++)
		box->sources[i] = (struct source) { .address = box->sources[i].address };
}

void refbox_reload(struct refbox *box)
{
	have_done(box, reload, NULL);
}

/* Packets that the source has sent before are taken first: they are no sign of life after. */
static void bury(struct refbox *box, void *data)
{
	struct source *source = data;

	while (serve(box))
		;
	source->dead = true;
	notify_all(box);
}

void refbox_bury(struct refbox *box, unsigned int source)
{
	have_done(box, bury, &box->sources[source]);
}

static void exclude(struct refbox *box, void *data)
{
	struct source *source = data;

	source->dead = true;
	source->excluded = true;
	notify_all(box);
	for (uint32_t i = 0; i < box->options.blocks; i++)
		if (box->slots[i].state == OPEN && is_complete(box, &box->slots[i]))
			complete(box, &box->slots[i], 0);
}

void refbox_exclude(struct refbox *box, unsigned int source)
{
	have_done(box, exclude, &box->sources[source]);
}

static void overtake(struct refbox *box, void *data)
{
	struct source *source = data;

	source->late = true;
	source->overtaken = true;
	for (uint32_t i = 0; i < box->options.blocks; i++)
		if (box->slots[i].state == OPEN && is_complete(box, &box->slots[i]))
			complete(box, &box->slots[i], 0);
}

void refbox_overtake(struct refbox *box, unsigned int source)
{
	have_done(box, overtake, &box->sources[source]);
}

struct loss {
	unsigned int source;
	uint32_t block;
	unsigned int times;
};

static void lose(struct refbox *box, void *data)
{
	const struct loss *loss = data;

	box->sources[loss->source].losing = loss->block;
	box->sources[loss->source].losses = loss->times;
}

void refbox_lose(struct refbox *box, unsigned int source, uint32_t block, unsigned int times)
{
	struct loss loss = { source, block, times };

	have_done(box, lose, &loss);
}

static void mute(struct refbox *box, void *data)
{
	(void)data;
	box->mute = true;
}

void refbox_mute(struct refbox *box)
{
	have_done(box, mute, NULL);
}

static void unmute(struct refbox *box, void *data)
{
	(void)data;
	box->mute = false;
}

void refbox_unmute(struct refbox *box)
{
	have_done(box, unmute, NULL);
}

static void copy_counters(struct refbox *box, void *data)
{
	*(struct refbox_counters *)data = box->counters;
}

struct refbox_counters refbox_read(struct refbox *box)
{
	struct refbox_counters counters;

	have_done(box, copy_counters, &counters);
	return counters;
}

/* Making and unmaking. */

static size_t message_size(const struct refbox *box)
{
	return box->options.merge ? MESSAGE_BYTES : box->packet_size;
}

static bool make_memory(struct refbox *box)
{
	const struct refbox_options *o = &box->options;
	size_t size = box->packet_size;

	box->slots = calloc(o->blocks, sizeof(*box->slots));
	box->slot_memory = calloc(o->blocks, size);
	box->sums = calloc((size_t)o->blocks * o->grads, sizeof(*box->sums));
	box->in.memory = calloc(BATCH, message_size(box));
	box->held_memory = calloc(2 * HELD, size);
	box->forgery = calloc(1, size);
	if (!box->slots || !box->slot_memory || !box->sums || !box->in.memory || !box->held_memory ||
	    !box->forgery)
		return false;
	for (uint32_t i = 0; i < o->blocks; i++) {
		box->slots[i].packet = box->slot_memory + i * size;
		box->slots[i].sums = box->sums + (size_t)i * o->grads;
	}
	for (unsigned int i = 0; i < HELD; i++) {
		box->held_in[i].data = box->held_memory + i * size;
		box->held_out[i].data = box->held_memory + (HELD + i) * size;
	}
	return true;
}

static void make_inbox(struct refbox *box)
{
	struct inbox *in = &box->in;

	for (unsigned int i = 0; i < BATCH; i++) {
		in->vectors[i].iov_base = in->memory + i * message_size(box);
		in->vectors[i].iov_len = message_size(box);
		in->messages[i].msg_hdr.msg_control = &in->controls[i];
		in->messages[i].msg_hdr.msg_name = &in->from[i].any;
		in->messages[i].msg_hdr.msg_iov = &in->vectors[i];
		in->messages[i].msg_hdr.msg_iovlen = 1;
	}
}

/* All sources may have a whole window under way: room for these. */
static void raise_buffer(const struct refbox *box, int option, int forced)
{
	uint64_t wanted = (uint64_t)box->options.blocks * box->options.sources *
			  (box->packet_size + 4096);
	int size = wanted < INT32_MAX / 2 ? (int)wanted : INT32_MAX / 2;

	if (setsockopt(box->fd, SOL_SOCKET, forced, &size, sizeof(size)))
		setsockopt(box->fd, SOL_SOCKET, option, &size, sizeof(size));
}

static bool make_sockets(struct refbox *box)
{
	const struct refbox_options *o = &box->options;
	struct address address;
	int one = 1;

	if (!address_parse(&address, o->address, o->port) ||
	    (o->group && !address_parse(&box->group, o->group, o->port))) {
		errno = EINVAL;
		return false;
	}
	box->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	box->fd = socket(address.any.sa_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (box->wake_fd < 0 || box->fd < 0)
		return false;
	setsockopt(box->fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	setsockopt(box->fd, IPPROTO_IP, IP_RECVTOS, &one, sizeof(one));
	setsockopt(box->fd, IPPROTO_IPV6, IPV6_RECVTCLASS, &one, sizeof(one));
	if (o->merge)
		setsockopt(box->fd, SOL_UDP, UDP_GRO, &one, sizeof(one));
	raise_buffer(box, SO_RCVBUF, SO_RCVBUFFORCE);
	raise_buffer(box, SO_SNDBUF, SO_SNDBUFFORCE);
	return !bind(box->fd, &address.any, address.length);
}

struct refbox *refbox_open(const struct refbox_options *options)
{
	struct refbox *box = calloc(1, sizeof(*box));
	int err;

	if (!box)
		return NULL;
	box->options = *options;
	if (!box->options.quorum)
		box->options.quorum = options->sources;
	if (!box->options.dtype)
		box->options.dtype = WEIR_DTYPE_INT32;
	if (!box->options.op)
		box->options.op = WEIR_OP_SUM;
	pthread_mutex_init(&box->order.lock, NULL);
	pthread_cond_init(&box->order.done, NULL);
	box->fd = -1;
	box->wake_fd = -1;
	box->generation = options->generation;
	/* With room for an exponent, the contributors, a notice, and forged bytes. */
	box->packet_size = (HEADER + 8 * (size_t)options->grads + 63) / 64 * 64 + 128;
	faults_init(&box->faults, &options->faults);
	if (make_memory(box) && make_sockets(box)) {
		make_inbox(box);
		return box;
	}
	err = errno;
	refbox_close(box);
	errno = err;
	return NULL;
}

void refbox_close(struct refbox *box)
{
	if (box->fd >= 0)
		close(box->fd);
	if (box->wake_fd >= 0)
		close(box->wake_fd);
	free(box->slots);
	free(box->slot_memory);
	free(box->sums);
	free(box->in.memory);
	free(box->held_memory);
	free(box->forgery);
	free(box);
}

const struct refbox_counters *refbox_counters(const struct refbox *box)
{
	return &box->counters;
}

const struct faults_counters *refbox_faults(const struct refbox *box)
{
	return &box->faults.counters;
}
