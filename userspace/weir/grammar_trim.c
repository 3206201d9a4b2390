// SPDX-License-Identifier: GPL-2.0
/* The object `trim`: its verbs and keys. */
#include <weir_trim_nl.h>

#include "grammar/commands.h"
#include "grammar/dscp.h"
#include "grammar/grammar.h"
#include "grammar/match.h"
#include "trim/bands.h"
#include "trim/class.h"
#include "trim/trim.h"

#define END { .key = NULL }
#define FROM_MAX 32

static const struct name strict[] = { { WEIR_TRIM_SHARE_STRICT, "strict", NULL } };
static const struct names strict_names = { "share", 1, strict };

static const struct key trim_dev = {
	"dev", "DEVICE", "the network device that packets leave by",
	VALUE_DEVICE, .attr = WEIR_A_TRIM_IFINDEX,
};
static const struct key trim_hook = {
	"hook", "HOOK", "where packets are trimmed; fixed while there is a policy",
	VALUE_NAME, .attr = WEIR_A_TRIM_HOOK, .names = &trim_hook_names,
};
static const struct name keep[] = { { 1, "keep", NULL } };
static const struct names child_names = { "word", 1, keep };

static const struct key trim_child = {
	"child", "keep", "of the hooks qdisc and xdp, the device's root qdisc stays, below weir's, for whole packets",
	VALUE_NAME, .names = &child_names,
};
static const struct key trim_class = {
	"class", CLASS_WORDS, "of the hooks qdisc and xdp, a class of the device's root qdisc that trims, with limits of its own; up to 32 times, and those given are all",
	VALUE_OWN, .repeat = TRIM_CLASSES_MAX, .unordered = true, .syntax = &class_syntax,
};
static const struct key trim_from = {
	"from", "DEVICE", "of hook xdp, a device that packets to this one come in by, which gets the program; up to 32 times",
	VALUE_DEVICE, .repeat = FROM_MAX,
};
static const struct key trim_profile = {
	"profile", "PROFILE", "settings of a kind, but for those that are given: `weir help trim` lists them",
	VALUE_NAME, .names = &profile_names,
};
static const struct key trim_size = {
	"size", "NUMBER", "bytes of a frame that stay, from the Ethernet header on, 64 to 4084 (128)",
	VALUE_NUMBER, .attr = WEIR_A_TRIM_SIZE,
};
static const struct key trim_dscp = {
	"dscp", "DSCP|from-tc", "DSCP of trimmed packets: 0 to 63, a name, or that of their traffic class",
	VALUE_OWN, .attr = WEIR_A_TRIM_DSCP, .names = &dscp_names, .none = "from-tc",
	.syntax = &dscp_syntax,
};
static const struct key trim_trimmed_dscp = {
	"trimmed-dscp", "DSCP,...|none", "more DSCPs of trimmed packets, those that other boxes give them (none)",
	VALUE_OWN, .attr = WEIR_A_TRIM_TRIMMED_DSCPS, .names = &dscp_names, .none = "none",
	.syntax = &dscp_list_syntax,
};
static const struct key trim_control_dscp = {
	"control-dscp", "DSCP,...|none", "DSCPs of control packets, which wait with the trimmed ones (none)",
	VALUE_OWN, .attr = WEIR_A_TRIM_CONTROL_DSCPS, .names = &dscp_names, .none = "none",
	.syntax = &dscp_list_syntax,
};
static const struct key trim_tc = {
	"tc", "NUMBER", "traffic class of trimmed packets, 0 to 15, which gives their DSCP",
	VALUE_NUMBER, .attr = WEIR_A_TRIM_TC, .max = TRAFFIC_CLASSES - 1,
};
static const struct key trim_tc_dscp = {
	"tc-dscp", "CLASS:DSCP,...", "DSCP of each traffic class (0:0,1:8,2:16 and so on)",
	VALUE_OWN, .attr = WEIR_A_TRIM_TC_DSCP, .syntax = &dscp_map_syntax,
};
static const struct key trim_dscp_tc = {
	"dscp-tc", "DSCP:CLASS,...", "traffic class of each DSCP, for queue dynamic (tc for all)",
	VALUE_OWN, .attr = WEIR_A_TRIM_DSCP_TC, .syntax = &class_map_syntax,
};
static const struct name unset[] = { { UINT32_MAX, TRIM_UNSET, NULL } };
static const struct names unset_names = { "word", 1, unset };
static const struct name queue_words[] = {
	{ WEIR_TRIM_QUEUE_DYNAMIC, "dynamic", NULL }, { UINT32_MAX, TRIM_UNSET, NULL },
};
static const struct names queue_word_names = { "queue", 2, queue_words };

static const struct key trim_priority = {
	"priority", "NUMBER", "priority that trimmed packets get, for the qdiscs below (as it was)",
	VALUE_NUMBER, .attr = WEIR_A_TRIM_PRIORITY, .names = &unset_names,
};
static const struct key trim_queue = {
	"queue", "NUMBER", "transmit queue that trimmed packets are sent by, or one of their traffic class (as it was)",
	VALUE_NUMBER, .attr = WEIR_A_TRIM_QUEUE, .max = 65534, .names = &queue_word_names,
};
static const struct key trim_length = {
	"length", "LENGTH", "lengths in the IP and UDP headers of trimmed packets (update)",
	VALUE_NAME, .attr = WEIR_A_TRIM_LENGTH, .names = &trim_length_names,
};
static const struct key trim_rule = {
	"rule", MATCH_WORDS, "packets that are trimmed; up to 16 times, and those given replace all",
	VALUE_OWN, .attr = WEIR_A_TRIM_RULE, .repeat = WEIR_TRIM_RULES_MAX, .none = "any",
	.syntax = &match_syntax,
};
static const struct key trim_disable = {
	"disable-trim", MATCH_WORDS, "packets that are never trimmed, whatever rule they match",
	VALUE_OWN, .attr = WEIR_A_TRIM_RULE, .repeat = WEIR_TRIM_RULES_MAX, .none = "any",
	.syntax = &match_disable_syntax,
};
static const struct key trim_add_rule = {
	"add-rule", MATCH_WORDS, "one more rule, besides those that there are",
	VALUE_OWN, .repeat = WEIR_TRIM_RULES_MAX, .none = "any", .syntax = &match_syntax,
};
static const struct key trim_del_rule = {
	"del-rule", MATCH_WORDS, "a rule that goes, while the others stay",
	VALUE_OWN, .repeat = WEIR_TRIM_RULES_MAX, .none = "any", .syntax = &match_syntax,
};
static const struct key trim_add_disable = {
	"add-disable-trim", MATCH_WORDS, "one more disable-trim, besides those that there are",
	VALUE_OWN, .repeat = WEIR_TRIM_RULES_MAX, .none = "any", .syntax = &match_disable_syntax,
};
static const struct key trim_del_disable = {
	"del-disable-trim", MATCH_WORDS, "a disable-trim that goes, while the others stay",
	VALUE_OWN, .repeat = WEIR_TRIM_RULES_MAX, .none = "any", .syntax = &match_disable_syntax,
};
static const struct key trim_edge = {
	"edge", "on|off", "whether packets that come in by the device lose the mark of trimmed ones (off)",
	VALUE_NAME, .attr = WEIR_A_TRIM_EDGE, .names = &edge_names,
};
static const struct key trim_limit = {
	"limit", "PACKETS|SIZE|TIME|dynamic ALPHA", "what may wait whole: packets, bytes as SIZE in b, kb or mb, the head's TIME, or ALPHA times what is free in the pool; one of each; 0 is no limit (12)",
	VALUE_OWN, .attr = WEIR_A_TRIM_LIMIT, .repeat = 4, .syntax = &limit_syntax,
};
static const struct key trim_port_limit = {
	"port-limit", "SIZE", "bytes that may wait whole in all queues of the port together, in b, kb or mb; 0 is no limit (0)",
	VALUE_OWN, .attr = WEIR_A_TRIM_PORT_LIMIT, .syntax = &size_syntax,
};
static const struct key trim_pool = {
	"pool", "NAME|none", "pool of bytes that whole packets of several ports share, of hook qdisc (none)",
	VALUE_TEXT, .attr = WEIR_A_TRIM_POOL, .max = WEIR_TRIM_POOL_NAME_MAX,
};
static const struct key trim_acl = {
	"acl", "NAME|none", "ACL that says which packets are never trimmed, whatever rule they match (none)",
	VALUE_TEXT, .attr = WEIR_A_TRIM_ACL, .max = WEIR_TRIM_ACL_NAME_MAX,
};
static const struct key trim_headers = {
	"headers", "NUMBER", "trimmed packets that may wait (1000)",
	VALUE_NUMBER, .attr = WEIR_A_TRIM_HEADERS, .min = 1,
};
static const struct key trim_header_time = {
	"header-time", "TIME", "time that the first trimmed packet may have waited (10ms)",
	VALUE_TIME, .attr = WEIR_A_TRIM_HEADER_TIME, .names = &never_names,
};
static const struct key trim_other_limit = {
	"other-limit", "NUMBER", "packets that no rule has trimmed and that may wait, in a queue of their own; 0 is the device's txqueuelen (0)",
	VALUE_NUMBER, .attr = WEIR_A_TRIM_OTHER_LIMIT,
};
static const struct key trim_share = {
	"share", "strict|K:1|P%", "what trimmed packets get of the link: all they need, K for each other packet, or P percent of the bytes (10:1)",
	VALUE_OWN, .attr = WEIR_A_TRIM_SHARE, .names = &strict_names, .syntax = &share_syntax,
};
static const struct key trim_victim = {
	"victim", "VICTIM", "which packet is trimmed when too many wait (arriving)",
	VALUE_NAME, .attr = WEIR_A_TRIM_VICTIM, .names = &trim_victim_names,
};
static const struct key trim_full = {
	"full", "drop|return [always]", "what becomes of a trimmed packet when too many of them wait, or always (drop)",
	VALUE_OWN, .attr = WEIR_A_TRIM_FULL, .syntax = &full_syntax,
};
static const struct key trim_return_dscp = {
	"return-dscp", "DSCP", "DSCP of packets that go back to their sender",
	VALUE_OWN, .attr = WEIR_A_TRIM_RETURN_DSCP, .names = &dscp_names,
	.syntax = &dscp_syntax,
};
static const struct key trim_meter = {
	"meter", "METER", "by what the hooks tc and xdp know that the device is busy (shared)",
	VALUE_NAME, .attr = WEIR_A_TRIM_METER, .names = &trim_meter_names,
};
static const struct key trim_rate = {
	"rate", "RATE", "what the device can send a second, for the hooks tc and xdp, such as 10gbit (its speed)",
	VALUE_BITRATE, .attr = WEIR_A_TRIM_RATE,
};
static const struct key trim_overhead = {
	"overhead", "NUMBER", "bytes that each frame takes of the rate beyond its own (24 where the rate is the device's speed, else 0)",
	VALUE_NUMBER, .attr = WEIR_A_TRIM_OVERHEAD,
};
static const struct key trim_mpu = {
	"mpu", "NUMBER", "bytes that a frame takes of the rate at least, overhead included (84 where the rate is the device's speed, else 0)",
	VALUE_NUMBER, .attr = WEIR_A_TRIM_MPU,
};
static const struct key trim_optimistic = {
	"optimistic", "PERCENT", "of the rate that a CPU takes for its own while nothing is lost (100%)",
	VALUE_OWN, .attr = WEIR_A_TRIM_OPTIMISTIC, .syntax = &percent_syntax,
};
static const struct key trim_half = {
	"half", "PERCENT", "of the rate from t0 to t1 after a loss (twice the pessimistic rate)",
	VALUE_OWN, .attr = WEIR_A_TRIM_HALF, .syntax = &percent_syntax,
};
static const struct key trim_pessimistic = {
	"pessimistic", "PERCENT", "of the rate up to t0 after a loss (the CPU's own part: 25% where there are four)",
	VALUE_OWN, .attr = WEIR_A_TRIM_PESSIMISTIC, .syntax = &percent_syntax,
};
static const struct key trim_t0 = {
	"t0", "TIME", "after a loss, that the pessimistic rate lasts (6us)",
	VALUE_TIME, .attr = WEIR_A_TRIM_T0,
};
static const struct key trim_t1 = {
	"t1", "TIME", "after a loss, at which the half rate ends (24us)",
	VALUE_TIME, .attr = WEIR_A_TRIM_T1,
};

static const struct verb_key trim_set_keys[] = {
	{ &trim_dev, true }, { &trim_hook, false }, { &trim_child, false },
	{ &trim_class, false }, { &trim_from, false }, { &trim_profile, false },
	{ &trim_size, false }, { &trim_dscp, false }, { &trim_trimmed_dscp, false },
	{ &trim_control_dscp, false }, { &trim_tc, false },
	{ &trim_tc_dscp, false }, { &trim_dscp_tc, false }, { &trim_priority, false }, { &trim_queue, false },
	{ &trim_length, false }, { &trim_rule, false }, { &trim_disable, false },
	{ &trim_add_rule, false }, { &trim_del_rule, false },
	{ &trim_add_disable, false }, { &trim_del_disable, false }, { &trim_acl, false },
	{ &trim_edge, false }, { &trim_limit, false }, { &trim_port_limit, false }, { &trim_pool, false }, { &trim_headers, false },
	{ &trim_header_time, false }, { &trim_other_limit, false }, { &trim_share, false }, { &trim_victim, false },
	{ &trim_full, false }, { &trim_return_dscp, false }, { &trim_meter, false },
	{ &trim_rate, false }, { &trim_overhead, false }, { &trim_mpu, false },
	{ &trim_optimistic, false }, { &trim_half, false },
	{ &trim_pessimistic, false }, { &trim_t0, false }, { &trim_t1, false }, END,
};
static const struct verb_key trim_del_keys[] = { { &trim_dev, true }, END };
static const struct verb_key trim_show_keys[] = { { &trim_dev, false }, END };
static const struct key queues_dev = {
	"dev", "DEVICE", "show the queues of this device alone",
	VALUE_DEVICE, .attr = WEIR_A_TRIM_QUEUE_IFINDEX,
};
static const struct verb_key trim_queues_keys[] = { { &queues_dev, false }, END };
static const struct key clear_dev = {
	"dev", "DEVICE", "set the counters of this device alone to zero",
	VALUE_DEVICE, .attr = WEIR_A_TRIM_IFINDEX,
};
static const struct verb_key trim_clear_keys[] = { { &clear_dev, false }, END };
static const struct verb_key trim_flush_keys[] = { END };

static const struct verb_key default_set_keys[] = {
	{ &trim_size, false }, { &trim_dscp, false }, { &trim_trimmed_dscp, false },
	{ &trim_control_dscp, false }, { &trim_tc, false }, { &trim_tc_dscp, false },
	{ &trim_length, false }, { &trim_rule, false }, { &trim_disable, false },
	{ &trim_limit, false }, { &trim_headers, false }, { &trim_header_time, false },
	{ &trim_other_limit, false }, END,
};
static const struct verb_key default_keys[] = { END };

static const struct key pool_name = {
	"name", "NAME", "name of the pool, up to 31 characters",
	VALUE_TEXT, .attr = WEIR_A_TRIM_POOL_NAME, .max = WEIR_TRIM_POOL_NAME_MAX,
};
static const struct key pool_size = {
	"size", "SIZE", "bytes that whole packets of all its ports may have waiting, in b, kb, mb or gb",
	VALUE_OWN, .attr = WEIR_A_TRIM_POOL_SIZE, .syntax = &size_syntax,
};
static const struct verb_key pool_set_keys[] = { { &pool_name, true }, { &pool_size, true }, END };
static const struct verb_key pool_show_keys[] = { { &pool_name, false }, END };
static const struct verb_key pool_del_keys[] = { { &pool_name, true }, END };

const struct verb trim_pool_verbs[] = {
	{ "set", "add a pool that ports can share, or change its size", WEIR_CMD_TRIM_POOL_SET,
	  pool_set_keys, .run = trim_pool_set, .attributes = trim_pool_set_attributes },
	{ "show", "show one pool, or all, with what waits in them", WEIR_CMD_TRIM_POOL_GET,
	  pool_show_keys, .run = trim_pool_show },
	{ "del", "remove a pool that no policy names", WEIR_CMD_TRIM_POOL_DEL, pool_del_keys,
	  .run = request_run },
	{ .name = NULL },
};

static const struct key acl_name = {
	"name", "NAME", "name of the ACL, up to 31 characters",
	VALUE_TEXT, .attr = WEIR_A_TRIM_ACL_NAME, .max = WEIR_TRIM_ACL_NAME_MAX,
};
static const struct key acl_prio = {
	"prio", "NUMBER", "place of the rule, 1 to 65535: of those that match a packet the one with the lowest prio decides",
	VALUE_NUMBER, .attr = WEIR_A_TRIM_ACL_PRIO, .min = 1, .max = WEIR_TRIM_ACL_PRIO_MAX,
};
static const struct key acl_disable = {
	"disable-trim", MATCH_WORDS, "packets that are never trimmed",
	VALUE_OWN, .attr = WEIR_A_TRIM_ACL_RULE, .none = "any", .syntax = &match_disable_syntax,
};
static const struct key acl_pass = {
	"pass", MATCH_WORDS, "packets that the port's own rules decide about, whatever later rules of the ACL say; so do they if no rule matches",
	VALUE_OWN, .attr = WEIR_A_TRIM_ACL_RULE, .none = "any", .syntax = &match_syntax,
};
static const struct verb_key acl_set_keys[] = {
	{ &acl_name, true }, { &acl_prio, true }, { &acl_disable, false }, { &acl_pass, false }, END,
};
static const struct verb_key acl_show_keys[] = { { &acl_name, false }, END };
static const struct verb_key acl_del_keys[] = { { &acl_name, true }, { &acl_prio, false }, END };

const struct verb trim_acl_verbs[] = {
	{ "set", "add a rule, with either disable-trim or pass, or replace the one with this prio; an ACL comes with its first rule",
	  WEIR_CMD_TRIM_ACL_SET, acl_set_keys, .run = trim_acl_set },
	{ "show", "show the rules of one ACL, or of all, in their order", WEIR_CMD_TRIM_ACL_GET,
	  acl_show_keys, .run = trim_acl_show },
	{ "del", "remove one rule, or without prio the whole ACL; an ACL goes with its last rule, and not while a policy names it",
	  WEIR_CMD_TRIM_ACL_DEL, acl_del_keys, .run = request_run },
	{ .name = NULL },
};

const struct verb trim_default_verbs[] = {
	{ "set", "set or change what policies inherit unless they set it themselves",
	  WEIR_CMD_TRIM_SET, default_set_keys, .run = trim_default_set, .attributes = trim_set_attributes },
	{ "replace", "the same, and reset all settings that the command does not give",
	  WEIR_CMD_TRIM_SET, default_set_keys, .run = trim_default_set, .attributes = trim_set_attributes },
	{ "show", "show the defaults", WEIR_CMD_TRIM_GET, default_keys, .run = trim_default_show },
	{ "del", "remove the defaults", WEIR_CMD_TRIM_DEL, default_keys,
	  .run = trim_default_del },
	{ .name = NULL },
};

const struct verb trim_verbs[] = {
	{ "set", "trim packets that a device has no room for, or change how", WEIR_CMD_TRIM_SET,
	  trim_set_keys, .run = trim_set, .attributes = trim_set_attributes },
	{ "replace", "the same, and settings that the command does not give are unset",
	  WEIR_CMD_TRIM_SET, trim_set_keys, .run = trim_set, .attributes = trim_set_attributes },
	{ "del", "remove a policy and what set has installed for it", WEIR_CMD_TRIM_DEL,
	  trim_del_keys, .run = trim_del },
	{ "show", "show one policy, or all, with counters", WEIR_CMD_TRIM_GET,
	  trim_show_keys, .run = trim_show },
	{ "queues", "show what waits and was trimmed in each queue", WEIR_CMD_TRIM_QUEUE_GET,
	  trim_queues_keys, .run = trim_queues },
	{ "counters", "show what ports have trimmed as a table, by the names of SONiC, too", WEIR_CMD_TRIM_GET,
	  trim_show_keys, .run = trim_counters },
	{ "clear", "set counters to zero, of one device or all; policies and queues stay",
	  WEIR_CMD_TRIM_CLEAR, trim_clear_keys, .run = request_run },
	{ "flush", "remove all policies", WEIR_CMD_TRIM_FLUSH,
	  trim_flush_keys, .run = trim_flush },
	{ .name = NULL },
};
