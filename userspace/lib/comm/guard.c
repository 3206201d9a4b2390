// SPDX-License-Identifier: BSD-2-Clause
#include "comm/guard.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

#include "comm/comm.h"
#include "comm/shared.h"

/* Number of forks between this process and the one that first had the library. */
static unsigned int forks;

/* The communicator that has refused this thread's last call, and the reason. */
static _Thread_local const struct weir *refuser;
static _Thread_local int refusal;

static void count_fork(void)
{
	forks++;
}

static void watch_forks(void)
{
	pthread_atfork(NULL, NULL, count_fork);
}

void guard_init(struct weir *comm)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, watch_forks);
	comm->guard.forks = forks;
}

static int refuse(const struct weir *comm, int err)
{
	refuser = comm;
	refusal = err;
	return err;
}

int guard_check_owner(const struct weir *comm)
{
	return comm->guard.forks == forks ? 0 : refuse(comm, -ECHILD);
}

int guard_share(struct weir *comm)
{
	struct shared *shared = calloc(1, sizeof(*shared));

	if (!shared)
		return -ENOMEM;
	pthread_mutex_init(&shared->turn, NULL);
	pthread_mutex_init(&shared->lock, NULL);
	comm->guard.shared = shared;
	return 0;
}

/* A child's copies may be locked, by a thread that it has not. */
void guard_unshare(struct weir *comm)
{
	struct shared *shared = comm->guard.shared;

	if (shared && comm->guard.forks == forks) {
		pthread_mutex_destroy(&shared->lock);
		pthread_mutex_destroy(&shared->turn);
	}
	free(shared);
	comm->guard.shared = NULL;
}

static void take(struct shared *shared)
{
	pthread_mutex_lock(&shared->turn);
	pthread_mutex_lock(&shared->lock);
	pthread_mutex_unlock(&shared->turn);
	atomic_store(&shared->holder, pthread_self());
	atomic_store(&shared->has_holder, true);
}

static void give(struct shared *shared)
{
	atomic_store(&shared->has_holder, false);
	pthread_mutex_unlock(&shared->lock);
}

/* Others may take it and give it meanwhile, but not in this thread's name. */
static bool is_mine(struct shared *shared)
{
	return atomic_load(&shared->has_holder) &&
	       pthread_equal(atomic_load(&shared->holder), pthread_self());
}

static int enter(struct weir *comm)
{
	struct shared *shared = comm->guard.shared;

	/* A callback of the progress thread must not keep out a call, either. */
	if (shared && is_mine(shared))
		return -EBUSY;
	if (atomic_exchange_explicit(&comm->guard.inside, true, memory_order_acquire))
		return -EBUSY;
	if (shared)
		take(shared);
	return 0;
}

int guard_enter(struct weir *comm)
{
	int err = guard_check_owner(comm);

	if (err)
		return err;
	err = enter(comm);
	if (err)
		return refuse(comm, err);
	refuser = NULL;
	return 0;
}

void guard_leave(struct weir *comm)
{
	if (comm->guard.shared)
		give(comm->guard.shared);
	atomic_store_explicit(&comm->guard.inside, false, memory_order_release);
}

void guard_take(struct weir *comm)
{
	take(comm->guard.shared);
}

void guard_give(struct weir *comm)
{
	give(comm->guard.shared);
}

bool guard_begin_read(const struct weir *comm)
{
	struct shared *shared = comm->guard.shared;

	if (!shared || comm->guard.forks != forks || is_mine(shared))
		return false;
	take(shared);
	return true;
}

void guard_end_read(const struct weir *comm)
{
	give(comm->guard.shared);
}

const char *guard_error(const struct weir *comm)
{
	if (refuser != comm)
		return NULL;
	if (refusal == -ECHILD)
		return "the communicator is of the parent process, whose packets a child cannot send: open "
		       "one here";
	return "a call of another thread is inside the communicator, or the caller is one of its "
	       "callbacks: make calls one after the other, or open one a thread";
}
