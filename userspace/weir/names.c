// SPDX-License-Identifier: GPL-2.0
/* The words of the netlink enumerations, made from uapi/weir.h by names.awk. */
#include <stdio.h>
#include <string.h>

#include <weir.h>

#include "names.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

#include "weir/names_gen.h"

const struct names format_names = { "format", COUNT(formats), formats };
const struct names dtype_names = { "data type", COUNT(dtypes), dtypes };
const struct names op_names = { "operation", COUNT(ops), ops };
const struct names policy_names = { "policy", COUNT(policys), policys };
const struct names state_names = { "state", COUNT(source_states), source_states };
const struct names mode_names = { "mode", COUNT(modes), modes };
const struct names reason_names = { "reason", COUNT(reasons), reasons };
const struct names event_names = { "event", COUNT(events), events };
const struct names counter_names = { "counter", COUNT(counters), counters };

static const struct name never[] = { { 0, "never", NULL } };
static const struct name all[] = { { 0, "all", NULL } };
static const struct name vlans[] = { { 0, "untagged", NULL }, { VLAN_ANY, "any", NULL } };

const struct names never_names = { "time", COUNT(never), never };
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
