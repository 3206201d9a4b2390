/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _WEIR_COPY_H
#define _WEIR_COPY_H

#include <linux/types.h>

void weir_copy(void *to, const void *from, size_t len);

#endif /* _WEIR_COPY_H */
