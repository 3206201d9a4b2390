// SPDX-License-Identifier: BSD-2-Clause
/* How allreduces begin: the calls, and what their arguments must be. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "comm.h"
#include "convert.h"
#include "error.h"
#include "progress.h"
#include "request.h"

#define ELEMENT	sizeof(int32_t)

/**
 * struct vectors - what a caller gives
 * @in: elements; NULL where it only follows
 * @out: where sums go
 * @residual: where elements go that are not in them; NULL where the call has none
 * @count: elements of each
 * @scale: of floats; 0 says that they are integers
 */
struct vectors {
	const void *in;
	void *out;
	void *residual;
	size_t count;
	double scale;
};

static int missing(struct weir *comm, const char *which)
{
	return error_refuse(comm, -EINVAL, "the %s vector is missing", which);
}

static bool overlap(const void *a, const void *b, size_t count)
{
	uintptr_t x = (uintptr_t)a, y = (uintptr_t)b;

	return x < y + count * ELEMENT && y < x + count * ELEMENT;
}

static int check_aligned(struct weir *comm, const void *vector, const char *which)
{
	if ((uintptr_t)vector % ELEMENT)
		return error_refuse(comm, -EINVAL, "the %s vector is not aligned to 4 bytes", which);
	return 0;
}

static int check_count(struct weir *comm, size_t count)
{
	if (count > PTRDIFF_MAX / ELEMENT)
		return error_refuse(comm, -EINVAL, "a vector of %zu elements is too long", count);
	return 0;
}

static int check_in(struct weir *comm, const struct vectors *v)
{
	if (!v->in)
		return missing(comm, "input");
	if (v->in != v->out && overlap(v->in, v->out, v->count))
		return error_refuse(comm, -EINVAL,
				    "input and output overlap: they must be the same or apart");
	if (v->in == v->out && comm->config.fallback)
		return error_refuse(comm, -EINVAL,
				    "input and output are the same, but the fallback needs an input "
				    "that was not written over: they must be apart");
	return check_aligned(comm, v->in, "input");
}

static int check_residual(struct weir *comm, const struct vectors *v)
{
	if (!v->residual)
		return missing(comm, "residual");
	if (overlap(v->residual, v->in, v->count) || overlap(v->residual, v->out, v->count))
		return error_refuse(comm, -EINVAL,
				    "the residual overlaps input or output: it must be apart");
	return check_aligned(comm, v->residual, "residual");
}

static int check_out(struct weir *comm, const struct vectors *v)
{
	if (!v->out)
		return missing(comm, "output");
	return check_aligned(comm, v->out, "output");
}

static int check_scale(struct weir *comm, double scale)
{
	if (!isfinite(scale) || scale <= 0)
		return error_refuse(comm, -EINVAL, "scale is %g: it must be positive and finite",
				    scale);
	return 0;
}

static int check_floats(struct weir *comm, const struct vectors *v)
{
	const float *in = v->in;
	size_t at;
	int err;

	err = convert_float_check(in, v->count, v->scale, &at);
	if (err == -EDOM)
		return error_refuse(comm, err, "element %zu is %g: only finite numbers can be summed",
				    at, (double)in[at]);
	if (err)
		return error_refuse(comm, err,
				    "element %zu is %g, which times the scale %g does not fit 32 bits: "
				    "use a scale of at most %g",
				    at, (double)in[at], v->scale,
				    2147483647.0 / fabs((double)in[at]));
	return 0;
}

/* Where there is a fallback, it decides what becomes of what begins after a failure. */
static int begin(struct weir *comm, const struct vectors *v, struct weir_request **result)
{
	struct weir_request *request = calloc(1, sizeof(*request));
	int err;

	if (!request)
		return error_refuse(comm, -ENOMEM, "no memory for another request");
	request->comm = comm;
	request->in = v->in;
	request->out = v->out;
	request->residual = v->residual;
	request->count = v->count;
	request->scale = v->scale;
	request_begin(request);
	err = progress_once(comm);
	if (err < 0 && !comm->config.fallback) {
		request_release(request);
		return err;
	}
	*result = request;
	return 0;
}

/* What all calls must have; 1 says that there are elements to look at. */
static int check(struct weir *comm, const struct vectors *v, struct weir_request **request)
{
	int err;

	*request = NULL;
	if (comm->failed && !comm->config.fallback)
		return comm->failed;
	if (!v->count)
		return 0;
	err = check_count(comm, v->count);
	if (!err)
		err = check_out(comm, v);
	return err ?: 1;
}

static int contribute(struct weir *comm, const struct vectors *v, bool with_residual,
		      bool is_float, struct weir_request **request)
{
	int err = check(comm, v, request);

	if (err > 0)
		err = check_in(comm, v);
	if (!err && v->count && with_residual)
		err = check_residual(comm, v);
	if (!err && is_float)
		err = check_scale(comm, v->scale);
	if (!err && is_float)
		err = check_floats(comm, v);
	return err ?: begin(comm, v, request);
}

static int follow(struct weir *comm, const struct vectors *v, bool is_float,
		  struct weir_request **request)
{
	int err = check(comm, v, request);

	if (err >= 0)
		err = is_float ? check_scale(comm, v->scale) : 0;
	return err ?: begin(comm, v, request);
}

static int wait_to_the_end(int err, struct weir_request **request)
{
	if (err)
		return err;
	do
		err = weir_wait(request);
	while (err == -EINTR);
	return err;
}

int weir_iallreduce_int32(struct weir *comm, const int32_t *in, int32_t *out, size_t count,
			  struct weir_request **request)
{
	const struct vectors v = { .in = in, .out = out, .count = count };

	return contribute(comm, &v, false, false, request);
}

int weir_iallreduce_float(struct weir *comm, const float *in, float *out, size_t count,
			  double scale, struct weir_request **request)
{
	const struct vectors v = { .in = in, .out = out, .count = count, .scale = scale };

	return contribute(comm, &v, false, true, request);
}

int weir_iallreduce_int32_residual(struct weir *comm, const int32_t *in, int32_t *out,
				   int32_t *residual, size_t count, struct weir_request **request)
{
	const struct vectors v = { .in = in, .out = out, .residual = residual, .count = count };

	return contribute(comm, &v, true, false, request);
}

int weir_iallreduce_float_residual(struct weir *comm, const float *in, float *out,
				   float *residual, size_t count, double scale,
				   struct weir_request **request)
{
	const struct vectors v = {
		.in = in, .out = out, .residual = residual, .count = count, .scale = scale,
	};

	return contribute(comm, &v, true, true, request);
}

int weir_ifollow_int32(struct weir *comm, int32_t *out, size_t count,
		       struct weir_request **request)
{
	const struct vectors v = { .out = out, .count = count };

	return follow(comm, &v, false, request);
}

int weir_ifollow_float(struct weir *comm, float *out, size_t count, double scale,
		       struct weir_request **request)
{
	const struct vectors v = { .out = out, .count = count, .scale = scale };

	return follow(comm, &v, true, request);
}

int weir_allreduce_int32(struct weir *comm, const int32_t *in, int32_t *out, size_t count)
{
	struct weir_request *request;

	return wait_to_the_end(weir_iallreduce_int32(comm, in, out, count, &request), &request);
}

int weir_allreduce_float(struct weir *comm, const float *in, float *out, size_t count,
			 double scale)
{
	struct weir_request *request;

	return wait_to_the_end(weir_iallreduce_float(comm, in, out, count, scale, &request),
			       &request);
}

int weir_allreduce_int32_residual(struct weir *comm, const int32_t *in, int32_t *out,
				  int32_t *residual, size_t count)
{
	struct weir_request *request;

	return wait_to_the_end(weir_iallreduce_int32_residual(comm, in, out, residual, count,
							      &request),
			       &request);
}

int weir_allreduce_float_residual(struct weir *comm, const float *in, float *out,
				  float *residual, size_t count, double scale)
{
	struct weir_request *request;

	return wait_to_the_end(weir_iallreduce_float_residual(comm, in, out, residual, count,
							      scale, &request),
			       &request);
}

int weir_follow_int32(struct weir *comm, int32_t *out, size_t count)
{
	struct weir_request *request;

	return wait_to_the_end(weir_ifollow_int32(comm, out, count, &request), &request);
}

int weir_follow_float(struct weir *comm, float *out, size_t count, double scale)
{
	struct weir_request *request;

	return wait_to_the_end(weir_ifollow_float(comm, out, count, scale, &request), &request);
}

int64_t weir_behind(struct weir *comm)
{
	int err = progress_once(comm);

	if (err < 0)
		return err;
	return comm->ahead > comm->queue.end ? (int64_t)(comm->ahead - comm->queue.end) : 0;
}
