// SPDX-License-Identifier: GPL-2.0
#include "refbox.h"

#include <arpa/inet.h>
#include <errno.h>
#include <net/if.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <weir_wire.h>

#include "address.h"

#define BATCH	32
/* Results that wait to be sent together; a block has as many as there are sources. */
#define OUTBOX	64
/* Packets that are held back, each way, to come out of order. */
#define HELD	32

#define HEADER	sizeof(struct weir_trio)
#define JOIN	(HEADER + sizeof(struct weir_join))

enum slot_state { FREE, OPEN, COMPLETE };

struct slot {
	enum slot_state state;
	uint32_t block;
	uint16_t count;
	uint16_t seen;
	bool overflow;
	uint64_t sources[REFBOX_SOURCES / 64];
	/* Sums in the machine's byte order while open, the whole result after. */
	uint8_t *packet;
};

struct source {
	bool bound;
	struct address address;
	uint32_t nonce;
	uint32_t next_nonce;
	bool joining;	/* heard since the last new number */
	bool waiting;	/* next_nonce is valid */
};

struct held {
	struct address address;
	size_t length;
	uint8_t *data;
};

struct outbox {
	unsigned int count;
	struct mmsghdr messages[OUTBOX];
	struct iovec vectors[OUTBOX];
	struct address to[OUTBOX];
};

struct inbox {
	struct mmsghdr messages[BATCH];
	struct iovec vectors[BATCH];
	struct address from[BATCH];
	uint8_t *memory;
};

struct refbox {
	struct refbox_options options;
	struct refbox_counters counters;
	struct faults faults;
	struct address group;
	int fd;
	int stop_fd;
	uint16_t generation;
	size_t packet_size;
	struct source sources[REFBOX_SOURCES];
	struct slot *slots;
	uint8_t *slot_memory;
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

/* Sending. */

static void flush(struct refbox *box)
{
	struct outbox *out = &box->out;
	unsigned int done = 0;

	while (done < out->count) {
		int sent = sendmmsg(box->fd, out->messages + done, out->count - done, 0);

		/* One that cannot be sent is lost, as on any network. */
		done += sent > 0 ? (unsigned int)sent : 1;
	}
	out->count = 0;
}

static void post(struct refbox *box, const struct address *to, const void *packet, size_t length)
{
	struct outbox *out = &box->out;
	unsigned int i = out->count++;

	out->to[i] = *to;
	out->vectors[i] = (struct iovec) { .iov_base = (void *)packet, .iov_len = length };
	out->messages[i].msg_hdr = (struct msghdr) {
		.msg_name = &out->to[i].any,
		.msg_namelen = out->to[i].length,
		.msg_iov = &out->vectors[i],
		.msg_iovlen = 1,
	};
	if (out->count == OUTBOX)
		flush(box);
}

static void post_forgery(struct refbox *box, const struct address *to, const void *packet,
			 size_t length)
{
	memcpy(box->forgery, packet, length);
	length = faults_mutate(&box->faults, box->forgery, length, box->packet_size);
	post(box, to, box->forgery, length);
	/* The next one takes the same memory. */
	flush(box);
}

static bool hold(struct held *held, unsigned int *count, const struct address *address,
		 const void *packet, size_t length)
{
	if (*count == HELD)
		return false;
	held[*count].address = *address;
	held[*count].length = length;
	memcpy(held[*count].data, packet, length);
	++*count;
	return true;
}

static void release_out(struct refbox *box)
{
	for (unsigned int i = 0; i < box->held_out_count; i++)
		post(box, &box->held_out[i].address, box->held_out[i].data,
		     box->held_out[i].length);
	flush(box);
	box->held_out_count = 0;
}

static void transmit(struct refbox *box, const struct address *to, const void *packet,
		     size_t length)
{
	struct faults *faults = &box->faults;

	box->counters.results++;
	if (faults_lose(faults))
		return;
	if (faults_double(faults))
		post(box, to, packet, length);
	if (faults_forge(faults))
		post_forgery(box, to, packet, length);
	if (faults_hold(faults) &&
	    hold(box->held_out, &box->held_out_count, to, packet, length))
		return;
	post(box, to, packet, length);
}

/* Joining. */

static void answer_join(struct refbox *box, const struct address *to, uint32_t nonce,
			uint8_t flags)
{
	const struct refbox_options *o = &box->options;
	uint16_t generation = htons(box->generation);
	uint8_t packet[JOIN];
	struct weir_trio header = {
		.job_id = o->job,
		.flags = WEIR_TRIO_CONTROL | flags,
		.src_cnt = (uint8_t)o->sources,
	};
	struct weir_join join = {
		.nonce = htonl(nonce),
		.ranks = htonl(o->sources),
		.blocks = htonl(o->blocks),
		.grads = htonl(o->grads),
	};

	memcpy(header.gen_id, &generation, sizeof(generation));
	memcpy(packet, &header, sizeof(header));
	memcpy(packet + HEADER, &join, sizeof(join));
	if (faults_lose(&box->faults))
		return;
	post(box, to, packet, sizeof(packet));
	/* The packet is this function's. */
	flush(box);
}

static bool all_joining(const struct refbox *box)
{
	for (unsigned int i = 0; i < box->options.sources; i++)
		if (!box->sources[i].joining)
			return false;
	return true;
}

static void begin_generation(struct refbox *box)
{
	box->generation++;
	for (uint32_t i = 0; i < box->options.blocks; i++)
		box->slots[i].state = FREE;
	for (unsigned int i = 0; i < box->options.sources; i++) {
		struct source *source = &box->sources[i];

		source->nonce = source->next_nonce;
		source->joining = false;
		source->waiting = false;
		source->bound = true;
		answer_join(box, &source->address, source->nonce, 0);
	}
}

static void take_join(struct refbox *box, const struct address *from, const uint8_t *packet,
		      size_t length)
{
	const struct refbox_options *o = &box->options;
	const struct weir_trio *header = (const struct weir_trio *)packet;
	struct source *source = &box->sources[header->src_id];
	struct weir_join join;
	uint32_t nonce;

	if (length != JOIN) {
		box->counters.refused++;
		return;
	}
	memcpy(&join, packet + HEADER, sizeof(join));
	nonce = ntohl(join.nonce);
	if (ntohl(join.ranks) != o->sources || ntohl(join.grads) > o->grads ||
	    header->src_id >= o->sources) {
		box->counters.misfits++;
		answer_join(box, from, nonce, WEIR_TRIO_DEGRADED);
		return;
	}
	box->counters.joins++;
	if (source->bound && source->nonce == nonce) {
		answer_join(box, from, nonce, 0);
		return;
	}
	if (!source->waiting || source->next_nonce != nonce)
		for (unsigned int i = 0; i < o->sources; i++)
			box->sources[i].joining = false;
	source->address = *from;
	source->next_nonce = nonce;
	source->waiting = true;
	source->joining = true;
	if (all_joining(box))
		begin_generation(box);
}

/* Summing. */

static int32_t *sums(const struct slot *slot)
{
	return (int32_t *)(slot->packet + HEADER);
}

/* Wraps as the module does, and tells; plain enough for the compiler's vectors. */
__attribute__((optimize("O3")))
static bool add(int32_t *restrict sum, const uint32_t *restrict wire, unsigned int count)
{
	uint32_t left = 0;

	for (unsigned int i = 0; i < count; i++) {
		uint32_t a = (uint32_t)sum[i];
		uint32_t b = ntohl(wire[i]);
		uint32_t s = a + b;

		left |= (a ^ s) & (b ^ s);
		sum[i] = (int32_t)s;
	}
	return left >> 31;
}

__attribute__((optimize("O3")))
static void to_wire(int32_t *sum, unsigned int count)
{
	for (unsigned int i = 0; i < count; i++)
		sum[i] = (int32_t)htonl((uint32_t)sum[i]);
}

static void open_slot(struct slot *slot, uint32_t block, uint16_t count)
{
	slot->state = OPEN;
	slot->block = block;
	slot->count = count;
	slot->seen = 0;
	slot->overflow = false;
	memset(slot->sources, 0, sizeof(slot->sources));
	memset(sums(slot), 0, 4 * (size_t)count);
}

static void write_header(const struct refbox *box, const struct slot *slot, uint8_t flags)
{
	uint16_t generation = htons(box->generation);
	uint16_t count = htons(slot->count);
	struct weir_trio *header = (struct weir_trio *)slot->packet;

	memset(header, 0, sizeof(*header));
	header->job_id = box->options.job;
	put32(header->block_id, slot->block);
	header->flags = flags;
	if (slot->overflow)
		header->flags |= WEIR_TRIO_OVERFLOW;
	if (slot->seen < box->options.sources)
		header->flags |= WEIR_TRIO_DEGRADED;
	header->src_cnt = (uint8_t)slot->seen;
	memcpy(header->gen_id, &generation, sizeof(generation));
	memcpy(header->grad_cnt, &count, sizeof(count));
}

static void send_to_all(struct refbox *box, const struct slot *slot)
{
	size_t length = HEADER + 4 * (size_t)slot->count;

	if (box->group.length) {
		transmit(box, &box->group, slot->packet, length);
		return;
	}
	for (unsigned int i = 0; i < box->options.sources; i++)
		transmit(box, &box->sources[i].address, slot->packet, length);
}

static void complete(struct refbox *box, struct slot *slot, uint8_t flags)
{
	slot->state = COMPLETE;
	to_wire(sums(slot), slot->count);
	write_header(box, slot, flags);
	box->counters.blocks++;
	box->counters.overflows += slot->overflow;
	send_to_all(box, slot);
}

static void take_into(struct refbox *box, struct slot *slot, const struct weir_trio *header,
		      const uint32_t *gradients)
{
	uint64_t *word = &slot->sources[header->src_id / 64];
	uint64_t bit = 1ULL << (header->src_id % 64);

	if (*word & bit) {
		box->counters.duplicates++;
		return;
	}
	*word |= bit;
	slot->seen++;
	slot->overflow |= add(sums(slot), gradients, slot->count);
	box->counters.contributions++;
	if (slot->seen == box->options.quorum)
		complete(box, slot, header->flags & WEIR_TRIO_FINAL);
}

static bool is_contribution(const struct refbox *box, const struct address *from,
			    const struct weir_trio *header, size_t length, uint16_t count)
{
	const struct source *source = &box->sources[header->src_id];

	return header->src_id < box->options.sources && source->bound &&
	       from->length == source->address.length &&
	       !memcmp(&from->any, &source->address.any, from->length) &&
	       header->src_cnt == 1 && !(header->flags & ~WEIR_TRIO_FINAL) &&
	       header->gen_id[0] == box->generation >> 8 &&
	       header->gen_id[1] == (box->generation & 0xff) && count &&
	       count <= box->options.grads && length == HEADER + 4 * (size_t)count;
}

static void take_contribution(struct refbox *box, const struct address *from,
			      const uint8_t *packet, size_t length)
{
	const struct weir_trio *header = (const struct weir_trio *)packet;
	uint16_t count = (uint16_t)((header->grad_cnt[0] & 0xf) << 8 | header->grad_cnt[1]);
	uint32_t block = get32(header->block_id);
	struct slot *slot = &box->slots[block & (box->options.blocks - 1)];

	if (faults_deaf(&box->faults))
		return;
	if (!is_contribution(box, from, header, length, count)) {
		box->counters.refused++;
		return;
	}
	if (slot->state == COMPLETE && slot->block == block) {
		box->counters.repeats++;
		transmit(box, from, slot->packet, HEADER + 4 * (size_t)slot->count);
		return;
	}
	if (slot->state == FREE ||
	    (slot->state == COMPLETE && (int32_t)(block - slot->block) > 0))
		open_slot(slot, block, count);
	if (slot->block != block || slot->count != count)
		box->counters.refused++;
	else
		take_into(box, slot, header, (const uint32_t *)(packet + HEADER));
}

static void take(struct refbox *box, const struct address *from, const uint8_t *packet,
		 size_t length)
{
	const struct weir_trio *header = (const struct weir_trio *)packet;

	if (length < HEADER || header->job_id != box->options.job)
		box->counters.refused++;
	else if (header->flags & WEIR_TRIO_CONTROL)
		take_join(box, from, packet, length);
	else
		take_contribution(box, from, packet, length);
}

/* Receiving. */

static void release_in(struct refbox *box, unsigned int count)
{
	for (unsigned int i = 0; i < count; i++)
		take(box, &box->held_in[i].address, box->held_in[i].data, box->held_in[i].length);
	/* What was held meanwhile moves up, by exchange: the memory goes along. */
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

	if (faults_lose(faults))
		return;
	if (faults_double(faults))
		take(box, from, packet, length);
	if (faults_hold(faults) && hold(box->held_in, &box->held_in_count, from, packet, length))
		return;
	take(box, from, packet, length);
}

/* Returns how many packets came. */
static int serve(struct refbox *box)
{
	struct inbox *in = &box->in;
	unsigned int held = box->held_in_count;
	int got;

	for (unsigned int i = 0; i < BATCH; i++)
		in->messages[i].msg_hdr.msg_namelen = sizeof(in->from[i].v6);
	got = recvmmsg(box->fd, in->messages, BATCH, MSG_DONTWAIT, NULL);
	for (int i = 0; i < got; i++) {
		in->from[i].length = in->messages[i].msg_hdr.msg_namelen;
		/* What is cut off is longer than any contribution. */
		if (in->messages[i].msg_hdr.msg_flags & MSG_TRUNC)
			box->counters.refused++;
		else
			arrive(box, &in->from[i], in->vectors[i].iov_base, in->messages[i].msg_len);
	}
	flush(box);
	if (held)
		release_in(box, held);
	release_out(box);
	return got > 0 ? got : 0;
}

int refbox_run(struct refbox *box)
{
	struct pollfd polls[] = {
		{ .fd = box->fd, .events = POLLIN },
		{ .fd = box->stop_fd, .events = POLLIN },
	};

	for (;;) {
		while (serve(box) || box->held_in_count)
			if (poll(&polls[1], 1, 0) > 0)
				return 0;
		if (poll(polls, 2, -1) < 0 && errno != EINTR)
			return -errno;
		if (polls[1].revents)
			return 0;
	}
}

void refbox_stop(struct refbox *box)
{
	uint64_t one = 1;

	if (write(box->stop_fd, &one, sizeof(one)) < 0)
		abort();
}

/* Making and unmaking. */

static bool make_memory(struct refbox *box)
{
	const struct refbox_options *o = &box->options;
	size_t size = box->packet_size;

	box->slots = calloc(o->blocks, sizeof(*box->slots));
	box->slot_memory = calloc(o->blocks, size);
	box->in.memory = calloc(BATCH, size);
	box->held_memory = calloc(2 * HELD, size);
	box->forgery = calloc(1, size);
	if (!box->slots || !box->slot_memory || !box->in.memory || !box->held_memory ||
	    !box->forgery)
		return false;
	for (uint32_t i = 0; i < o->blocks; i++)
		box->slots[i].packet = box->slot_memory + i * size;
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
		in->vectors[i].iov_base = in->memory + i * box->packet_size;
		in->vectors[i].iov_len = box->packet_size;
		in->messages[i].msg_hdr.msg_name = &in->from[i].any;
		in->messages[i].msg_hdr.msg_iov = &in->vectors[i];
		in->messages[i].msg_hdr.msg_iovlen = 1;
	}
}

/* All sources may have a whole window under way: room for what they allow. */
static void raise_buffer(const struct refbox *box, int option, int forced)
{
	uint64_t wanted = (uint64_t)box->options.blocks * box->options.sources *
			  (box->packet_size + 1024);
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
	box->stop_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	box->fd = socket(address.any.sa_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (box->stop_fd < 0 || box->fd < 0)
		return false;
	setsockopt(box->fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
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
	box->fd = -1;
	box->stop_fd = -1;
	box->generation = options->generation;
	box->packet_size = (HEADER + 4 * (size_t)options->grads + 63) / 64 * 64 + 64;
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
	if (box->stop_fd >= 0)
		close(box->stop_fd);
	free(box->slots);
	free(box->slot_memory);
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
