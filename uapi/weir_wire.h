/* SPDX-License-Identifier: ((GPL-2.0 WITH Linux-syscall-note) OR BSD-3-Clause) */
/*
 * Wire formats, shared by the module, the BPF programs, the worker library and
 * the tests. All fields are in network byte order.
 */
#ifndef _UAPI_WEIR_WIRE_H
#define _UAPI_WEIR_WIRE_H

#include <linux/types.h>

/**
 * struct weir_trio - the Trio-ML header (Trio paper, figures 7 and 8)
 * @job_id: the job
 * @block_id: the block; not aligned, as on the wire
 * @flags: age_op (4 bits), final, degraded and, in bits that the paper leaves
 *	unused, overflow and control; see WEIR_TRIO_*
 * @src_id: rank of the sender; 0 in a result to all
 * @src_cnt: sources summed into this packet; 1 from a worker, and in a result
 *	the number of contributors, with 256 written as 0
 * @gen_id: generation of the workers' communicator, serial arithmetic
 * @grad_cnt: number of gradients that follow, in the low 12 bits;
 *	WEIR_TRIO_JOINED, WEIR_TRIO_DOWN, WEIR_TRIO_EXPONENT, WEIR_TRIO_UP
 *
 * 12 bytes behind a UDP header. Behind them stands:
 *
 * From a worker:
 *
 * - a contribution: grad_cnt gradients, at which the datagram ends: 8, 4 or 2 bytes each,
 *   of the job's type (enum weir_dtype), in network byte order or, with WEIR_TRIO_LITTLE, in
 *   little-endian byte order. With WEIR_TRIO_EXPONENT, struct weir_trio_exponent stands before
 *   them. With WEIR_TRIO_EMPTY none follow: the worker has no gradients to add to the block, and
 *   grad_cnt is the block's. With WEIR_TRIO_BRIEF it does not need those of the result. Both are
 *   for boxes whose answer to a join had WEIR_JOIN_SHARES, with WEIR_TRIO_JOINED set;
 * - a query: nothing; grad_cnt is 0. Asks for the block's result. The box
 *   answers with the result where the block is complete, else with a reply. With
 *   WEIR_TRIO_EXPONENT and a struct weir_trio_exponent, whose number is 0, it also asks
 *   who is in the block;
 * - an acknowledgment, with WEIR_TRIO_ACK set, to a box that takes them (WEIR_JOIN_ACKS): nothing;
 *   grad_cnt is 0 and WEIR_TRIO_JOINED is set. The worker has received the results of all blocks
 *   before block_id, or does not need them. WEIR_TRIO_FINAL reports that its program, too, has
 *   got that far. It is not answered;
 * - a join: struct weir_join, with WEIR_TRIO_CONTROL set.
 *
 * From a box to its parent, with WEIR_TRIO_UP in all of it: what a worker sends, where a
 * contribution is the sum of the ranks below the box. src_cnt is their number modulo 256, the flags
 * may be those of a result, and with WEIR_TRIO_DEGRADED the bitmap of the ranks in it follows the
 * gradients. The bitmap of all ranks below the box follows a join. And a notice, a struct
 * weir_notice with WEIR_TRIO_NOTICE set, whose ranks are those below the box; none wait.
 *
 * From the box, with WEIR_TRIO_DOWN in all of it:
 *
 * - a result: grad_cnt sums, as above, with the largest exponent where the contributions
 *   had some. WEIR_TRIO_UNLIKE tells that these were not all the same. It is also set where
 *   contributions of joined workers had another grad_cnt than the first one, another byte order,
 *   or an exponent where that had none, or none where that had one: their workers are among the
 *   contributors, their gradients are not in the sums, and the exponent is the largest
 *   number that there is. Where WEIR_TRIO_DEGRADED is set, the bitmap of the contributors
 *   follows them for workers that have joined, and for a multicast group where they have:
 *   as many 32-bit words in network byte order as the job's sources need, source s being
 *   bit s % 32, from the least significant on, of word s / 32. It is left out where the
 *   packet would not fit the MTU of the box's route with it: where the datagram ends with
 *   the sums, src_cnt is the number of contributors, and the packet does not name them.
 *   With WEIR_TRIO_EMPTY the sums are left out, as the receiver's contribution had
 *   WEIR_TRIO_BRIEF; grad_cnt is their number. A multicast group gets them all the same. Where
 *   no contributor had gradients, the sums are the neutral element, -0.0 of floats.
 *   In a job of several boxes bitmaps have a bit for each rank of all boxes, and not for each
 *   source of this one; src_cnt is the number of ranks modulo 256;
 * - a reply to a query: nothing; grad_cnt is 0, src_id is the source of the query, src_cnt
 *   is the number of contributors so far (0 may be 256). With WEIR_TRIO_WANTED the source
 *   is not among them, and should send its contribution. Without it, the source should wait
 *   for the others; where src_cnt is 0, they lack results that the block's slot still
 *   holds. The bitmap of the contributors so far follows, laid out as a result's, where a
 *   worker that has joined asked for it;
 * - an answer to a join: struct weir_join, with WEIR_TRIO_CONTROL set, and with
 *   WEIR_TRIO_COOKIE where the join has to be sent again;
 * - a notice: struct weir_notice, with WEIR_TRIO_NOTICE set;
 * - a status message: struct weir_behind, with WEIR_TRIO_BEHIND set. The box has evicted the result
 *   of block_id, which the worker lacks: it cannot go on with that block.
 *
 * A result carries CE (RFC 3168) where one of its contributions did; else ECT(0) where all were
 * ECN-capable. One that is repeated has the same mark. All other packets of a box are not
 * ECN-capable.
 *
 * An address can be forged. A worker shows by a join that it receives packets at its
 * address. Before that it gets no more bytes than it sent: for a query about a complete
 * block, a reply with WEIR_TRIO_WANTED set, as its contribution is as long as the result;
 * for a packet that is refused, a notice's header alone; and degraded results without a
 * bitmap.
 */
struct weir_trio {
	__u8	job_id;
	__u8	block_id[4];
	__u8	flags;
	__u8	src_id;
	__u8	src_cnt;
	__u8	gen_id[2];
	__u8	grad_cnt[2];
};

#define WEIR_TRIO_AGE_OP	0xf0	/* result: the block has aged out */
#define WEIR_TRIO_AGED		0x10	/* the box's value there */
#define WEIR_TRIO_UNLIKE	0x20	/* the box's value there: contributions
					 * had unlike exponents, or another form
					 */
#define WEIR_TRIO_WANTED	0x10	/* reply: send the contribution */
#define WEIR_TRIO_BRIEF		0x10	/* contribution: the result's gradients are not needed */
#define WEIR_TRIO_ACK		0x40	/* from a worker, grad_cnt 0: acknowledgment */
#define WEIR_TRIO_EMPTY		0x40	/* contribution, result: without its gradients */
#define WEIR_TRIO_LITTLE	0x80	/* contribution, result: the gradients are
					 * little-endian. From workers whose answer to a
					 * join had WEIR_JOIN_LITTLE
					 */
#define WEIR_TRIO_FINAL		0x08	/* the last block of an allreduce */
#define WEIR_TRIO_DEGRADED	0x04	/* result: not all sources are in it; the
					 * contributors' bitmap may follow
					 */
#define WEIR_TRIO_OVERFLOW	0x02	/* result: a sum has left int32; the
					 * gradients are wrong modulo 2^32
					 */
#define WEIR_TRIO_CONTROL	0x01	/* a struct weir_join or _notice follows */
#define WEIR_TRIO_NOTICE	(WEIR_TRIO_CONTROL | 0x10)
#define WEIR_TRIO_COOKIE	(WEIR_TRIO_CONTROL | 0x20)
#define WEIR_TRIO_BEHIND	(WEIR_TRIO_CONTROL | 0x40)

/* In grad_cnt, whose 4 upper bits the paper leaves unused. */
#define WEIR_TRIO_GRAD_MASK	0x0fff
#define WEIR_TRIO_JOINED	0x8000	/* from a worker: gen_id came in the
					 * answer to a join, so that another
					 * box does not take it for one of its
					 * own
					 */
#define WEIR_TRIO_EXPONENT	0x2000	/* a struct weir_trio_exponent follows; in
					 * all contributions to a block or in none
					 */
#define WEIR_TRIO_UP		0x1000	/* from a box, to its parent */
#define WEIR_TRIO_DOWN		0x4000	/* from a box, to its workers: without it
					 * a reply would be a query, and the result
					 * of one source a contribution
					 */

/**
 * struct weir_trio_exponent - a number; the result has its maximum
 * @exponent: from a worker, any number, in two's complement; in the result the largest of
 *	all contributors'
 *
 * Workers that send floats as integers agree on a scale by it: each sends the size of its
 * numbers of a later block, and all get the largest. Workers that mean to send the same number
 * learn from WEIR_TRIO_UNLIKE whether all did. Its meaning, and the block, is up to the workers.
 */
struct weir_trio_exponent {
	__be32	exponent;
};

/**
 * struct weir_join - how workers agree on a generation
 * @nonce: from a worker, a random number that it keeps for one communicator; from a box, one
 *	that it makes of those of its sources, and that is the same for the same; echoed in the
 *	answer
 * @ranks: from a worker, how many it expects; in the answer the job's sources, or all ranks of a
 *	job of several boxes
 * @blocks: 0 from a worker; in the answer the job's block slots, of which a
 *	window may fill half
 * @grads: from a worker, the gradients a block that it means to send; in the
 *	answer the most that the job takes
 * @cookie: from a worker, the cookie that it got from the box, or 0; in an answer with
 *	WEIR_TRIO_COOKIE the cookie for the next join, opaque to workers; in other answers the
 *	job's timeout in nanoseconds, in network byte order, 0 where its blocks do not time out
 * @dtype: enum weir_dtype of the gradients; from a worker the type that it means to send,
 *	or 0 for the job's, in the answer the job's
 * @op: enum weir_op of the job; from a worker the one that it means to use, or 0 for the job's
 * @format: enum weir_format; in the answer that of the job at this address and port
 * @features: from a worker, WEIR_JOIN_LITTLE if it can send and receive little-endian gradients; in
 *	the answer WEIR_JOIN_ACKS, WEIR_JOIN_SHARES in a job of sums, and WEIR_JOIN_LITTLE if all
 *	gradients of the generation are little-endian: all workers have said that they can, and
 *	the job allows it
 * @member: from a worker, 1 + its rank among all; 0 where that is its src_id. In an answer with
 *	WEIR_TRIO_COOKIE how many sources wait for a generation now; else 0
 * @cwnd_cap: 0 from a worker; in the answer how many blocks the worker may have under way, as
 *	far as the memory of the boxes has room for them. It is 0 from a box that does not mark
 *	results (RFC 3168): then a worker's packets must not be ECN-capable
 *
 * Follows a struct weir_trio with WEIR_TRIO_CONTROL set and grad_cnt zero. A worker repeats
 * it until it is answered. When every source has sent one with a nonce that is not in the
 * current generation, and has sent it again since the last new nonce came from any of them,
 * a new generation begins and each gets an answer that carries it in gen_id. The box waits
 * for sources that it excludes where they have sent a join within the last two seconds, and
 * for ten seconds from the first join of all on.
 *
 * block_id is, from a worker, the first block that it lacks: 0 in a new
 * communicator, and where it joins again because the box has lost its state, the
 * first one that was not answered. In the answer it is the block that the
 * generation begins with, the earliest that any of them lacks.
 *
 * A join without the right cookie is answered with it at once, and has no other effect. A
 * worker that brings the cookie has shown that it received the answer. The cookie holds for
 * the worker's address, port and @nonce, as long as their binding on the box stays; a box
 * that was set up again gives out other cookies.
 *
 * A join that waits for other workers for long is answered with a notice, which names those that
 * wait, too. One that is repeated after the generation has begun is answered again. One whose
 * @ranks, @grads, @dtype, @op or @format do not fit the job is answered at once with
 * WEIR_TRIO_DEGRADED set and the job's figures, so that the worker can report the mistake;
 * it does not count.
 */
struct weir_join {
	__u32	nonce;
	__be32	ranks;
	__be32	blocks;
	__be32	grads;
	__u64	cookie;
	__u8	dtype;
	__u8	op;
	__u8	format;
	__u8	features;
	__be16	member;
	__be16	cwnd_cap;
};

#define WEIR_JOIN_ACKS		0x01	/* in an answer: the box takes acknowledgments */
#define WEIR_JOIN_LITTLE	0x02	/* gradients are little-endian */
#define WEIR_JOIN_SHARES	0x04	/* in an answer: the box takes WEIR_TRIO_EMPTY and _BRIEF */

/* Most ranks of a job of several boxes. */
#define WEIR_RANKS_MAX		4096

/* 32-bit words of a bitmap of all the sources that a job can have. */
#define WEIR_BITMAP_WORDS	8

/**
 * struct weir_notice - the box's messages to workers without a request
 * @dead: bitmap of the sources that were silent for so long that the box takes them for
 *	dead; laid out as a result's bitmap
 * @excluded: sources among them that blocks are complete without
 * @waiting: sources that have joined and wait for the others to join again; excluded
 *	sources come back in this way
 *
 * Follows a struct weir_trio with WEIR_TRIO_NOTICE set; gen_id is the current generation,
 * src_id the receiver. In a job of several boxes the bitmaps are of ranks, and each has as
 * many words as they need where that is more. With WEIR_TRIO_DEGRADED the box has begun no
 * generation yet: it was set up again, and a worker of an old one must join again. Sent to
 * sources in the generation when the bitmaps change, and again from time to time while they
 * are not empty; and to a source alone whose packet, with WEIR_TRIO_JOINED, was refused
 * because of its generation or because it is excluded, or whose block is gone. A worker that
 * has not joined gets none. A worker that claims to have joined, but has not shown to this box
 * that it receives, gets the header alone.
 */
struct weir_notice {
	__be32	dead[WEIR_BITMAP_WORDS];
	__be32	excluded[WEIR_BITMAP_WORDS];
	__be32	waiting[WEIR_BITMAP_WORDS];
};

/**
 * struct weir_behind - status message to a worker that lacks an evicted result
 * @oldest: the first block from which on the box has evicted no result
 * @next: the block after the last one that any worker has sent
 *
 * Follows a struct weir_trio with WEIR_TRIO_BEHIND set, whose gen_id is the current generation,
 * src_id the receiver and block_id the block that the receiver asked about or contributed to. The
 * worker may continue at any block from @oldest on, which it reports by an acknowledgment: the
 * other workers have not waited for it. The box also answers a query for a block that the worker
 * has acknowledged: it may resume before the last result that it has received. The message is sent
 * only to workers that have joined.
 */
struct weir_behind {
	__be32	oldest;
	__be32	next;
};

/**
 * struct weir_lab - the beginning of a packet of formats lab and lab-ethernet
 * @num_workers: number of workers: the job's sources
 * @chunk_size: number of values that follow, each of 4 bytes
 *
 * As students build SwitchML (a report of group 11, VU Amsterdam): over UDP, to the job's
 * address and port (8000); or behind an Ethernet header whose EtherType is
 * WEIR_LAB_ETHERTYPE. The bytes between this and the values depend on the variant. Their
 * number is the length of all less the values, and tells which variant it is:
 *
 *	 8	basic: nothing more
 *	12	the scale, too: m_val
 *	21	reliable: struct weir_lab_chunk
 *	25	reliable, with the scale: struct weir_lab_chunk, m_val
 *
 * m_val is 4 bytes in two's complement: from a worker any number, in the result the largest
 * of all workers'. Workers that send floats as integers agree on a scale by it.
 *
 * A result has the variant of its contributions, and their fields, except m_val and
 * worker_rank.
 *
 * A frame may be longer than its packet, as Ethernet has a shortest frame. Where the excess
 * is zero and no more than the padding of such a frame, the packet is of the basic variant.
 * Other variants thus need chunks that fill the shortest frame: 6 values of 25 bytes before
 * them, 7 of 21, 9 of 12.
 */
struct weir_lab {
	__u8	num_workers[4];
	__u8	chunk_size[4];
};

#define WEIR_LAB_ETHERTYPE	0x8777

/* The payload of the shortest Ethernet frame. */
#define WEIR_LAB_FRAME_MIN	46

/**
 * struct weir_lab_chunk - header of a chunk from workers that repeat lost packets
 * @worker_rank: from a worker its rank, the source's id; in a result WEIR_LAB_DOWN
 * @chunk_id: the chunk, from 1 to @total_chunks in each iteration
 * @total_chunks: chunks of this iteration
 * @slot_mod: the lowest bit of @chunk_id
 */
struct weir_lab_chunk {
	__u8	worker_rank[4];
	__u8	chunk_id[4];
	__u8	total_chunks[4];
	__u8	slot_mod;
};

#define WEIR_LAB_DOWN		0xffffffff	/* no worker's rank: comes from a box */

/**
 * struct weir_switchml - the header of p4lang's SwitchML (p4app-switchML), over UDP and IPv4
 * @kind: the type, 1, in the upper 4 bits, and what follows in the lower ones; see
 *	WEIR_SWITCHML_*
 * @job: lower 8 bits of the number of the tensor, from 0
 * @packet: packet of the sending thread's part of the tensor, from 0; in the byte order of
 *	the worker, little-endian
 * @pool: slot and set of the pool, see WEIR_SWITCHML_SECOND
 * @exponent: of floats that are sent as integers, from a worker; in the result the largest of
 *	all workers'. A worker uses the first alone
 *
 * 10 bytes behind a UDP header, and gradients behind them, as of a struct weir_trio. A result
 * has the same form, and goes to the port that the receiver's contribution came from, from the
 * one that it went to.
 *
 * A thread numbers its packets on over all tensors, and packet s is in slot 2mt + s mod m of set
 * s / m mod 2, m being how many it has under way, and t its own number. What it sends to a slot
 * of one set shows that it has the result of the same slot of the other set.
 */
struct weir_switchml {
	__u8	kind;
	__u8	job;
	__u8	packet[4];
	__u8	pool[2];
	__s8	exponent[2];
};

#define WEIR_SWITCHML_64	0x11	/* 64 gradients */
#define WEIR_SWITCHML_256	0x13	/* 256 gradients */
#define WEIR_SWITCHML_SECOND	0x8000	/* of pool: the second set; the rest is the slot */

/* Its fields in weir_contrib.said; block and generation are packet and job. */
#define WEIR_SWITCHML_SAID_KIND		0
#define WEIR_SWITCHML_SAID_POOL		1
#define WEIR_SWITCHML_SAID_EXPONENT	2	/* the first one, as 8 bits; then the second */

/**
 * struct weir_panama - what a packet of format panama begins with
 * @kind: WEIR_PANAMA_UP from a worker, WEIR_PANAMA_DOWN from a box: the version in the upper
 *	4 bits, the direction in the lower ones
 * @flags: WEIR_PANAMA_FIN, WEIR_PANAMA_BOX
 * @job: the job (the paper's JID), 0 to 15
 * @tree: number of its aggregation tree (TID), 0 to 15
 * @worker: from a worker its rank, the source's id; from a box, its number among the sources of
 *	its parent; 0 in a result
 * @cwnd_cap: number of packets that may be under way in the tree. From a worker, what it has room
 *	for; 0 where it does not say. In a result the least of what the workers have said and
 *	of what the box has room for, 1 at least
 * @vid: number of the packet in its tree and round, from 0 on
 * @round: all trees' VIDs begin with 0 in each; the next one is 1 more, serial arithmetic
 * @sources: workers that are summed into the packet: 1 from a worker, 1 or more from a box, and
 *	in a result how many there are in it, of all boxes of the tree
 *
 * Sections 4 and 5 of the PANAMA paper say what packets carry, and not where. So this layout
 * is weir's: 16 bytes behind a UDP header, each number aligned to its size, and one gradient,
 * a binary32, every 4 bytes from there to the datagram's end. What is IPv4 to the job's
 * address and port (12056) with a DSCP of WEIR_PANAMA_DSCP is of this format, and nothing else.
 * A result has that DSCP, too.
 *
 * FIN says that a packet is its tree's last one in the round. In a result it says that all
 * workers that are summed into it have said so.
 *
 * A result carries CE (RFC 3168) where one of its contributions did; else ECT(0) where all
 * were ECN-capable.
 *
 * A tree of several tiers (the paper's figure 3) has boxes below its root. Such a box sends the sum
 * of a packet up with WEIR_PANAMA_BOX, as a worker sends its own, and passes the result of its
 * parent on to its workers. What both say of congestion holds for the whole way: cwnd_cap is the
 * least of all workers and boxes, and CE on any link of it reaches all workers.
 */
struct weir_panama {
	__u8	kind;
	__u8	flags;
	__u8	job[2];
	__u8	tree;
	__u8	worker;
	__u8	cwnd_cap[2];
	__u8	vid[4];
	__u8	round[2];
	__u8	sources[2];
};

#define WEIR_PANAMA_UP		0x11
#define WEIR_PANAMA_DOWN	0x12
#define WEIR_PANAMA_FIN		0x01
#define WEIR_PANAMA_BOX		0x02	/* the sum of a box, to its parent */

/* Its fields in weir_contrib.said. */
#define WEIR_PANAMA_SAID_CAP	0
#define WEIR_PANAMA_SAID_FLAGS	1

#define WEIR_PANAMA_DSCP	56

/* Trees that a job may have; weir's job WEIR_PANAMA_TREES * job + tree sums for one. */
#define WEIR_PANAMA_TREES	16

/**
 * struct weir_kv - what a packet of format kv begins with
 * @kind: WEIR_KV_UP towards the reducer, WEIR_KV_DOWN back: the version in the upper 4 bits, the
 *	direction in the lower ones
 * @flags: WEIR_KV_CPA, and more of WEIR_KV_*
 * @op: enum weir_op of the job: the paper's OP
 * @dtype: enum weir_dtype of the values
 * @job: the job, 0 to WEIR_JOB_ID_MAX
 * @source: the sender's number among those of its receiver; down, that of whom it is for
 * @pairs: up, how many pairs there are behind the header. Down, enum weir_kv_status
 * @window: down, how many packets from @seq on there is room for, 0 to WEIR_KV_WINDOW;
 *	up, how many boxes its pairs may have come by, this one included: 0 from a mapper, and
 *	WEIR_KV_HOPS at most. Boxes say it in probes and with WEIR_KV_OPEN, too, so that boxes that
 *	are each other's parents find out: what says more is not answered
 * @seq: up, the packet's number in its session, from 0 on. Down, all packets before it are taken
 * @session: the number that the receiver has given the session, never 0. With WEIR_KV_OPEN, a
 *	random number of the sender's choice, its instance
 * @more: down, of the packets behind @seq those that are taken: bit i, from the lowest, is packet
 *	@seq + 1 + i. With WEIR_KV_OPEN the cookie, both ways. Else 0
 *
 * A key-value stream (P4COM paper, section III-C and figure 4) over UDP: 28 bytes behind the
 * UDP header, each number aligned to its size, and pairs from there to the datagram's end. The
 * paper says which flags there are, and of the payload that a byte of operation and pairs
 * follow; the rest of this layout is weir's.
 *
 * Pairs come in one of two forms. With WEIR_KV_PACKED: a byte with the length of the key, 1 to
 * WEIR_KV_KEY_MAX; the key; the value. Without it, the paper's: WEIR_KV_KEY_MAX bytes with the
 * key, filled up with zeroes at its end, and the value. Values have 4 bytes, of int64 8. A packet
 * has WEIR_KV_BYTES_MAX bytes of pairs at most.
 *
 * *A stream* goes from a sender to a receiver: from a mapper to a box, from a box to its
 * parent, from the last box, or from mappers without a box, to the reducer. All are alike.
 *
 * - The sender opens a session: WEIR_KV_OPEN, with a number of its own. It is answered with
 *   WEIR_KV_STATUS_COOKIE and a cookie, which the sender brings back in the next one; that is
 *   answered with WEIR_KV_STATUS_OPENED and the session's number in @seq. In @seq of
 *   WEIR_KV_OPEN is the number of the session that it is to follow, 0 for none.
 * - Packets with pairs, with WEIR_KV_COLLECT or with WEIR_KV_FIN are numbered one by one, and
 *   are sent again until they are acknowledged. Each is answered with WEIR_KV_CPK. The receiver
 *   takes each once, in any order.
 * - A packet without any of these is a probe. It has no number of its own, and is answered
 *   with WEIR_KV_CPK; a sender that has nothing to send shows with it each second that it is alive.
 * - WEIR_KV_COLLECT asks a box to send on what its table holds.
 * - WEIR_KV_FIN is the last packet. It is acknowledged when all senders of the receiver have
 *   ended their streams and, at a box, all that came of them is acknowledged by its own
 *   receiver. So a mapper that has this acknowledgment knows that its pairs are at the
 *   reducer. It confirms that with a probe that has WEIR_KV_FIN's number + 1 in @seq, which
 *   alone is not answered.
 *
 * A box that has heard nothing of its own receiver for WEIR_KV_SILENCE seconds of a run, or of
 * the silence behind that, sets WEIR_KV_SILENT in what it sends back: the packet then says what
 * the box has, and is no sign that there is a reducer. So a sender that waits for a sign of life
 * waits for one of the whole way.
 *
 * All sessions of a receiver between a first WEIR_KV_OPEN and the acknowledgment of all
 * WEIR_KV_FIN are a run. Where one of them breaks off, since a sender restarts or the
 * receiver has lost its state, it is unknown which of its pairs have been reduced already: the run
 * is void. All that the receiver has of it is thrown away, towards its own receiver it begins a
 * new session, and packets of old sessions are answered with WEIR_KV_STATUS_UNKNOWN. Their
 * senders open new ones and begin from the first pair, or give up.
 */
struct weir_kv {
	__u8	kind;
	__u8	flags;
	__u8	op;
	__u8	dtype;
	__u8	job[2];
	__u8	source[2];
	__u8	pairs[2];
	__u8	window[2];
	__u8	seq[4];
	__u8	session[4];
	__u8	more[8];
};

#define WEIR_KV_UP		0x11
#define WEIR_KV_DOWN		0x12

#define WEIR_KV_CPA		0x80	/* valid: set in each packet */
#define WEIR_KV_CPK		0x40	/* an acknowledgment: set in each packet down */
#define WEIR_KV_CPD		0x20	/* pairs of a box's table */
#define WEIR_KV_PACKED		0x10
#define WEIR_KV_OPEN		0x08
#define WEIR_KV_COLLECT		0x04
#define WEIR_KV_FIN		0x02
#define WEIR_KV_SILENT		0x01	/* down: nothing is heard of the box's own receiver */

/* Its fields in weir_contrib.said; block is seq, generation window, and count pairs. */
#define WEIR_KV_SAID_SESSION	0
#define WEIR_KV_SAID_MORE	1	/* the upper half, then the lower one */
#define WEIR_KV_SAID_FLAGS	3	/* then op and dtype, 8 bits each from the lowest on */

#define WEIR_KV_KEY_MAX		64
#define WEIR_KV_BYTES_MAX	8960
#define WEIR_KV_WINDOW		64
#define WEIR_KV_HOPS		16

/*
 * Seconds of silence after which another instance may take a sender's place, and a box says that
 * its receiver is silent.
 */
#define WEIR_KV_SILENCE		3

/**
 * enum weir_kv_status - what a receiver says of a packet
 * @WEIR_KV_STATUS_OK: @seq, @more and @window hold
 * @WEIR_KV_STATUS_COOKIE: open again with this cookie
 * @WEIR_KV_STATUS_OPENED: the session's number is in @seq
 * @WEIR_KV_STATUS_UNKNOWN: there is no such session: the run is void
 * @WEIR_KV_STATUS_TAKEN: another instance has this number, and was heard a while ago
 * @WEIR_KV_STATUS_UNLIKE: the job has the operation and the type of values that the answer says
 */
enum weir_kv_status {
	WEIR_KV_STATUS_OK,
	WEIR_KV_STATUS_COOKIE,
	WEIR_KV_STATUS_OPENED,
	WEIR_KV_STATUS_UNKNOWN,
	WEIR_KV_STATUS_TAKEN,
	WEIR_KV_STATUS_UNLIKE,
};

#endif /* _UAPI_WEIR_WIRE_H */
