/* SPDX-License-Identifier: ((GPL-2.0 WITH Linux-syscall-note) OR BSD-3-Clause) */
/* Do not edit directly, auto-generated from: */
/*	uapi/weir.yaml */
/* YNL-GEN uapi header */

#ifndef _UAPI_LINUX_WEIR_H
#define _UAPI_LINUX_WEIR_H

#define WEIR_FAMILY_NAME	"weir"
#define WEIR_FAMILY_VERSION	1

#define WEIR_SOURCES_MAX	256
#define WEIR_RANKS_MAX		4096
#define WEIR_BLOCKS_MAX		65536
#define WEIR_GRADS_MAX		2048
#define WEIR_JOB_ID_MAX		255
#define WEIR_TIMEOUT_DEFAULT	10000
#define WEIR_RETAIN_DEFAULT_MAX	67108864
#define WEIR_TIMERS_DEFAULT	100
#define WEIR_TIMERS_MAX		1024
#define WEIR_DEAD_AFTER_DEFAULT	100
#define WEIR_LATENESS_BUCKETS	24
#define WEIR_PORT_DEFAULT	12000
#define WEIR_PORT_LAB		8000
#define WEIR_PORT_SWITCHML	48864
#define WEIR_REPEAT_SWITCHML	7000
#define WEIR_PORT_PANAMA	12056
#define WEIR_KEYS_MAX		67108864
#define WEIR_PORT_KV		12064
#define WEIR_CHAIN_MEMBERS_MAX	16
#define WEIR_CHAIN_PRIO_MAX	65535
#define WEIR_CHAIN_PRIO_SUM	100
#define WEIR_CHAIN_PRIO_FORWARD	200
#define WEIR_CHAIN_PRIO_FILTER	50
#define WEIR_CHAIN_PRIO_ORDER	150
#define WEIR_CHAIN_TEXT_MAX	1000
#define WEIR_CHAIN_PRIO_FLOW	70

/**
 * enum weir_chain_part - what a program of a chain is
 * @WEIR_CHAIN_PART_PROGRAM: the user's own
 * @WEIR_CHAIN_PART_SUM: weir's, of a port that sums
 * @WEIR_CHAIN_PART_FORWARD: weir's, of a device that packets to a port with a
 *   trimming policy come in by
 * @WEIR_CHAIN_PART_FLOW: weir's, of a device whose flows are recorded
 * @WEIR_CHAIN_PART_FILTER: weir's, of a device that has a filter
 * @WEIR_CHAIN_PART_ORDER: weir's, of a device whose packets are spread over
 *   CPUs and put in order
 */
enum weir_chain_part {
	WEIR_CHAIN_PART_PROGRAM,
	WEIR_CHAIN_PART_SUM,
	WEIR_CHAIN_PART_FORWARD,
	WEIR_CHAIN_PART_FLOW,
	WEIR_CHAIN_PART_FILTER,
	WEIR_CHAIN_PART_ORDER,
};

#define WEIR_ORDERS_MAX			16
#define WEIR_ORDER_CPUS_MAX		128
#define WEIR_ORDER_FLOWS_MAX		65536
#define WEIR_ORDER_FLOWS_DEFAULT	256
#define WEIR_ORDER_PACKETS_MAX		65536
#define WEIR_ORDER_PACKETS_DEFAULT	1024
#define WEIR_ORDER_SLOTS_MAX		16777216
#define WEIR_ORDER_BYTES_DEFAULT	16777216
#define WEIR_ORDER_HOLD_DEFAULT		200
#define WEIR_ORDER_HOLD_MAX		1000000000
#define WEIR_ORDER_OFFSET_MAX		1024

/**
 * enum weir_order_sequence - where a packet's number comes from
 * @WEIR_ORDER_SEQUENCE_ARRIVAL: weir counts the packets of a flow as they come
 *   in
 * @WEIR_ORDER_SEQUENCE_RTP: RTP's sequence number, of 16 bits, one stream an
 *   SSRC (RFC 3550)
 * @WEIR_ORDER_SEQUENCE_GTPU: GTP-U's, of 16 bits, one stream a TEID (3GPP TS
 *   29.281); packets without one are in no order
 * @WEIR_ORDER_SEQUENCE_FIELD: a field of the packet, in network byte order
 */
enum weir_order_sequence {
	WEIR_ORDER_SEQUENCE_ARRIVAL,
	WEIR_ORDER_SEQUENCE_RTP,
	WEIR_ORDER_SEQUENCE_GTPU,
	WEIR_ORDER_SEQUENCE_FIELD,
};

#define WEIR_FILTER_PRIO_MAX		2147483647
#define WEIR_FILTER_PRIO_STEP		10
#define WEIR_FILTER_RULES_MAX		16384
#define WEIR_FILTER_MATCHES_MAX		262144
#define WEIR_FILTER_MATCHES_SHOWN	16
#define WEIR_FILTER_TUPLES_MAX		256
#define WEIR_FILTER_SOURCES_MAX		1048576
#define WEIR_FILTER_SOURCES		4096

/**
 * enum weir_filter_action - what is done with the packets of a rule
 * @WEIR_FILTER_ACTION_PASS: they pass the filter
 * @WEIR_FILTER_ACTION_DROP: they are dropped
 * @WEIR_FILTER_ACTION_POLICE: they are dropped where they come above a rate,
 *   else the next rules have them
 * @WEIR_FILTER_ACTION_MARK: they get another DSCP, and the next rules have
 *   them
 * @WEIR_FILTER_ACTION_GUARD: a source that comes above a rate is blocked for a
 *   time, in which all of its packets are dropped; else the next rules have
 *   them
 * @WEIR_FILTER_ACTION_SAMPLE: one in so many is told to a group of the
 *   kernel's psample family, and the next rules have all of them
 */
enum weir_filter_action {
	WEIR_FILTER_ACTION_PASS = 1,
	WEIR_FILTER_ACTION_DROP,
	WEIR_FILTER_ACTION_POLICE,
	WEIR_FILTER_ACTION_MARK,
	WEIR_FILTER_ACTION_GUARD,
	WEIR_FILTER_ACTION_SAMPLE,
};

#define WEIR_FILTER_SAMPLE_MAX		1073741824
#define WEIR_FILTER_SAMPLE_BYTES	128
#define WEIR_FILTER_GROUP		1
#define WEIR_FILTER_TIME_MIN		1000
#define WEIR_FILTER_TIME		10000000

/**
 * enum weir_filter_state - what is known of a source
 * @WEIR_FILTER_STATE_KNOWN: its bucket is not full
 * @WEIR_FILTER_STATE_BLOCKED: it came above the rate of a guard, and its
 *   packets are dropped
 * @WEIR_FILTER_STATE_FREE: it was blocked, and its time is up
 */
enum weir_filter_state {
	WEIR_FILTER_STATE_KNOWN = 1,
	WEIR_FILTER_STATE_BLOCKED,
	WEIR_FILTER_STATE_FREE,
};

/**
 * enum weir_format - wire format of a job's packets
 * @WEIR_FORMAT_TRIO: Trio-ML over UDP (Trio paper, figures 7 and 8)
 * @WEIR_FORMAT_LAB: SwitchML as students build it, over UDP: with and without
 *   recovery of losses, and with and without the scale of quantised floats
 *   (uapi/weir_wire.h)
 * @WEIR_FORMAT_LAB_ETHERNET: the same in Ethernet frames of EtherType 0x8777,
 *   without IP
 * @WEIR_FORMAT_SWITCHML: SwitchML over UDP, as its public worker sends it
 * @WEIR_FORMAT_PANAMA: PANAMA over UDP and IPv4, as its paper has it in
 *   sections 4 and 5 (DSCP 56, float32); one job a tree (uapi/weir_wire.h)
 * @WEIR_FORMAT_KV: key-value streams over UDP (P4COM paper, section III-C;
 *   uapi/weir_wire.h), which are reduced by key on their way to the parent
 */
enum weir_format {
	WEIR_FORMAT_TRIO = 1,
	WEIR_FORMAT_LAB,
	WEIR_FORMAT_LAB_ETHERNET,
	WEIR_FORMAT_SWITCHML,
	WEIR_FORMAT_PANAMA,
	WEIR_FORMAT_KV,
};

/**
 * enum weir_dtype - data type of a gradient, in network byte order on the
 *   wire. Floats are combined as IEEE 754 says, rounded to the nearest, halves
 *   to even, with denormals and infinities; a NaN prevails, and has one bit
 *   pattern in results
 * @WEIR_DTYPE_INT32: 4 bytes, two's complement
 * @WEIR_DTYPE_FLOAT32: 4 bytes, IEEE 754 binary32
 * @WEIR_DTYPE_BFLOAT16: 2 bytes, the upper half of a binary32; summed as
 *   binary32, and rounded once
 * @WEIR_DTYPE_FLOAT16: 2 bytes, IEEE 754 binary16; summed as binary32, and
 *   rounded once
 * @WEIR_DTYPE_INT64: 8 bytes, two's complement
 * @WEIR_DTYPE_FLOAT64: 8 bytes, IEEE 754 binary64; not of values of format kv
 */
enum weir_dtype {
	WEIR_DTYPE_INT32 = 1,
	WEIR_DTYPE_FLOAT32,
	WEIR_DTYPE_BFLOAT16,
	WEIR_DTYPE_FLOAT16,
	WEIR_DTYPE_INT64,
	WEIR_DTYPE_FLOAT64,
};

/**
 * enum weir_op - how contributions to one gradient are combined
 * @WEIR_OP_SUM: the sum of all
 * @WEIR_OP_MIN: the least of all; -0 is less than 0
 * @WEIR_OP_MAX: the greatest of all
 */
enum weir_op {
	WEIR_OP_SUM = 1,
	WEIR_OP_MIN,
	WEIR_OP_MAX,
};

/**
 * enum weir_order - whether the bits of a sum of floats depend on the order of
 *   arrival. All other results are the same in any order: minima, maxima, and
 *   sums of integers, of which only the flag that a sum left int32 on its way
 *   depends on it
 * @WEIR_ORDER_ARRIVAL: rounded after each contribution, in the order in which
 *   they arrive
 * @WEIR_ORDER_FIXED: bits depend on the contributions alone, even if packets
 *   race, are lost or repeated; rounded once. Takes four times the memory
 */
enum weir_order {
	WEIR_ORDER_ARRIVAL = 1,
	WEIR_ORDER_FIXED,
};

/**
 * enum weir_policy - policy for sources that are late (Trio paper, section 5)
 * @WEIR_POLICY_WAIT: a block waits for all; with a timeout, late sources are
 *   counted
 * @WEIR_POLICY_PARTIAL: a block is answered at the timeout with the sources
 *   that are in it
 * @WEIR_POLICY_EXCLUDE: as partial, and blocks do not wait for sources that
 *   are dead
 */
enum weir_policy {
	WEIR_POLICY_WAIT = 1,
	WEIR_POLICY_PARTIAL,
	WEIR_POLICY_EXCLUDE,
};

/**
 * enum weir_owner - who makes, changes and ends a job
 * @WEIR_OWNER_ADMIN: an administrator; `weir save` and `weir restore` are
 *   about these jobs
 * @WEIR_OWNER_WEIRD: weird(8), for workers that ask
 * @WEIR_OWNER_SWITCHML: weir-switchml(8), for workers of SwitchML
 */
enum weir_owner {
	WEIR_OWNER_ADMIN = 1,
	WEIR_OWNER_WEIRD,
	WEIR_OWNER_SWITCHML,
};

/**
 * enum weir_source_state - State of a source in the last period of dead-after.
 *   The box looks only while blocks time out.
 * @WEIR_SOURCE_STATE_ACTIVE: blocks have not timed out for want of it
 * @WEIR_SOURCE_STATE_STRAGGLER: blocks have timed out for want of it, and it
 *   has sent packets
 * @WEIR_SOURCE_STATE_DEAD: blocks have timed out for want of it, and it has
 *   sent no packet; results are not retained for it any more
 * @WEIR_SOURCE_STATE_EXCLUDED: dead, and blocks are complete without it; it
 *   comes back by joining
 * @WEIR_SOURCE_STATE_BEHIND: a result that it lacks was evicted, and no other
 *   result is retained for it until it has caught up with those that are left
 *   the next generation
 */
enum weir_source_state {
	WEIR_SOURCE_STATE_ACTIVE = 1,
	WEIR_SOURCE_STATE_STRAGGLER,
	WEIR_SOURCE_STATE_DEAD,
	WEIR_SOURCE_STATE_EXCLUDED,
	WEIR_SOURCE_STATE_BEHIND,
};

/**
 * enum weir_mode - where the program that hands packets over is attached
 * @WEIR_MODE_XDP: XDP in the driver
 * @WEIR_MODE_GENERIC: XDP after the driver, on socket buffers
 * @WEIR_MODE_TC: tc ingress
 */
enum weir_mode {
	WEIR_MODE_XDP = 1,
	WEIR_MODE_GENERIC,
	WEIR_MODE_TC,
};

/**
 * enum weir_reason - Why a packet was refused. A refused packet changes no
 *   sum. Packets with a reason below `runt` are passed to the stack, as they
 *   may be for another receiver; the others are dropped. Of switchml, whose
 *   workers take any answer for a result, `fragment` and `no-job` are dropped,
 *   too.
 * @WEIR_REASON_FRAGMENT: an IP fragment towards a weir port; passed
 * @WEIR_REASON_NO_PORT: did not come in by a weir port; passed
 * @WEIR_REASON_NO_JOB: no such job in this namespace at this port and format;
 *   passed, so that the stack answers port unreachable
 * @WEIR_REASON_NOT_LOCAL: sent to another address than the job's, or in a
 *   frame that is not for this host; passed
 * @WEIR_REASON_RUNT: ends before the header does
 * @WEIR_REASON_LENGTH: IP, UDP and gradient count disagree on the length
 * @WEIR_REASON_CHECKSUM: the checksum of UDP or of the IPv4 header is wrong
 * @WEIR_REASON_NO_SOURCE: no source with this id is bound to the job
 * @WEIR_REASON_SPOOFED: the source id is bound to another address, port, VLAN
 *   or device
 * @WEIR_REASON_JOB_RATE: above the job's rate of packets or bytes
 * @WEIR_REASON_SOURCE_RATE: above the source's rate of packets or bytes
 * @WEIR_REASON_TOO_LONG: more gradients than the job's blocks hold
 * @WEIR_REASON_COUNT: another number of gradients than the block's first
 *   packet, or an exponent where that had none, or none where it had one, or
 *   another variant of the format
 * @WEIR_REASON_WEIGHT: a worker's contribution must weigh one source
 * @WEIR_REASON_FLAGS: bits set that only results carry, or that mean nothing
 * @WEIR_REASON_GENERATION: of an old generation, or of one that this box did
 *   not give out
 * @WEIR_REASON_EXCLUDED: the source is excluded until the next generation
 * @WEIR_REASON_STALE: a block that its slot has already left behind
 * @WEIR_REASON_BUSY: the block's slot holds an open block, or the sender is
 *   half a table ahead of a source that may still lack results; it tries again
 * @WEIR_REASON_DUPLICATE: this source is already in the block, which is open,
 *   or whose result it was sent a moment ago
 * @WEIR_REASON_NOMEM: no page for the block; the sender tries again
 * @WEIR_REASON_JOIN: a join that does not fit the job (ranks differ)
 * @WEIR_REASON_MARTIAN: an IPv4-mapped address in an IPv6 header, which no
 *   host has
 * @WEIR_REASON_AHEAD: a block more than a table ahead of all that any source
 *   has shown in the generation, in which blocks count from 0 or the join's
 *   first; or one in a slot that the job has not, or that is not there when it
 *   is asked for
 * @WEIR_REASON_DIRECTION: sent by a box, with a mark of that in the packet; no
 *   box's answer is ever taken for a contribution, a question or a join
 * @WEIR_REASON_MERGED: stands for more datagrams than the stack merges into
 *   one packet
 * @WEIR_REASON_UNREADABLE: lies in the memory of a device, where the processor
 *   cannot read it
 * @WEIR_REASON_WORKERS: states another number of workers than the job has
 *   sources
 * @WEIR_REASON_CHUNK: numbers of the chunk that contradict each other
 * @WEIR_REASON_PAIR: a key of no bytes or of more than 64, or other pairs than
 *   the packet says
 * @WEIR_REASON_OPERATION: another operation or type of values than the job's
 * @WEIR_REASON_SESSION: of no session of this run
 * @WEIR_REASON_LOOP: pairs that have come by more than 16 boxes; some of these
 *   are each other's parents
 */
enum weir_reason {
	WEIR_REASON_FRAGMENT = 1,
	WEIR_REASON_NO_PORT,
	WEIR_REASON_NO_JOB,
	WEIR_REASON_NOT_LOCAL,
	WEIR_REASON_RUNT,
	WEIR_REASON_LENGTH,
	WEIR_REASON_CHECKSUM,
	WEIR_REASON_NO_SOURCE,
	WEIR_REASON_SPOOFED,
	WEIR_REASON_JOB_RATE,
	WEIR_REASON_SOURCE_RATE,
	WEIR_REASON_TOO_LONG,
	WEIR_REASON_COUNT,
	WEIR_REASON_WEIGHT,
	WEIR_REASON_FLAGS,
	WEIR_REASON_GENERATION,
	WEIR_REASON_EXCLUDED,
	WEIR_REASON_STALE,
	WEIR_REASON_BUSY,
	WEIR_REASON_DUPLICATE,
	WEIR_REASON_NOMEM,
	WEIR_REASON_JOIN,
	WEIR_REASON_MARTIAN,
	WEIR_REASON_AHEAD,
	WEIR_REASON_DIRECTION,
	WEIR_REASON_MERGED,
	WEIR_REASON_UNREADABLE,
	WEIR_REASON_WORKERS,
	WEIR_REASON_CHUNK,
	WEIR_REASON_PAIR,
	WEIR_REASON_OPERATION,
	WEIR_REASON_SESSION,
	WEIR_REASON_LOOP,

	/* private: */
	__WEIR_REASON_MAX,
	WEIR_REASON_MAX = (__WEIR_REASON_MAX - 1)
};

/**
 * enum weir_event - what happened on the data path
 * @WEIR_EVENT_GENERATION: all sources have joined; a new generation begins
 * @WEIR_EVENT_STRAGGLER: blocks time out for want of a source that still sends
 *   packets
 * @WEIR_EVENT_DEAD: blocks time out for want of a source that sends no packets
 *   any more
 * @WEIR_EVENT_RECOVERED: a straggler is in time again, or a dead source is
 *   back
 * @WEIR_EVENT_BEHIND: a result was evicted that a source lacks; the source has
 *   to resume at a later block
 */
enum weir_event {
	WEIR_EVENT_GENERATION = 1,
	WEIR_EVENT_STRAGGLER,
	WEIR_EVENT_DEAD,
	WEIR_EVENT_RECOVERED,
	WEIR_EVENT_BEHIND,
};

#define WEIR_FLOWS_MIN			16
#define WEIR_FLOWS_MAX			16777216
#define WEIR_FLOWS_DEFAULT		65536
#define WEIR_FLOW_IDLE_DEFAULT		15000
#define WEIR_FLOW_ACTIVE_DEFAULT	60000
#define WEIR_FLOW_TIME_MIN		1000
#define WEIR_FLOW_TIME_MAX		3600000
#define WEIR_FLOW_SAMPLE_MAX		1000000
#define WEIR_FLOW_TOP_MAX		10000
#define WEIR_FLOW_MILLIONTHS		1000000

/**
 * enum weir_flow_by - what a list of records is sorted by, the most first
 * @WEIR_FLOW_BY_BYTES: bytes
 * @WEIR_FLOW_BY_PACKETS: packets
 * @WEIR_FLOW_BY_GAPS: gaps in the sequence numbers of TCP
 * @WEIR_FLOW_BY_TRIMMED: packets that had been trimmed
 * @WEIR_FLOW_BY_CE: packets with the ECN mark CE
 */
enum weir_flow_by {
	WEIR_FLOW_BY_BYTES,
	WEIR_FLOW_BY_PACKETS,
	WEIR_FLOW_BY_GAPS,
	WEIR_FLOW_BY_TRIMMED,
	WEIR_FLOW_BY_CE,
};

/**
 * enum weir_flow_alarm - what an alarm is about
 * @WEIR_FLOW_ALARM_SHARE: a flow has such a share of its link
 * @WEIR_FLOW_ALARM_LOSS: of a flow's packets such a share is missing, by gaps
 *   in the sequence numbers of TCP
 * @WEIR_FLOW_ALARM_SOURCE: a source sends so much, and did not a second ago
 */
enum weir_flow_alarm {
	WEIR_FLOW_ALARM_SHARE = 1,
	WEIR_FLOW_ALARM_LOSS,
	WEIR_FLOW_ALARM_SOURCE,
};

/**
 * enum weir_flow_end - why a record has ended, or is reported; the numbers are
 *   those of IPFIX, flowEndReason
 * @WEIR_FLOW_END_IDLE: no packet for the idle timeout
 * @WEIR_FLOW_END_ACTIVE: it goes on, and is reported after the active timeout
 * @WEIR_FLOW_END_CLOSED: TCP's FIN or RST was seen
 * @WEIR_FLOW_END_FORCED: recording on the device has ended
 * @WEIR_FLOW_END_ROOM: the table was full, and others had more packets
 */
enum weir_flow_end {
	WEIR_FLOW_END_IDLE = 1,
	WEIR_FLOW_END_ACTIVE,
	WEIR_FLOW_END_CLOSED,
	WEIR_FLOW_END_FORCED,
	WEIR_FLOW_END_ROOM,
};

#define WEIR_TRIM_SIZE_MIN		64
#define WEIR_TRIM_SIZE_MAX		4084
#define WEIR_TRIM_SIZE_DEFAULT		128
#define WEIR_TRIM_LIMIT_DEFAULT		12
#define WEIR_TRIM_HEADERS_DEFAULT	1000
#define WEIR_TRIM_HEADER_TIME_DEFAULT	10000
#define WEIR_TRIM_RATIO_DEFAULT		10
#define WEIR_TRIM_T0_DEFAULT		6
#define WEIR_TRIM_T1_DEFAULT		24
#define WEIR_TRIM_RULES_MAX		16
#define WEIR_TRIM_RATE_MIN		1000
#define WEIR_TRIM_OVERHEAD_MAX		256
#define WEIR_TRIM_MPU_MAX		2048
#define WEIR_TRIM_QUEUE_DYNAMIC		65535

/**
 * enum weir_trim_hook - where a port's packets are trimmed
 * @WEIR_TRIM_HOOK_QDISC: at enqueue, by the weir qdisc, which sees the real
 *   queue
 * @WEIR_TRIM_HOOK_TC: at tc egress, by a virtual queue
 * @WEIR_TRIM_HOOK_XDP: before the stack, by the program that forwards to this
 *   port
 * @WEIR_TRIM_HOOK_NONE: nowhere; the policy only sets whether the port is an
 *   edge
 */
enum weir_trim_hook {
	WEIR_TRIM_HOOK_QDISC = 1,
	WEIR_TRIM_HOOK_TC,
	WEIR_TRIM_HOOK_XDP,
	WEIR_TRIM_HOOK_NONE,
};

/**
 * enum weir_trim_length - lengths in the IP and UDP headers of a trimmed
 *   packet
 * @WEIR_TRIM_LENGTH_UPDATE: lengths of the trimmed packet; the UDP or TCP
 *   checksum is updated
 * @WEIR_TRIM_LENGTH_KEEP: lengths of the whole packet; its UDP or TCP checksum
 *   stays as it was
 */
enum weir_trim_length {
	WEIR_TRIM_LENGTH_UPDATE = 1,
	WEIR_TRIM_LENGTH_KEEP,
};

/**
 * enum weir_trim_share - how the header band and the data band share the link
 * @WEIR_TRIM_SHARE_STRICT: headers go first
 * @WEIR_TRIM_SHARE_RATIO: k headers, then one packet of the data band (NDP)
 * @WEIR_TRIM_SHARE_BYTES: headers get up to a percentage of the bytes
 */
enum weir_trim_share {
	WEIR_TRIM_SHARE_STRICT = 1,
	WEIR_TRIM_SHARE_RATIO,
	WEIR_TRIM_SHARE_BYTES,
};

/**
 * enum weir_trim_victim - which packet is trimmed when the data band is full
 * @WEIR_TRIM_VICTIM_ARRIVING: the one that arrives
 * @WEIR_TRIM_VICTIM_TAIL: the last eligible one of the band
 * @WEIR_TRIM_VICTIM_COIN: either, by a coin (NDP)
 */
enum weir_trim_victim {
	WEIR_TRIM_VICTIM_ARRIVING = 1,
	WEIR_TRIM_VICTIM_TAIL,
	WEIR_TRIM_VICTIM_COIN,
};

/**
 * enum weir_trim_full - fate of a header when the header band is full
 * @WEIR_TRIM_FULL_DROP: it is dropped
 * @WEIR_TRIM_FULL_RETURN: it goes back to its sender, addresses and ports
 *   swapped
 * @WEIR_TRIM_FULL_RETURN_ALWAYS: each trimmed packet goes back, whether there
 *   is room or not; one that cannot go back waits for the link
 */
enum weir_trim_full {
	WEIR_TRIM_FULL_DROP = 1,
	WEIR_TRIM_FULL_RETURN,
	WEIR_TRIM_FULL_RETURN_ALWAYS,
};

/**
 * enum weir_trim_meter - how an XDP or tc program detects that a port is full
 * @WEIR_TRIM_METER_SHARED: one exact virtual queue of all CPUs
 * @WEIR_TRIM_METER_PERCPU: a virtual queue a CPU, with three rates and an
 *   overflow signal (trimming paper, section 4)
 * @WEIR_TRIM_METER_BACKLOG: the backlog of the port's weir qdisc; XDP only
 */
enum weir_trim_meter {
	WEIR_TRIM_METER_SHARED = 1,
	WEIR_TRIM_METER_PERCPU,
	WEIR_TRIM_METER_BACKLOG,
};

enum {
	WEIR_A_RATE_PACKETS = 1,
	WEIR_A_RATE_PACKETS_BURST,
	WEIR_A_RATE_BYTES,
	WEIR_A_RATE_BYTES_BURST,

	__WEIR_A_RATE_MAX,
	WEIR_A_RATE_MAX = (__WEIR_A_RATE_MAX - 1)
};

enum {
	WEIR_A_REFUSAL_REASON = 1,
	WEIR_A_REFUSAL_PACKETS,

	__WEIR_A_REFUSAL_MAX,
	WEIR_A_REFUSAL_MAX = (__WEIR_A_REFUSAL_MAX - 1)
};

enum {
	WEIR_A_STATS_CONTRIBUTIONS = 1,
	WEIR_A_STATS_GRADIENTS,
	WEIR_A_STATS_BYTES,
	WEIR_A_STATS_BLOCKS,
	WEIR_A_STATS_DEGRADED,
	WEIR_A_STATS_AGED,
	WEIR_A_STATS_OVERFLOWS,
	WEIR_A_STATS_RESULTS,
	WEIR_A_STATS_REPEATS,
	WEIR_A_STATS_QUERIES,
	WEIR_A_STATS_REPLIES,
	WEIR_A_STATS_RESULT_ERRORS,
	WEIR_A_STATS_JOINS,
	WEIR_A_STATS_ANSWERS,
	WEIR_A_STATS_NOTICES,
	WEIR_A_STATS_LATE,
	WEIR_A_STATS_STRAGGLES,
	WEIR_A_STATS_ABANDONED,
	WEIR_A_STATS_POLICED_BYTES,
	WEIR_A_STATS_PARENT_SUMS,
	WEIR_A_STATS_PARENT_QUERIES,
	WEIR_A_STATS_PARENT_RESULTS,
	WEIR_A_STATS_KV_HITS,
	WEIR_A_STATS_KV_MISSES,
	WEIR_A_STATS_KV_EVICTIONS,
	WEIR_A_STATS_KV_PASSED,
	WEIR_A_STATS_KV_FLUSHES,
	WEIR_A_STATS_ACKS,
	WEIR_A_STATS_BEHIND,
	WEIR_A_STATS_PAGES_LEFT,
	WEIR_A_STATS_REFUSAL,

	__WEIR_A_STATS_MAX,
	WEIR_A_STATS_MAX = (__WEIR_A_STATS_MAX - 1)
};

enum {
	WEIR_A_JOB_ID = 1,
	WEIR_A_JOB_FORMAT,
	WEIR_A_JOB_DTYPE,
	WEIR_A_JOB_OP,
	WEIR_A_JOB_SOURCES,
	WEIR_A_JOB_BLOCKS,
	WEIR_A_JOB_GRADS,
	WEIR_A_JOB_ADDRESS,
	WEIR_A_JOB_PORT,
	WEIR_A_JOB_GROUP,
	WEIR_A_JOB_POLICY,
	WEIR_A_JOB_TIMEOUT,
	WEIR_A_JOB_QUORUM,
	WEIR_A_JOB_TIMERS,
	WEIR_A_JOB_DEAD_AFTER,
	WEIR_A_JOB_RATE,
	WEIR_A_JOB_RANKS,
	WEIR_A_JOB_PARENT,
	WEIR_A_JOB_GENERATION,
	WEIR_A_JOB_OPEN,
	WEIR_A_JOB_BOUND,
	WEIR_A_JOB_MEMORY,
	WEIR_A_JOB_STATS,
	WEIR_A_JOB_ORDER,
	WEIR_A_JOB_REPEAT_AFTER,
	WEIR_A_JOB_PARENT_SOURCE,
	WEIR_A_JOB_PARENT_PORT,
	WEIR_A_JOB_KEYS,
	WEIR_A_JOB_KEY_MEMORY,
	WEIR_A_JOB_HELD,
	WEIR_A_JOB_DEAD_RANKS,
	WEIR_A_JOB_EXCLUDED_RANKS,
	WEIR_A_JOB_PARENT_TIMEOUT,
	WEIR_A_JOB_PARENT_IFINDEX,
	WEIR_A_JOB_PARENT_VLAN,
	WEIR_A_JOB_RETAIN,
	WEIR_A_JOB_OWNER,

	__WEIR_A_JOB_MAX,
	WEIR_A_JOB_MAX = (__WEIR_A_JOB_MAX - 1)
};

enum {
	WEIR_A_SOURCE_JOB = 1,
	WEIR_A_SOURCE_ID,
	WEIR_A_SOURCE_ADDRESS,
	WEIR_A_SOURCE_PORT,
	WEIR_A_SOURCE_IFINDEX,
	WEIR_A_SOURCE_VLAN,
	WEIR_A_SOURCE_RATE,
	WEIR_A_SOURCE_STATE,
	WEIR_A_SOURCE_MISSING,
	WEIR_A_SOURCE_LATENESS,
	WEIR_A_SOURCE_STATS,

	__WEIR_A_SOURCE_MAX,
	WEIR_A_SOURCE_MAX = (__WEIR_A_SOURCE_MAX - 1)
};

enum {
	WEIR_A_BLOCK_JOB = 1,
	WEIR_A_BLOCK_ID,
	WEIR_A_BLOCK_GENERATION,
	WEIR_A_BLOCK_GRADS,
	WEIR_A_BLOCK_RECEIVED,
	WEIR_A_BLOCK_AGE,
	WEIR_A_BLOCK_MISSING,

	__WEIR_A_BLOCK_MAX,
	WEIR_A_BLOCK_MAX = (__WEIR_A_BLOCK_MAX - 1)
};

enum {
	WEIR_A_PORT_IFINDEX = 1,
	WEIR_A_PORT_IFNAME,
	WEIR_A_PORT_MODE,
	WEIR_A_PORT_STATS,

	__WEIR_A_PORT_MAX,
	WEIR_A_PORT_MAX = (__WEIR_A_PORT_MAX - 1)
};

enum {
	WEIR_A_CHAIN_IFINDEX = 1,
	WEIR_A_CHAIN_IFNAME,
	WEIR_A_CHAIN_PRIO,
	WEIR_A_CHAIN_PART,
	WEIR_A_CHAIN_FD,
	WEIR_A_CHAIN_TO,
	WEIR_A_CHAIN_FILE,
	WEIR_A_CHAIN_SECTION,
	WEIR_A_CHAIN_PROGRAM,
	WEIR_A_CHAIN_NAME,
	WEIR_A_CHAIN_FRAGS,
	WEIR_A_CHAIN_STATS,

	__WEIR_A_CHAIN_MAX,
	WEIR_A_CHAIN_MAX = (__WEIR_A_CHAIN_MAX - 1)
};

enum {
	WEIR_A_CHAIN_STATS_ABORTED = 1,
	WEIR_A_CHAIN_STATS_DROP,
	WEIR_A_CHAIN_STATS_PASS,
	WEIR_A_CHAIN_STATS_TX,
	WEIR_A_CHAIN_STATS_REDIRECT,
	WEIR_A_CHAIN_STATS_TIMED,
	WEIR_A_CHAIN_STATS_TIME,

	__WEIR_A_CHAIN_STATS_MAX,
	WEIR_A_CHAIN_STATS_MAX = (__WEIR_A_CHAIN_STATS_MAX - 1)
};

enum {
	WEIR_A_FILTER_MATCH_RULE = 1,
	WEIR_A_FILTER_MATCH_LENGTH,
	WEIR_A_FILTER_MATCH_LENGTH_LAST,
	WEIR_A_FILTER_MATCH_TCP_SET,
	WEIR_A_FILTER_MATCH_TCP_CLEAR,
	WEIR_A_FILTER_MATCH_FRAGMENT,
	WEIR_A_FILTER_MATCH_OPTIONS,
	WEIR_A_FILTER_MATCH_UNPARSED,

	__WEIR_A_FILTER_MATCH_MAX,
	WEIR_A_FILTER_MATCH_MAX = (__WEIR_A_FILTER_MATCH_MAX - 1)
};

enum {
	WEIR_A_FILTER_IFINDEX = 1,
	WEIR_A_FILTER_IFNAME,
	WEIR_A_FILTER_PRIO,
	WEIR_A_FILTER_MATCH,
	WEIR_A_FILTER_MATCHES,
	WEIR_A_FILTER_FILE,
	WEIR_A_FILTER_COMMON,
	WEIR_A_FILTER_ACTION,
	WEIR_A_FILTER_RATE,
	WEIR_A_FILTER_EACH,
	WEIR_A_FILTER_SOURCES,
	WEIR_A_FILTER_DSCP,
	WEIR_A_FILTER_TIME,
	WEIR_A_FILTER_KNOWN,
	WEIR_A_FILTER_BLOCKED,
	WEIR_A_FILTER_MORE,
	WEIR_A_FILTER_PENDING,
	WEIR_A_FILTER_STATS,
	WEIR_A_FILTER_SAMPLE,
	WEIR_A_FILTER_GROUP,

	__WEIR_A_FILTER_MAX,
	WEIR_A_FILTER_MAX = (__WEIR_A_FILTER_MAX - 1)
};

enum {
	WEIR_A_FILTER_STATS_PACKETS = 1,
	WEIR_A_FILTER_STATS_BYTES,
	WEIR_A_FILTER_STATS_DROPPED,
	WEIR_A_FILTER_STATS_DROPPED_BYTES,
	WEIR_A_FILTER_STATS_CROWDED,
	WEIR_A_FILTER_STATS_BLOCKS,
	WEIR_A_FILTER_STATS_SAMPLED,

	__WEIR_A_FILTER_STATS_MAX,
	WEIR_A_FILTER_STATS_MAX = (__WEIR_A_FILTER_STATS_MAX - 1)
};

enum {
	WEIR_A_FILTER_SOURCE_IFINDEX = 1,
	WEIR_A_FILTER_SOURCE_IFNAME,
	WEIR_A_FILTER_SOURCE_PRIO,
	WEIR_A_FILTER_SOURCE_ADDRESS,
	WEIR_A_FILTER_SOURCE_STATE,
	WEIR_A_FILTER_SOURCE_LEFT,
	WEIR_A_FILTER_SOURCE_DROPPED,
	WEIR_A_FILTER_SOURCE_OTHERS,
	WEIR_A_FILTER_SOURCE_VLAN,

	__WEIR_A_FILTER_SOURCE_MAX,
	WEIR_A_FILTER_SOURCE_MAX = (__WEIR_A_FILTER_SOURCE_MAX - 1)
};

enum {
	WEIR_A_ORDER_IFINDEX = 1,
	WEIR_A_ORDER_IFNAME,
	WEIR_A_ORDER_PRIO,
	WEIR_A_ORDER_RULE,
	WEIR_A_ORDER_CPU,
	WEIR_A_ORDER_HOLD,
	WEIR_A_ORDER_PACKETS,
	WEIR_A_ORDER_BYTES,
	WEIR_A_ORDER_FLOWS,
	WEIR_A_ORDER_SEQUENCE,
	WEIR_A_ORDER_OFFSET,
	WEIR_A_ORDER_WIDTH,
	WEIR_A_ORDER_DEVICE,
	WEIR_A_ORDER_MEMORY,
	WEIR_A_ORDER_DEPTH,
	WEIR_A_ORDER_WAIT,
	WEIR_A_ORDER_STATS,
	WEIR_A_ORDER_SCOPE_OFFSET,
	WEIR_A_ORDER_SCOPE_WIDTH,

	__WEIR_A_ORDER_MAX,
	WEIR_A_ORDER_MAX = (__WEIR_A_ORDER_MAX - 1)
};

enum {
	WEIR_A_ORDER_STATS_PACKETS = 1,
	WEIR_A_ORDER_STATS_WAITED,
	WEIR_A_ORDER_STATS_HERE,
	WEIR_A_ORDER_STATS_DROPPED,
	WEIR_A_ORDER_STATS_SKIPPED,
	WEIR_A_ORDER_STATS_LATE,
	WEIR_A_ORDER_STATS_TWICE,
	WEIR_A_ORDER_STATS_UNORDERED,
	WEIR_A_ORDER_STATS_FULL,
	WEIR_A_ORDER_STATS_OVERLOAD,
	WEIR_A_ORDER_STATS_LOST,
	WEIR_A_ORDER_STATS_FLOWS,
	WEIR_A_ORDER_STATS_WAITING,
	WEIR_A_ORDER_STATS_WAITING_BYTES,

	__WEIR_A_ORDER_STATS_MAX,
	WEIR_A_ORDER_STATS_MAX = (__WEIR_A_ORDER_STATS_MAX - 1)
};

enum {
	WEIR_A_TOTAL_JOBS = 1,
	WEIR_A_TOTAL_PORTS,
	WEIR_A_TOTAL_MEMORY,
	WEIR_A_TOTAL_MEMORY_LIMIT,
	WEIR_A_TOTAL_MEMORY_USED,
	WEIR_A_TOTAL_REDUCTION,
	WEIR_A_TOTAL_STATS,
	WEIR_A_TOTAL_TRIM,
	WEIR_A_TOTAL_TX_TRIM,
	WEIR_A_TOTAL_DROPPED_TRIM,

	__WEIR_A_TOTAL_MAX,
	WEIR_A_TOTAL_MAX = (__WEIR_A_TOTAL_MAX - 1)
};

enum {
	WEIR_A_FLOW_IFINDEX = 1,
	WEIR_A_FLOW_IFNAME,
	WEIR_A_FLOW_FLOWS,
	WEIR_A_FLOW_SAMPLE,
	WEIR_A_FLOW_IDLE,
	WEIR_A_FLOW_ACTIVE,
	WEIR_A_FLOW_TRIMMED,
	WEIR_A_FLOW_RATE,
	WEIR_A_FLOW_SHARE,
	WEIR_A_FLOW_LOSS,
	WEIR_A_FLOW_SOURCE,
	WEIR_A_FLOW_MEMORY,
	WEIR_A_FLOW_STATS,

	__WEIR_A_FLOW_MAX,
	WEIR_A_FLOW_MAX = (__WEIR_A_FLOW_MAX - 1)
};

enum {
	WEIR_A_FLOW_STATS_RECORDS = 1,
	WEIR_A_FLOW_STATS_PACKETS,
	WEIR_A_FLOW_STATS_BYTES,
	WEIR_A_FLOW_STATS_OTHER,
	WEIR_A_FLOW_STATS_UNRECORDED,
	WEIR_A_FLOW_STATS_UNRECORDED_BYTES,
	WEIR_A_FLOW_STATS_CREATED,
	WEIR_A_FLOW_STATS_IDLE,
	WEIR_A_FLOW_STATS_CLOSED,
	WEIR_A_FLOW_STATS_ROOM,
	WEIR_A_FLOW_STATS_LOST,

	__WEIR_A_FLOW_STATS_MAX,
	WEIR_A_FLOW_STATS_MAX = (__WEIR_A_FLOW_STATS_MAX - 1)
};

enum {
	WEIR_A_FLOW_ALARM_IFINDEX = 1,
	WEIR_A_FLOW_ALARM_IFNAME,
	WEIR_A_FLOW_ALARM_ALARM,
	WEIR_A_FLOW_ALARM_SRC,
	WEIR_A_FLOW_ALARM_DST,
	WEIR_A_FLOW_ALARM_PROTO,
	WEIR_A_FLOW_ALARM_SPORT,
	WEIR_A_FLOW_ALARM_DPORT,
	WEIR_A_FLOW_ALARM_VALUE,
	WEIR_A_FLOW_ALARM_THRESHOLD,

	__WEIR_A_FLOW_ALARM_MAX,
	WEIR_A_FLOW_ALARM_MAX = (__WEIR_A_FLOW_ALARM_MAX - 1)
};

enum {
	WEIR_A_FLOW_RECORD_IFINDEX = 1,
	WEIR_A_FLOW_RECORD_IFNAME,
	WEIR_A_FLOW_RECORD_TOP,
	WEIR_A_FLOW_RECORD_BY,
	WEIR_A_FLOW_RECORD_SRC,
	WEIR_A_FLOW_RECORD_DST,
	WEIR_A_FLOW_RECORD_PROTO,
	WEIR_A_FLOW_RECORD_SPORT,
	WEIR_A_FLOW_RECORD_DPORT,
	WEIR_A_FLOW_RECORD_VLAN,
	WEIR_A_FLOW_RECORD_PACKETS,
	WEIR_A_FLOW_RECORD_BYTES,
	WEIR_A_FLOW_RECORD_FIRST,
	WEIR_A_FLOW_RECORD_LAST,
	WEIR_A_FLOW_RECORD_TCP_FLAGS,
	WEIR_A_FLOW_RECORD_TOS,
	WEIR_A_FLOW_RECORD_GAPS,
	WEIR_A_FLOW_RECORD_GAP_BYTES,
	WEIR_A_FLOW_RECORD_REORDERED,
	WEIR_A_FLOW_RECORD_REPEATED,
	WEIR_A_FLOW_RECORD_TRIMMED,
	WEIR_A_FLOW_RECORD_CE,
	WEIR_A_FLOW_RECORD_MISSED_PACKETS,
	WEIR_A_FLOW_RECORD_MISSED_BYTES,
	WEIR_A_FLOW_RECORD_END,
	WEIR_A_FLOW_RECORD_ICMP_TYPE,
	WEIR_A_FLOW_RECORD_ICMP_CODE,
	WEIR_A_FLOW_RECORD_SAMPLE,

	__WEIR_A_FLOW_RECORD_MAX,
	WEIR_A_FLOW_RECORD_MAX = (__WEIR_A_FLOW_RECORD_MAX - 1)
};

enum {
	WEIR_A_EVENT_EVENT = 1,
	WEIR_A_EVENT_JOB,
	WEIR_A_EVENT_GENERATION,
	WEIR_A_EVENT_SOURCE,
	WEIR_A_EVENT_STRAGGLES,

	__WEIR_A_EVENT_MAX,
	WEIR_A_EVENT_MAX = (__WEIR_A_EVENT_MAX - 1)
};

enum {
	WEIR_A_TRIM_RULE_DSCP = 1,
	WEIR_A_TRIM_RULE_DSCP_LAST,
	WEIR_A_TRIM_RULE_PROTO,
	WEIR_A_TRIM_RULE_PORT,
	WEIR_A_TRIM_RULE_VLAN,
	WEIR_A_TRIM_RULE_DISABLE,
	WEIR_A_TRIM_RULE_SPORT,
	WEIR_A_TRIM_RULE_SRC,
	WEIR_A_TRIM_RULE_SRC_PREFIX,
	WEIR_A_TRIM_RULE_DST,
	WEIR_A_TRIM_RULE_DST_PREFIX,
	WEIR_A_TRIM_RULE_FROM,
	WEIR_A_TRIM_RULE_PACKETS,
	WEIR_A_TRIM_RULE_BYTES,

	__WEIR_A_TRIM_RULE_MAX,
	WEIR_A_TRIM_RULE_MAX = (__WEIR_A_TRIM_RULE_MAX - 1)
};

enum {
	WEIR_A_TRIM_STATS_WHOLE = 1,
	WEIR_A_TRIM_STATS_WHOLE_BYTES,
	WEIR_A_TRIM_STATS_TRIM,
	WEIR_A_TRIM_STATS_TRIM_BYTES,
	WEIR_A_TRIM_STATS_TX_TRIM,
	WEIR_A_TRIM_STATS_DROPPED_TRIM,
	WEIR_A_TRIM_STATS_RETURNED,
	WEIR_A_TRIM_STATS_SHORT,
	WEIR_A_TRIM_STATS_HEADERS,
	WEIR_A_TRIM_STATS_HEADERS_DROPPED,
	WEIR_A_TRIM_STATS_UNTRUSTED,
	WEIR_A_TRIM_STATS_OTHER,
	WEIR_A_TRIM_STATS_OTHER_DROPPED,
	WEIR_A_TRIM_STATS_FAILED,
	WEIR_A_TRIM_STATS_MERGED,
	WEIR_A_TRIM_STATS_DATA_MAX,
	WEIR_A_TRIM_STATS_HEADER_MAX,
	WEIR_A_TRIM_STATS_OVERFLOWS,
	WEIR_A_TRIM_STATS_OPTIMISTIC,
	WEIR_A_TRIM_STATS_HALF,
	WEIR_A_TRIM_STATS_PESSIMISTIC,
	WEIR_A_TRIM_STATS_HALF_TIME,
	WEIR_A_TRIM_STATS_PESSIMISTIC_TIME,
	WEIR_A_TRIM_STATS_DEVICE_DROPPED,
	WEIR_A_TRIM_STATS_DEFLECTED,
	WEIR_A_TRIM_STATS_DEFLECTED_MAX,
	WEIR_A_TRIM_STATS_LOST,
	WEIR_A_TRIM_STATS_OTHER_MAX,

	__WEIR_A_TRIM_STATS_MAX,
	WEIR_A_TRIM_STATS_MAX = (__WEIR_A_TRIM_STATS_MAX - 1)
};

enum {
	WEIR_A_TRIM_IFINDEX = 1,
	WEIR_A_TRIM_IFNAME,
	WEIR_A_TRIM_HOOK,
	WEIR_A_TRIM_SIZE,
	WEIR_A_TRIM_DSCP,
	WEIR_A_TRIM_TRIMMED_DSCPS,
	WEIR_A_TRIM_CONTROL_DSCPS,
	WEIR_A_TRIM_TC,
	WEIR_A_TRIM_TC_DSCP,
	WEIR_A_TRIM_PRIORITY,
	WEIR_A_TRIM_QUEUE,
	WEIR_A_TRIM_LENGTH,
	WEIR_A_TRIM_RULE,
	WEIR_A_TRIM_EDGE,
	WEIR_A_TRIM_LIMIT,
	WEIR_A_TRIM_LIMIT_BYTES,
	WEIR_A_TRIM_LIMIT_TIME,
	WEIR_A_TRIM_HEADERS,
	WEIR_A_TRIM_HEADER_TIME,
	WEIR_A_TRIM_SHARE,
	WEIR_A_TRIM_SHARE_VALUE,
	WEIR_A_TRIM_VICTIM,
	WEIR_A_TRIM_FULL,
	WEIR_A_TRIM_RETURN_DSCP,
	WEIR_A_TRIM_METER,
	WEIR_A_TRIM_RATE,
	WEIR_A_TRIM_OVERHEAD,
	WEIR_A_TRIM_MPU,
	WEIR_A_TRIM_OPTIMISTIC,
	WEIR_A_TRIM_HALF,
	WEIR_A_TRIM_PESSIMISTIC,
	WEIR_A_TRIM_T0,
	WEIR_A_TRIM_T1,
	WEIR_A_TRIM_CPUS,
	WEIR_A_TRIM_DATA_DEPTH,
	WEIR_A_TRIM_HEADER_DEPTH,
	WEIR_A_TRIM_DIRECT,
	WEIR_A_TRIM_STATS,
	WEIR_A_TRIM_SENDS,
	WEIR_A_TRIM_CHILD_DROPPED,
	WEIR_A_TRIM_PORT_LIMIT,
	WEIR_A_TRIM_SAID,
	WEIR_A_TRIM_DEFAULT,
	WEIR_A_TRIM_OTHER_LIMIT,
	WEIR_A_TRIM_OTHER_DEPTH,
	WEIR_A_TRIM_UNSET,
	WEIR_A_TRIM_IDLE,
	WEIR_A_TRIM_DSCP_TC,

	__WEIR_A_TRIM_MAX,
	WEIR_A_TRIM_MAX = (__WEIR_A_TRIM_MAX - 1)
};

enum {
	WEIR_A_TRIM_QUEUE_IFINDEX = 1,
	WEIR_A_TRIM_QUEUE_IFNAME,
	WEIR_A_TRIM_QUEUE_HANDLE,
	WEIR_A_TRIM_QUEUE_PARENT,
	WEIR_A_TRIM_QUEUE_TX_QUEUE,
	WEIR_A_TRIM_QUEUE_DATA_DEPTH,
	WEIR_A_TRIM_QUEUE_HEADER_DEPTH,
	WEIR_A_TRIM_QUEUE_DATA_MAX,
	WEIR_A_TRIM_QUEUE_HEADER_MAX,
	WEIR_A_TRIM_QUEUE_DIRECT,
	WEIR_A_TRIM_QUEUE_TRIM,
	WEIR_A_TRIM_QUEUE_TX_TRIM,
	WEIR_A_TRIM_QUEUE_DROPPED_TRIM,
	WEIR_A_TRIM_QUEUE_CHILD,
	WEIR_A_TRIM_QUEUE_CHILD_DROPPED,
	WEIR_A_TRIM_QUEUE_OTHER_DEPTH,
	WEIR_A_TRIM_QUEUE_OTHER_MAX,
	WEIR_A_TRIM_QUEUE_OTHER_DROPPED,
	WEIR_A_TRIM_QUEUE_TRAFFIC_CLASS,

	__WEIR_A_TRIM_QUEUE_MAX,
	WEIR_A_TRIM_QUEUE_MAX = (__WEIR_A_TRIM_QUEUE_MAX - 1)
};

enum {
	WEIR_A_DEVICE_IFINDEX = 1,
	WEIR_A_DEVICE_IFNAME,
	WEIR_A_DEVICE_UNFINISHED,

	__WEIR_A_DEVICE_MAX,
	WEIR_A_DEVICE_MAX = (__WEIR_A_DEVICE_MAX - 1)
};

enum {
	WEIR_CMD_JOB_ADD = 1,
	WEIR_CMD_JOB_SET,
	WEIR_CMD_JOB_DEL,
	WEIR_CMD_JOB_GET,
	WEIR_CMD_JOB_FLUSH,
	WEIR_CMD_JOB_NTF,
	WEIR_CMD_JOB_DEL_NTF,
	WEIR_CMD_SOURCE_ADD,
	WEIR_CMD_SOURCE_SET,
	WEIR_CMD_SOURCE_DEL,
	WEIR_CMD_SOURCE_GET,
	WEIR_CMD_SOURCE_FLUSH,
	WEIR_CMD_SOURCE_NTF,
	WEIR_CMD_SOURCE_DEL_NTF,
	WEIR_CMD_BLOCK_GET,
	WEIR_CMD_PORT_ADD,
	WEIR_CMD_PORT_SET,
	WEIR_CMD_PORT_DEL,
	WEIR_CMD_PORT_GET,
	WEIR_CMD_PORT_FLUSH,
	WEIR_CMD_PORT_NTF,
	WEIR_CMD_PORT_DEL_NTF,
	WEIR_CMD_TRIM_SET,
	WEIR_CMD_TRIM_DEL,
	WEIR_CMD_TRIM_GET,
	WEIR_CMD_TRIM_FLUSH,
	WEIR_CMD_TRIM_NTF,
	WEIR_CMD_TRIM_DEL_NTF,
	WEIR_CMD_TRIM_QUEUE_GET,
	WEIR_CMD_STATS_GET,
	WEIR_CMD_EVENT_NTF,
	WEIR_CMD_JOB_COLLECT,
	WEIR_CMD_CHAIN_ADD,
	WEIR_CMD_CHAIN_SET,
	WEIR_CMD_CHAIN_DEL,
	WEIR_CMD_CHAIN_GET,
	WEIR_CMD_CHAIN_FLUSH,
	WEIR_CMD_CHAIN_NTF,
	WEIR_CMD_CHAIN_DEL_NTF,
	WEIR_CMD_FLOW_SET,
	WEIR_CMD_FLOW_DEL,
	WEIR_CMD_FLOW_GET,
	WEIR_CMD_FLOW_FLUSH,
	WEIR_CMD_FLOW_NTF,
	WEIR_CMD_FLOW_DEL_NTF,
	WEIR_CMD_FLOW_RECORD_GET,
	WEIR_CMD_FLOW_LISTEN,
	WEIR_CMD_FLOW_RECORD_NTF,
	WEIR_CMD_FLOW_ALARM_NTF,
	WEIR_CMD_FILTER_ADD,
	WEIR_CMD_FILTER_SET,
	WEIR_CMD_FILTER_DEL,
	WEIR_CMD_FILTER_GET,
	WEIR_CMD_FILTER_FLUSH,
	WEIR_CMD_FILTER_COMMIT,
	WEIR_CMD_FILTER_SOURCE_GET,
	WEIR_CMD_FILTER_NTF,
	WEIR_CMD_FILTER_DEL_NTF,
	WEIR_CMD_FILTER_SOURCE_NTF,
	WEIR_CMD_ORDER_ADD,
	WEIR_CMD_ORDER_DEL,
	WEIR_CMD_ORDER_GET,
	WEIR_CMD_ORDER_FLUSH,
	WEIR_CMD_ORDER_NTF,
	WEIR_CMD_ORDER_DEL_NTF,
	WEIR_CMD_DEVICE_GET,
	WEIR_CMD_TRIM_CLEAR,

	__WEIR_CMD_MAX,
	WEIR_CMD_MAX = (__WEIR_CMD_MAX - 1)
};

#define WEIR_MCGRP_EVENTS	"events"

#endif /* _UAPI_LINUX_WEIR_H */
