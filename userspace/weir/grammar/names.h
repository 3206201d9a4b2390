/* SPDX-License-Identifier: GPL-2.0 */
/* The words of the netlink enumerations, as the specs in uapi/ have them. */
#ifndef WEIR_NAMES_H
#define WEIR_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct name {
	uint32_t value;
	const char *word;
	const char *doc;	/* NULL where the word says it all */
};

struct names {
	const char *what;	/* word for one of them in messages */
	size_t count;
	const struct name *name;
};

extern const struct names format_names;
extern const struct names dtype_names;
extern const struct names op_names;
extern const struct names order_names;
extern const struct names byte_order_names;
extern const struct names owner_names;
extern const struct names policy_names;
extern const struct names state_names;
extern const struct names mode_names;
extern const struct names reason_names;
extern const struct names event_names;
extern const struct names chain_part_names;
extern const struct names flow_by_names;
extern const struct names flow_end_names;
extern const struct names flow_alarm_names;
extern const struct names filter_action_names;
extern const struct names filter_state_names;
extern const struct names order_sequence_names;
extern const struct names trim_hook_names;
extern const struct names trim_length_names;
extern const struct names trim_share_names;
extern const struct names trim_victim_names;
extern const struct names trim_full_names;
extern const struct names trim_meter_names;
extern const struct names dscp_names;
extern const struct names edge_names;

/* Settings of trimming by one name: trim/profile.c has them. */
enum { PROFILE_NDP, PROFILE_UEC, PROFILE_SONIC, PROFILES };
extern const struct names profile_names;

/* Attributes of nests of counters, in the spec's order. */
extern const struct names counter_names;
extern const struct names trim_counter_names;
extern const struct names chain_counter_names;
extern const struct names flow_counter_names;
extern const struct names filter_counter_names;
extern const struct names order_counter_names;

/* Words for some of the numbers that a key takes. */
#define VLAN_ANY 4095
extern const struct names queue_names;
extern const struct names never_names;
extern const struct names all_names;
extern const struct names none_names;
extern const struct names vlan_names;

const struct name *names_find(const struct names *names, const char *word);
const struct name *names_value(const struct names *names, uint32_t value);
const char *names_word(const struct names *names, uint32_t value);
void names_list(const struct names *names, char *buffer, size_t size);

#endif
