/* SPDX-License-Identifier: GPL-2.0 */
#ifndef BENCH_PLAIN_H
#define BENCH_PLAIN_H

void plain_add(int *restrict acc, const int *restrict src, unsigned int n);

#endif
