/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _WEIR_COPY_AVX2_H
#define _WEIR_COPY_AVX2_H

/* Copies whole vectors, and returns how many bytes these have. */
unsigned long weir_copy_avx2(void *to, const void *from, unsigned long len);

#endif /* _WEIR_COPY_AVX2_H */
