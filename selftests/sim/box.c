// SPDX-License-Identifier: GPL-2.0
#include "box.h"

#include <err.h>

#include "gang.h"

#define SOURCES		64	/* bits of a block's word */
#define HEADER_PACKET	100	/* a question or a reply */

/* The weight of a packet in its source's share of marks: it is that of some windows. */
#define SHARE_GAIN	64

static void send_up(const struct box *box, const struct packet *like, enum packet_kind kind)
{
	const struct block *block = &box->blocks[like->number];
	struct packet packet = {
		.path = box->up,
		.to = &box->parent->from_below,
		.kind = kind,
		.bytes = kind == PACKET_QUESTION ? HEADER_PACKET : GANG_PACKET,
		.number = like->number,
		.extra = box->source,
	};

	if (kind == PACKET_CONTRIBUTION) {
		packet.sum = block->sum;
		packet.ranks = block->ranks;
		packet.marked = block->marked;
	}
	net_send(&packet);
}

static void send_result(const struct box *box, uint32_t number, unsigned int source)
{
	const struct block *block = &box->blocks[number];
	const struct packet packet = {
		.path = box->sources[source].down,
		.to = box->sources[source].to,
		.kind = PACKET_RESULT,
		.bytes = GANG_PACKET,
		.marked = block->marked,
		.number = number,
		.sum = block->sum,
		.ranks = block->ranks,
	};

	net_send(&packet);
}

static void send_wanted(const struct box *box, const struct packet *question)
{
	const struct packet packet = {
		.path = box->sources[question->extra].down,
		.to = box->sources[question->extra].to,
		.kind = PACKET_WANTED,
		.bytes = HEADER_PACKET,
		.number = question->number,
	};

	net_send(&packet);
}

/* The block has its result: all sources get it. */
static void answer_all(const struct box *box, uint32_t number)
{
	box->blocks[number].is_done = true;
	for (unsigned int source = 0; source < box->sources_count; source++)
		send_result(box, number, source);
}

/* At the root a sum that has its quorum is the result; elsewhere it goes up. */
static void pass_on(struct box *box, const struct packet *packet)
{
	struct block *block = &box->blocks[packet->number];

	block->is_passed = true;
	if (box->parent)
		send_up(box, packet, PACKET_CONTRIBUTION);
	else
		answer_all(box, packet->number);
}

/* Update the share of marked packets of a source, and the source whose packets are marked most. */
static void note_mark(struct box *box, const struct packet *packet)
{
	struct box_source *source = &box->sources[packet->extra];

	source->share -= source->share / SHARE_GAIN;
	if (packet->marked)
		source->share += BOX_SHARE_ALL / SHARE_GAIN;
	if (source->share > box->sources[box->worst].share)
		box->worst = packet->extra;
}

static void add(struct box *box, const struct packet *packet)
{
	struct block *block = &box->blocks[packet->number];
	bool before = block->marked;

	note_mark(box, packet);
	if (!block_add(block, packet))
		gang_counts.wrong++;
	if (box->only_worst && packet->extra != box->worst)
		block->marked = before;
	if (box->fault && packet->extra == 1 && !block_add(block, packet))
		gang_counts.wrong++;
	if (block->count >= box->quorum)
		pass_on(box, packet);
}

/* As in the module: what comes to an answered block gets the answer once more. */
static void contributed(struct box *box, const struct packet *packet)
{
	const struct block *block = &box->blocks[packet->number];
	bool is_new = !(block->seen & 1ULL << packet->extra);

	if (packet->marked && ranks_count(&packet->ranks) == 1)
		gang_counts.contributed_marked++;
	if (is_new && block->is_passed)
		gang_counts.late++;
	if (block->is_done)
		send_result(box, packet->number, packet->extra);
	else if (is_new && !block->is_passed)
		add(box, packet);
}

static void asked(struct box *box, const struct packet *packet)
{
	const struct block *block = &box->blocks[packet->number];

	if (block->is_done)
		send_result(box, packet->number, packet->extra);
	else if (block->is_passed)
		send_up(box, packet, PACKET_QUESTION);
	else if (!(block->seen & 1ULL << packet->extra))
		send_wanted(box, packet);
}

static void get_from_below(struct endpoint *endpoint, const struct packet *packet)
{
	struct box *box = container_of(endpoint, struct box, from_below);

	if (packet->kind == PACKET_QUESTION)
		asked(box, packet);
	else
		contributed(box, packet);
}

/* The parent's result becomes this block's, with a mark that it got on its way. */
static void get_from_above(struct endpoint *endpoint, const struct packet *packet)
{
	struct box *box = container_of(endpoint, struct box, from_above);
	struct block *block = &box->blocks[packet->number];

	if (block->is_done)
		return;
	if (packet->kind == PACKET_WANTED) {
		send_up(box, packet, PACKET_CONTRIBUTION);
		return;
	}
	block->sum = packet->sum;
	block->ranks = packet->ranks;
	block->marked = packet->marked;
	answer_all(box, packet->number);
}

void box_init(struct box *box, unsigned int sources, uint32_t blocks)
{
	if (sources > SOURCES)
		errx(1, "a box has %u sources; the model has room for %d", sources, SOURCES);
	box->from_below.receive = get_from_below;
	box->from_above.receive = get_from_above;
	box->quorum = sources;
	box->sources_count = sources;
	box->sources = sim_alloc(sources, sizeof(*box->sources));
	box->blocks = sim_alloc(blocks, sizeof(*box->blocks));
}
