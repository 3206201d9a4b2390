// SPDX-License-Identifier: GPL-2.0
#include "lane.h"

#include "block.h"
#include "gang.h"

#define QUESTION_PACKET	100
#define OVERTAKEN	3	/* blocks; paths keep the order of packets */

/* The window grows by as many packets as a frame of that path is long, as libweir's does. */
#define PATH_MTU	9000

static void set_timer(struct lane *lane)
{
	if (!lane->timer.is_due)
		event_at(&lane->timer, lane->heard + rtt_timeout(&lane->rtt));
}

static void contribute(struct lane *lane, uint32_t block)
{
	struct packet packet = {
		.path = lane->up,
		.to = lane->box,
		.kind = PACKET_CONTRIBUTION,
		.bytes = GANG_PACKET,
		.number = block,
		.extra = lane->source,
		.sum = block_value(lane->rank, lane->tree, block),
	};

	packet.ranks.words[lane->rank / 64] = 1ULL << lane->rank % 64;
	lane->blocks[block].sent = event_now();
	gang_counts.contributed++;
	net_send(&packet);
}

static void ask(struct lane *lane, uint32_t block)
{
	const struct packet packet = {
		.path = lane->up,
		.to = lane->box,
		.kind = PACKET_QUESTION,
		.bytes = QUESTION_PACKET,
		.number = block,
		.extra = lane->source,
	};

	lane->blocks[block].is_asked = true;
	net_send(&packet);
}

static uint32_t room(const struct lane *lane)
{
	if (lane->fixed)
		return lane->flight < lane->fixed ? lane->fixed - lane->flight : 0;
	return pace_room(&lane->pace, lane->flight);
}

static void send_new(struct lane *lane)
{
	uint32_t before = lane->next;

	if (!lane->flight)
		lane->heard = event_now();
	for (; lane->next < lane->allowed && room(lane); lane->flight++)
		contribute(lane, lane->next++);
	if (lane->next != before)
		pace_sent(&lane->pace, lane->flight);
	if (lane->flight)
		set_timer(lane);
}

/* Blocks that later ones have overtaken: contribution or result is lost, the box knows which. */
static void ask_overtaken(struct lane *lane, uint32_t answered)
{
	for (; lane->checked + OVERTAKEN <= answered; lane->checked++) {
		struct lane_block *block = &lane->blocks[lane->checked];

		if (block->is_answered)
			continue;
		block->is_overtaken = true;
		ask(lane, lane->checked);
	}
}

static void check(const struct lane *lane, const struct packet *result)
{
	gang_counts.results++;
	gang_counts.results_marked += result->marked;
	gang_counts.lacking += lane->ranks - ranks_count(&result->ranks);
	if (!block_is_right(result, lane->tree))
		gang_counts.wrong++;
}

static void note_answer(struct lane *lane, const struct packet *result)
{
	struct lane_block *block = &lane->blocks[result->number];
	const struct pace_answer answer = {
		.blocks = 1,
		.marked = result->marked,
		.sent = block->sent,
		.again = block->is_again,
	};

	/* The contribution was there, so the result was lost. */
	if (block->is_overtaken && !block->is_again)
		pace_lost(&lane->pace, block->sent, event_now());
	if (block->is_asked || block->is_again)
		rtt_answered(&lane->rtt);
	else
		rtt_sample(&lane->rtt, block->sent, event_now());
	pace_answered(&lane->pace, &answer, event_now());
}

static void answered(struct lane *lane, const struct packet *result)
{
	check(lane, result);
	note_answer(lane, result);
	lane->blocks[result->number].is_answered = true;
	lane->flight--;
	lane->answered++;
	while (lane->base < lane->next && lane->blocks[lane->base].is_answered)
		lane->base++;
	ask_overtaken(lane, result->number);
	if (lane->answered == lane->allowed)
		lane->finished(lane);
	send_new(lane);
}

/* The box lacks the contribution: it was lost. */
static void wanted(struct lane *lane, uint32_t number)
{
	struct lane_block *block = &lane->blocks[number];

	pace_lost(&lane->pace, block->sent, event_now());
	block->is_again = true;
	gang_counts.again++;
	contribute(lane, number);
}

static void get_result(struct endpoint *endpoint, const struct packet *packet)
{
	struct lane *lane = container_of(endpoint, struct lane, results);

	/* As in libweir: nobody waits for a block that was not sent, and its result comes again. */
	if (packet->number >= lane->next || lane->blocks[packet->number].is_answered)
		return;
	lane->heard = event_now();
	if (packet->kind == PACKET_WANTED)
		wanted(lane, packet->number);
	else
		answered(lane, packet);
}

static void look_for_silence(struct event *event)
{
	struct lane *lane = container_of(event, struct lane, timer);

	if (!lane->flight)
		return;
	if (event_now() >= lane->heard + rtt_timeout(&lane->rtt)) {
		gang_counts.timeouts++;
		lane->rtt.backoff++;
		lane->heard = event_now();
		ask(lane, lane->base);
	}
	set_timer(lane);
}

void lane_init(struct lane *lane, uint32_t blocks, uint32_t ceiling, bool has_rule)
{
	lane->results.receive = get_result;
	lane->timer.run = look_for_silence;
	lane->fixed = has_rule ? 0 : ceiling;
	lane->blocks = sim_alloc(blocks, sizeof(*lane->blocks));
	pace_init(&lane->pace, ceiling, (uint32_t)((uint64_t)PATH_MTU * PACE_ONE / GANG_PACKET));
}

void lane_allow(struct lane *lane, uint32_t blocks)
{
	lane->allowed = blocks;
	send_new(lane);
}
