/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _WEIR_FORMAT_H
#define _WEIR_FORMAT_H

#include <linux/types.h>

struct weir_blocks;
struct weir_block_key;
struct weir_contrib;
struct weir_payload;
struct weir_result;

/* Bytes of the longest head that a result has in any format. */
#define WEIR_HEAD_MAX	32

/* Blocks that a packet of a pair may be for. */
#define WEIR_FORMAT_KEYS	3

/**
 * struct weir_format_limits - bounds of a format's jobs
 * @sources: at most
 * @blocks: at most, a power of two
 * @grads: two numbers of gradients, of which a block has one or the other
 */
struct weir_format_limits {
	u16	sources;
	u32	blocks;
	u16	grads[2];
};

/**
 * struct weir_format_ops - a wire format, as far as the box speaks it
 * @id: enum weir_format
 * @unnamed: packets say neither job nor source, and are known by their addresses
 * @link: packets are Ethernet frames without IP: addresses are the link's, and there are no
 *	ports
 * @ipv4: packets come by IPv4 alone
 * @joins: workers may join (struct weir_join), and the box sends them notices
 * @foreign: a job's address need not be one of the box's: the box answers ARP requests for
 *	it, and results come from it
 * @whole: a result cannot say that it lacks a source, so that jobs wait for all
 * @words: gradients are of 4 bytes, as packets say their number and not their type
 * @dtype: the only type of gradients (enum weir_dtype), 0 where the job says it
 * @modular: a result cannot say that a sum of integers has left their range
 * @kv: packets are of key-value streams, and a job has a table of keys (kv/engine.h) in place of
 *	blocks; such a format has no other function
 * @quiet: a worker takes any packet for a result, so no packet to this box may come to its
 *	stack, which might answer
 * @sums: packets are summed, and results go to no group
 * @ecn: workers slow down where results are marked, so that these may be ECN-capable, see
 *	struct weir_result
 * @dscp: DSCP of a result's IP header
 * @mark: bytes that a block keeps of its contributions' headers, WEIR_MARK_MAX at most
 * @udp: the UDP port of jobs that say none, host byte order
 * @repeat_after: us, of jobs that say none, see WEIR_A_JOB_REPEAT_AFTER
 * @slots: block slots that a job has at least
 * @limits: bounds of its jobs, NULL for none
 * @state: bytes that a job of so many sources and block slots keeps for @place, zeroed at
 *	first; NULL for none
 * @init: makes @state ready; NULL where zeroes are
 * @place: NULL, or finds which block a contribution is for, and writes @c's
 *	generation and block. Its gradients, @pl, are there to be looked at, and the job's
 *	table to be asked. Called with bottom halves disabled, for any number of packets at
 *	once, after source, rate, length and checksum were found to be right. Returns 0 or an
 *	enum weir_reason
 * @pair: instead of @place, of formats whose blocks are in pairs that take turns: finds which
 *	block of which pair, and fills pair, second, claim, generation and id of up to
 *	WEIR_FORMAT_KEYS keys: a further one is for a packet whose block by the one before is not
 *	there. Wrong numbers of the packet are put right in @c. Context as of @place. Returns how
 *	many keys, or a negated enum weir_reason
 * @fold: adds a contribution's header to its block's mark, which the block's first one sets.
 *	Called under the block's lock, for each contribution that is summed. NULL for none
 * @result: writes the head of a job's result, which stands before its gradients, and returns
 *	its bytes, WEIR_HEAD_MAX at most
 * @up: writes the head of a sum that goes to the parent box, which knows this one as @source, and
 *	returns its bytes; such a parent is told nothing else, and @fold takes its results as a
 *	block's first contribution. NULL for formats with joins, whose sums tree/parent.c writes,
 *	and for those of one box
 * @down: checks what a result of the parent says, with @up. Returns 0 or an enum weir_reason
 * @port: the UDP port that a source's copy of a result goes to, host byte order, 0 for the
 *	source's own; NULL where it is always that
 *
 * The programs that hand contributions over parse them, see bpf/lib/format/weir_datagram.h; the
 * fields that only one format has are in weir_contrib.said.
 */
struct weir_format_ops {
	u8		id;
	bool		unnamed;
	bool		link;
	bool		ipv4;
	bool		joins;
	bool		foreign;
	bool		whole;
	bool		words;
	u8		dtype;
	bool		modular;
	bool		kv;
	bool		quiet;
	bool		sums;
	bool		ecn;
	u8		dscp;
	u8		mark;
	u16		udp;
	u32		repeat_after;
	u32		slots;
	const struct weir_format_limits *limits;
	size_t		(*state)(u32 sources, u32 blocks);
	void		(*init)(void *state);
	int		(*place)(void *state, struct weir_blocks *blocks, struct weir_contrib *c,
				 const struct weir_payload *pl);
	int		(*pair)(void *state, struct weir_contrib *c,
				struct weir_block_key *key);
	void		(*fold)(void *mark, const struct weir_contrib *c, bool first);
	unsigned int	(*result)(void *head, u8 job, const struct weir_result *res);
	unsigned int	(*up)(void *head, u8 job, u8 source, const struct weir_result *res);
	int		(*down)(const struct weir_contrib *c);
	u16		(*port)(const struct weir_result *res, u16 source);
};

extern const struct weir_format_ops weir_format_kv;
extern const struct weir_format_ops weir_format_lab;
extern const struct weir_format_ops weir_format_lab_ethernet;
extern const struct weir_format_ops weir_format_panama;
extern const struct weir_format_ops weir_format_switchml;
extern const struct weir_format_ops weir_format_trio;

const struct weir_format_ops *weir_format_find(u32 id);

#endif /* _WEIR_FORMAT_H */
