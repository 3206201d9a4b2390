/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Meters: how a program that does not see an egress port's queue estimates that it is
 * full. A meter is a virtual queue that drains at the port's rate, kept as the tick
 * at which it will be empty: one word, in the past of a queue that is empty. Three
 * kinds:
 *
 * shared	one word for all CPUs, advanced by compare-and-exchange: exact
 * percpu	a word a CPU and mode; a CPU takes all, half or a quarter of the
 *		rate for its own, as the time since the last overflow of the real
 *		queue says (trimming paper, section 4 and figure 3)
 * backlog	no virtual queue: the module reads the backlog of the real one
 *
 * Nothing has to be reset: a queue drains, and a mode ends, by the clock alone.
 * Plain C for BPF programs and userspace alike; no lock, no division.
 */
#ifndef _WEIR_METER_H
#define _WEIR_METER_H

#include "base/weir_env.h"
#include <weir_trim.h>

/* The fate of a packet. */
enum weir_meter_verdict {
	WEIR_METER_WHOLE,	/* there is room */
	WEIR_METER_TRIM,	/* there is room for its header alone */
	WEIR_METER_DROP,	/* there is none */
};

/* Attempts to advance a shared word before it is added to without a look. */
#define WEIR_METER_TRIES	16

/* Ticks that @bytes take at @cost. Rounded up, so that a port never gets more than its rate. */
static __always_inline __u64 weir_meter_ticks(__u64 cost, __u32 bytes)
{
	return (cost * bytes + (1 << WEIR_TRIM_COST_SHIFT) - 1) >>
	       WEIR_TRIM_COST_SHIFT;
}

/* Bytes that a frame of @len takes of the link's rate. */
static __always_inline __u32 weir_meter_line(const struct weir_trim_meters *m,
					     __u32 len)
{
	len += m->overhead;
	return len < m->mpu ? m->mpu : len;
}

static __always_inline __u64 weir_meter_now(__u64 ns)
{
	return ns << WEIR_TRIM_TICK_SHIFT;
}

/*
 * No queue is this long: limits are of 32 bits of microseconds at most. A longer one is the
 * difference of a queue that ended in the past, even years ago.
 */
#define WEIR_METER_LONGEST	(~0ull >> 8)

/* Ticks that wait. Differences, so that the clock may wrap. */
static __always_inline __u64 weir_meter_backlog(__u64 queue, __u64 now)
{
	__u64 backlog = queue - now;

	return backlog <= WEIR_METER_LONGEST ? backlog : 0;
}

/**
 * weir_meter_mode() - a CPU's mode, and so its share of a port's rate
 * @port: the port
 * @ns: time, bpf_ktime_get_ns()
 *
 * Soft state: an overflow holds for a time and is then forgotten (trimming
 * paper, section 4, "Trim for a time period").
 *
 * Return: enum weir_trim_mode.
 */
static __always_inline __u32 weir_meter_mode(const struct weir_trim_port *port,
					     __u64 ns)
{
	__u64 overflow = weir_read64(&port->overflow);
	__u64 since = ns - overflow;

	if (!overflow)
		return WEIR_TRIM_OPTIMISTIC;
	/* Another CPU's clock may be a little ahead of this one's. */
	if ((__s64)since < 0 || since <= port->meters.t0)
		return WEIR_TRIM_PESSIMISTIC;
	return since <= port->meters.t1 ? WEIR_TRIM_HALF : WEIR_TRIM_OPTIMISTIC;
}

/**
 * struct weir_meter_packet - a packet's demand on a queue
 * @len: bytes of the frame
 * @trimmed: bytes that trimming would leave; @len where it is short already
 * @eligible: it is trimmed, or marked where it is short, when there is no room
 * @always: it is sent however much waits, as it is not eligible; it takes room
 */
struct weir_meter_packet {
	__u32 len;
	__u32 trimmed;
	bool eligible;
	bool always;
};

/**
 * weir_meter_judge() - one packet and one queue
 * @m: the meters' settings
 * @cost: of a byte
 * @backlog: ticks that wait
 * @packet: the packet
 * @ticks: set to the ticks that the packet adds to the queue
 *
 * A packet that finds the queue empty is let through, however long it is. A packet that goes
 * through without room adds only as much as there is room for: a flood of such packets must not
 * have others trimmed long after it has ended.
 *
 * Return: enum weir_meter_verdict.
 */
static __always_inline int
weir_meter_judge(const struct weir_trim_meters *m, __u64 cost, __u64 backlog,
		 const struct weir_meter_packet *packet, __u64 *ticks)
{
	__u64 room = m->limit + m->header_limit;

	*ticks = weir_meter_ticks(cost, weir_meter_line(m, packet->len));
	if (packet->always) {
		if (backlog + *ticks > room)
			*ticks = backlog < room ? room - backlog : 0;
		return WEIR_METER_WHOLE;
	}
	if (packet->eligible) {
		if (!backlog || backlog + *ticks <= m->limit)
			return WEIR_METER_WHOLE;
		*ticks = weir_meter_ticks(cost, weir_meter_line(m, packet->trimmed));
		if (backlog + *ticks <= room)
			return WEIR_METER_TRIM;
	} else if (backlog + *ticks <= room) {
		return WEIR_METER_WHOLE;
	}
	*ticks = 0;
	return WEIR_METER_DROP;
}

/* The later of the queue's end and now: where the next packet is put. */
static __always_inline __u64 weir_meter_end(__u64 queue, __u64 now)
{
	return now + weir_meter_backlog(queue, now);
}

static __always_inline int
weir_meter_shared(struct weir_trim_port *port, __u64 now,
		  const struct weir_meter_packet *packet)
{
	const struct weir_trim_meters *m = &port->meters;
	__u64 old = weir_read64(&port->queue), seen, ticks;
	int verdict = WEIR_METER_WHOLE, i;

	for (i = 0; i < WEIR_METER_TRIES; i++) {
		verdict = weir_meter_judge(m, m->cost[WEIR_TRIM_OPTIMISTIC],
					   weir_meter_backlog(old, now), packet,
					   &ticks);
		if (!ticks)
			return verdict;
		seen = weir_cmpxchg64(&port->queue, old,
				      weir_meter_end(old, now) + ticks);
		if (seen == old)
			return verdict;
		old = seen;
	}
	/* So many CPUs advance it at once that the queue is not empty. */
	weir_add64(&port->queue, ticks);
	return verdict;
}

static __always_inline int
weir_meter_percpu(const struct weir_trim_port *port, struct weir_trim_cpu *cpu,
		  __u32 mode, __u64 now, const struct weir_meter_packet *packet)
{
	int verdict = WEIR_METER_WHOLE, found;
	__u64 ticks;
	__u32 i;

	/* All three run all the time, as in the paper's section 5. */
	for (i = 0; i < WEIR_TRIM_MODES; i++) {
		found = weir_meter_judge(&port->meters, port->meters.cost[i],
					 weir_meter_backlog(cpu->queue[i], now),
					 packet, &ticks);
		cpu->queue[i] = weir_meter_end(cpu->queue[i], now) + ticks;
		if (i == mode)
			verdict = found;
	}
	return verdict;
}

/**
 * weir_meter() - check a port for room for a packet
 * @port: the port; meters.kind is shared or percpu
 * @cpu: this CPU's part of it
 * @ns: time, bpf_ktime_get_ns()
 * @packet: the packet
 *
 * The room is taken. Eligible packets are counted a mode.
 *
 * Return: enum weir_meter_verdict.
 */
static __always_inline int
weir_meter(struct weir_trim_port *port, struct weir_trim_cpu *cpu, __u64 ns,
	   const struct weir_meter_packet *packet)
{
	__u64 now = weir_meter_now(ns);
	__u32 mode;

	if (port->meters.kind != WEIR_TRIM_METER_PERCPU)
		return weir_meter_shared(port, now, packet);
	mode = weir_meter_mode(port, ns);
	if (packet->eligible)
		cpu->count[WEIR_TRIM_C_OPTIMISTIC + mode]++;
	return weir_meter_percpu(port, cpu, mode, now, packet);
}

#endif /* _WEIR_METER_H */
