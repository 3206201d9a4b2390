/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _WEIR_LAB_PLACE_H
#define _WEIR_LAB_PLACE_H

#include <linux/types.h>

struct weir_blocks;
struct weir_contrib;

/**
 * struct weir_lab_name - the name of a chunk in packets
 * @chunk: chunk_id, from 1 on; 0 in the basic variants, which have no name for any
 * @total: total_chunks; 0 in the basic variants
 */
struct weir_lab_name {
	u32	chunk;
	u32	total;
};

size_t weir_lab_bytes(u32 sources, u32 blocks);
void weir_lab_init(void *state);
bool weir_lab_tells(const struct weir_lab_name *name);
int weir_lab_find(void *state, struct weir_blocks *blocks, struct weir_contrib *c,
		  const struct weir_lab_name *name, u64 bytes);

#endif /* _WEIR_LAB_PLACE_H */
