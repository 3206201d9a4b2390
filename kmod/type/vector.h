/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _WEIR_VECTOR_H
#define _WEIR_VECTOR_H

#include <linux/types.h>

/* CPU features that loops need. */
#define WEIR_CPU_AVX2	0x1
#define WEIR_CPU_F16C	0x2

void weir_vector_init(void);
bool weir_vector_has(u8 needs);

bool weir_vector_begin(u8 needs, bool worth);
void weir_vector_end(void);

void weir_vector_keep(void);
void weir_vector_yield(void);
void weir_vector_drop(void);

#endif /* _WEIR_VECTOR_H */
