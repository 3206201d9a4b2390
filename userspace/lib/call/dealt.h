/* SPDX-License-Identifier: BSD-2-Clause */
/* Requests whose blocks are dealt to several trees. */
#ifndef WEIR_DEALT_H
#define WEIR_DEALT_H

#include <stdbool.h>
#include <stdint.h>

struct weir;
struct weir_request;

/* As request_begin(), on all trees or on none. */
int dealt_begin(struct weir_request *request);

/* As progress_once(), and progress_until(). */
int dealt_progress(struct weir *comm);
int dealt_until(struct weir_request *request);

/* Sum up the counts of the parts in the request. Return true if each tree has done its part. */
bool dealt_is_done(struct weir_request *request);

/* As request_release(), of one that may have parts. */
void dealt_release(struct weir_request *request);

/*
 * Make progress. Return the number of blocks by which the newest results are ahead of the requests,
 * on all trees together, or a negative errno.
 */
int64_t dealt_behind(struct weir *comm);

#endif
