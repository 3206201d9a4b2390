/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _WEIR_ROOM_H
#define _WEIR_ROOM_H

#include <linux/mm.h>

#define WEIR_ROOM_ORDER	2
#define WEIR_ROOM_BYTES	(PAGE_SIZE << WEIR_ROOM_ORDER)

void *weir_room_get(void);
void weir_room_uninit(void);

#endif /* _WEIR_ROOM_H */
