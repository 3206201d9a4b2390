/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _WEIR_FORMAT_KV_H
#define _WEIR_FORMAT_KV_H

#include <linux/types.h>
#include <uapi/weir_wire.h>

struct weir_contrib;

/**
 * struct weir_kv_words - a header of format kv in host byte order, see struct weir_kv
 * @kind: WEIR_KV_UP or WEIR_KV_DOWN
 * @flags: WEIR_KV_*, without WEIR_KV_CPA
 * @op: enum weir_op
 * @dtype: enum weir_dtype
 * @job: job id
 * @source: the sender of a stream
 * @pairs: pairs, or enum weir_kv_status
 * @window: packets
 * @seq: of a packet
 * @session: of a stream, or the instance of its sender
 * @more: further packets, or the cookie
 */
struct weir_kv_words {
	u8	kind;
	u8	flags;
	u8	op;
	u8	dtype;
	u16	job;
	u16	source;
	u16	pairs;
	u16	window;
	u32	seq;
	u32	session;
	u64	more;
};

void weir_kv_fill(struct weir_kv *hdr, const struct weir_kv_words *words);
void weir_kv_read(struct weir_kv_words *words, const struct weir_contrib *c);

#endif /* _WEIR_FORMAT_KV_H */
