// SPDX-License-Identifier: BSD-2-Clause
#include "flow/recovery.h"

/*
 * An answer that comes sooner than any before is to an earlier sending, and is no answer to the last one. But not
 * where the box lacked the block: it could not answer before. Nor after a probe, where it is mostly to the
 * question: it comes at once, while answers to contributions wait for other ranks. pace_silent() allows for an
 * answer to the contribution.
 */
static bool is_to_earlier_sending(const struct recovery *recovery, const struct window_slot *slot, uint64_t now)
{
	bool may_be_quick = slot->asked == WINDOW_ASKED_SILENCE || (slot->has_reply && slot->is_wanted);

	return slot->tries > 1 && now - slot->sent < recovery->rtt.min && !may_be_quick;
}

/*
 * Return the time of sending before which an answer shows packets to be lost. An answer to a question
 * comes at once, while contributions that were sent before it wait for other ranks: it shows no more
 * than an answer to its own contribution would have.
 */
static uint64_t overtakes(const struct window_slot *slot)
{
	return slot->asked == WINDOW_ASKED_OVERTAKEN ? slot->contributed : slot->sent;
}

/* Return true if the block was sent once, before the last probe timeout, and after all that was answered then. */
static bool is_of_silence(const struct recovery *recovery, const struct window_slot *slot)
{
	return slot->tries == 1 && slot->sent < recovery->expired && slot->sent > recovery->expired_newest;
}

/* Move @newest. Return false if the answer is to a sending before it. */
static bool note_order(struct recovery *recovery, const struct window_slot *slot)
{
	/* Blocks sent again and answered before it were only late, and overtook nothing. */
	if (is_of_silence(recovery, slot))
		recovery->newest = slot->sent;
	if (overtakes(slot) < recovery->newest)
		return false;
	recovery->newest = overtakes(slot);
	return true;
}

/*
 * Note the time that an answer took. It is a sample if the packet was sent once, if the timer did not expire
 * meanwhile, and if no packet sent later has been answered before: else it was held up by a loss somewhere,
 * perhaps another rank's, and a timer that followed it would follow the other rank's timer.
 */
static void note_time(struct recovery *recovery, const struct window_slot *slot, uint64_t now, bool is_sample)
{
	/* Another block of the same message: it would change nothing. */
	if (slot->sent == recovery->newest && now == recovery->sampled)
		return;
	if (is_to_earlier_sending(recovery, slot, now) || !note_order(recovery, slot))
		return;
	if (!is_sample || slot->tries > 1 || slot->sent < recovery->expired)
		return;
	rtt_sample(&recovery->rtt, slot->sent, now);
	recovery->sampled = now;
}

void recovery_answered(struct recovery *recovery, const struct window_slot *slot, uint64_t now, bool is_sample)
{
	if (slot->contributed > recovery->newest_contributed)
		recovery->newest_contributed = slot->contributed;
	note_time(recovery, slot, now, is_sample);
	rtt_answered(&recovery->rtt);
	recovery->timer = now;
}

/* The reply to a block that was asked about twice may be to the first question. */
void recovery_replied(struct recovery *recovery, const struct window_slot *slot)
{
	rtt_answered(&recovery->rtt);
	if (slot->asked != WINDOW_NOT_ASKED && !slot->asked_again && slot->sent > recovery->newest_question)
		recovery->newest_question = slot->sent;
}

uint32_t recovery_expired(struct recovery *recovery, uint64_t now)
{
	/* Any answer restarts the timer: if they differ, one has come since it expired last. */
	if (recovery->timer != recovery->expired)
		recovery->probes = 1;
	else if (recovery->probes < RECOVERY_PROBES)
		recovery->probes *= 2;
	recovery->rtt.backoff++;
	recovery->timer = now;
	recovery->expired = now;
	recovery->expired_newest = recovery->newest;
	return recovery->probes;
}

uint64_t recovery_lost_at(const struct recovery *recovery, const struct window_slot *slot)
{
	uint64_t reordering = rtt_reordering(&recovery->rtt), newest = recovery->newest;

	if (slot->asked != WINDOW_NOT_ASKED && recovery->newest_question > newest)
		newest = recovery->newest_question;
	if (slot->sent >= newest)
		return UINT64_MAX;
	if (newest - slot->sent > reordering)
		return slot->sent;
	return slot->sent + recovery->rtt.latest + reordering;
}

uint64_t recovery_held_at(const struct recovery *recovery, const struct window_slot *slot)
{
	if (slot->contributed >= recovery->newest_contributed)
		return UINT64_MAX;
	return slot->replied + rtt_timeout(&recovery->rtt);
}
