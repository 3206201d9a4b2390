/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A switch in simulated time, to show more than two processors can: CPUs that each
 * meter the packets of their own ingress ports, with the meters of
 * bpf/lib/trim/weir_meter.h, before the queues of the egress ports.
 */
#ifndef SWITCH_H
#define SWITCH_H

#include <stdbool.h>
#include <stdint.h>

#define SWITCH_PORTS	64
#define SWITCH_CPUS	4

/* Ways in which the switch finds out that an egress port is full. */
enum switch_kind {
	SWITCH_IDEAL,		/* the queue itself trims, as the weir qdisc does */
	SWITCH_SHARED,		/* one exact meter a port */
	SWITCH_PERCPU,		/* meters a CPU, overflow trimmed by a slow path */
	SWITCH_DROP,		/* meters a CPU, overflow lost, as in a device's ring */
	SWITCH_DEFLECT,		/* meters a CPU, overflow to the port's weir qdisc */
};

/* CPUs that are told of an overflow. */
enum switch_signal { SIGNAL_ALL, SIGNAL_ONE, SIGNAL_NONE };

/**
 * struct switch_config - a switch and its load
 * @kind: how ports detect that they are full
 * @signal: CPUs that get the signal of an overflow
 * @senders: ingress ports that send at line rate
 * @spread: sender i belongs to CPU i % SWITCH_CPUS, else to CPU
 *	i / (SWITCH_PORTS / SWITCH_CPUS), as in the paper
 * @receivers: egress ports; sender i sends to i % @receivers
 * @frame: bytes of a frame
 * @trim: bytes of a trimmed frame
 * @rate: bytes a second of every port
 * @queue: frames that the data queue of a port holds
 * @meter: frames that a virtual queue holds
 * @ratio: headers that go for each frame of the data queue; 0 is strict priority
 * @half: percent of the rate from t0 to t1
 * @pessimistic: percent of the rate up to t0
 * @t0: nanoseconds
 * @t1: nanoseconds
 * @delay: nanoseconds that a signal, or a packet of the slow path, takes
 * @packets: frames a sender sends before it stops; 0 for no end
 * @warmup: nanoseconds before anything is counted
 * @end: nanoseconds of the whole
 * @jitter: percent of the time between frames that each may come early or late
 * @seed: of the jitter and of the phases
 */
struct switch_config {
	enum switch_kind kind;
	enum switch_signal signal;
	int senders;
	bool spread;
	int receivers;
	int frame;
	int trim;
	double rate;
	int queue;
	int meter;
	int ratio;
	double half;
	double pessimistic;
	int64_t t0;
	int64_t t1;
	int64_t delay;
	int packets;
	int64_t warmup;
	int64_t end;
	int jitter;
	uint64_t seed;
};

/**
 * struct switch_result - its results, counted from the end of the warmup
 * @offered: frames that the senders sent
 * @whole: of them, delivered whole, by sender
 * @trimmed: trimmed
 * @headers: delivered trimmed
 * @lost: dropped behind a meter, or deflected and without room
 * @deflected: found the port's queue full, and went to its qdisc
 * @slow_max: the most frames that waited for one CPU's slow path, or deflected in one
 *	port's qdisc
 * @data_max: the most frames that waited in one port's data queue
 * @header_max: the most headers that waited at one port
 * @signals: overflows
 * @mode: nanoseconds that the ports with senders spent in each mode, on CPU 0
 */
struct switch_result {
	uint64_t offered;
	uint64_t whole[SWITCH_PORTS];
	uint64_t trimmed;
	uint64_t headers;
	uint64_t lost;
	uint64_t deflected;
	int slow_max;
	int data_max;
	int header_max;
	uint64_t signals;
	int64_t mode[3];
};

void switch_run(const struct switch_config *config,
		struct switch_result *result,
		void (*pessimistic)(int port, int64_t from, int64_t to));

#endif
