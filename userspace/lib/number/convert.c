// SPDX-License-Identifier: BSD-2-Clause
#include "number/convert.h"

#include <endian.h>
#include <errno.h>
#include <float.h>
#include <math.h>
#include <string.h>

/*
 * The loops are plain, so that the compiler makes vectors of them: of NEON on arm64, where each is
 * a function of its own, too, as GCC warns of an empty array where it sees that none may be
 * written. On x86 the byte shuffle and the wide conversions come with AVX2 only, so there is a
 * second copy of each, chosen when the program starts. Sanitizers run before
 * that choice can be made.
 */
#if defined(__x86_64__) && defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__) && \
	!defined(__SANITIZE_THREAD__) && !defined(__clang__)
#define VECTORS __attribute__((target_clones("avx2", "default")))
#else
#define VECTORS __attribute__((noinline))
#endif

/*
 * 1.5 * 2^52: added to a double below 2^31 it leaves the nearest integer in the
 * low bits of the mantissa, in two's complement. Unlike lrint() this needs no
 * conversion instruction, so that it becomes vectors on every machine.
 */
#define ROUND_MAGIC 6755399441055744.0

/* The largest product that rounds to an int32. */
#define PRODUCT_MAX 2147483647.0

#define FLOAT_SIGN 0x80000000u
#define FLOAT_ABS 0x7fffffffu
#define FLOAT_INF 0x7f800000u
#define FLOAT_NAN 0x7fc00000u

/* The largest finite binary16. */
#define HALF_MAX 65504.0f

static inline uint32_t bits_of(float x)
{
	uint32_t bits;

	memcpy(&bits, &x, sizeof(bits));
	return bits;
}

static inline float float_of(uint32_t bits)
{
	float x;

	memcpy(&x, &bits, sizeof(x));
	return x;
}

/* Bytes that change places are of any type. */
typedef uint32_t any32 __attribute__((may_alias));
typedef uint16_t any16 __attribute__((may_alias));

/* Numbers of 8 bytes follow headers of 12 or 16. */
typedef uint64_t any64 __attribute__((may_alias, aligned(4)));

/* An integer of a packet, to or from the machine's byte order. */
static inline uint32_t wire32(uint32_t x, bool little)
{
	return little ? x : htobe32(x);
}

/* As many as the compiler knows: vectors one behind the other. */
static inline __attribute__((always_inline)) void swap_row(any32 *restrict to,
							    const any32 *restrict from, size_t row)
{
	for (size_t i = 0; i < row; i++)
		to[i] = htobe32(from[i]);
}

/* The last row begins early if it has to, and swaps some again: no shorter rest is left. */
static inline __attribute__((always_inline)) void swap_rows(any32 *restrict to,
							     const any32 *restrict from,
							     size_t count, size_t row)
{
	for (size_t i = 0; i + row < count; i += row)
		swap_row(to + i, from + i, row);
	swap_row(to + count - row, from + count - row, row);
}

VECTORS static void swap32(any32 *restrict to, const any32 *restrict from, size_t count)
{
	if (count >= 64)
		swap_rows(to, from, count, 64);
	else if (count >= 8)
		swap_rows(to, from, count, 8);
	else if (count)
		swap_rows(to, from, count, 1);
}

VECTORS static void swap16(any16 *restrict to, const any16 *restrict from, size_t count)
{
	for (size_t i = 0; i < count; i++)
		to[i] = htobe16(from[i]);
}

VECTORS static void swap64(any64 *restrict to, const any64 *restrict from, size_t count)
{
	for (size_t i = 0; i < count; i++)
		to[i] = htobe64(from[i]);
}

/* 32 bytes of any type, wherever they lie. */
typedef uint8_t any_vector __attribute__((vector_size(32), aligned(1), may_alias));

/*
 * As memcpy(), but without the processor's string instructions, which some run many times slower where
 * the low 12 bits of @to are a bit above those of @from: packets and vectors are at all distances.
 */
VECTORS static void copy_bytes(uint8_t *restrict to, const uint8_t *restrict from, size_t size)
{
	const size_t row = 4 * sizeof(any_vector);

	for (; size >= row; size -= row, to += row, from += row) {
		const any_vector *in = (const any_vector *)from;
		any_vector *out = (any_vector *)to;
		any_vector a = in[0], b = in[1], c = in[2], d = in[3];

		out[0] = a;
		out[1] = b;
		out[2] = c;
		out[3] = d;
		/* Else the compiler makes a call of memcpy() of the loop. */
		__asm__ volatile("" : : : "memory");
	}
	memcpy(to, from, size);
}

VECTORS static void divide64(double *restrict numbers, size_t count, double divisor)
{
	for (size_t i = 0; i < count; i++)
		numbers[i] /= divisor;
}

/* A binary16's exponent is counted from 15, a binary32's from 127. */
#define HALF_EXPONENT	((127u - 15) << 23)

/*
 * Without branches, so that it becomes vectors: a denormal is made of a normal number whose
 * highest bit is subtracted again; infinities and NaNs have the largest exponent.
 */
static inline float float_of_half(uint16_t half)
{
	uint32_t size = (uint32_t)(half & 0x7fff) << 13;
	uint32_t sign = (uint32_t)(half & 0x8000) << 16;
	uint32_t normal = size + HALF_EXPONENT;
	uint32_t special = normal + HALF_EXPONENT;
	uint32_t denormal = bits_of(float_of(normal + (1u << 23)) -
				    float_of(HALF_EXPONENT + (1u << 23)));
	uint32_t bits = normal;

	bits = size >= 0x1fu << 23 ? special : bits;
	bits = size < 1u << 23 ? denormal : bits;
	return float_of(sign | bits);
}

/* A denormal's last bits are lost in the sum with a number of the right size. */
#define HALF_DENORMAL	(126u << 23)

static inline uint16_t half_of_float(float x)
{
	uint32_t size = bits_of(x) & FLOAT_ABS;
	uint32_t sign = (bits_of(x) & FLOAT_SIGN) >> 16;
	uint32_t normal = (size - HALF_EXPONENT + 0xfff + (size >> 13 & 1)) >> 13;
	uint32_t denormal = bits_of(float_of(size) + float_of(HALF_DENORMAL)) - HALF_DENORMAL;
	uint32_t bits = normal;

	bits = size >= (127u + 16) << 23 ? 0x7c00 : bits;
	bits = size < (127u - 14) << 23 ? denormal : bits;
	bits = size > FLOAT_INF ? 0x7e00 : bits;
	return (uint16_t)(sign | bits);
}

static inline uint16_t brain_of_float(float x)
{
	uint32_t bits = bits_of(x);
	uint32_t rounded = bits + 0x7fff + (bits >> 16 & 1);

	rounded = (bits & FLOAT_ABS) > FLOAT_INF ? FLOAT_NAN : rounded;
	return (uint16_t)(rounded >> 16);
}

VECTORS static void widen_half(float *restrict to, const uint16_t *restrict from, size_t count)
{
	for (size_t i = 0; i < count; i++)
		to[i] = float_of_half(from[i]);
}

VECTORS static void widen_brain(float *restrict to, const uint16_t *restrict from, size_t count)
{
	for (size_t i = 0; i < count; i++)
		to[i] = float_of((uint32_t)from[i] << 16);
}

VECTORS static void narrow_half(uint16_t *restrict to, const float *restrict from, size_t count)
{
	for (size_t i = 0; i < count; i++)
		to[i] = half_of_float(from[i]);
}

VECTORS static void narrow_brain(uint16_t *restrict to, const float *restrict from, size_t count)
{
	for (size_t i = 0; i < count; i++)
		to[i] = brain_of_float(from[i]);
}

VECTORS static void scale(uint32_t *restrict wire, const float *restrict in, size_t count,
			  double factor, bool little)
{
	for (size_t i = 0; i < count; i++) {
		double rounded = (double)in[i] * factor + ROUND_MAGIC;
		uint64_t bits;

		memcpy(&bits, &rounded, sizeof(bits));
		wire[i] = wire32((uint32_t)bits, little);
	}
}

static inline double cut(double x, double limit)
{
	/* A NaN is like nothing, not even like itself. */
	x = x == x ? x : 0;
	x = x < limit - 1 ? x : limit - 1;
	return x > -limit ? x : -limit;
}

VECTORS static void scale_and_cut(uint32_t *restrict wire, const float *restrict in,
				  size_t count, double factor, double limit, bool little)
{
	for (size_t i = 0; i < count; i++) {
		double rounded = cut((double)in[i] * factor, limit) + ROUND_MAGIC;
		uint64_t bits;

		memcpy(&bits, &rounded, sizeof(bits));
		wire[i] = wire32((uint32_t)bits, little);
	}
}

VECTORS static void cut_off(float *restrict rest, const float *restrict in, size_t count,
			    double factor, double limit)
{
	for (size_t i = 0; i < count; i++) {
		double x = (double)in[i] * factor;

		/* An infinity or a NaN has no rest: an infinity less itself is a NaN. */
		rest[i] = x - x == 0 ? (float)((x - cut(x, limit)) / factor) : 0;
	}
}

VECTORS static void unscale(float *restrict out, const uint32_t *restrict wire, size_t count,
			    double divisor, bool little)
{
	for (size_t i = 0; i < count; i++)
		out[i] = (float)((double)(int32_t)wire32(wire[i], little) / divisor);
}

/* By the reciprocal, which is exact where the divisor is a power of two. */
VECTORS static void unscale_by(float *restrict out, const uint32_t *restrict wire, size_t count,
			       double factor, bool little)
{
	for (size_t i = 0; i < count; i++)
		out[i] = (float)((double)(int32_t)wire32(wire[i], little) * factor);
}

VECTORS static void divide(float *restrict to, const float *restrict from, size_t count,
			   double divisor)
{
	for (size_t i = 0; i < count; i++)
		to[i] = (float)((double)from[i] / divisor);
}

/*
 * The bits of floats without their sign are ordered as the floats are, with the infinities
 * and NaNs above all: one integer maximum finds both kinds of elements that cannot be sent.
 */
VECTORS static int32_t largest_float(const float *in, size_t count)
{
	int32_t max = 0;

	for (size_t i = 0; i < count; i++) {
		int32_t bits = (int32_t)(bits_of(in[i]) & FLOAT_ABS);

		max = bits > max ? bits : max;
	}
	return max;
}

/* Elements of any type as floats: themselves, or in @room. */
static const float *widened(float *room, const void *in, enum weir_type type, size_t count)
{
	if (type == WEIR_FLOAT32)
		return in;
	if (type == WEIR_FLOAT16)
		widen_half(room, in, count);
	else
		widen_brain(room, in, count);
	return room;
}

static void narrow(void *restrict out, enum weir_type type, const float *restrict in,
		   size_t count)
{
	if (type == WEIR_FLOAT16)
		narrow_half(out, in, count);
	else
		narrow_brain(out, in, count);
}

static void scaled_to_wire(void *restrict wire, const float *restrict in, size_t count,
			   const struct scaling *scaling, bool little)
{
	if (scaling->limit)
		scale_and_cut(wire, in, count, scaling->factor, scaling->limit, little);
	else
		scale(wire, in, count, scaling->factor, little);
}

/* Elements that are the same in packets and in memory, but perhaps for their byte order. */
static void copy(void *restrict to, const void *restrict from, enum weir_type type, size_t count,
		 bool little)
{
	if (little)
		copy_bytes(to, from, count * number_size(type));
	else if (number_size(type) == 8)
		swap64(to, from, count);
	else if (number_size(type) == 4)
		swap32(to, from, count);
	else
		swap16(to, from, count);
}

static void floats_to_wire(void *restrict wire, enum weir_type wire_type,
			   const void *restrict in, enum weir_type type, size_t count,
			   const struct scaling *scaling, bool little)
{
	float room[CONVERT_MAX];
	uint16_t halves[CONVERT_MAX];
	const float *floats;

	floats = widened(room, in, type, count);
	if (wire_type == WEIR_INT32) {
		scaled_to_wire(wire, floats, count, scaling, little);
	} else if (wire_type == WEIR_FLOAT32) {
		copy(wire, floats, wire_type, count, little);
	} else {
		narrow(halves, wire_type, floats, count);
		copy(wire, halves, wire_type, count, little);
	}
}

void convert_to_wire(void *restrict wire, enum weir_type wire_type, const void *restrict in,
		     enum weir_type type, size_t count, const struct scaling *scaling, bool little)
{
	if (type == wire_type)
		copy(wire, in, type, count, little);
	else
		floats_to_wire(wire, wire_type, in, type, count, scaling, little);
}

static void unscale_from_wire(float *restrict out, const uint32_t *restrict wire, size_t count,
			      double divisor, bool little)
{
	int exponent;

	if (frexp(divisor, &exponent) == 0.5)
		unscale_by(out, wire, count, 1 / divisor, little);
	else
		unscale(out, wire, count, divisor, little);
}

/* The wire's floats, in the machine's byte order. */
static void floats_from_wire(float *restrict out, const void *restrict wire,
			     enum weir_type wire_type, size_t count, bool little)
{
	uint16_t halves[CONVERT_MAX];

	if (wire_type == WEIR_FLOAT32) {
		copy(out, wire, wire_type, count, little);
		return;
	}
	copy(halves, wire, wire_type, count, little);
	widened(out, halves, wire_type, count);
}

static void numbers_from_wire(void *restrict out, enum weir_type type,
			      const void *restrict wire, enum weir_type wire_type, size_t count,
			      double divisor, bool little)
{
	float room[CONVERT_MAX], quotients[CONVERT_MAX];
	float *floats = type == WEIR_FLOAT32 ? out : room;

	if (wire_type == WEIR_INT32) {
		unscale_from_wire(floats, wire, count, divisor, little);
	} else if (divisor == 1) {
		floats_from_wire(floats, wire, wire_type, count, little);
	} else {
		floats_from_wire(quotients, wire, wire_type, count, little);
		divide(floats, quotients, count, divisor);
	}
	if (type != WEIR_FLOAT32)
		narrow(out, type, floats, count);
}

void convert_from_wire(void *restrict out, enum weir_type type, const void *restrict wire,
		       enum weir_type wire_type, size_t count, double divisor, bool little)
{
	if (type == wire_type && (number_is_alone(type) || type == WEIR_INT32 || divisor == 1))
		copy(out, wire, type, count, little);
	else
		numbers_from_wire(out, type, wire, wire_type, count, divisor, little);
	if (type == WEIR_FLOAT64 && divisor != 1)
		divide64(out, count, divisor);
}

void convert_swap(void *wire, size_t size, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (size == 8)
			((any64 *)wire)[i] = htobe64(((any64 *)wire)[i]);
		else if (size == 4)
			((any32 *)wire)[i] = htobe32(((any32 *)wire)[i]);
		else
			((any16 *)wire)[i] = htobe16(((any16 *)wire)[i]);
	}
}

/* So many elements at once, as they have to be widened. */
static size_t piece(size_t count, size_t from)
{
	return count - from < CONVERT_MAX ? count - from : CONVERT_MAX;
}

static const void *element(const void *in, enum weir_type type, size_t i)
{
	return (const unsigned char *)in + i * number_size(type);
}

float convert_largest(const void *in, enum weir_type type, size_t count)
{
	float room[CONVERT_MAX];
	int32_t max = 0;

	if (type == WEIR_FLOAT32)
		return float_of((uint32_t)largest_float(in, count));
	for (size_t i = 0; i < count; i += CONVERT_MAX) {
		size_t n = piece(count, i);
		int32_t bits = largest_float(widened(room, element(in, type, i), type, n), n);

		max = bits > max ? bits : max;
	}
	return float_of((uint32_t)max);
}

void convert_cut_off(void *restrict rest, const void *restrict in, enum weir_type type,
		     size_t count, const struct scaling *scaling)
{
	float room[CONVERT_MAX], left[CONVERT_MAX];
	const float *floats = widened(room, in, type, count);
	float *to = type == WEIR_FLOAT32 ? rest : left;

	cut_off(to, floats, count, scaling->factor, scaling->limit);
	if (type != WEIR_FLOAT32)
		narrow(rest, type, left, count);
}

static int verdict(float x, double scale)
{
	if (!isfinite(x))
		return -EDOM;
	return fabs((double)x) * scale > PRODUCT_MAX ? -ERANGE : 0;
}

float convert_largest_saturated(const void *in, enum weir_type type, size_t count)
{
	float largest = convert_largest(in, type, count), room;
	float top = type == WEIR_FLOAT16 ? HALF_MAX : FLT_MAX;

	if (isfinite(largest))
		return largest;
	largest = 0;
	for (size_t i = 0; i < count; i++) {
		float size = fabsf(*widened(&room, element(in, type, i), type, 1));

		if (size > largest)
			largest = size < top ? size : top;
	}
	return largest;
}

int convert_check(const void *in, enum weir_type type, size_t count, double scale, size_t *at,
		  double *value)
{
	int err = verdict(convert_largest(in, type, count), scale);

	if (!err)
		return 0;
	for (*at = 0; *at < count; ++*at) {
		float room, x = *widened(&room, element(in, type, *at), type, 1);

		err = verdict(x, scale);
		*value = (double)x;
		if (err)
			break;
	}
	return err;
}
