/* SPDX-License-Identifier: GPL-2.0 */
#ifndef BENCH_PLAIN_H
#define BENCH_PLAIN_H

/* acc: sums of 32 bits, or of 64; src: numbers as they lie in a packet. */
void plain_add_int32(void *restrict acc, const void *restrict src, unsigned int n);
void plain_add_float32(void *restrict acc, const void *restrict src, unsigned int n);
void plain_add_int64(void *restrict acc, const void *restrict src, unsigned int n);
void plain_add_float64(void *restrict acc, const void *restrict src, unsigned int n);
void plain_add_bfloat16(void *restrict acc, const void *restrict src, unsigned int n);
void plain_add_float16(void *restrict acc, const void *restrict src, unsigned int n);

#endif /* BENCH_PLAIN_H */
