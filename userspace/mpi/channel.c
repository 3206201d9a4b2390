// SPDX-License-Identifier: BSD-2-Clause
/* A job of the box's, with MPI behind it. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "channel.h"
#include "say.h"

/* Of messages that tell of a loss. */
#define TAG_LOST	1

#define SENTENCE_LENGTH	256

static size_t call_bytes(const struct call *call)
{
	return (size_t)call->count * type_bytes(call->type);
}

static void call_free(struct channel *channel, struct call *call)
{
	if (!call)
		return;
	buffers_give(&channel->buffers, call->stage);
	free(call->owed);
	free(call);
}

/* To be told to MPI by a thread that may call it. */
static void owe(struct channel *channel, struct call *call)
{
	call->owed->next = channel->owed;
	channel->owed = call->owed;
	call->owed = NULL;
}

static void pay_all(struct channel *channel)
{
	struct owed *owed;

	while ((owed = channel->owed)) {
		channel->owed = owed->next;
		PMPI_Grequest_complete(owed->general);
		free(owed);
	}
}

int channel_by_mpi(struct channel *channel, const struct call *call, void *out,
		   MPI_Request *request)
{
	switch (call->kind) {
	case CALL_REDUCE:
		return PMPI_Reduce(call->in, out, call->count, call->datatype, call->op, call->root,
				   channel->peers);
	case CALL_IALLREDUCE:
		return PMPI_Iallreduce(call->in, out, call->count, call->datatype, call->op,
				       channel->peers, request);
	default:
		return PMPI_Allreduce(call->in, out, call->count, call->datatype, call->op,
				      channel->peers);
	}
}

/* The oldest call has its result. */
static void finish(struct channel *channel)
{
	struct call *call = channel->first, **kept;

	channel->first = call->next;
	if (!channel->first)
		channel->last = NULL;
	channel->begun--;
	kept = &channel->kept[channel->finished++ % CHANNEL_DEPTH];
	call_free(channel, *kept);
	*kept = call;
	if (call->out && call->err == MPI_SUCCESS)
		memcpy(call->out, call->stage.memory, call_bytes(call));
	*call->outcome = (struct outcome){ .err = call->err, .by_box = !call->by_mpi };
	if (call->owed)
		owe(channel, call);
}

static void begin_one_by_mpi(struct channel *channel, struct call *call)
{
	call->by_mpi = true;
	call->err = channel_by_mpi(channel, call, call->stage.memory, &call->inner);
}

/* MPI does the oldest call; an iallreduce of its own then has to be tested. */
static void do_by_mpi(struct channel *channel)
{
	struct call *call = channel->first;

	begin_one_by_mpi(channel, call);
	if (call->kind != CALL_IALLREDUCE || call->err != MPI_SUCCESS)
		finish(channel);
}

/* The ranks could not compare how far they have come. */
static void fail_all(struct channel *channel, int err)
{
	while (channel->first) {
		channel->first->err = err;
		finish(channel);
	}
}

static void tell_others(struct channel *channel)
{
	MPI_Request request;
	char none = 0;

	for (int rank = 0; rank < channel->ranks; rank++) {
		if (rank == channel->rank)
			continue;
		PMPI_Isend(&none, 0, MPI_CHAR, rank, TAG_LOST, channel->peers, &request);
		PMPI_Request_free(&request);
	}
}

/* No message is left behind. */
static int hear_others(struct channel *channel)
{
	int err = MPI_SUCCESS;
	char none;

	for (int rank = 0; rank < channel->ranks && err == MPI_SUCCESS; rank++)
		if (rank != channel->rank && channel->positions[rank].told)
			err = PMPI_Recv(&none, 0, MPI_CHAR, rank, TAG_LOST, channel->peers,
					MPI_STATUS_IGNORE);
	return err;
}

/* The rank at @root has finished @most, and gives the others the results that they lack. */
static int catch_up(struct channel *channel, uint64_t least, uint64_t most, int root)
{
	int err = MPI_SUCCESS;

	for (uint64_t number = least; number < most && err == MPI_SUCCESS; number++) {
		bool lacking = number >= channel->finished;
		struct call *call = channel->first;

		if (!lacking)
			call = channel->kept[number % CHANNEL_DEPTH];
		err = PMPI_Bcast(call->stage.memory, call->count, call->datatype, root,
				 channel->peers);
		if (lacking && err == MPI_SUCCESS)
			finish(channel);
	}
	return err;
}

static void begin(struct channel *channel, struct call *call);

/*
 * All ranks have lost the box, and meet. Returns an error of MPI's, and in @most how many reductions
 * any of them has finished.
 */
static int meet(struct channel *channel, bool told, uint64_t *most)
{
	struct position mine = { .finished = channel->finished, .told = told };
	const struct position *all = channel->positions;
	uint64_t least = UINT64_MAX;
	int root = 0, err;

	*most = 0;
	err = PMPI_Allgather(&mine, 2, MPI_UINT64_T, channel->positions, 2, MPI_UINT64_T,
			     channel->peers);
	if (err == MPI_SUCCESS)
		err = hear_others(channel);
	if (err != MPI_SUCCESS)
		return err;
	for (int rank = 0; rank < channel->ranks; rank++) {
		if (all[rank].finished < least)
			least = all[rank].finished;
		if (all[rank].finished > *most) {
			*most = all[rank].finished;
			root = rank;
		}
	}
	return catch_up(channel, least, *most, root);
}

static uint64_t leave_box(struct channel *channel, bool told)
{
	struct weir *weir = channel->weir;
	uint64_t most;
	int err;

	channel->weir = NULL;
	err = meet(channel, told, &most);
	weir_close(weir);
	if (err != MPI_SUCCESS)
		fail_all(channel, err);
	channel->begun = 0;
	return most;
}

/* They are in the same order on all ranks, and so MPI's. */
static void begin_by_mpi(struct channel *channel)
{
	for (struct call *call = channel->first, *next; call; call = next) {
		next = call->next;
		begin(channel, call);
	}
}

/*
 * With one job all are lost: ranks that lose different ones at a time would wait for each other at
 * different meetings. So they come to all of them, in the same order.
 */
static void lose(struct channel *channel, bool told, const char *reason)
{
	char sentence[SENTENCE_LENGTH];
	uint64_t sum = 0;

	/* The library's own is gone with its communicator. */
	snprintf(sentence, sizeof(sentence), "%s", reason);
	say_debug(channel->rank, "the box is lost: %s", sentence);
	if (told)
		tell_others(channel);
	for (struct channel *each = channel->head; each; each = each->sibling)
		if (each->weir)
			sum += leave_box(each, told && each == channel);
	if (channel->rank == 0)
		say("MPI goes on without the box after %llu reductions: %s",
		    (unsigned long long)sum, sentence);
	for (struct channel *each = channel->head; each; each = each->sibling)
		begin_by_mpi(each);
}

static void begin(struct channel *channel, struct call *call)
{
	channel->begun++;
	if (!channel->weir) {
		begin_one_by_mpi(channel, call);
		return;
	}
	call->state = weir_iallreduce(channel->weir, call->in, call->stage.memory,
				      (size_t)call->count, call->type, channel->operation,
				      WEIR_ACCEPT_OVERFLOW, NULL, &call->request);
}

/* None behind one that has failed: the ranks' would no longer be in the same order. */
static void begin_more(struct channel *channel)
{
	struct call *call = channel->first;
	bool failed = false;

	for (unsigned int i = 0; call && i < channel->begun; i++) {
		failed |= call->state < 0;
		call = call->next;
	}
	while (channel->weir && call && channel->begun < CHANNEL_DEPTH && !failed) {
		begin(channel, call);
		failed = call->state < 0;
		call = call->next;
	}
}

/* Return true if MPI has finished the oldest call. Only an iallreduce takes time. */
static bool mpi_has_finished(struct call *call)
{
	int flag = 1;

	if (call->kind == CALL_IALLREDUCE && call->err == MPI_SUCCESS)
		call->err = PMPI_Test(&call->inner, &flag, MPI_STATUS_IGNORE);
	return flag || call->err != MPI_SUCCESS;
}

static int ask_box(struct call *call)
{
	if (!call->state)
		call->state = weir_test(&call->request);
	return call->state;
}

/* Returns whether the oldest call has finished. */
static bool advance(struct channel *channel)
{
	struct call *call = channel->first;
	int state;

	if (!channel->weir || call->inner != MPI_REQUEST_NULL) {
		if (!mpi_has_finished(call))
			return false;
		finish(channel);
		return true;
	}
	state = ask_box(call);
	if (!state)
		return false;
	if (state == 1) {
		finish(channel);
	} else if (state == -ENODATA) {
		/* All ranks have this result, and find it too poor. */
		say_debug(channel->rank, "a reduction is done again by MPI: %s",
			  weir_error(channel->weir));
		do_by_mpi(channel);
	} else {
		lose(channel, true, weir_error(channel->weir));
	}
	return true;
}

/* The question makes MPI's own progress, too. */
void channel_listen(struct channel *channel)
{
	int flag = 0;

	PMPI_Iprobe(MPI_ANY_SOURCE, TAG_LOST, channel->peers, &flag, MPI_STATUS_IGNORE);
	if (flag && channel->weir)
		lose(channel, false, "another rank has lost it");
}

bool channel_test(struct channel *channel, uint64_t number)
{
	begin_more(channel);
	while (channel->first && advance(channel))
		begin_more(channel);
	pay_all(channel);
	return channel->finished > number;
}

/* Return true if the oldest call is one for the box, and not for MPI. */
static bool is_by_box(const struct channel *channel)
{
	const struct call *call = channel->first;

	return channel->weir && call && call->inner == MPI_REQUEST_NULL && call->state >= 0;
}

void channel_drive(struct channel *channel)
{
	begin_more(channel);
	while (is_by_box(channel) && ask_box(channel->first) == 1) {
		finish(channel);
		begin_more(channel);
	}
}

bool channel_is_busy(const struct channel *channel)
{
	return channel->first || channel->owed;
}

unsigned int channel_poll(struct channel *channel, struct pollfd fds[CHANNEL_FDS], int *ms)
{
	struct weir_poll wanted = { .size = sizeof(wanted) };
	uint64_t box_ms;

	if (!is_by_box(channel))
		return 0;
	weir_get_poll(channel->weir, &wanted);
	fds[0] = (struct pollfd){ wanted.fd, POLLIN | (wanted.writable ? POLLOUT : 0), 0 };
	fds[1] = (struct pollfd){ wanted.group_fd, POLLIN, 0 };
	box_ms = (wanted.timeout_us + 999) / 1000;
	if (box_ms < (uint64_t)*ms)
		*ms = (int)box_ms;
	return CHANNEL_FDS;
}

static void wait_for_box(struct channel *channel, int ms)
{
	struct pollfd fds[CHANNEL_FDS];
	unsigned int count = channel_poll(channel, fds, &ms);

	if (!count || poll(fds, count, ms) != 0)
		return;
	for (struct channel *each = channel->head; each; each = each->sibling)
		channel_listen(each);
}

/* A rank that comes to this call later may wait for what this one has begun by another job. */
static void test_others(struct channel *channel)
{
	for (struct channel *each = channel->head; each; each = each->sibling)
		if (each != channel && channel_is_busy(each))
			channel_test(each, 0);
}

bool channel_wait(struct channel *channel, uint64_t number, int ms)
{
	if (channel_test(channel, number))
		return true;
	wait_for_box(channel, ms);
	test_others(channel);
	return channel_test(channel, number);
}

/* Returns NULL if there is no memory. */
static struct call *copy_of(struct channel *channel, const struct call *call)
{
	struct call *copy = malloc(sizeof(*copy));

	if (!copy)
		return NULL;
	*copy = *call;
	copy->stage = buffers_take(&channel->buffers, call_bytes(call));
	copy->owed = call->kind == CALL_IALLREDUCE ? malloc(sizeof(*copy->owed)) : NULL;
	if (!copy->stage.memory || (call->kind == CALL_IALLREDUCE && !copy->owed)) {
		call_free(channel, copy);
		return NULL;
	}
	if (copy->owed)
		copy->owed->general = call->general;
	copy->request = NULL;
	copy->state = 0;
	copy->inner = MPI_REQUEST_NULL;
	copy->by_mpi = false;
	copy->err = MPI_SUCCESS;
	copy->next = NULL;
	return copy;
}

int channel_submit(struct channel *channel, const struct call *call, uint64_t *number)
{
	struct call *copy = copy_of(channel, call);

	if (!copy)
		return MPI_ERR_NO_MEM;
	if (channel->last)
		channel->last->next = copy;
	else
		channel->first = copy;
	channel->last = copy;
	begin_more(channel);
	*number = channel->submitted++;
	return MPI_SUCCESS;
}

int channel_init(struct channel *channel, MPI_Comm comm)
{
	int err = PMPI_Comm_dup(comm, &channel->peers);

	if (err == MPI_SUCCESS)
		err = PMPI_Comm_set_errhandler(channel->peers, MPI_ERRORS_RETURN);
	channel->positions = calloc((size_t)channel->ranks, sizeof(*channel->positions));
	return err == MPI_SUCCESS && !channel->positions ? MPI_ERR_NO_MEM : err;
}

void channel_close(struct channel *channel)
{
	weir_close(channel->weir);
	channel->weir = NULL;
	for (int i = 0; i < CHANNEL_DEPTH; i++) {
		call_free(channel, channel->kept[i]);
		channel->kept[i] = NULL;
	}
	buffers_free(&channel->buffers);
	free(channel->positions);
	channel->positions = NULL;
}
