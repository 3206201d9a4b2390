// SPDX-License-Identifier: GPL-2.0
/* The words of the netlink enumerations, made from the headers of the netlink families by names.awk. */
#include <stdio.h>
#include <string.h>

#include <weir.h>
#include <weir_trim_nl.h>
#include <weir_xdp_nl.h>

#include "grammar/names.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

#include "weir/names_gen.h"

const struct names format_names = { "format", COUNT(formats), formats };
const struct names dtype_names = { "data type", COUNT(dtypes), dtypes };
const struct names op_names = { "operation", COUNT(ops), ops };
const struct names order_names = { "order", COUNT(orders), orders };
const struct names byte_order_names = { "byte order", COUNT(byte_orders), byte_orders };
const struct names owner_names = { "owner", COUNT(owners), owners };
const struct names policy_names = { "policy", COUNT(policys), policys };
const struct names state_names = { "state", COUNT(source_states), source_states };
const struct names mode_names = { "mode", COUNT(modes), modes };
const struct names reason_names = { "reason", COUNT(reasons), reasons };
const struct names event_names = { "event", COUNT(events), events };
const struct names chain_part_names = { "part", COUNT(chain_parts), chain_parts };
const struct names flow_by_names = { "word", COUNT(flow_bys), flow_bys };
const struct names flow_alarm_names = { "alarm", COUNT(flow_alarms), flow_alarms };
const struct names flow_end_names = { "end", COUNT(flow_ends), flow_ends };
const struct names filter_action_names = { "action", COUNT(filter_actions), filter_actions };
const struct names filter_state_names = { "state", COUNT(filter_states), filter_states };
const struct names order_sequence_names = { "sequence", COUNT(order_sequences), order_sequences };
const struct names trim_hook_names = { "hook", COUNT(trim_hooks), trim_hooks };
const struct names trim_length_names = { "length", COUNT(trim_lengths), trim_lengths };
const struct names trim_share_names = { "share", COUNT(trim_shares), trim_shares };
const struct names trim_victim_names = { "victim", COUNT(trim_victims), trim_victims };
const struct names trim_full_names = { "word", COUNT(trim_fulls), trim_fulls };
const struct names trim_meter_names = { "meter", COUNT(trim_meters), trim_meters };
const struct names counter_names = { "counter", COUNT(counters), counters };
const struct names trim_counter_names = { "counter", COUNT(trim_counters), trim_counters };
const struct names chain_counter_names = { "counter", COUNT(chain_counters), chain_counters };
const struct names flow_counter_names = { "counter", COUNT(flow_counters), flow_counters };
const struct names filter_counter_names = { "counter", COUNT(filter_counters), filter_counters };
const struct names order_counter_names = { "counter", COUNT(order_counters), order_counters };

static const struct name never[] = { { 0, "never", NULL } };
static const struct name all[] = { { 0, "all", NULL } };
static const struct name none[] = { { 0, "none", NULL } };
static const struct name vlans[] = { { 0, "untagged", NULL }, { VLAN_ANY, "any", NULL } };

static const struct name edges[] = { { 0, "off", NULL }, { 1, "on", NULL } };

/* As RFC 2474, 2597 and 3246 call them; be is the default forwarding. */
static const struct name dscps[] = {
	{ 0, "be", NULL }, { 0, "cs0", NULL }, { 8, "cs1", NULL }, { 16, "cs2", NULL },
	{ 24, "cs3", NULL }, { 32, "cs4", NULL }, { 40, "cs5", NULL }, { 48, "cs6", NULL },
	{ 56, "cs7", NULL }, { 10, "af11", NULL }, { 12, "af12", NULL }, { 14, "af13", NULL },
	{ 18, "af21", NULL }, { 20, "af22", NULL }, { 22, "af23", NULL }, { 26, "af31", NULL },
	{ 28, "af32", NULL }, { 30, "af33", NULL }, { 34, "af41", NULL }, { 36, "af42", NULL },
	{ 38, "af43", NULL }, { 46, "ef", NULL },
};

static const struct name profiles[PROFILES] = {
	{ PROFILE_NDP, "ndp", "as NDP has it: eight packets, ten headers for each, a coin, and back to the sender" },
	{ PROFILE_UEC, "uec", "for Ultra Ethernet: TRIMMABLE af11, TRIMMED 45, CONTROL ef" },
	{ PROFILE_SONIC, "sonic", "as a switch with SONiC's example: all packets, 128 bytes, DSCP 48" },
};

const struct names profile_names = { "profile", COUNT(profiles), profiles };
const struct names edge_names = { "word", COUNT(edges), edges };
const struct names dscp_names = { "DSCP", COUNT(dscps), dscps };
static const struct name dynamic[] = { { WEIR_TRIM_QUEUE_DYNAMIC, "dynamic", NULL } };
const struct names queue_names = { "queue", COUNT(dynamic), dynamic };
const struct names never_names = { "time", COUNT(never), never };
const struct names none_names = { "share", COUNT(none), none };
const struct names all_names = { "number", COUNT(all), all };
const struct names vlan_names = { "VLAN", COUNT(vlans), vlans };

const struct name *names_find(const struct names *names, const char *word)
{
	size_t i;

	for (i = 0; i < names->count; i++) {
		if (!strcmp(names->name[i].word, word))
			return &names->name[i];
	}
	return NULL;
}

const struct name *names_value(const struct names *names, uint32_t value)
{
	size_t i;

	for (i = 0; i < names->count; i++) {
		if (names->name[i].value == value)
			return &names->name[i];
	}
	return NULL;
}

/*
 * A module newer than the tool may know values that have no word here: their
 * number is shown. The buffer lasts until the next call.
 */
const char *names_word(const struct names *names, uint32_t value)
{
	const struct name *name = names_value(names, value);
	static char number[16];

	if (name)
		return name->word;
	snprintf(number, sizeof(number), "%u", value);
	return number;
}

/* "a, b or c" */
void names_list(const struct names *names, char *buffer, size_t size)
{
	size_t i, used = 0;

	if (size)
		*buffer = '\0';
	for (i = 0; i < names->count && used < size; i++) {
		const char *comma = !i ? "" : i + 1 < names->count ? ", " : " or ";
		int n = snprintf(buffer + used, size - used, "%s%s", comma,
				 names->name[i].word);

		if (n < 0)
			return;
		used += n;
	}
}
