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
const struct names mode_names = { "mode", COUNT(modes), modes };
const struct names reason_names = { "reason", COUNT(reasons), reasons };
const struct names event_names = { "event", COUNT(events), events };

const struct name *names_find(const struct names *names, const char *word)
{
	size_t i;

	for (i = 0; i < names->count; i++) {
		if (!strcmp(names->name[i].word, word))
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
	static char number[16];
	size_t i;

	for (i = 0; i < names->count; i++) {
		if (names->name[i].value == value)
			return names->name[i].word;
	}
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
