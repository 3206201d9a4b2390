// SPDX-License-Identifier: BSD-2-Clause
/* Take a rank's position among the calls of all ranks, and continue at another rank's position. */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "base/sized.h"
#include "call/driver.h"
#include "call/trees.h"
#include "comm/comm.h"
#include "comm/error.h"
#include "comm/guard.h"
#include "path/behind.h"
#include "request/ack.h"
#include "request/progress.h"
#include "request/request.h"

_Static_assert(sizeof(((struct weir_position *)0)->blocks) == TREES_MAX * sizeof(uint64_t),
	       "a position has a block for each tree");

/* The communicator of a tree, or the one that there is. */
static struct weir *tree_of(struct weir *comm, unsigned int tree)
{
	return comm->trees ? comm->trees->tree[tree] : comm;
}

static unsigned int tree_count(const struct weir *comm)
{
	return comm->trees ? comm->trees->count : 1;
}

static int enter(struct weir *comm)
{
	int err = guard_enter(comm);

	if (err || !comm->trees)
		return err;
	err = trees_enter(comm);
	if (err)
		driver_leave(comm);
	return err;
}

static void leave(struct weir *comm)
{
	if (comm->trees)
		trees_leave(comm);
	driver_leave(comm);
}

/* A rank that is not in step with the others has no position. */
static int check_state(struct weir *comm)
{
	if (comm->trees)
		trees_check(comm);
	if (comm->failed)
		return comm->failed;
	return state_is_behind(comm->state) ? trees_refuse(comm) : 0;
}

static struct weir_position own(struct weir *comm)
{
	const struct config *config = &comm->config;
	struct weir_position position = {
		.sequence = comm->queue.begun,
		.job = config->job,
		.trees = tree_count(comm),
		.ranks = config->ranks,
		.grads = config->grads,
	};

	for (unsigned int i = 0; i < position.trees; i++)
		position.blocks[i] = tree_of(comm, i)->queue.end;
	return position;
}

int weir_position(struct weir *comm, struct weir_position *position)
{
	struct weir_position here;
	int err = enter(comm);

	if (err)
		return err;
	err = check_state(comm);
	if (!err) {
		here = own(comm);
		err = sized_out(position, position->size, &here, sizeof(here));
	}
	leave(comm);
	return err;
}

static int check_form(struct weir *comm, const struct weir_position *there)
{
	struct weir_position here = own(comm);

	if (there->job == here.job && there->trees == here.trees && there->ranks == here.ranks &&
	    there->grads == here.grads)
		return 0;
	return error_refuse(comm, -EINVAL,
			    "the position is one in job %u of %u trees, %u ranks and %u grads, and rank %u "
			    "is in job %u of %u trees, %u ranks and %u grads",
			    there->job, there->trees, there->ranks, there->grads, comm->config.rank,
			    here.job, here.trees, here.ranks, here.grads);
}

static bool is_under_way(const struct weir *comm)
{
	for (const struct weir_request *request = comm->queue.head; request; request = request->next)
		if (request->left && !request_has_failed(request))
			return true;
	return false;
}

/* The box has to have the results from there on, and this rank must not have been further. */
static int check_place(struct weir *comm, unsigned int tree, uint64_t block)
{
	const struct weir *one = tree_of(comm, tree);
	const struct behind *behind = &one->behind;

	if (state_is_behind(one->state) && block < behind->oldest)
		return error_refuse(comm, -ESTALE,
				    "the position is at block %" PRIu64 " of job %u, and %s has results from "
				    "block %" PRIu64 " on only: take one of a rank that is further",
				    block, one->config.job, one->config.box_text, behind->oldest);
	if (state_is_behind(one->state))
		return 0;
	if (is_under_way(one))
		return error_refuse(comm, -EINVAL,
				    "rank %u has not fallen behind, and has requests under way: wait for "
				    "them first",
				    one->config.rank);
	if (block < one->queue.end)
		return error_refuse(comm, -EINVAL,
				    "the position is at block %" PRIu64 " of job %u, and rank %u is at block "
				    "%" PRIu64 " already",
				    block, one->config.job, one->config.rank, one->queue.end);
	return 0;
}

static int resume(struct weir *comm, const struct weir_position *there)
{
	unsigned int trees = tree_count(comm);
	int err = check_form(comm, there);

	for (unsigned int i = 0; i < trees && !err; i++)
		err = check_place(comm, i, there->blocks[i]);
	for (unsigned int i = 0; i < trees && !err; i++) {
		struct weir *one = tree_of(comm, i);

		one->now = rtt_now();
		behind_end(one, there->blocks[i], there->sequence);
		err = ack_resumed(one);
	}
	if (err)
		return err;
	if (comm->trees)
		state_change(comm, RANK_RESUMED);
	comm->queue.begun = there->sequence;
	return 0;
}

int weir_resume(struct weir *comm, const struct weir_position *position)
{
	struct weir_position there;
	int err = enter(comm);

	if (err)
		return err;
	if (comm->trees)
		trees_check(comm);
	err = comm->failed;
	if (!err) {
		err = sized_in(&there, sizeof(there), position, sizeof(there));
		if (err)
			error_refuse(comm, err,
				     "the position's size is %zu: it was made by another version of the library",
				     position->size);
	}
	if (!err)
		err = resume(comm, &there);
	leave(comm);
	return err;
}
