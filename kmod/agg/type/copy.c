// SPDX-License-Identifier: GPL-2.0
/*
 * Copies of results. Most kernels copy 8 bytes an instruction, but where the processor says that
 * it is quick at short strings.
 */
#include <linux/string.h>

#include "agg/type/copy.h"
#include "agg/type/copy_avx2.h"
#include "agg/type/vector.h"

/* Bytes from which on it is worth asking for the registers. */
#define WEIR_COPY_LEAST	128

/**
 * weir_copy() - copy the bytes of a result
 * @to: buffer that is written
 * @from: from where; does not overlap @to
 * @len: number of bytes
 *
 * Softirq. By vector registers where a merged packet's sums have them already.
 */
void weir_copy(void *to, const void *from, size_t len)
{
	size_t done = 0;

#ifdef CONFIG_X86_64
	if (len >= WEIR_COPY_LEAST && weir_vector_begin(WEIR_CPU_VECTORS, false)) {
		done = weir_copy_avx2(to, from, len);
		weir_vector_end();
	}
#endif
	memcpy(to + done, from + done, len - done);
}
