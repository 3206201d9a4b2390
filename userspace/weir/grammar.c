// SPDX-License-Identifier: GPL-2.0
#include <stdio.h>
#include <string.h>

#include <weir.h>
#include <weir_xdp_nl.h>
#include <weir_bpf.h>

#include "chain/words.h"
#include "grammar/action.h"
#include "grammar/commands.h"
#include "grammar/cpus.h"
#include "grammar/dscp.h"
#include "grammar/grammar.h"
#include "grammar/match.h"
#include "kv/words.h"
#include "metrics/styles.h"
#include "order/order.h"
#include "trim/bands.h"
#include "watch/view.h"

#define END { .key = NULL }
#define RATE_WORDS "none|[packets NUMBER [burst NUMBER]] [bytes RATE [burst SIZE]]"

/* Keys of a job. */
static const struct key job_id = {
	"id", "NUMBER", "the job's number, 0 to 255, as packets carry it",
	VALUE_NUMBER, LOOKUP_JOB, .attr = WEIR_A_JOB_ID, .max = WEIR_JOB_ID_MAX,
};
static const struct key job_sources = {
	"sources", "NUMBER", "how many sources make a block complete, 1 to 256",
	VALUE_NUMBER, .attr = WEIR_A_JOB_SOURCES,
};
static const struct key job_blocks = {
	"blocks", "NUMBER", "block slots, a power of two up to 65536; twice the workers' window. All formats but kv need it",
	VALUE_NUMBER, .attr = WEIR_A_JOB_BLOCKS,
};
static const struct key job_grads = {
	"grads", "NUMBER", "gradients a block at most, 1 to 2048. All formats but kv need it",
	VALUE_NUMBER, .attr = WEIR_A_JOB_GRADS,
};
static const struct key job_address = {
	"address", "ADDRESS", "this box's address that workers send to and results come from; of format lab any, of lab-ethernet ff:ff:ff:ff:ff:ff",
	VALUE_ADDRESS, .attr = WEIR_A_JOB_ADDRESS,
};
static const struct key job_port = {
	"port", "NUMBER", "UDP port that workers send to, and that results come from and go to (12000; of format lab 8000, of switchml 48864, of panama 12056, of kv 12064)",
	VALUE_NUMBER, .attr = WEIR_A_JOB_PORT, .min = 1, .max = 65535,
};
static const struct key job_group = {
	"group", "ADDRESS", "multicast group for results, instead of a copy to each source; `none` takes it away",
	VALUE_ADDRESS, .attr = WEIR_A_JOB_GROUP, .none = "none",
};
static const struct key job_format = {
	"format", "FORMAT", "wire format of the packets (trio)",
	VALUE_NAME, .attr = WEIR_A_JOB_FORMAT, .names = &format_names,
};
static const struct key job_dtype = {
	"dtype", "TYPE", "data type of a gradient (int32; of format panama float32)",
	VALUE_NAME, .attr = WEIR_A_JOB_DTYPE, .names = &dtype_names,
};
static const struct key job_op = {
	"op", "OPERATION", "how contributions are combined (sum)",
	VALUE_NAME, .attr = WEIR_A_JOB_OP, .names = &op_names,
};
static const struct key job_order = {
	"order", "ORDER", "what the bits of a sum of floats depend on; fixed takes four times the memory (arrival)",
	VALUE_NAME, .attr = WEIR_A_JOB_ORDER, .names = &order_names,
};
static const struct key job_byte_order = {
	"byte-order", "ORDER", "byte order of gradients in packets (of format trio workers)",
	VALUE_NAME, .attr = WEIR_A_JOB_BYTE_ORDER, .names = &byte_order_names,
};
static const struct key job_owner = {
	"owner", "OWNER", "who makes, changes and ends the job: a mark for save and restore (admin)",
	VALUE_NAME, .attr = WEIR_A_JOB_OWNER, .names = &owner_names,
};
static const struct key job_timeout = {
	"timeout", "TIME", "time from a block's first contribution until it has aged, in us, ms or s (never; of partial and exclude 10ms)",
	VALUE_TIME, .attr = WEIR_A_JOB_TIMEOUT, .names = &never_names,
};
static const struct key job_policy = {
	"policy", "POLICY", "what is done about late sources (wait; with a timeout partial)",
	VALUE_NAME, .attr = WEIR_A_JOB_POLICY, .names = &policy_names,
};
static const struct key job_quorum = {
	"quorum", "NUMBER|SHARE", "contributions that a block is answered with at once: how many, or a share of the sources such as 0.88 or 88% (all)",
	VALUE_SHARE, .attr = WEIR_A_JOB_QUORUM, .names = &all_names,
};
static const struct key job_timers = {
	"timers", "NUMBER", "timers that look for aged blocks, 1 to 1024 (100)",
	VALUE_NUMBER, .attr = WEIR_A_JOB_TIMERS,
};
static const struct key job_dead_after = {
	"dead-after", "TIME", "silence after which a source that blocks wait for counts as dead (100 timeouts)",
	VALUE_TIME, .attr = WEIR_A_JOB_DEAD_AFTER,
};
static const struct key job_rate = {
	"rate", RATE_WORDS, "what all of the job's sources may send a second, as RATE in bits (100mbit) or bytes (12500kbps), and at once, as SIZE in b, k or m",
	VALUE_RATE, .attr = WEIR_A_JOB_RATE,
};
static const struct key job_repeat_after = {
	"repeat-after", "TIME", "time in which a source that contributes again is not sent the result again (0; of switchml 7ms)",
	VALUE_TIME, .attr = WEIR_A_JOB_REPEAT_AFTER,
};
static const struct key job_ranks = {
	"ranks", "NUMBER", "workers of a job that spans several boxes, of all of them, up to 4096; each box is told the same",
	VALUE_NUMBER, .attr = WEIR_A_JOB_RANKS,
};
static const struct key job_parent = {
	"parent", "ADDRESS", "the box that takes this one's sums, for a job of the same id; with source and ranks, of format panama without ranks. Of format kv the reducer, or the box before it; with source",
	VALUE_ADDRESS, .attr = WEIR_A_JOB_PARENT,
};
static const struct key job_parent_source = {
	"source", "NUMBER", "which source of the parent's job this box is, 0 to 255",
	VALUE_NUMBER, .attr = WEIR_A_JOB_PARENT_SOURCE, .max = 255,
};
static const struct key job_parent_port = {
	"parent-port", "NUMBER", "UDP port of the parent's job (the job's own)",
	VALUE_NUMBER, .attr = WEIR_A_JOB_PARENT_PORT, .min = 1, .max = 65535,
};
static const struct key job_parent_dev = {
	"parent-dev", "DEVICE|any", "the only device that the parent's packets are taken from (any)",
	VALUE_DEVICE, .attr = WEIR_A_JOB_PARENT_IFINDEX, .none = "any",
};
static const struct key job_parent_vlan = {
	"parent-vlan", "ID", "the only VLAN that the parent's packets are taken from, 1 to 4094 (any)",
	VALUE_NUMBER, .attr = WEIR_A_JOB_PARENT_VLAN, .max = 4095, .names = &vlan_names,
};
static const struct key job_retain = {
	"retain", "SIZE", "memory for results beyond open blocks, for sources that are slow to take them (three times what open blocks take, up to 64m)",
	VALUE_OWN, .attr = WEIR_A_JOB_RETAIN, .syntax = &size_syntax,
};

static const struct verb_key job_add_keys[] = {
	{ &job_id, true }, { &job_sources, true }, { &job_blocks, false },
	{ &job_grads, false }, { &job_address, true }, { &job_port, false },
	{ &job_group, false }, { &job_format, false }, { &job_dtype, false },
	{ &job_op, false }, { &job_order, false }, { &job_byte_order, false },
	{ &job_owner, false }, { &job_policy, false },
	{ &job_timeout, false }, { &job_quorum, false }, { &job_timers, false },
	{ &job_dead_after, false }, { &job_rate, false }, { &job_ranks, false },
	{ &job_parent, false }, { &job_parent_source, false }, { &job_parent_port, false },
	{ &job_parent_dev, false }, { &job_parent_vlan, false },
	{ &job_repeat_after, false }, { &job_retain, false }, END,
};
static const struct verb_key job_set_keys[] = {
	{ &job_id, true }, { &job_port, false }, { &job_group, false },
	{ &job_policy, false }, { &job_timeout, false }, { &job_quorum, false },
	{ &job_dead_after, false }, { &job_rate, false }, END,
};
static const struct verb_key job_del_keys[] = { { &job_id, true }, END };
static const struct verb_key job_show_keys[] = { { &job_id, false }, END };
static const struct verb_key no_keys[] = { END };

static const struct verb job_verbs[] = {
	{ "add", "make a job", WEIR_CMD_JOB_ADD, job_add_keys, .run = job_add,
	  .attributes = job_add_attributes },
	{ "set", "change a live job", WEIR_CMD_JOB_SET, job_set_keys, .run = job_set,
	  .attributes = job_set_attributes },
	{ "del", "remove a job, its sources and its blocks", WEIR_CMD_JOB_DEL,
	  job_del_keys, .run = request_run },
	{ "show", "show one job, or all", WEIR_CMD_JOB_GET, job_show_keys, .run = job_show },
	{ "collect", "let the keys that a job of format kv holds go on to its parent",
	  WEIR_CMD_JOB_COLLECT, job_del_keys, .run = request_run },
	{ "flush", "remove all jobs", WEIR_CMD_JOB_FLUSH, no_keys, .run = request_run },
	{ .name = NULL },
};

/* Keys of a source. */
static const struct key source_job = {
	"job", "NUMBER", "the job that the source belongs to",
	VALUE_NUMBER, LOOKUP_JOB, .attr = WEIR_A_SOURCE_JOB, .max = WEIR_JOB_ID_MAX,
};
static const struct key source_id = {
	"id", "NUMBER", "the source's id in the job, its rank, 0 to 255",
	VALUE_NUMBER, LOOKUP_SOURCE, .attr = WEIR_A_SOURCE_ID, .max = 255,
};
static const struct key source_address = {
	"address", "ADDRESS", "the worker's address: contributions come from it, results go to it",
	VALUE_ADDRESS, .attr = WEIR_A_SOURCE_ADDRESS,
};
static const struct key source_port = {
	"port", "NUMBER", "UDP port of the worker: contributions come from it, results go to it (any, and the job's)",
	VALUE_NUMBER, .attr = WEIR_A_SOURCE_PORT, .min = 1, .max = 65535,
};
static const struct key source_dev = {
	"dev", "DEVICE|any", "the only device that contributions are taken from (any)",
	VALUE_DEVICE, .attr = WEIR_A_SOURCE_IFINDEX, .none = "any",
};
static const struct key source_vlan = {
	"vlan", "ID", "the only VLAN that contributions are taken from, 1 to 4094 (any)",
	VALUE_NUMBER, .attr = WEIR_A_SOURCE_VLAN, .max = 4095, .names = &vlan_names,
};
static const struct key source_rate = {
	"rate", RATE_WORDS, "what the source may send, as for a job (none)",
	VALUE_RATE, .attr = WEIR_A_SOURCE_RATE,
};

static const struct verb_key source_add_keys[] = {
	{ &source_job, true }, { &source_id, true }, { &source_address, true },
	{ &source_port, false }, { &source_dev, false }, { &source_vlan, false },
	{ &source_rate, false }, END,
};
static const struct verb_key source_set_keys[] = {
	{ &source_job, true }, { &source_id, true }, { &source_address, false },
	{ &source_port, false }, { &source_dev, false }, { &source_vlan, false },
	{ &source_rate, false }, END,
};
static const struct verb_key source_del_keys[] = {
	{ &source_job, true }, { &source_id, true }, END,
};
static const struct verb_key source_show_keys[] = {
	{ &source_job, false }, { &source_id, false }, END,
};
static const struct verb_key source_flush_keys[] = { { &source_job, true }, END };

static const struct verb source_verbs[] = {
	{ "add", "bind a source of a job to an address", WEIR_CMD_SOURCE_ADD,
	  source_add_keys, .run = request_run, .attributes = source_add_attributes },
	{ "set", "bind a source to something else, or police it otherwise", WEIR_CMD_SOURCE_SET,
	  source_set_keys, .run = request_run, .attributes = source_set_attributes },
	{ "del", "unbind a source", WEIR_CMD_SOURCE_DEL, source_del_keys, .run = request_run },
	{ "show", "show one source, those of a job, or all", WEIR_CMD_SOURCE_GET,
	  source_show_keys, .run = source_show },
	{ "flush", "unbind all sources of a job", WEIR_CMD_SOURCE_FLUSH,
	  source_flush_keys, .run = request_run },
	{ .name = NULL },
};

static const struct key block_job = {
	"job", "NUMBER", "show the blocks of this job alone",
	VALUE_NUMBER, LOOKUP_JOB, .attr = WEIR_A_BLOCK_JOB, .max = WEIR_JOB_ID_MAX,
};
static const struct key block_limit = {
	"limit", "NUMBER", "show so many blocks at most (100; in JSON all)",
	VALUE_NUMBER, .min = 1, .names = &all_names,
};
static const struct verb_key block_show_keys[] = {
	{ &block_job, false }, { &block_limit, false }, END,
};
static const struct verb block_verbs[] = {
	{ "show", "show the open blocks, and who is missing from them", WEIR_CMD_BLOCK_GET,
	  block_show_keys, .run = block_show },
	{ .name = NULL },
};

/* Keys of a port. */
static const struct key port_dev = {
	"dev", "DEVICE", "the network device",
	VALUE_DEVICE, .attr = WEIR_A_PORT_IFINDEX,
};
static const struct key port_mode = {
	"mode", "MODE", "where the program sits (the best for the device and its packets)",
	VALUE_NAME, .attr = WEIR_A_PORT_MODE, .names = &mode_names,
};
static const struct key port_udp = {
	"udp", "NUMBER", "a UDP port that packets come to, of its job's format, or of the one that has it by default; up to 8 times (12000, and those of all jobs)",
	VALUE_NUMBER, .min = 1, .max = 65535, .repeat = WEIR_FORMATS_MAX,
};

static const struct verb_key port_attach_keys[] = {
	{ &port_dev, true }, { &port_mode, false }, { &port_udp, false }, END,
};
static const struct verb_key port_detach_keys[] = { { &port_dev, true }, END };
static const struct verb_key port_show_keys[] = { { &port_dev, false }, END };

static const struct verb port_verbs[] = {
	{ "attach", "let a device hand packets over: attach the program to it",
	  WEIR_CMD_PORT_ADD, port_attach_keys, .run = port_attach },
	{ "detach", "take the program off a device", WEIR_CMD_PORT_DEL,
	  port_detach_keys, .run = port_detach },
	{ "show", "show one port, or all", WEIR_CMD_PORT_GET, port_show_keys, .run = port_show },
	{ "flush", "detach all ports", WEIR_CMD_PORT_FLUSH, no_keys, .run = port_flush },
	{ .name = NULL },
};

/* Keys of a chain. */
static const struct key chain_dev = {
	"dev", "DEVICE", "the network device", .type = VALUE_DEVICE,
};
static const struct key chain_prio = {
	"prio", "NUMBER", "the program's place, 1 to 65535; the least runs first. 50 is that of weir's program that filters, 70 of the one that records flows, 100 of the one that sums, 150 of the one that orders, 200 of the one that forwards",
	.type = VALUE_OWN, .min = 1, .max = WEIR_XDP_CHAIN_PRIO_MAX, .syntax = &chain_prio_syntax,
};
static const struct key chain_to = {
	"to", "NUMBER", "the place that it moves to",
	.type = VALUE_OWN, .min = 1, .max = WEIR_XDP_CHAIN_PRIO_MAX, .syntax = &chain_prio_syntax,
};
static const struct key chain_program_file = {
	"program", "FILE", "the object file with the XDP program",
	.type = VALUE_TEXT, .max = WEIR_XDP_CHAIN_TEXT_MAX,
};
static const struct key chain_section = {
	"section", "NAME", "the program's section, or its own name, where the file has several",
	.type = VALUE_TEXT, .max = WEIR_XDP_CHAIN_TEXT_MAX,
};
static const struct key chain_mode = {
	"mode", "MODE", "where the chain sits, for the first program (xdp)",
	.type = VALUE_NAME, .names = &chain_mode_names,
};
static const struct verb_key chain_add_keys[] = {
	{ &chain_dev, true }, { &chain_prio, true }, { &chain_program_file, true },
	{ &chain_section, false }, { &chain_mode, false }, END,
};
static const struct verb_key chain_replace_keys[] = {
	{ &chain_dev, true }, { &chain_prio, true }, { &chain_program_file, true },
	{ &chain_section, false }, END,
};
static const struct verb_key chain_move_keys[] = {
	{ &chain_dev, true }, { &chain_prio, true }, { &chain_to, true }, END,
};
static const struct verb_key chain_del_keys[] = {
	{ &chain_dev, true }, { &chain_prio, true }, END,
};
static const struct verb_key chain_show_keys[] = { { &chain_dev, false }, END };

static const struct verb chain_verbs[] = {
	{ "add", "have a program of one's own run on a device, before, between or behind weir's",
	  WEIR_XDP_CMD_CHAIN_ADD, chain_add_keys, .run = chain_add_run },
	{ "adopt", "take the program of somebody else that is on the device into a chain",
	  WEIR_XDP_CMD_CHAIN_ADD, chain_del_keys, .run = chain_adopt_run },
	{ "replace", "put another program in its place, while packets run", WEIR_XDP_CMD_CHAIN_SET,
	  chain_replace_keys, .run = chain_replace_run },
	{ "move", "give a program another place", WEIR_XDP_CMD_CHAIN_SET, chain_move_keys,
	  .run = chain_move_run },
	{ "del", "take a program out of a chain", WEIR_XDP_CMD_CHAIN_DEL, chain_del_keys,
	  .run = chain_del_run },
	{ "show", "show the chain of a device, or all: what each program has said, and how many ns it takes",
	  WEIR_XDP_CMD_CHAIN_GET, chain_show_keys, .run = chain_show_run },
	{ "flush", "take all programs but weir's own out of all chains", WEIR_XDP_CMD_CHAIN_FLUSH,
	  no_keys, .run = chain_flush_run },
	{ .name = NULL },
};

/* Keys of flows. */
static const struct key flow_dev = {
	"dev", "DEVICE", "the network device that packets come in by",
	VALUE_DEVICE, .attr = WEIR_A_FLOW_IFINDEX,
};
static const struct key flow_flows = {
	"flows", "NUMBER", "flows at a time that are counted exactly, 16 to 16777216; fixed while they are recorded, and so is their memory (65536)",
	VALUE_NUMBER, .attr = WEIR_A_FLOW_FLOWS,
};
static const struct key flow_sample = {
	"sample", "NUMBER", "record one packet in so many, at random (1)",
	VALUE_NUMBER, .attr = WEIR_A_FLOW_SAMPLE,
};
static const struct key flow_idle = {
	"idle", "TIME", "silence after which a record ends, 1s to an hour (15s)",
	.type = VALUE_TIME,
};
static const struct key flow_active = {
	"active", "TIME", "time after which a record that goes on is reported, 1s to an hour (60s)",
	.type = VALUE_TIME,
};
static const struct key flow_trimmed = {
	"trimmed-dscp", "DSCP,...|none", "DSCPs of packets that have been trimmed (none)",
	VALUE_OWN, .attr = WEIR_A_FLOW_TRIMMED, .names = &dscp_names, .none = "none",
	.syntax = &dscp_list_syntax,
};
static const struct key flow_rate = {
	"rate", "RATE", "the link's rate, which `share` needs",
	VALUE_BITRATE, .attr = WEIR_A_FLOW_RATE,
};
static const struct key flow_share = {
	"share", "SHARE", "share of the link, such as 30% or 0.3, with which a flow alarms (none)",
	.type = VALUE_SHARE, .names = &none_names,
};
static const struct key flow_loss = {
	"loss", "SHARE", "share of a flow's packets that is missing, such as 1%, with which it alarms (none)",
	.type = VALUE_SHARE, .names = &none_names,
};
static const struct key flow_source = {
	"source", "RATE", "rate with which a source alarms that had less before; 0bit for none (none)",
	VALUE_BITRATE, .attr = WEIR_A_FLOW_SOURCE,
};
static const struct key flow_mode = {
	"mode", "MODE", "where the device's chain sits, where there is none yet (xdp)",
	VALUE_NAME, .names = &chain_mode_names,
};
static const struct key flow_record_dev = {
	"dev", "DEVICE", "records of this device alone",
	VALUE_DEVICE, .attr = WEIR_A_FLOW_RECORD_IFINDEX,
};
static const struct key flow_top = {
	"top", "NUMBER|all", "so many records, those that have most of `by` (20; in JSON all, in no order)",
	VALUE_NUMBER, .min = 1, .max = WEIR_XDP_FLOW_TOP_MAX, .names = &all_names,
};
static const struct key flow_by = {
	"by", "WORD", "what the records are sorted by (bytes)",
	VALUE_NAME, .attr = WEIR_A_FLOW_RECORD_BY, .names = &flow_by_names,
};
static const struct verb_key flow_on_keys[] = {
	{ &flow_dev, true }, { &flow_flows, false }, { &flow_sample, false },
	{ &flow_idle, false }, { &flow_active, false }, { &flow_trimmed, false },
	{ &flow_rate, false }, { &flow_share, false }, { &flow_loss, false },
	{ &flow_source, false },
	{ &flow_mode, false }, END,
};
static const struct verb_key flow_off_keys[] = { { &flow_dev, true }, END };
static const struct verb_key flow_show_keys[] = {
	{ &flow_record_dev, false }, { &flow_top, false }, { &flow_by, false }, END,
};
static const struct verb_key flow_stats_keys[] = { { &flow_dev, false }, END };

static const struct verb flow_verbs[] = {
	{ "on", "record the flows of packets that come in by a device, or do it otherwise",
	  WEIR_XDP_CMD_FLOW_SET, flow_on_keys, .run = flow_on, .attributes = flow_set_attributes },
	{ "off", "end that, and forget the records", WEIR_XDP_CMD_FLOW_DEL, flow_off_keys,
	  .run = flow_off },
	{ "show", "show records, the largest first", WEIR_XDP_CMD_FLOW_RECORD_GET, flow_show_keys,
	  .run = flow_show },
	{ "stats", "show how the flows of a device are recorded, or of all, and how many there are",
	  WEIR_XDP_CMD_FLOW_GET, flow_stats_keys, .run = flow_stats },
	{ "flush", "end recording on all devices", WEIR_XDP_CMD_FLOW_FLUSH, no_keys,
	  .run = flow_flush },
	{ .name = NULL },
};

/* Keys of a filter. */
static const struct key filter_dev = {
	"dev", "DEVICE", "the network device that packets come in by",
	VALUE_DEVICE, .attr = WEIR_A_FILTER_IFINDEX,
};
static const struct key filter_prio = {
	"prio", "NUMBER", "the rule's place; the least comes first (behind the last one, in steps of 10)",
	VALUE_NUMBER, .attr = WEIR_A_FILTER_PRIO, .min = 1, .max = WEIR_XDP_FILTER_PRIO_MAX,
};
static const struct key filter_match = {
	"rule", "any|[dscp=A[-B]],[proto=P],[port=N],[sport=N],[vlan=N],[src=PREFIX],[dst=PREFIX],[len=A[-B]],[tcp=+FLAG-FLAG],[frag=yes|no],[options=yes|no],[unparsed=yes|no]",
	"packets that the rule has: all conditions must hold; up to 16 times, for packets that any of them has. With a set once, for all that it has",
	VALUE_OWN, .attr = WEIR_A_FILTER_MATCH, .none = "any", .repeat = WEIR_XDP_FILTER_MATCHES_SHOWN,
	.syntax = &match_filter_syntax,
};
static const struct key filter_set = {
	"set", "FILE", "a file with packets that the rule has, one a line: a prefix of source addresses, or conditions as `rule` has them",
	VALUE_TEXT, .attr = WEIR_A_FILTER_FILE, .max = WEIR_XDP_CHAIN_TEXT_MAX,
};
static const struct key filter_action = {
	"action", "pass|drop|mark DSCP|sample NUMBER [group NUMBER]|police RATES [each [sources NUMBER]]|guard RATES [each [sources NUMBER]] [for TIME]",
	"what is done with them. Pass and drop are final; the next rules have packets that are marked or sampled, or below the rate. One packet in NUMBER is told to the kernel's psample group (1). RATES are RATE [burst SIZE], NUMBERpps [burst NUMBER], or both. `each` is for each source, an IPv4 address or an IPv6 prefix of 64 bits; `sources` are told apart (4096). A guard blocks a source above its rate (for 10s)",
	VALUE_OWN, .attr = WEIR_A_FILTER_ACTION, .syntax = &action_syntax,
};
static const struct key filter_mode = {
	"mode", "MODE", "where the device's chain sits, if the filter is its first program (xdp)",
	.type = VALUE_NAME, .names = &chain_mode_names,
};

static const struct verb_key filter_add_keys[] = {
	{ &filter_dev, true }, { &filter_prio, false }, { &filter_match, false },
	{ &filter_set, false }, { &filter_action, true }, { &filter_mode, false }, END,
};
static const struct verb_key filter_replace_keys[] = {
	{ &filter_dev, true }, { &filter_prio, true }, { &filter_match, false },
	{ &filter_set, false }, { &filter_action, true }, END,
};
static const struct verb_key filter_del_keys[] = {
	{ &filter_dev, true }, { &filter_prio, true }, END,
};
static const struct key filter_file = {
	"file", "FILE", "a file with rules, a line each, in the words of `filter add` without dev; - is standard input",
	.type = VALUE_TEXT, .max = WEIR_XDP_CHAIN_TEXT_MAX,
};
static const struct key filter_guard = {
	"rate", "RATES [each [sources NUMBER]] [for TIME]",
	"what a source may send, as police has it, and how long it is blocked that sends more (10s)",
	VALUE_OWN, .attr = WEIR_A_FILTER_RATE, .syntax = &guard_syntax,
};
static const struct verb_key filter_guard_keys[] = {
	{ &filter_dev, true }, { &filter_prio, false }, { &filter_match, false },
	{ &filter_set, false }, { &filter_guard, true }, { &filter_mode, false }, END,
};
static const struct key filter_source_dev = {
	"dev", "DEVICE", "the filter's device",
	VALUE_DEVICE, .attr = WEIR_A_FILTER_SOURCE_IFINDEX,
};
static const struct key filter_source_prio = {
	"prio", "NUMBER", "a rule that is of each source",
	VALUE_NUMBER, .attr = WEIR_A_FILTER_SOURCE_PRIO, .min = 1, .max = WEIR_XDP_FILTER_PRIO_MAX,
};
static const struct verb_key filter_sources_keys[] = {
	{ &filter_source_dev, true }, { &filter_source_prio, true }, END,
};
static const struct verb_key filter_load_keys[] = {
	{ &filter_dev, true }, { &filter_file, true }, END,
};
static const struct verb_key filter_show_keys[] = {
	{ &filter_dev, false }, { &filter_prio, false }, END,
};
static const struct verb_key filter_flush_keys[] = { { &filter_dev, false }, END };

static const struct verb filter_verbs[] = {
	{ "add", "add a rule about packets that a device receives", WEIR_XDP_CMD_FILTER_ADD,
	  filter_add_keys, .run = filter_add_run, .attributes = filter_add_attributes },
	{ "replace", "put another rule in its place, while packets come", WEIR_XDP_CMD_FILTER_SET,
	  filter_replace_keys, .run = filter_replace_run, .attributes = filter_set_attributes },
	{ "guard", "find sources above a rate, and drop all that they send for a time; a rule before all others",
	  WEIR_XDP_CMD_FILTER_ADD, filter_guard_keys, .run = filter_guard_run },
	{ "sources", "show the sources that a rule knows, and which are blocked",
	  WEIR_XDP_CMD_FILTER_SOURCE_GET, filter_sources_keys, .run = filter_sources_run },
	{ "load", "add the rules of a file, all or none: packets meet all of them at once",
	  WEIR_XDP_CMD_FILTER_ADD, filter_load_keys, .run = filter_load_run },
	{ "del", "take a rule away", WEIR_XDP_CMD_FILTER_DEL, filter_del_keys,
	  .run = filter_del_run },
	{ "show", "show the rules of a device, or all: packets that came to each, and what it dropped",
	  WEIR_XDP_CMD_FILTER_GET, filter_show_keys, .run = filter_show_run },
	{ "flush", "take all rules of a device away, or all", WEIR_XDP_CMD_FILTER_FLUSH,
	  filter_flush_keys, .run = filter_flush_run },
	{ .name = NULL },
};

/* Keys of an order. */
static const struct key order_dev = {
	"dev", "DEVICE", "the network device that packets come in by",
	VALUE_DEVICE, .attr = WEIR_A_ORDER_IFINDEX,
};
static const struct key order_prio = {
	"prio", "NUMBER", "the order's place among those of the device, 1 to 65535: a packet has the first one that it matches",
	VALUE_NUMBER, .attr = WEIR_A_ORDER_PRIO, .min = 1, .max = WEIR_XDP_CHAIN_PRIO_MAX,
};
static const struct key order_rule = {
	"rule", MATCH_WORDS, "which packets (any)",
	VALUE_OWN, .attr = WEIR_A_ORDER_RULE, .none = "any", .syntax = &match_syntax,
};
static const struct key order_cpus = {
	"cpus", "LIST", "CPUs that packets are spread over, as 1-3,6; each runs the rest of the chain",
	VALUE_OWN, .attr = WEIR_A_ORDER_CPU, .syntax = &cpus_syntax,
};
static const struct key order_sequence = {
	"sequence", "rtp|gtpu|OFFSET/WIDTH|arrival", "where a packet's number is: OFFSET bytes behind the UDP, TCP or else IP header, WIDTH bits (arrival: weir counts)",
	VALUE_OWN, .attr = WEIR_A_ORDER_SEQUENCE, .syntax = &order_sequence_syntax,
};
static const struct key order_scope = {
	"scope", "OFFSET/WIDTH", "where the number of a packet's stream is, as sequence says: each stream has numbers of its own (ESP: 0/32)",
	VALUE_OWN, .attr = WEIR_A_ORDER_SCOPE_OFFSET, .syntax = &order_scope_syntax,
};
static const struct key order_hold = {
	"hold", "TIME", "time that packets wait for earlier ones (200us)",
	VALUE_TIME, .attr = WEIR_A_ORDER_HOLD,
};
static const struct key order_packets = {
	"packets", "NUMBER", "how far packets of a flow that wait are from the one that is missing at most, a power of two (1024)",
	VALUE_NUMBER, .attr = WEIR_A_ORDER_PACKETS,
};
static const struct key order_bytes = {
	"bytes", "SIZE", "memory of all packets that wait, in b, kb or mb (16mb)",
	VALUE_OWN, .attr = WEIR_A_ORDER_BYTES, .syntax = &size_syntax,
};
static const struct key order_flows = {
	"flows", "NUMBER", "flows that are remembered; further ones are in no order (256)",
	VALUE_NUMBER, .attr = WEIR_A_ORDER_FLOWS,
};
static const struct key order_mode = {
	"mode", "MODE", "where the device's chain sits, for its first program (xdp)",
	.type = VALUE_NAME, .names = &chain_mode_names,
};
static const struct verb_key order_add_keys[] = {
	{ &order_dev, true }, { &order_prio, true }, { &order_rule, false }, { &order_cpus, false },
	{ &order_sequence, false }, { &order_scope, false }, { &order_hold, false },
	{ &order_packets, false }, { &order_bytes, false }, { &order_flows, false }, { &order_mode, false }, END,
};
static const struct verb_key order_del_keys[] = { { &order_dev, true }, { &order_prio, true }, END };
static const struct verb_key order_show_keys[] = { { &order_dev, false }, { &order_prio, false }, END };

static const struct verb order_verbs[] = {
	{ "add", "spread packets of a device over CPUs, or use their own sequence numbers, and restore their order",
	  WEIR_XDP_CMD_ORDER_ADD, order_add_keys, .run = order_add_run, .attributes = order_add_attributes },
	{ "del", "remove an order; release the packets that it holds", WEIR_XDP_CMD_ORDER_DEL, order_del_keys,
	  .run = order_del_run },
	{ "show", "show one order, those of a device, or all, and what became of their packets", WEIR_XDP_CMD_ORDER_GET, order_show_keys,
	  .run = order_show_run },
	{ "flush", "remove all orders", WEIR_XDP_CMD_ORDER_FLUSH, no_keys, .run = order_flush_run },
	{ .name = NULL },
};

/* Keys of key-value streams. */
static const struct key kv_job = {
	"job", "NUMBER", "the job's number, 0 to 255, the same at the box and at all ends",
	VALUE_NUMBER, LOOKUP_JOB, .max = WEIR_JOB_ID_MAX,
};
static const struct key kv_source = {
	"source", "NUMBER", "which source of the box, or of the reducer where there is no box, 0 to 255",
	VALUE_NUMBER, .max = WEIR_SOURCES_MAX - 1,
};
static const struct key kv_sources = {
	"sources", "NUMBER", "how many send to this reducer, 1 to 256: boxes, or mappers where there is none",
	VALUE_NUMBER, .min = 1, .max = WEIR_SOURCES_MAX,
};
static const struct key kv_to = {
	"to", "ADDRESS", "the box that has the job, or the reducer",
	.type = VALUE_ADDRESS,
};
static const struct key kv_address = {
	"address", "ADDRESS", "this host's address that pairs come to (any)",
	.type = VALUE_ADDRESS,
};
static const struct key kv_port = {
	"port", "NUMBER", "UDP port of the job (12064)", VALUE_NUMBER, .min = 1, .max = 65535,
};
static const struct key kv_op = {
	"op", "OPERATION", "how the values of a key are combined (sum)",
	VALUE_NAME, .names = &op_names,
};
static const struct key kv_dtype = {
	"dtype", "TYPE", "data type of a value (int32)", VALUE_NAME, .names = &kv_dtype_names,
};
static const struct key kv_local_keys = {
	"local-keys", "NUMBER", "keys whose values are combined here before they are sent (0)",
	.type = VALUE_NUMBER,
};
static const struct key kv_file = {
	"file", "FILE", "where the lines are (standard input)", .type = VALUE_TEXT,
};
static const struct key kv_timeout = {
	"timeout", "TIME", "silence of the box or the reducer after which to give up, in us, ms or s (30s)",
	VALUE_TIME, .min = 1000,
};
static const struct verb_key kv_put_keys[] = {
	{ &kv_job, true }, { &kv_source, true }, { &kv_to, true }, { &kv_port, false },
	{ &kv_op, false }, { &kv_dtype, false }, { &kv_local_keys, false }, { &kv_timeout, false },
	{ &kv_file, false }, END,
};
static const struct verb_key kv_get_keys[] = {
	{ &kv_job, true }, { &kv_sources, true }, { &kv_address, false }, { &kv_port, false },
	{ &kv_op, false }, { &kv_dtype, false }, END,
};
static const struct verb kv_verbs[] = {
	{ "put", "send lines of a key, a tab and a value, which is 1 where it is left out", 0,
	  kv_put_keys, .run = kv_put },
	{ "get", "wait until all have sent their lines, and print a line a key, in any order", 0,
	  kv_get_keys, .run = kv_get },
	{ .name = NULL },
};

static const struct verb stats_verbs[] = {
	{ "", "show the counters of the namespace, and why packets were refused",
	  WEIR_CMD_STATS_GET, no_keys, .run = stats_show },
	{ .name = NULL },
};

static const struct verb monitor_verbs[] = {
	{ "", "print what changes, a line for each event, until interrupted; or write it to the journal",
	  0, no_keys, .run = monitor_run, .positional = true, .words = "[--journal]" },
	{ .name = NULL },
};

static const struct key top_interval = {
	"interval", "TIME", "between two looks (1s)",
	VALUE_TIME, .min = 10000,
};
static const struct key top_count = {
	"count", "NUMBER", "how often to look, then end (until interrupted)",
	VALUE_NUMBER, .min = 1,
};
static const struct key top_sort = {
	"sort", "ORDER", "which sources come first (late)", VALUE_NAME, .names = &view_orders,
};
static const struct key top_filter = {
	"filter", "TEXT", "show jobs, sources and devices that have this in their words (all)",
	VALUE_OWN, .syntax = &view_filter_syntax,
};
static const struct verb_key top_keys[] = {
	{ &top_interval, false }, { &top_count, false }, { &top_sort, false },
	{ &top_filter, false }, END,
};
static const struct verb top_verbs[] = {
	{ "", "watch jobs, sources, flows and devices that trim: rates, memory, who is late. Keys: s sorts, tab goes to the next list, / filters, arrows scroll, q quits", 0, top_keys,
	  .run = top_run },
	{ .name = NULL },
};

static const struct key metrics_format = {
	"format", "FORMAT", "of the text; textfile collectors read prometheus (openmetrics)",
	VALUE_NAME, .names = &metrics_styles,
};
static const struct verb_key metrics_keys[] = { { &metrics_format, false }, END };
static const struct verb metrics_verbs[] = {
	{ "", "print all counters, for programs that gather them", 0, metrics_keys, .run = metrics_run },
	{ .name = NULL },
};

static const struct key doctor_job = {
	"job", "NUMBER", "look at this job alone",
	VALUE_NUMBER, LOOKUP_JOB, .max = WEIR_JOB_ID_MAX,
};
static const struct verb_key doctor_keys[] = { { &doctor_job, false }, END };
static const struct verb doctor_verbs[] = {
	{ "", "check everything that packets need on their way, and say what to mend",
	  0, doctor_keys, doctor_run, .host_first = true },
	{ .name = NULL },
};

static const struct verb plan_verbs[] = {
	{ "", "the trees of boxes for the job of a file of workers, boxes and links; and what each is told",
	  0, no_keys, .run = plan_run, .positional = true, .host_first = true,
	  .words = "FILE [ansible | dot | network | for NAME]" },
	{ .name = NULL },
};

static const struct verb import_verbs[] = {
	{ "sonic", "print the commands that trim as a switch does by its config_db.json, and what has no counterpart",
	  0, no_keys, .run = import_sonic_run, .positional = true, .host_first = true,
	  .words = "FILE [--classes HANDLE] [--map PORT=DEVICE ...]" },
	{ .name = NULL },
};

static const struct verb save_verbs[] = {
	{ "", "print the commands that make what this namespace has, or replace a file by one with them",
	  0, no_keys, .run = save_run, .positional = true, .words = "[-o FILE]" },
	{ .name = NULL },
};

static const struct verb restore_verbs[] = {
	{ "", "make the namespace as a file of such commands says, or leave it as it was; --diff shows what would be done",
	  0, no_keys, .run = restore_run, .positional = true,
	  .words = "[--diff] [dev DEVICE] [[-f] FILE]" },
	{ .name = NULL },
};

static const struct verb upgrade_verbs[] = {
	{ "", "load another module from a file, or all of weir's from a directory or as modprobe finds them, under the jobs of all network namespaces; TOOL is the weir that came with those that are loaded, if this one does not speak to them",
	  0, no_keys, .run = upgrade_run, .positional = true, .host_first = true,
	  .words = "[-f TOOL] [FILE | DIRECTORY]" },
	{ .name = NULL },
};

static const struct verb flush_verbs[] = {
	{ "all", "take away all policies, orders, ports, flows, filters, chains and jobs of the namespace", 0, no_keys, .run = flush_all },
	{ .name = NULL },
};

static const struct verb help_verbs[] = {
	{ "", "show the words that an object or one of its verbs takes", 0, no_keys, .run = help_run,
	  .positional = true, .words = "[OBJECT [VERB]]" },
	{ .name = NULL },
};

static const struct verb complete_verbs[] = {
	{ "", "print the words that may come last", 0, no_keys, .run = complete_run,
	  .positional = true },
	{ .name = NULL },
};

const struct object grammar[] = {
	{ "job", "what is summed: sources, blocks, gradients", .verbs = job_verbs },
	{ "source", "a worker of a job, bound to its address", .verbs = source_verbs },
	{ "block", "a block that waits for contributions", .verbs = block_verbs },
	{ "port", "a network device that hands packets over", .verbs = port_verbs },
	{ "chain", "XDP programs of a device, in an order", .verbs = chain_verbs },
	{ "filter", "rules about packets that a device receives", .verbs = filter_verbs },
	{ "flow", "who sends how much to whom by a device", .verbs = flow_verbs },
	{ "order", "packets of a device that are spread over CPUs, or reordered, and go on in order", .verbs = order_verbs },
	{ "trim", "a device whose packets lose their payload instead of being lost", .verbs = trim_verbs },
	{ "trim-pool", "bytes that whole packets of several trimming ports share", .verbs = trim_pool_verbs },
	{ "trim-acl", "which packets are never trimmed: up to 1024 rules that several ports share", .verbs = trim_acl_verbs },
	{ "trim-default", "what trimming policies of the namespace inherit", .verbs = trim_default_verbs },
	{ "kv", "key-value streams that are reduced on their way", .verbs = kv_verbs },
	{ "stats", "counters of the namespace", .verbs = stats_verbs },
	{ "top", "rates and late sources, live", .verbs = top_verbs },
	{ "monitor", "events as they happen", .verbs = monitor_verbs },
	{ "metrics", "counters for Prometheus", .verbs = metrics_verbs },
	{ "doctor", "find out why nothing is summed or trimmed", .verbs = doctor_verbs },
	{ "plan", "which boxes a job's workers need, in trees", .verbs = plan_verbs },
	{ "import", "the trimming of a switch, as commands", .verbs = import_verbs },
	{ "save", "print the configuration as commands that restore it", .verbs = save_verbs },
	{ "restore", "restore a saved configuration, all or nothing", .verbs = restore_verbs },
	{ "flush", "remove all configuration of the namespace", .verbs = flush_verbs },
	{ "upgrade", "another module under jobs that run", .verbs = upgrade_verbs },
	{ "help", "this help, or that of one object", .verbs = help_verbs },
	{ "complete", "words for the shell", complete_verbs, .hidden = true },
	{ .name = NULL },
};

const struct words *key_words(const struct key *key)
{
	if (key->type == VALUE_RATE)
		return &rate_words;
	return key->type == VALUE_OWN ? key->syntax->words : NULL;
}

const struct object *grammar_object(const char *name)
{
	const struct object *object;

	for (object = grammar; object->name; object++) {
		if (!strcmp(object->name, name))
			return object;
	}
	return NULL;
}

const struct verb *grammar_verb(const struct object *object, const char *name)
{
	const struct verb *verb;

	for (verb = object->verbs; verb->name; verb++) {
		if (!strcmp(verb->name, name))
			return verb;
	}
	return NULL;
}

const struct verb_key *grammar_key_at(const struct verb *verb, unsigned int at)
{
	const struct verb_key *entry;

	for (entry = verb->keys; entry->key; entry++) {
		if (!at--)
			return entry;
	}
	for (entry = verb->attributes; entry && entry->key; entry++) {
		if (!at--)
			return entry;
	}
	return NULL;
}

const struct verb_key *grammar_key(const struct verb *verb, const char *name)
{
	const struct verb_key *entry;

	for_each_key(entry, verb) {
		if (!strcmp(entry->key->name, name))
			return entry;
	}
	return NULL;
}

/* Adds a word to an enumeration in a sentence: "a, b, c". */
static void append(char *buffer, unsigned int size, const char *word)
{
	size_t used = strlen(buffer);

	snprintf(buffer + used, size - used, "%s%s", used ? ", " : "", word);
}

static bool begins_with(const char *word, const char *start)
{
	return !strncmp(word, start, strlen(start));
}

const struct object *grammar_object_like(const char *name, char *list, unsigned int size)
{
	const struct object *object = grammar_object(name), *like = NULL;
	unsigned int found = 0;

	*list = '\0';
	if (object)
		return object;
	for (object = grammar; *name && object->name; object++) {
		if (object->hidden || !begins_with(object->name, name))
			continue;
		like = object;
		found++;
		append(list, size, object->name);
	}
	return found == 1 ? like : NULL;
}

/* Words that those who know ip(8) write. */
static const char *meant(const char *name)
{
	static const char *const words[][2] = {
		{ "list", "show" }, { "lst", "show" }, { "ls", "show" }, { "delete", "del" },
	};
	size_t i;

	for (i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		if (!strcmp(name, words[i][0]))
			return words[i][1];
	}
	return name;
}

const struct verb *grammar_verb_like(const struct object *object, const char *name, char *list,
				     unsigned int size)
{
	const struct verb *verb = grammar_verb(object, name) ?: grammar_verb(object, meant(name));
	const struct verb *like = NULL;
	unsigned int found = 0;

	*list = '\0';
	if (verb)
		return verb;
	for (verb = object->verbs; *name && verb->name; verb++) {
		if (!begins_with(verb->name, name))
			continue;
		like = verb;
		found++;
		append(list, size, verb->name);
	}
	return found == 1 ? like : NULL;
}

void grammar_objects(char *buffer, unsigned int size)
{
	const struct object *object;

	*buffer = '\0';
	for (object = grammar; object->name; object++) {
		if (!object->hidden)
			append(buffer, size, object->name);
	}
}

void grammar_verbs(const struct object *object, char *buffer, unsigned int size)
{
	const struct verb *verb;

	*buffer = '\0';
	for (verb = object->verbs; verb->name; verb++)
		append(buffer, size, verb->name);
}

void grammar_keys(const struct verb *verb, char *buffer, unsigned int size)
{
	const struct verb_key *entry;

	*buffer = '\0';
	for_each_key(entry, verb)
		append(buffer, size, entry->key->name);
}
