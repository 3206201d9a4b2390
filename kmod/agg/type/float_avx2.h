/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Loops that all types of floats share, for AVX2. The file of a type defines how eight are
 * loaded and stored, as WEIR_LOAD and WEIR_STORE, and sixteen loaded, as WEIR_LOAD_PAIR;
 * the bytes of one in a packet, as WEIR_SIZE; the loops for the rest, as
 * WEIR_REST(operation); and WEIR_TO_ODD as for float_loops.h.
 */
#include "agg/type/binned_avx2.h"

/* Gradients of @n that a loop of whole vectors has left go to plain C. */
WEIR_INNER void rest(unsigned int (*loop)(void *acc, const void *src, unsigned int n,
					  unsigned int bias),
		     void *acc, const void *src, unsigned int n, unsigned int done)
{
	if (n - done)
		loop((weir_word *)acc + done, src + done * WEIR_SIZE, n - done, 0);
}

WEIR_INNER void rest_to_wire(void (*loop)(void *wire, const void *acc, unsigned int n),
			     void *wire, const void *acc, unsigned int n, unsigned int done)
{
	if (n - done)
		loop(wire + done * WEIR_SIZE, (const weir_word *)acc + done, n - done);
}

WEIR_INNER weir_v is_nan(weir_v x)
{
	return (weir_v)((weir_vi)(x & WEIR_F32_ABS) > (weir_vi)weir_splat(WEIR_F32_INF));
}

WEIR_INNER weir_v turn(weir_v x)
{
	return x ^ ((weir_v)((weir_vi)x >> 31) >> 1);
}

WEIR_INNER weir_v to_key(weir_v x, unsigned int nan)
{
	return weir_blend(turn(x), weir_splat(nan), is_nan(x));
}

WEIR_INNER weir_v load_min_key(const void *src)
{
	return to_key(WEIR_LOAD(src), 0x80000000);
}

WEIR_INNER weir_v load_max_key(const void *src)
{
	return to_key(WEIR_LOAD(src), 0x7fffffff);
}

WEIR_INNER struct weir_pair load_min_keys(const void *src)
{
	struct weir_pair x = WEIR_LOAD_PAIR(src);

	return (struct weir_pair) { to_key(x.a, 0x80000000), to_key(x.b, 0x80000000) };
}

WEIR_INNER struct weir_pair load_max_keys(const void *src)
{
	struct weir_pair x = WEIR_LOAD_PAIR(src);

	return (struct weir_pair) { to_key(x.a, 0x7fffffff), to_key(x.b, 0x7fffffff) };
}

WEIR_INNER void store_canonical(void *wire, weir_v x)
{
	WEIR_STORE(wire, weir_blend(x, weir_splat(WEIR_F32_NAN), is_nan(x)));
}

WEIR_INNER void store_key(void *wire, weir_v key)
{
	store_canonical(wire, turn(key));
}

WEIR_INNER weir_v add_float(weir_v acc, weir_v x)
{
	return (weir_v)((weir_vf)acc + (weir_vf)x);
}

#ifdef WEIR_LOAD_REST
/* Add the numbers behind whole vectors: in plain C an addition takes some hundred instructions. */
WEIR_INNER void add_rest(void *acc, const void *src, unsigned int n, unsigned int done)
{
	const char *s = (const char *)src + done * WEIR_SIZE;
	weir_word *a = (weir_word *)acc + done;
	weir_v first;

	if (done == n)
		return;
	first = weir_first_lanes(n - done);
	weir_put_first(a, first,
		       add_float(weir_take_first(a, first), WEIR_LOAD_REST(s, n - done)));
}
#else
/* No part of a vector of 16-bit numbers can be loaded by itself. */
WEIR_INNER void add_rest(void *acc, const void *src, unsigned int n, unsigned int done)
{
	rest(WEIR_REST(sum).add, acc, src, n, done);
}
#endif

static unsigned int sum_set(void *acc, const void *src, unsigned int n,
			    unsigned int bias)
{
	(void)bias;
	rest(WEIR_REST(sum).set, acc, src, n,
	     weir_avx2_set(acc, src, n, WEIR_SIZE, WEIR_LOAD));
	return 0;
}

static unsigned int sum_add(void *acc, const void *src, unsigned int n,
			    unsigned int bias)
{
	(void)bias;
	add_rest(acc, src, n,
		 weir_avx2_add(acc, src, n, WEIR_SIZE, WEIR_LOAD, WEIR_LOAD_PAIR, add_float));
	return 0;
}

static void sum_to_wire(void *wire, const void *acc, unsigned int n)
{
	rest_to_wire(WEIR_REST(sum).to_wire, wire, acc, n,
		     weir_avx2_to_wire(wire, acc, n, WEIR_SIZE, store_canonical));
}

static unsigned int binned_set(void *acc, const void *src, unsigned int n,
			       unsigned int bias)
{
	const struct weir_vconst c = weir_vconst();
	weir_word *a = acc;

	for (; n >= WEIR_LANES; n -= WEIR_LANES) {
		weir_v x = WEIR_LOAD(src), exponent = weir_vexponent(&c, x);

		if (!weir_vhas_odd(&c, exponent))
			weir_vbinned_set(a, weir_vsplit_normal(&c, x, exponent));
		else if (!weir_vhas_special(x))
			weir_vbinned_set(a, weir_vsplit(&c, x));
		else
			WEIR_REST(binned).set(a, src, WEIR_LANES, bias);
		a += WEIR_LANES;
		src += WEIR_LANES * WEIR_SIZE;
	}
	rest(WEIR_REST(binned).set, a, src, n, 0);
	return 0;
}

static unsigned int binned_add(void *acc, const void *src, unsigned int n,
			       unsigned int bias)
{
	const struct weir_vconst c = weir_vconst();
	weir_word *a = acc;

	for (; n >= WEIR_LANES; n -= WEIR_LANES) {
		weir_v x = WEIR_LOAD(src), exponent = weir_vexponent(&c, x);

		if (!weir_vhas_odd(&c, exponent))
			weir_vbinned_add(&c, a, weir_vsplit_normal(&c, x, exponent));
		else if (!weir_vhas_special(x))
			weir_vbinned_add(&c, a, weir_vsplit(&c, x));
		else
			WEIR_REST(binned).add(a, src, WEIR_LANES, bias);
		a += WEIR_LANES;
		src += WEIR_LANES * WEIR_SIZE;
	}
	rest(WEIR_REST(binned).add, a, src, n, 0);
	return 0;
}

static void binned_to_wire(void *wire, const void *acc, unsigned int n)
{
	const weir_word *a = acc;

	for (; n >= WEIR_LANES; n -= WEIR_LANES) {
		struct weir_vbinned b;

		weir_vbinned_load(&b, a);
		if (weir_vbinned_is_special(&b))
			WEIR_REST(binned).to_wire(wire, a, WEIR_LANES);
		else
			WEIR_STORE(wire, weir_vbinned_round(&b, WEIR_TO_ODD));
		a += WEIR_LANES;
		wire += WEIR_LANES * WEIR_SIZE;
	}
	rest_to_wire(WEIR_REST(binned).to_wire, wire, a, n, 0);
}

static unsigned int min_set(void *acc, const void *src, unsigned int n,
			    unsigned int bias)
{
	(void)bias;
	rest(WEIR_REST(min).set, acc, src, n,
	     weir_avx2_set(acc, src, n, WEIR_SIZE, load_min_key));
	return 0;
}

static unsigned int min_add(void *acc, const void *src, unsigned int n,
			    unsigned int bias)
{
	(void)bias;
	rest(WEIR_REST(min).add, acc, src, n,
	     weir_avx2_add(acc, src, n, WEIR_SIZE, load_min_key, load_min_keys, weir_vmin));
	return 0;
}

static unsigned int max_set(void *acc, const void *src, unsigned int n,
			    unsigned int bias)
{
	(void)bias;
	rest(WEIR_REST(max).set, acc, src, n,
	     weir_avx2_set(acc, src, n, WEIR_SIZE, load_max_key));
	return 0;
}

static unsigned int max_add(void *acc, const void *src, unsigned int n,
			    unsigned int bias)
{
	(void)bias;
	rest(WEIR_REST(max).add, acc, src, n,
	     weir_avx2_add(acc, src, n, WEIR_SIZE, load_max_key, load_max_keys, weir_vmax));
	return 0;
}

static void key_to_wire(void *wire, const void *acc, unsigned int n)
{
	rest_to_wire(WEIR_REST(min).to_wire, wire, acc, n,
		     weir_avx2_to_wire(wire, acc, n, WEIR_SIZE, store_key));
}
