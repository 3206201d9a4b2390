/* SPDX-License-Identifier: BSD-2-Clause */
/* Progress of requests, while the caller is inside the library. */
#ifndef WEIR_PROGRESS_H
#define WEIR_PROGRESS_H

#include <stdint.h>

struct weir;
struct weir_request;

/* One round without blocking; returns 0 or a negative errno. */
int progress_once(struct weir *comm);

/*
 * The caller waits for packets, and calls again after so long at the latest, ns, which is returned:
 * that is not time elsewhere.
 */
uint64_t progress_pause(struct weir *comm);

/* Until the request has no block left; returns 0, -EINTR or another negative errno. */
int progress_until(struct weir_request *request);

#endif
