// SPDX-License-Identifier: GPL-2.0
/* Copies for AVX2. */
#include "agg/type/avx2.h"
#include "agg/type/copy_avx2.h"

#define STEP	sizeof(weir_vp)

unsigned long weir_copy_avx2(void *to, const void *from, unsigned long len)
{
	const char *s = from, *end = s + len / STEP * STEP;
	char *t = to;

	for (; end - s >= (long)(4 * STEP); s += 4 * STEP, t += 4 * STEP) {
		*(weir_vp *)t = *(const weir_vp *)s;
		*(weir_vp *)(t + STEP) = *(const weir_vp *)(s + STEP);
		*(weir_vp *)(t + 2 * STEP) = *(const weir_vp *)(s + 2 * STEP);
		*(weir_vp *)(t + 3 * STEP) = *(const weir_vp *)(s + 3 * STEP);
	}
	for (; s < end; s += STEP, t += STEP)
		*(weir_vp *)t = *(const weir_vp *)s;
	return s - (const char *)from;
}
