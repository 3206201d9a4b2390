/* SPDX-License-Identifier: GPL-2.0 */
/* A reducer in a thread of its own, which makes progress until it is stopped. */
#ifndef KV_SERVED_H
#define KV_SERVED_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "libweir.h"

struct served {
	struct weir_stream *reducer;
	pthread_t thread;
	atomic_bool stop;
};

bool served_start(struct served *served, const struct weir_kv_options *options);

/* Its stream is there until served_close(). */
void served_stop(struct served *served);
void served_close(struct served *served);

#endif
