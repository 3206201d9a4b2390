/* SPDX-License-Identifier: GPL-2.0 */
/* The kernel's macros that kmod/trim/bands.c uses. */
#ifndef SIM_COMPILER_H
#define SIM_COMPILER_H

#include <linux/types.h>
#include <stdbool.h>

typedef __u32 u32;
typedef __s64 s64;
typedef __u64 u64;

#define READ_ONCE(x)		(x)
#define WRITE_ONCE(x, value)	((x) = (value))

#endif
