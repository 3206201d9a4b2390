// SPDX-License-Identifier: BSD-2-Clause
#include "background.h"

#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <time.h>

#include "say.h"
#include "settings.h"
#include "threads.h"
#include "world.h"

/* A program that is back in a call of the library within this time makes progress by itself. */
#define LOOK_MS	10

/* A rank with nothing under way hears of another's loss within this time. */
#define LISTEN_MS	100

static struct {
	bool runs;
	bool may_call_mpi;
	pthread_t thread;
	sem_t begun;
	atomic_bool stop;
} background;

static pthread_mutex_t starting = PTHREAD_MUTEX_INITIALIZER;

/* Make progress. If the thread may not call MPI, work of MPI's waits for the program's next call. */
static void make_progress(struct channel *channel)
{
	if (!background.may_call_mpi) {
		channel_drive(channel);
		return;
	}
	channel_test(channel, 0);
	channel_listen(channel);
}

/* Returns whether iallreduces are under way. */
static bool look(unsigned int *visits)
{
	struct pollfd fds[SETTINGS_JOBS * CHANNEL_FDS];
	struct channel *channel;
	unsigned int count = 0;
	bool busy = false;
	int ms = LOOK_MS;

	if (!world_lock_if_quiet(visits)) {
		poll(NULL, 0, LOOK_MS);
		return true;
	}
	for (unsigned int i = 0; (channel = world_next(i)); i++) {
		if (!channel->first && !(channel->weir && background.may_call_mpi))
			continue;
		make_progress(channel);
		if (channel->first)
			busy = true;
		count += channel_poll(channel, fds + count, &ms);
	}
	world_unlock();
	if (busy)
		poll(fds, count, ms);
	return busy;
}

/*
 * Another rank may lack a result that this one has, and so all that it has begun, until the end:
 * where the thread may call MPI it listens from time to time.
 */
static void wait_for_begun(void)
{
	struct timespec until;

	if (!background.may_call_mpi) {
		sem_wait(&background.begun);
		return;
	}
	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_nsec += LISTEN_MS * 1000000L;
	if (until.tv_nsec >= 1000000000L) {
		until.tv_nsec -= 1000000000L;
		until.tv_sec++;
	}
	sem_timedwait(&background.begun, &until);
}

/* One look is enough for all that have begun. */
static void sleep_until_begun(void)
{
	wait_for_begun();
	while (!sem_trywait(&background.begun))
		;
}

static void *run(void *nothing)
{
	unsigned int visits = 0;

	do {
		sleep_until_begun();
		while (!background.stop && look(&visits))
			;
	} while (!background.stop);
	return nothing;
}

/* The program's signals are its own threads'. */
static int start_thread(void)
{
	sigset_t all, before;
	int err;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	err = pthread_create(&background.thread, NULL, run, NULL);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return err;
}

static void start(void)
{
	background.may_call_mpi = threads_of_library();
	background.stop = false;
	sem_init(&background.begun, 0, 0);
	background.runs = !start_thread();
	if (!background.runs)
		say("there is no thread of the library's: reductions go on in calls alone");
}

void background_listen(void)
{
	pthread_mutex_lock(&starting);
	if (threads_of_library())
		start();
	pthread_mutex_unlock(&starting);
}

void background_wake(void)
{
	pthread_mutex_lock(&starting);
	if (!background.runs)
		start();
	if (background.runs)
		sem_post(&background.begun);
	pthread_mutex_unlock(&starting);
}

/* The thread tries for the lock, and never waits for it. */
void background_stop(void)
{
	if (!background.runs)
		return;
	background.stop = true;
	sem_post(&background.begun);
	pthread_join(background.thread, NULL);
	sem_destroy(&background.begun);
	background.runs = false;
}
