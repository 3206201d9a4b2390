/* SPDX-License-Identifier: GPL-2.0 */
/* A namespace with a port, and a record of the packets that the module sends. */
#ifndef BOX_H
#define BOX_H

#include "kernel.h"

#include "agg/base/net.h"
#include "agg/format/format.h"
#include "agg/rx/contribute.h"
#include "agg/config/jobs.h"
#include "agg/job/port.h"
#include "agg/config/sources.h"
#include "agg/out/dest.h"

#include <uapi/weir_bpf.h>
#include <uapi/weir_wire.h>

#define BOX_SENT_MAX 1024

/* Packets that go as one, at most. */
#define BOX_MERGED_MAX 64

/* A packet as it was handed to the stack. */
struct box_sent {
	struct in6_addr to;
	u64 at;				/* when it was sent */
	u16 port;			/* 0 for the job's */
	u16 dport;			/* that is said for this packet alone, or 0 */
	u8 tos;
	int ifindex;			/* the device that its receiver is behind, or 0 */
	u8 head[WEIR_HEAD_MAX];		/* bytes before the gradients, in a result */
	unsigned int head_len;
	struct weir_trio hdr;
	struct weir_join join;		/* where the packet is an answer */
	struct weir_notice notice;	/* where it is a notice */
	struct weir_behind behind;	/* of a status message */
	u32 mask[WEIR_RANKS_MAX / 32];	/* behind the sums of a degraded result */
	unsigned int mask_len;		/* bytes of it */
	unsigned int bytes;		/* behind the UDP header */
	unsigned int len;		/* bytes of gradients */
	struct page *pages[2];		/* held, as a receiver would */
};

struct box {
	struct net net;
	struct net_device dev;
	struct weir_net wn;
	struct weir_port port;
	unsigned int sent;
	struct box_sent packet[BOX_SENT_MAX];
	struct weir_policy_config policy;	/* of jobs that are made from now on */
	u16 timers;			/* likewise */
	unsigned int sent_before;	/* packets sent for the same merged packet, of which those
					 * given are; 0 for plain ones
					 */
	unsigned int merged;		/* merged packets sent */
	bool merge_fails;		/* there is no memory to merge packets */
	unsigned int mtu;		/* 0 for none */
	int send_error;			/* result of sending from now on */
	int generations;		/* events of that kind */
	int events[WEIR_EVENT_BEHIND + 1];	/* of the other kinds */
};

extern struct box box;

void box_up(void);

/* The device is no port any more, and is one again. */
void box_port_gone(void);
void box_port_back(void);
void box_down(void);
/* Forgets the packets sent. */
void box_forget(void);
struct in6_addr box_addr(int host);
/*
 * A job of int32, or of its format's type, that sums in any order, at the box's address; and the
 * job of a configuration, each source @i of it at box_addr(i + 1). NULL where memory lacks.
 */
struct weir_job_config box_config(const struct weir_format_ops *format, unsigned int id,
				  unsigned int sources, u32 blocks, u16 grads);
struct weir_job *box_job_of(const struct weir_job_config *cfg);
struct weir_job *box_job(unsigned int id, unsigned int sources, u32 blocks,
			 u16 grads);
u64 box_counter(unsigned int counter);
/* One contribution of @count gradients, in @split segments or one. */
int box_send(const struct weir_contrib *c, const s32 *grads,
	     unsigned int split);
struct weir_contrib box_contrib(const struct weir_job *job, u16 source,
				u32 block, u16 count);
/* One contribution of one gradient, or a query; returns the reason. */
int box_give(const struct weir_job *job, u16 source, u32 block, s32 grad);
int box_ask(const struct weir_job *job, u16 source, u32 block);
int box_ack(const struct weir_job *job, u16 source, u32 block, bool present);
/* A join that fits the job. */
int box_join(const struct weir_job *job, u16 source, u32 nonce);
/* A join that says these numbers, and the first block that it lacks; as it is... */
int box_join_without(const struct weir_job *job, u16 source, u32 block,
		     const struct weir_join *join);
/* ...and with the cookie that it is to bring. */
int box_join_as(const struct weir_job *job, u16 source, u32 block,
		const struct weir_join *join);
/* As if all were in the current generation by a join. */
void box_all_joined(struct weir_job *job);
u32 box_block(const struct box_sent *packet);
s32 box_result(const struct box_sent *packet, unsigned int i);

#endif /* BOX_H */
