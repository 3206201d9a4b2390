/* SPDX-License-Identifier: BSD-2-Clause */
/* Begin a collective: a call's arguments, checks that all calls need, and the request. */
#ifndef WEIR_BEGIN_H
#define WEIR_BEGIN_H

#include <stddef.h>
#include <stdint.h>

#include "libweir.h"
#include "request/request.h"

/**
 * struct call - a caller's arguments
 * @in: elements; NULL where it only follows
 * @out: buffer for the results
 * @count: elements of each; of shares those of all ranks together
 * @share: the collective, and this rank's share
 * @type: type of the elements
 * @operation: operation that combines them
 * @flags: of the call
 * @extra: arguments that few calls have
 */
struct call {
	const void *in;
	void *out;
	size_t count;
	struct share share;
	enum weir_type type;
	enum weir_operation operation;
	uint32_t flags;
	struct weir_extra extra;
};

/* Check a vector of a call, if it has elements. Return 0 or a negative errno with its sentence. */
int begin_check_vector(struct weir *comm, const struct call *call, const void *vector,
		       const char *which);

/* Check the type, the operation, the flags and the length. Return as begin_check_vector(). */
int begin_check_numbers(struct weir *comm, const struct call *call);

/* Return 0 where the communicator, which is entered, takes another call; else an error. */
int begin_may(struct weir *comm);

/* Ask for the places of this rank again, if they were asked for. Return 0 or a negative errno. */
int begin_renew(struct weir *comm);

/* Begin the request of a call that was checked, and make progress. Return 0 or a negative errno. */
int begin_request(struct weir *comm, const struct call *call, struct weir_request **request);

#endif
