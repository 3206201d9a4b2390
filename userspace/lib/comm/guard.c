// SPDX-License-Identifier: BSD-2-Clause
#include "comm/guard.h"

#include <errno.h>
#include <pthread.h>

#include "comm/comm.h"

/* How many forks lie between this process and the one that first had the library. */
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

int guard_enter(struct weir *comm)
{
	int err = guard_check_owner(comm);

	if (err)
		return err;
	if (atomic_exchange_explicit(&comm->guard.inside, true, memory_order_acquire))
		return refuse(comm, -EBUSY);
	refuser = NULL;
	return 0;
}

void guard_leave(struct weir *comm)
{
	atomic_store_explicit(&comm->guard.inside, false, memory_order_release);
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
