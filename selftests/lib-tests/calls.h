/* SPDX-License-Identifier: GPL-2.0 */
/* The calls that tests make most, with their common arguments. */
#ifndef CALLS_H
#define CALLS_H

#include "libweir.h"

static inline struct weir_extra extra_of(double scale, void *residual)
{
	return (struct weir_extra) {
		.size = sizeof(struct weir_extra), .scale = scale, .residual = residual,
	};
}

static inline struct weir_extra extra_to_follow(double scale)
{
	return (struct weir_extra) {
		.size = sizeof(struct weir_extra), .scale = scale, .follow = 1,
	};
}

static inline int iallreduce_int32(struct weir *comm, const int32_t *in, int32_t *out,
				   size_t count, struct weir_request **request)
{
	return weir_iallreduce(comm, in, out, count, WEIR_INT32, WEIR_SUM, 0, NULL, request);
}

static inline int iallreduce_float(struct weir *comm, const float *in, float *out, size_t count,
				   double scale, struct weir_request **request)
{
	const struct weir_extra extra = extra_of(scale, NULL);

	return weir_iallreduce(comm, in, out, count, WEIR_FLOAT32, WEIR_SUM, 0, &extra, request);
}

static inline int allreduce_int32(struct weir *comm, const int32_t *in, int32_t *out,
				  size_t count)
{
	return weir_allreduce(comm, in, out, count, WEIR_INT32, WEIR_SUM, 0, NULL);
}

static inline int allreduce_float(struct weir *comm, const float *in, float *out, size_t count,
				  double scale)
{
	const struct weir_extra extra = extra_of(scale, NULL);

	return weir_allreduce(comm, in, out, count, WEIR_FLOAT32, WEIR_SUM, 0, &extra);
}

static inline int allreduce_int32_residual(struct weir *comm, const int32_t *in, int32_t *out,
					   int32_t *residual, size_t count)
{
	const struct weir_extra extra = extra_of(0, residual);

	return weir_allreduce(comm, in, out, count, WEIR_INT32, WEIR_SUM, 0, &extra);
}

static inline int allreduce_float_residual(struct weir *comm, const float *in, float *out,
					   float *residual, size_t count, double scale)
{
	const struct weir_extra extra = extra_of(scale, residual);

	return weir_allreduce(comm, in, out, count, WEIR_FLOAT32, WEIR_SUM, 0, &extra);
}

static inline int follow_int32(struct weir *comm, int32_t *out, size_t count)
{
	const struct weir_extra extra = extra_to_follow(0);

	return weir_allreduce(comm, NULL, out, count, WEIR_INT32, WEIR_SUM, 0, &extra);
}

static inline int follow_float(struct weir *comm, float *out, size_t count, double scale)
{
	const struct weir_extra extra = extra_to_follow(scale);

	return weir_allreduce(comm, NULL, out, count, WEIR_FLOAT32, WEIR_SUM, 0, &extra);
}

static inline int ifollow_int32(struct weir *comm, int32_t *out, size_t count,
				struct weir_request **request)
{
	const struct weir_extra extra = extra_to_follow(0);

	return weir_iallreduce(comm, NULL, out, count, WEIR_INT32, WEIR_SUM, 0, &extra, request);
}

#endif
