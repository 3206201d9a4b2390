// SPDX-License-Identifier: GPL-2.0
#include <stdio.h>
#include <string.h>

#include <weir_trim_nl.h>

#include "base/tool.h"
#include "trim/profile.h"

/* Bytes of a profile's settings, and words, at most. */
#define SETTINGS_BYTES	128
#define SETTINGS_WORDS	32

/* The operator chooses the DSCPs: those of uec are README's. */
static const char *const settings[PROFILES] = {
	[PROFILE_NDP]	= "size 64 limit 8 headers 1000 share 10:1 victim coin full return",
	[PROFILE_UEC]	= "size 128 dscp 45 control-dscp ef rule dscp=af11 share strict",
	[PROFILE_SONIC]	= "size 128 dscp 48 rule any share strict",
};

static bool is_said(const struct args *args, const char *key)
{
	return args_get(args, key) || (!strcmp(key, "dscp") && args_get(args, "tc")) ||
	       (!strcmp(key, "rule") && args_get(args, "disable-trim"));
}

/*
 * Without bands headers need no share, and the packet that is trimmed is the one that arrives. A
 * hook that is not known, 0, may have bands.
 */
static bool is_moot(const struct args *args, uint32_t hook, const char *key)
{
	bool bands = !hook || hook == WEIR_TRIM_HOOK_QDISC ||
		     (hook == WEIR_TRIM_HOOK_XDP &&
		      args_number(args, "meter", 0) == WEIR_TRIM_METER_BACKLOG);

	return !bands && (!strcmp(key, "share") || !strcmp(key, "victim"));
}

/* Return the words of a profile. They are never freed: values added to a command line point to them. */
static char **words_of(uint32_t profile)
{
	static char text[PROFILES][SETTINGS_BYTES];
	static char *word[PROFILES][SETTINGS_WORDS + 1];
	char *at = text[profile];
	size_t i;

	if (word[profile][0])
		return word[profile];
	snprintf(text[profile], sizeof(text[profile]), "%s", settings[profile]);
	for (i = 0; i < SETTINGS_WORDS && at; i++)
		word[profile][i] = strsep(&at, " ");
	return word[profile];
}

int profile_fill(struct args *args, uint32_t hook)
{
	const struct value *profile = args_get(args, "profile");
	int status = WEIR_OK;
	char **word;

	if (!profile)
		return WEIR_OK;
	for (word = words_of(profile->number); !status && word[0]; word += 2) {
		if (hook == WEIR_TRIM_HOOK_TC && !strcmp(word[0], "full") && !args_get(args, "full"))
			return usage("profile", "profile %s sends headers back, and hook tc cannot: take hook qdisc, or add `full drop`",
				     profile->word);
		if (!is_said(args, word[0]) && !is_moot(args, hook, word[0]))
			status = args_add(args, 2, word);
	}
	return status;
}
