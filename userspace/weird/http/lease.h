/* SPDX-License-Identifier: GPL-2.0 */
/* A worker's hold on its job: the answer to its request, which ends with one of them. */
#ifndef WEIRD_LEASE_H
#define WEIRD_LEASE_H

#include "http/stream.h"
#include "jobs/jobs.h"

struct lease;

/* Answers the request, and holds the rank. The stream is the connection's to free. */
struct stream *lease_begin(struct jobs *jobs, struct job *job, uint32_t rank, bool made,
			   struct MHD_Connection *connection, enum MHD_Result *result);

/* Tells the worker why, and ends the answer. */
void lease_end(struct lease *lease, const char *why);

/* Tells the worker of another rank that was refused. */
void lease_tell(struct lease *lease, uint32_t rank, const char *why);

/* Returns true if the worker has closed its connection. */
bool lease_is_cut(const struct lease *lease);

#endif
