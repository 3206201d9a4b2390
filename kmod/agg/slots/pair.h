/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _WEIR_PAIR_H
#define _WEIR_PAIR_H

struct weir_block;
struct weir_block_key;

int weir_pair_find(const struct weir_block *block, const struct weir_block *other,
		   const struct weir_block_key *key);
int weir_pair_may_open(const struct weir_block *block, const struct weir_block *other,
		       const struct weir_block_key *key);
void weir_pair_opened(struct weir_block *block, const struct weir_block *other);

#endif /* _WEIR_PAIR_H */
