/* SPDX-License-Identifier: GPL-2.0 */
#ifndef BENCH_PLAIN_H
#define BENCH_PLAIN_H

/* A number in a packet: headers leave it at an odd place. */
typedef int plain_unaligned __attribute__((aligned(1), may_alias));

void plain_add(int *restrict acc, const plain_unaligned *restrict src, unsigned int n);

#endif
