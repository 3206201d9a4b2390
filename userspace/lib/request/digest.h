/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The digest of a call: the ranks' last block of a request carries it as its exponent, so that the
 * box can tell whether all ranks mean the same. It is larger than any exponent of numbers.
 */
#ifndef WEIR_DIGEST_H
#define WEIR_DIGEST_H

#include <stdbool.h>
#include <stdint.h>

struct result;
struct weir_request;

/*
 * In the place of the digest: a rank has elements that cannot be sent. They are larger than any
 * digest, so all ranks get them, and an element that is not finite prevails.
 */
#define DIGEST_OUT_OF_RANGE	0x70000000
#define DIGEST_NOT_FINITE	0x70000001

static inline bool digest_is_bad(int32_t digest)
{
	return digest == DIGEST_OUT_OF_RANGE || digest == DIGEST_NOT_FINITE;
}

/* Of a request with all of the call's arguments. */
int32_t digest_of(const struct weir_request *request);

/*
 * Return true if a block's result shows that another rank has called for something else. If its form
 * differs from that of this rank's block, it shows so only if the box reports it, or if the result
 * names its ranks and this one is not among them.
 */
bool digest_is_unlike(const struct weir_request *request, uint64_t block,
		      const struct result *result);

/* Fails the communicator, as all ranks do that have this result. Returns the error. */
int digest_fail(const struct weir_request *request, uint64_t block, const struct result *result);

#endif
