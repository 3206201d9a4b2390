// SPDX-License-Identifier: BSD-2-Clause
/* Set up the jobs on all ranks: all ranks go by the box, or none. */
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "background.h"
#include "imports.h"
#include "members.h"
#include "named.h"
#include "say.h"
#include "settings.h"
#include "threads.h"
#include "world.h"

/* Number of looks for the other ranks before sleeping. */
#define LOOKS	100

enum state {
	STATE_NEW,	/* no blocking reduction of all ranks yet that a job might take */
	STATE_BOX,
	STATE_MPI,	/* there is no box, or it is over */
};

static struct {
	enum state state;
	struct settings settings;
	bool confirms;	/* some rank has no thread that may call MPI */
	bool iallreduces;	/* some rank's program may make them */
	MPI_Comm peers;
	int rank;
	int ranks;
	struct channel channels[SETTINGS_JOBS];
	unsigned int count;
} world;

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static unsigned int calls;	/* that have had it */

void world_lock(void)
{
	pthread_mutex_lock(&mutex);
	calls++;
}

bool world_try_lock(void)
{
	if (pthread_mutex_trylock(&mutex))
		return false;
	calls++;
	return true;
}

bool world_lock_if_quiet(unsigned int *visits)
{
	unsigned int last = *visits;

	if (pthread_mutex_trylock(&mutex))
		return false;
	*visits = calls;
	if (last == calls)
		return true;
	pthread_mutex_unlock(&mutex);
	return false;
}

void world_unlock(void)
{
	pthread_mutex_unlock(&mutex);
}

/* Returns the first rank's fault, or NULL. All ranks call it. */
static const char *first_fault(const char mine[FAULT_LENGTH])
{
	static char first[FAULT_LENGTH + 32];
	char *all = calloc((size_t)world.ranks, FAULT_LENGTH);
	const char *found = NULL;

	if (!all)
		PMPI_Abort(world.peers, 1);
	if (PMPI_Allgather(mine, FAULT_LENGTH, MPI_CHAR, all, FAULT_LENGTH, MPI_CHAR, world.peers))
		found = "MPI has failed";
	for (int rank = 0; rank < world.ranks && !found; rank++) {
		if (!all[rank * FAULT_LENGTH])
			continue;
		snprintf(first, sizeof(first), "rank %d: %s", rank, all + rank * FAULT_LENGTH);
		found = first;
	}
	free(all);
	return found;
}

/* Jobs and packets must be the same; of the threshold and a run's name rank 0's count. */
static const char *agree_on_settings(void)
{
	struct settings *mine = &world.settings, zero;
	char fault[FAULT_LENGTH] = "";

	settings_read(mine, fault);
	zero = *mine;
	if (PMPI_Bcast(&zero, sizeof(zero), MPI_BYTE, 0, world.peers))
		strcpy(fault, "MPI has failed");
	mine->min_bytes = zero.min_bytes;
	memcpy(mine->run, zero.run, sizeof(mine->run));
	if (!*fault && world.ranks > 256)
		strcpy(fault, "there are more than 256 ranks");
	if (!*fault && memcmp(mine, &zero, sizeof(zero)))
		strcpy(fault, "WEIR_BOX, WEIR_JOB or WEIR_GRADS differ from rank 0's");
	return first_fault(fault);
}

/* Open a communicator. @place: the options that name the job. Return 0, or -1 and a sentence. */
static int open_channel(struct channel *channel, const struct weir_options *place,
			char fault[FAULT_LENGTH])
{
	struct weir_stats stats = { .size = sizeof(stats) };
	struct weir_options options = *place;
	uint64_t seconds = 0, window = 0, progress = 0;

	if (settings_number("WEIR_TIMEOUT", 1000000, &seconds, fault) ||
	    settings_number("WEIR_WINDOW", UINT32_MAX, &window, fault) ||
	    settings_number("WEIR_PROGRESS", 1, &progress, fault))
		return -1;
	options.size = sizeof(options);
	options.bind_address = getenv("WEIR_BIND");
	options.group = getenv("WEIR_GROUP");
	options.interface = getenv("WEIR_INTERFACE");
	options.rank = (uint16_t)world.rank;
	options.ranks = (uint16_t)world.ranks;
	options.grads = (uint16_t)world.settings.grads;
	options.timeout_ms = (uint32_t)seconds * 1000;
	options.window = (uint32_t)window;
	options.flags = progress ? WEIR_PROGRESS : 0;
	if (weir_open(&channel->weir, &options)) {
		snprintf(fault, FAULT_LENGTH, "%s", weir_error(NULL));
		return -1;
	}
	weir_get_stats(channel->weir, &stats);
	channel->type = stats.type;
	channel->operation = stats.operation;
	return 0;
}

/* Waits for a call of the library's own, at which all meet. Returns an error of MPI's. */
static int attend(MPI_Request *request)
{
	int flag = 0, err;

	for (int looks = 0;; looks++) {
		err = PMPI_Test(request, &flag, MPI_STATUS_IGNORE);
		if (err != MPI_SUCCESS || flag)
			return err;
		for (unsigned int i = 0; i < world.count; i++) {
			channel_test(&world.channels[i], 0);
			channel_listen(&world.channels[i]);
		}
		if (looks < LOOKS)
			sched_yield();
		else
			poll(NULL, 0, 1);
	}
}

/*
 * A rank may have its last result, and others have lost the box before they had it; or they wait
 * for a result that this rank has not sent all for.
 */
static int wait_for_all(void)
{
	MPI_Request barrier;
	int err = PMPI_Ibarrier(world.peers, &barrier);

	return err != MPI_SUCCESS ? err : attend(&barrier);
}

int world_confirm(void)
{
	return world.confirms && world.state == STATE_BOX ? wait_for_all() : MPI_SUCCESS;
}

static void close_all(void)
{
	while (world.count)
		channel_close(&world.channels[--world.count]);
}

/* All ranks call it. One communicator for each, so that their messages cannot mix. */
static struct channel *add_channel(char fault[FAULT_LENGTH])
{
	struct channel *channel = &world.channels[world.count++];

	*channel = (struct channel){
		.head = world.channels, .rank = world.rank, .ranks = world.ranks,
	};
	if (channel != channel->head)
		channel[-1].sibling = channel;
	if (channel_init(channel, world.peers) != MPI_SUCCESS)
		strcpy(fault, "MPI has no communicator for the job, or there is no memory");
	return channel;
}

static const char *open_all(void)
{
	const char *fault = NULL;

	for (uint32_t i = 0; i < world.settings.jobs && !fault; i++) {
		const struct job *job = &world.settings.job[i];
		const struct weir_options place = {
			.address = getenv("WEIR_BOX"), .port = job->port, .job = job->id,
		};
		char mine[FAULT_LENGTH] = "";
		struct channel *channel = add_channel(mine);

		if (!*mine)
			open_channel(channel, &place, mine);
		fault = first_fault(mine);
	}
	if (fault)
		close_all();
	return fault;
}

/* MPI_Finalize() deletes the attributes of MPI_COMM_SELF first of all. */
static int on_end(MPI_Comm comm, int key, void *value, void *extra)
{
	(void)comm;
	(void)key;
	(void)value;
	(void)extra;
	world_lock();
	background_stop();
	if (world.state == STATE_BOX)
		wait_for_all();
	close_all();
	world.state = STATE_MPI;
	world_unlock();
	return MPI_SUCCESS;
}

/*
 * The library's thread ends before. MPICH takes itself for a program of one thread from here on,
 * before it deletes attributes, and never unlocks what another thread has locked just then.
 */
int MPI_Finalize(void)
{
	world_lock();
	background_stop();
	world_unlock();
	return PMPI_Finalize();
}

/* Collect properties of single ranks that concern all ranks. Return an error of MPI's. */
static int agree_on_means(void)
{
	int means[] = { !threads_of_library(), imports_iallreduce() };
	int err = PMPI_Allreduce(MPI_IN_PLACE, means, 2, MPI_INT, MPI_MAX, world.peers);

	world.confirms = means[0];
	world.iallreduces = means[1];
	return err;
}

static const char *open_world(MPI_Comm comm)
{
	const char *fault;

	if (PMPI_Comm_dup(comm, &world.peers) ||
	    PMPI_Comm_set_errhandler(world.peers, MPI_ERRORS_RETURN) ||
	    PMPI_Comm_rank(comm, &world.rank) || PMPI_Comm_size(comm, &world.ranks))
		return "MPI has no communicator for the jobs";
	fault = agree_on_settings();
	if (!fault && agree_on_means() != MPI_SUCCESS)
		fault = "MPI has failed";
	return fault ? fault : open_all();
}

static void set_up(MPI_Comm comm)
{
	const char *fault = open_world(comm);
	int key;

	if (fault) {
		world.state = STATE_MPI;
		if (world.rank == 0)
			say("MPI does all, without the box: %s", fault);
		return;
	}
	world.state = STATE_BOX;
	background_listen();
	PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, on_end, &key, NULL);
	PMPI_Comm_set_attr(MPI_COMM_SELF, key, NULL);
	say_debug(world.rank, "%d ranks have %u jobs, from %llu bytes on", world.ranks, world.count,
		  (unsigned long long)world.settings.min_bytes);
}

static void ask_for_job(struct channel *channel, char fault[FAULT_LENGTH])
{
	char url[NAMED_URL];
	const struct weir_options place = {
		.box = url, .type = channel->type, .operation = channel->operation,
	};

	if (named_url(getenv("WEIR_BOX"), world.settings.run, channel->type, channel->operation, url))
		snprintf(fault, FAULT_LENGTH, "WEIR_BOX is too long");
	else
		open_channel(channel, &place, fault);
}

/*
 * The first blocking reduction of a type and an operation, at which all ranks meet. If one of
 * them gets no place, it is a channel by MPI from the beginning, and the box is not asked again.
 */
static struct channel *ask_channel(enum weir_type type, enum weir_operation operation)
{
	char mine[FAULT_LENGTH] = "";
	struct channel *channel;
	const char *fault;

	wait_for_all();
	channel = add_channel(mine);
	channel->type = type;
	channel->operation = operation;
	if (!*mine)
		ask_for_job(channel, mine);
	fault = first_fault(mine);
	if (!fault) {
		say_debug(world.rank, "%d ranks have a job of %s, %s", world.ranks, named_type(type),
			  named_operation(operation));
		return channel;
	}
	weir_close(channel->weir);
	channel->weir = NULL;
	if (world.rank == 0)
		say("MPI does reductions of %s, %s, without the box: %s", named_type(type),
		    named_operation(operation), fault);
	return channel;
}

static bool is_int32(MPI_Datatype datatype)
{
	return datatype == MPI_INT || datatype == MPI_INT32_T || datatype == MPI_INTEGER ||
	       datatype == MPI_INTEGER4;
}

static bool is_uint32(MPI_Datatype datatype)
{
	return datatype == MPI_UNSIGNED || datatype == MPI_UINT32_T;
}

/* Types whose size depends on the processor are those of 8 bytes. */
static bool is_long(MPI_Datatype datatype)
{
	return datatype == MPI_INT64_T || datatype == MPI_LONG_LONG || datatype == MPI_INTEGER8 ||
	       (datatype == MPI_LONG && sizeof(long) == 8);
}

static bool is_unsigned_long(MPI_Datatype datatype)
{
	return datatype == MPI_UINT64_T || datatype == MPI_UNSIGNED_LONG_LONG ||
	       (datatype == MPI_UNSIGNED_LONG && sizeof(long) == 8);
}

static bool is_double(MPI_Datatype datatype)
{
	return datatype == MPI_DOUBLE || datatype == MPI_DOUBLE_PRECISION || datatype == MPI_REAL8;
}

static bool is_float(MPI_Datatype datatype)
{
	return datatype == MPI_FLOAT || datatype == MPI_REAL || datatype == MPI_REAL4;
}

static enum weir_operation operation_of(MPI_Op op)
{
	return op == MPI_SUM ? WEIR_SUM : op == MPI_MIN ? WEIR_MIN : op == MPI_MAX ? WEIR_MAX : 0;
}

/* Sums of unsigned integers are the same bits. */
static enum weir_type type_of(MPI_Datatype datatype, enum weir_operation operation)
{
	if (is_float(datatype))
		return WEIR_FLOAT32;
	if (is_double(datatype))
		return WEIR_FLOAT64;
	if (is_long(datatype) || (is_unsigned_long(datatype) && operation == WEIR_SUM))
		return WEIR_INT64;
	if (is_int32(datatype) || (is_uint32(datatype) && operation == WEIR_SUM))
		return WEIR_INT32;
	return 0;
}

/* Floats go by jobs of floats alone: MPI's have 24 bits, whatever lies beside them. */
static struct channel *find_channel(enum weir_type type, enum weir_operation operation)
{
	for (unsigned int i = 0; i < world.count; i++)
		if (world.channels[i].type == type && world.channels[i].operation == operation)
			return &world.channels[i];
	return NULL;
}

static struct channel *get_channel(enum weir_type type, enum weir_operation operation,
				   bool blocking)
{
	struct channel *channel = find_channel(type, operation);

	if (!channel && blocking && world.settings.is_asked)
		channel = ask_channel(type, operation);
	return channel;
}

/* Return true if all ranks have made as many calls by the channel. */
static bool agree_on_calls(const struct channel *channel)
{
	uint64_t most[] = { channel->calls, UINT64_MAX - channel->calls };
	MPI_Request request;

	return PMPI_Iallreduce(MPI_IN_PLACE, most, 2, MPI_UINT64_T, MPI_MAX, world.peers,
			       &request) == MPI_SUCCESS &&
	       attend(&request) == MPI_SUCCESS && most[0] == UINT64_MAX - most[1];
}

/* Return the reason for which a reduction is MPI's own, or NULL and the channel in *@channel. */
static const char *objection(MPI_Comm comm, const struct call *call, struct channel **channel)
{
	bool blocking = call->kind != CALL_IALLREDUCE, owns = comm == members_owner();

	if ((uint64_t)call->count * type_bytes(call->type) < world.settings.min_bytes)
		return "it is smaller than WEIR_MIN_BYTES";
	if (!blocking && !owns)
		return "iallreduces go by a job only on the first communicator that has used one";
	if (!blocking && !world.iallreduces)
		return "the program does not import MPI_Iallreduce";
	*channel = get_channel(call->type, operation_of(call->op), blocking);
	if (!*channel)
		return "no job has its type and operation";
	if (!owns && world.iallreduces && !agree_on_calls(*channel))
		return "the ranks have not made the same iallreduces yet";
	return NULL;
}

/* Programs with sessions alone have no MPI_COMM_WORLD. */
static bool has_world(void)
{
	int begun = 0, over = 0;

	PMPI_Initialized(&begun);
	PMPI_Finalized(&over);
	return begun && !over;
}

/*
 * Check the arguments that all ranks pass alike. Return true if the jobs might take the call; all else is
 * MPI's, with its errors.
 */
static bool may_take(MPI_Comm comm, struct call *call)
{
	call->type = type_of(call->datatype, operation_of(call->op));
	return call->type && call->count > 0 && comm != MPI_COMM_NULL && has_world() &&
	       members_have(comm);
}

/* The jobs' communicators have the ranks of MPI_COMM_WORLD. */
static bool has_root(const struct call *call)
{
	int ranks;

	PMPI_Comm_size(MPI_COMM_WORLD, &ranks);
	return call->kind != CALL_REDUCE || (call->root >= 0 && call->root < ranks);
}

struct channel *world_channel(MPI_Comm comm, struct call *call)
{
	struct channel *channel = NULL;
	const char *reason;

	if (world.state == STATE_MPI || !may_take(comm, call) || !has_root(call))
		return NULL;
	if (world.state == STATE_NEW && call->kind != CALL_IALLREDUCE)
		set_up(comm);
	if (world.state != STATE_BOX)
		return NULL;
	reason = objection(comm, call, &channel);
	if (reason) {
		if (say_is_debugging())
			say_debug(world.rank,
				  "a reduction of %d elements on communicator %s is MPI's own: %s",
				  call->count, members_name(comm), reason);
		return NULL;
	}
	if (members_owner() == MPI_COMM_NULL)
		members_set_owner(comm);
	return channel;
}

struct channel *world_next(unsigned int i)
{
	return i < world.count ? &world.channels[i] : NULL;
}
