// SPDX-License-Identifier: BSD-2-Clause
#include "join/standby.h"

#include <errno.h>
#include <sys/socket.h>

#include "base/time.h"
#include "comm/comm.h"
#include "join/join.h"
#include "join/said.h"
#include "packet/wire.h"
#include "path/socket.h"

/* Questions to other boxes in a failover time. */
#define LOOKS	4

/* Probe timeouts in a row without a packet of the box that make it silent; fewer than STANDBY_PROBES. */
#define UNHEARD	3

/*
 * Failover times after which a rank goes to a box behind its own, as ranks wait there; and more
 * than a box counts a rank that has left it with a join.
 */
#define BEHIND		4
#define JOIN_FORGOTTEN	(3 * NSEC_PER_SEC)

/*
 * For so long a rank does not go to boxes before the one that it has gone up to, as not all ranks
 * reach them; each time longer.
 */
#define SHUN_GROWTH	8
#define SHUN_CAP	(600 * NSEC_PER_SEC)

/* Failover times for which a box has to do its work before rank 0 goes back from it. */
#define BACK	4

/* Failover times for which rank 0 waits for the others where it has gone back to. */
#define FOLLOW	(2 * BEHIND)

/* Failover times for which a rank waits at another box with those that have come, before it goes home. */
#define GATHER	(2 * BEHIND)

/* Answers in a row that show that a box is there again. */
#define ANSWERS	3

static bool is_alone(const struct weir *comm)
{
	return comm->standby.count < 2;
}

static bool has_come(const struct weir *comm, uint64_t since, unsigned int times)
{
	return comm->now >= since + times * comm->config.failover;
}

static bool is_awaiting(const struct weir *comm)
{
	return state_is_asking(comm->state) || comm->window.flight;
}

static uint64_t last_progress(const struct weir *comm)
{
	return time_later(comm->progress, comm->standby.since);
}

static bool is_stalled(const struct weir *comm)
{
	return is_awaiting(comm) && has_come(comm, last_progress(comm), 1);
}

static bool is_silent(const struct weir *comm)
{
	return is_awaiting(comm) && (state_is_asking(comm->state) || comm->life.unheard >= UNHEARD) &&
	       has_come(comm, time_later(comm->life.heard, last_progress(comm)), 1);
}

/* Return true if this rank looks for a box before its own that is there again. */
static bool leads_back(const struct weir *comm)
{
	return !comm->config.rank && comm->standby.at && !state_is_asking(comm->state);
}

/* Return true if this rank has left the box of its generation, and has joined no other one since. */
static bool is_away(const struct weir *comm)
{
	return comm->member.blocks && state_is_moving(comm->state);
}

static void forget(struct other_box *other)
{
	other->unanswered = 0;
	other->answers = 0;
	other->waited_on = 0;
	other->cookie = 0;
}

static void arrive(struct weir *comm, unsigned int at)
{
	struct standby *standby = &comm->standby;

	standby->at = at;
	standby->since = comm->now;
	standby->again = comm->now;
	comm->life.unheard = 0;
	comm->life.doubts = 0;
	comm->path_errno = 0;
	comm->stats.moves++;
	for (unsigned int i = 0; i < standby->count; i++)
		forget(&standby->boxes[i]);
}

/* Packets of the box before may still come until the new one has answered. */
static void settle(struct weir *comm, unsigned int to)
{
	struct membership *member = &comm->member;
	struct standby *standby = &comm->standby;
	struct other_box *other = &standby->boxes[to];

	if (!state_is_moving(comm->state))
		standby->home = (struct home) {
			.box = standby->at,
			.nonce = member->nonce,
			.cookie = member->cookie,
		};
	member->nonce = standby->nonce;
	member->cookie = other->cookie;
	state_change(comm, RANK_LEFT);
	member->again = comm->now;
	member->repeat = JOIN_REPEAT_FIRST;
	arrive(comm, to);
}

/*
 * This rank is still in the generation there, which can go on: no other one has begun without it.
 * A box that has lost its state says so, and is joined again.
 */
static void resume(struct weir *comm)
{
	struct membership *member = &comm->member;
	const struct home *home = &comm->standby.home;

	member->nonce = home->nonce;
	member->cookie = home->cookie;
	state_change(comm, RANK_FOUND);
	comm->standby.from = 0;
	recovery_restart(&comm->recovery, comm->now);
	arrive(comm, home->box);
}

/* Ranks that wait at its own box have it join there, as at any other. */
static bool may_resume(const struct weir *comm, unsigned int at)
{
	const struct standby *standby = &comm->standby;

	return is_away(comm) && at == standby->home.box && !standby->boxes[at].waited_on;
}

/* Returns 1, or 0 where there is no way to that box; or a negative errno. */
static int go_to(struct weir *comm, unsigned int to)
{
	bool resumes = may_resume(comm, to);

	if (!socket_turn(comm, &comm->standby.boxes[to].address))
		return 0;
	if (resumes)
		resume(comm);
	else
		settle(comm, to);
	return said_number(comm, &comm->standby.nonce) ?: 1;
}

/* To the next that there is a way to. */
static int go_on(struct weir *comm)
{
	struct standby *standby = &comm->standby;

	for (unsigned int i = 1; i <= standby->count; i++) {
		int gone = go_to(comm, (standby->at + i) % standby->count);

		if (gone)
			return gone;
	}
	standby->since = comm->now;
	return 0;
}

/*
 * To a box behind this rank's own, as not all ranks come to those before it. A box counts for a
 * while who has left it, this rank too: without the shunning a rank would follow itself down
 * again, or one that is about to come up after it.
 */
static int go_up(struct weir *comm, unsigned int to)
{
	struct standby *standby = &comm->standby;

	for (unsigned int i = 0; i < to; i++)
		standby->boxes[i].shunned = comm->now + standby->shun;
	if (standby->shun < SHUN_CAP)
		standby->shun *= SHUN_GROWTH;
	standby->from = 0;
	return go_to(comm, to);
}

/* By itself; the others follow, or it returns. */
static int go_back(struct weir *comm, unsigned int to)
{
	unsigned int from = comm->standby.at;
	int gone = go_to(comm, to);

	if (gone > 0)
		comm->standby.from = from;
	else if (!gone)
		forget(&comm->standby.boxes[to]);
	return gone;
}

/* Return true if this rank waits at a box to which it has gone back by itself. */
static bool has_gone_back(const struct weir *comm)
{
	return comm->standby.from > comm->standby.at && state_is_asking(comm->state);
}

static bool nobody_follows(const struct weir *comm)
{
	return has_gone_back(comm) && has_come(comm, comm->standby.since, FOLLOW);
}

static bool is_shunned(const struct weir *comm, unsigned int index)
{
	return comm->now < comm->standby.boxes[index].shunned;
}

/* As a notice has said since this rank is here. */
static bool nobody_has_come(const struct weir *comm)
{
	const struct absence *absence = &comm->absence;

	return absence->noted >= comm->standby.since &&
	       bitmap_count(absence->ranks) + 1 >= comm->config.ranks;
}

/*
 * Return true if the box of its generation is there, and the others do not come here: they have all
 * that they wanted, and may have closed. Results that this rank lacks are retained for it there.
 */
static bool is_left_alone(const struct weir *comm)
{
	const struct standby *standby = &comm->standby;

	return may_resume(comm, standby->home.box) && !has_gone_back(comm) &&
	       standby->boxes[standby->home.box].answers &&
	       has_come(comm, standby->since, nobody_has_come(comm) ? 1 : GATHER);
}

/* Ranks that have waited since then at a box behind this rank's own are not those that left it. */
static bool is_lasting(const struct weir *comm, uint64_t since)
{
	return has_come(comm, since, BEHIND) && comm->now >= since + JOIN_FORGOTTEN;
}

/* The box where others wait and this rank is to go; its own where there is none. */
static unsigned int meeting(const struct weir *comm)
{
	const struct standby *standby = &comm->standby;

	for (unsigned int i = 0; i < standby->count; i++) {
		uint64_t since = standby->boxes[i].waited_on;

		if (!since || i == standby->at)
			continue;
		if (i < standby->at ? !is_shunned(comm, i) : is_lasting(comm, since))
			return i;
	}
	return standby->at;
}

/* The first box that is there again, before this rank's own; its own where there is none. */
static unsigned int restored(const struct weir *comm)
{
	const struct standby *standby = &comm->standby;

	for (unsigned int i = 0; i < standby->at; i++)
		if (standby->boxes[i].answers >= ANSWERS && !is_shunned(comm, i))
			return i;
	return standby->at;
}

/* Return the box that this rank is to go back to; its own if it is not to go back. */
static unsigned int way_back(const struct weir *comm)
{
	return leads_back(comm) && has_come(comm, comm->standby.since, BACK) ? restored(comm) :
									       comm->standby.at;
}

/* The others lack this rank as soon as they come to what it has not sent, and they do. */
static bool is_lacked(const struct weir *comm)
{
	return !comm->window.flight && comm->window.next < comm->queue.end;
}

bool standby_holds(const struct weir *comm)
{
	return !is_alone(comm) && way_back(comm) != comm->standby.at;
}

/* Forget the answers of a box that has not answered for long. */
static void forget_silent(const struct weir *comm, struct other_box *other)
{
	if (!other->unanswered) {
		other->unanswered = comm->now;
	} else if (has_come(comm, other->unanswered, 1)) {
		other->answers = 0;
		other->waited_on = 0;
	}
}

static void ask(struct weir *comm, unsigned int index)
{
	struct standby *standby = &comm->standby;
	struct other_box *other = &standby->boxes[index];
	const struct said said = { .nonce = standby->nonce };
	uint8_t packet[WIRE_JOIN];

	forget_silent(comm, other);
	said_put(comm, &said, packet);
	if (socket_aside(comm, &other->address))
		send(standby->fd, packet, sizeof(packet), 0);
}

static void ask_next(struct weir *comm)
{
	struct standby *standby = &comm->standby;

	do
		standby->asked = (standby->asked + 1) % standby->count;
	while (standby->asked == standby->at);
	ask(comm, standby->asked);
	standby->again = comm->now + comm->config.failover / (is_stalled(comm) ? LOOKS : 1);
}

static void take(struct weir *comm, const struct wire_join *answer)
{
	struct standby *standby = &comm->standby;
	struct other_box *other = &standby->boxes[standby->asked];

	if (answer->nonce != standby->nonce)
		return;
	other->unanswered = 0;
	other->answers++;
	other->cookie = answer->cookie;
	if (!answer->member)
		other->waited_on = 0;
	else if (!other->waited_on)
		other->waited_on = comm->now;
}

/* The socket is connected to the box that was asked last. */
static void take_answers(struct weir *comm)
{
	uint8_t packet[WIRE_JOIN];
	struct wire_header header;
	struct wire_join answer;
	ssize_t length;

	if (comm->standby.fd < 0)
		return;
	while ((length = recv(comm->standby.fd, packet, sizeof(packet), MSG_TRUNC)) >= 0) {
		if (length != (ssize_t)sizeof(packet) ||
		    !wire_get_header(&header, packet, sizeof(packet)) || !header.down ||
		    !said_is_answer(comm, &header, sizeof(packet)))
			continue;
		wire_get_join(&answer, packet);
		if ((header.flags & WEIR_TRIO_COOKIE) == WEIR_TRIO_COOKIE)
			take(comm, &answer);
	}
}

void standby_began(struct weir *comm)
{
	struct standby *standby = &comm->standby;

	/* All have come back from where they were: the next reason to go up is another one. */
	if (standby->home.box > standby->at)
		standby->shun = STANDBY_SHUN * comm->config.failover;
	standby->from = 0;
	standby->since = comm->now;
}

uint64_t standby_due(const struct weir *comm)
{
	if (is_alone(comm) || (!is_awaiting(comm) && !leads_back(comm)))
		return UINT64_MAX;
	if (is_stalled(comm) || leads_back(comm))
		return comm->standby.again;
	return last_progress(comm) + comm->config.failover;
}

static int change(struct weir *comm, unsigned int to)
{
	return to > comm->standby.at ? go_up(comm, to) : go_to(comm, to);
}

static int look(struct weir *comm)
{
	struct standby *standby = &comm->standby;
	unsigned int to = meeting(comm);

	if (is_stalled(comm) && to != standby->at)
		return change(comm, to);
	if (is_left_alone(comm))
		return change(comm, standby->home.box);
	to = way_back(comm);
	if (to != standby->at && is_lacked(comm))
		return go_back(comm, to);
	if (comm->now >= standby->again && (is_stalled(comm) || leads_back(comm)))
		ask_next(comm);
	return 0;
}

int standby_check(struct weir *comm)
{
	if (is_alone(comm))
		return 0;
	take_answers(comm);
	if (is_silent(comm))
		return go_on(comm);
	if (nobody_follows(comm))
		return go_up(comm, comm->standby.from);
	return look(comm);
}

int standby_called(struct weir *comm)
{
	const struct members *members = &comm->members;

	if (is_alone(comm) || state_is_asking(comm->state) || !is_stalled(comm) ||
	    !bitmap_count(members->waiting) || bitmap_has(members->waiting, comm->config.rank))
		return 0;
	return go_to(comm, comm->standby.at) < 0 ? comm->failed : 0;
}
