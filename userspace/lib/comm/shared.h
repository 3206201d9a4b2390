/* SPDX-License-Identifier: BSD-2-Clause */
/* A communicator between calls and its progress thread. */
#ifndef WEIR_SHARED_H
#define WEIR_SHARED_H

#include <pthread.h>
#include <stdatomic.h>

#include "comm/comm.h"

/**
 * struct shared - what keeps the two apart
 * @turn: held by the one that waits for @lock, which no other can take then: a thread that is
 *	back for it at once does not keep out one that waits
 * @lock: of the communicator
 * @has_holder: somebody has it,
 * @holder: namely this thread, which may be in a callback, and must not wait for itself
 * @error: a sentence as a caller was given it, whatever the thread writes meanwhile
 */
struct shared {
	pthread_mutex_t turn;
	pthread_mutex_t lock;
	atomic_bool has_holder;
	_Atomic(pthread_t) holder;
	char error[COMM_ERROR];
};

#endif
