// SPDX-License-Identifier: BSD-2-Clause
#include "call/driver.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "comm/comm.h"
#include "comm/error.h"
#include "comm/guard.h"
#include "request/progress.h"
#include "request/request.h"

/* An event loop comes by so often, at least. */
#define HOUR_US	UINT64_C(3600000000)

/**
 * struct driver - the progress thread
 * @thread: itself
 * @wake: an eventfd that ends its sleep
 * @news: an eventfd for the caller's event loop: requests are done, or the communicator has failed
 * @has_news: it is readable
 * @is_told_failure: for the latter
 * @until: time at which it wakes by itself; 0 if it does not sleep, or was woken
 * @for_room: it wakes when the socket takes packets, too
 * @stop: it is to end
 */
struct driver {
	pthread_t thread;
	int wake;
	int news;
	bool has_news;
	bool is_told_failure;
	uint64_t until;
	bool for_room;
	bool stop;
};

static void raise_event(int fd)
{
	eventfd_write(fd, 1);
}

static void clear_event(int fd)
{
	eventfd_t count;

	eventfd_read(fd, &count);
}

static void clear_news(struct driver *driver)
{
	if (driver->has_news)
		clear_event(driver->news);
	driver->has_news = false;
}

/* Marks the requests that are done as told; returns how many were not, and in @unreported all. */
static unsigned int mark_done(struct weir *comm, unsigned int *unreported)
{
	unsigned int fresh = 0;

	*unreported = 0;
	for (struct weir_request *request = comm->queue.head; request; request = request->next) {
		if (!request_is_done(request))
			continue;
		fresh += !request->is_told;
		request->is_told = true;
		++*unreported;
	}
	return fresh;
}

/* Raise the event for completions and a failure that no call has returned yet; clear it when none is left. */
static void update_news(struct weir *comm)
{
	struct driver *driver = comm->driver;
	bool fails = comm->failed && !driver->is_told_failure;
	unsigned int unreported;

	if (mark_done(comm, &unreported) || fails) {
		if (!driver->has_news)
			raise_event(driver->news);
		driver->has_news = true;
		driver->is_told_failure = comm->failed;
	} else if (!unreported && !comm->failed) {
		clear_news(driver);
	}
}

/* Make one round of progress. A further round is a turn of its own, so that a caller may come between. */
static void take_turn(struct weir *comm)
{
	struct driver *driver = comm->driver;

	progress_once(comm);
	update_news(comm);
	if (comm->idle && !comm->failed)
		progress_pause(comm);
	driver->until = comm->failed ? UINT64_MAX : comm->left;
	driver->for_room = comm->blocked;
}

/* As the communicator was when the thread had its turn: the caller may be inside. */
static void sleep_until(const struct weir *comm, const struct driver *last)
{
	struct timespec timeout = rtt_left(last->until, rtt_now());
	struct pollfd polls[] = {
		{ .fd = last->wake, .events = POLLIN },
		{ .fd = comm->fd, .events = (short)(POLLIN | (last->for_room ? POLLOUT : 0)) },
		{ .fd = comm->group_fd, .events = POLLIN },
	};
	/* A socket that has failed would be ready forever. */
	nfds_t count = last->until == UINT64_MAX ? 1 : 3;

	if (ppoll(polls, count, count > 1 ? &timeout : NULL, NULL) > 0 && polls[0].revents)
		clear_event(last->wake);
}

static void *drive(void *data)
{
	struct weir *comm = data;
	struct driver last = { 0 };

	while (!last.stop) {
		guard_take(comm);
		if (!comm->driver->stop)
			take_turn(comm);
		last = *comm->driver;
		guard_give(comm);
		if (!last.stop)
			sleep_until(comm, &last);
	}
	return NULL;
}

/* The program's signal handlers run in its own threads. */
static int start_thread(struct weir *comm)
{
	sigset_t all, before;
	int err;

	sigfillset(&all);
	guard_take(comm);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	err = pthread_create(&comm->driver->thread, NULL, drive, comm);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (!err)
		pthread_setname_np(comm->driver->thread, "weir-progress");
	guard_give(comm);
	return -err;
}

static int make(struct weir *comm)
{
	struct driver *driver = calloc(1, sizeof(*driver));

	if (!driver)
		return -ENOMEM;
	comm->driver = driver;
	driver->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	driver->news = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (driver->wake < 0 || driver->news < 0)
		return -errno;
	return guard_share(comm);
}

static void unmake(struct weir *comm)
{
	struct driver *driver = comm->driver;

	guard_unshare(comm);
	if (driver && driver->wake >= 0)
		close(driver->wake);
	if (driver && driver->news >= 0)
		close(driver->news);
	free(driver);
	comm->driver = NULL;
}

int driver_start(struct weir *comm)
{
	int err;

	if (!(comm->config.flags & WEIR_PROGRESS))
		return 0;
	err = make(comm);
	if (!err)
		err = start_thread(comm);
	if (!err)
		return 0;
	unmake(comm);
	return error_fail(comm, err, "the progress thread cannot be started: %s", strerror(-err));
}

void driver_stop(struct weir *comm)
{
	struct driver *driver = comm->driver;

	if (!driver)
		return;
	if (!guard_check_owner(comm)) {
		guard_take(comm);
		driver->stop = true;
		guard_give(comm);
		raise_event(driver->wake);
		pthread_join(driver->thread, NULL);
	}
	unmake(comm);
}

/* Return true if the thread has to do something before it wakes by itself. */
static bool is_wanted(const struct weir *comm, const struct driver *driver)
{
	return comm->left < driver->until || (comm->queue.head && !comm->idle) ||
	       (comm->blocked && !driver->for_room);
}

static void hand_over(struct weir *comm)
{
	struct driver *driver = comm->driver;

	/* The time until the thread's turn is not spent elsewhere. */
	progress_pause(comm);
	if (!is_wanted(comm, driver))
		return;
	driver->until = 0;
	raise_event(driver->wake);
}

void driver_leave(struct weir *comm)
{
	if (comm->driver)
		update_news(comm);
	if (comm->driver && !comm->failed)
		hand_over(comm);
	guard_leave(comm);
}

struct weir_poll driver_poll(struct weir *comm)
{
	struct driver *driver = comm->driver;
	bool is_due = driver->has_news || comm->failed;

	clear_news(driver);
	return (struct weir_poll) {
		.fd = driver->news,
		.group_fd = -1,
		.timeout_us = is_due ? 0 : HOUR_US,
	};
}
