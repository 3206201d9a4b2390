// SPDX-License-Identifier: GPL-2.0
/*
 * Trimming policies by netlink and nothing else: no qdisc or program is attached. In C, as tests
 * start it again and again, and Python takes an emulated machine longer to start than all the rest
 * of such a test.
 */
#define _GNU_SOURCE	/* strerrorname_np() */

#include <err.h>
#include <errno.h>
#include <linux/genetlink.h>
#include <net/if.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <weir_trim_nl.h>

#include "lib/genl.h"

static const char usage[] =
"usage: trim-policy set DEV [KEY=VALUE...]   what is refused: errno's name, the sentence\n"
"       trim-policy get DEV                  as JSON\n"
"       trim-policy del DEV\n"
"       trim-policy flush\n"
"\n"
"Keys are those of uapi/weir.h (WEIR_A_TRIM_*), in lower case with dashes; values are\n"
"numbers, names of the key's enum, or hex:BYTES. rule=KEY:NUMBER,... may be repeated; its\n"
"keys are WEIR_A_TRIM_RULE_*, and disable alone is a flag. A DEV of digits is an index.\n"
"\n"
"exit status: 0 all is well, 1 the request was refused, 2 wrong usage\n";

/* The names of uapi/weir.h, each with the first one of its enum. */
struct name {
	const char *first;
	const char *name;
	unsigned int value;
};

static const struct name names[] = {
#include "trim-policy/names.h"
};

#define NAMES		(sizeof(names) / sizeof(*names))
#define POLICY		"WEIR_A_TRIM_", "IFINDEX"
#define RULE		"WEIR_A_TRIM_RULE_", "DSCP"
#define STATS		"WEIR_A_TRIM_STATS_", "WHOLE"

/* Keys whose values are words, with the first one. */
static const struct {
	const char *key;
	const char *first;
} enums[] = {
	{ "hook", "QDISC" }, { "length", "UPDATE" }, { "share", "STRICT" },
	{ "victim", "ARRIVING" }, { "full", "DROP" }, { "meter", "SHARED" },
};

static bool is_among(const struct name *name, const char *prefix, const char *first)
{
	size_t length = strlen(prefix);

	return !strncmp(name->first, prefix, length) && !strcmp(name->first + length, first) &&
	       !strncmp(name->name, prefix, length);
}

/* A name behind its prefix, in lower case with dashes. */
static void word_of(const struct name *name, const char *prefix, char word[64])
{
	snprintf(word, 64, "%s", name->name + strlen(prefix));
	for (; *word; word++)
		*word = *word == '_' ? '-' : *word | (*word >= 'A' && *word <= 'Z' ? 0x20 : 0);
}

static unsigned int number_of(const char *prefix, const char *first, const char *wanted)
{
	char word[64];

	for (size_t i = 0; i < NAMES; i++) {
		if (!is_among(&names[i], prefix, first))
			continue;
		word_of(&names[i], prefix, word);
		if (!strcmp(word, wanted))
			return names[i].value;
	}
	errx(2, "uapi/weir_trim_nl.h has no %s that is called %s", prefix, wanted);
}

static const char *name_of(const char *prefix, const char *first, unsigned int number)
{
	static char word[64];

	for (size_t i = 0; i < NAMES; i++) {
		if (!is_among(&names[i], prefix, first) || names[i].value != number)
			continue;
		word_of(&names[i], prefix, word);
		return word;
	}
	errx(1, "uapi/weir_trim_nl.h has no %s%u", prefix, number);
}

/* The first word of a key's enum, with the names' prefix; NULL where the key has none. */
static const char *enum_of(const char *key, char prefix[64])
{
	for (size_t i = 0; i < sizeof(enums) / sizeof(*enums); i++) {
		if (strcmp(enums[i].key, key))
			continue;
		snprintf(prefix, 64, "WEIR_TRIM_%s_", key);
		for (char *letter = prefix; *letter; letter++)
			*letter &= *letter >= 'a' && *letter <= 'z' ? ~0x20 : ~0;
		return enums[i].first;
	}
	return NULL;
}

static bool is_long(const char *key)
{
	static const char *const keys[] = {
		"limit-bytes", "port-limit", "rate", "trimmed-dscps", "control-dscps",
	};

	for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++)
		if (!strcmp(keys[i], key))
			return true;
	return false;
}

static uint64_t value_of(const char *text)
{
	char *end;
	uint64_t value = strtoull(text, &end, 10);

	if (end == text || *end)
		errx(2, "%s is no number", text);
	return value;
}

static void put_rule(struct nlmsghdr *request, uint16_t type, char *text)
{
	struct nlattr *nest = mnl_attr_nest_start(request, type);
	char *part, *value;

	while ((part = strsep(&text, ","))) {
		if (!*part)
			continue;
		value = strchr(part, ':');
		if (value)
			*value++ = '\0';
		if (value)
			mnl_attr_put_u32(request, number_of(RULE, part), value_of(value));
		else
			mnl_attr_put(request, number_of(RULE, part), 0, NULL);
	}
	mnl_attr_nest_end(request, nest);
}

static void put_bytes(struct nlmsghdr *request, uint16_t type, const char *hex)
{
	unsigned char bytes[256];
	size_t length = 0;

	for (; length < sizeof(bytes) && sscanf(hex, "%2hhx", &bytes[length]) == 1; hex += 2)
		length++;
	if (*hex)
		errx(2, "%s is no hexadecimal number, or a long one", hex);
	mnl_attr_put(request, type, length, bytes);
}

static void put_number(struct nlmsghdr *request, uint16_t type, const char *key, const char *text)
{
	char prefix[64];
	const char *first = enum_of(key, prefix);

	if (first && strspn(text, "0123456789") != strlen(text))
		mnl_attr_put_u32(request, type, number_of(prefix, first, text));
	else if (is_long(key))
		mnl_attr_put_u64(request, type, value_of(text));
	else
		mnl_attr_put_u32(request, type, value_of(text));
}

static void put(struct nlmsghdr *request, char *word)
{
	char *value = strchr(word, '=');
	uint16_t type;

	if (!value)
		errx(2, "%s has no value", word);
	*value++ = '\0';
	type = number_of(POLICY, word);
	if (!strcmp(word, "rule"))
		put_rule(request, type, value);
	else if (!strncmp(value, "hex:", 4))
		put_bytes(request, type, value + 4);
	else
		put_number(request, type, word, value);
}

static uint64_t integer(const struct nlattr *attr)
{
	return mnl_attr_get_payload_len(attr) < 4 ? *(uint8_t *)mnl_attr_get_payload(attr) : genl_uint(attr);
}

static void print_nested(const struct nlattr *nest, const char *prefix, const char *first)
{
	const struct nlattr *attr;
	const char *comma = "";

	printf("{");
	mnl_attr_for_each_nested(attr, nest) {
		printf("%s\"%s\": ", comma, name_of(prefix, first, mnl_attr_get_type(attr)));
		if (mnl_attr_get_payload_len(attr))
			printf("%llu", (unsigned long long)integer(attr));
		else
			printf("true");
		comma = ", ";
	}
	printf("}");
}

static void print_bytes(const struct nlattr *attr)
{
	const uint8_t *byte = mnl_attr_get_payload(attr);

	for (unsigned int i = 0; i < mnl_attr_get_payload_len(attr); i++)
		printf("%s%u", i ? ", " : "[", byte[i]);
	printf("]");
}

static void print_value(const char *key, const struct nlattr *attr)
{
	char prefix[64];
	const char *first = enum_of(key, prefix);

	if (!strcmp(key, "stats"))
		print_nested(attr, STATS);
	else if (!strcmp(key, "ifname"))
		printf("\"%s\"", mnl_attr_get_str(attr));
	else if (!strcmp(key, "tc-dscp"))
		print_bytes(attr);
	else if (first)
		printf("\"%s\"", name_of(prefix, first, genl_uint(attr)));
	else
		printf("%llu", (unsigned long long)integer(attr));
}

static int print_policy(const struct nlmsghdr *nlh, void *data)
{
	unsigned int rule = number_of(POLICY, "rule");
	const struct nlattr *attr;
	const char *comma = "";
	char key[64];

	(void)data;
	printf("{\"rule\": [");
	mnl_attr_for_each(attr, nlh, sizeof(struct genlmsghdr)) {
		if (mnl_attr_get_type(attr) != rule)
			continue;
		printf("%s", comma);
		print_nested(attr, RULE);
		comma = ", ";
	}
	printf("]");
	mnl_attr_for_each(attr, nlh, sizeof(struct genlmsghdr)) {
		if (mnl_attr_get_type(attr) == rule)
			continue;
		strcpy(key, name_of(POLICY, mnl_attr_get_type(attr)));
		printf(", \"%s\": ", key);
		print_value(key, attr);
	}
	printf("}\n");
	return MNL_CB_OK;
}

static uint8_t command_of(const char *verb)
{
	static const struct {
		const char *verb;
		uint8_t command;
	} verbs[] = {
		{ "set", WEIR_CMD_TRIM_SET }, { "get", WEIR_CMD_TRIM_GET },
		{ "del", WEIR_CMD_TRIM_DEL }, { "flush", WEIR_CMD_TRIM_FLUSH },
	};

	for (size_t i = 0; i < sizeof(verbs) / sizeof(*verbs); i++)
		if (!strcmp(verbs[i].verb, verb))
			return verbs[i].command;
	fputs(usage, stderr);
	exit(2);
}

static unsigned int device(const char *word)
{
	unsigned int index;

	if (strspn(word, "0123456789") == strlen(word))
		return value_of(word);
	index = if_nametoindex(word);
	if (!index)
		errx(1, "%s: no interface with this name", word);
	return index;
}

int main(int argc, char **argv)
{
	char buffer[GENL_REQUEST_MAX], sentence[512];
	struct nlmsghdr *request;
	uint8_t command;
	int refusal;

	command = command_of(argc > 1 ? argv[1] : "");
	request = genl_begin(buffer, command);
	if (argc > 2)
		mnl_attr_put_u32(request, WEIR_A_TRIM_IFINDEX, device(argv[2]));
	for (int i = 3; i < argc; i++)
		put(request, argv[i]);
	refusal = genl_try(request, command == WEIR_CMD_TRIM_GET ? print_policy : NULL, NULL, sentence,
			   sizeof(sentence));
	if (!refusal)
		return 0;
	printf("%s%s%s\n", refusal == EOPNOTSUPP ? "EOPNOTSUPP" : strerrorname_np(refusal),
	       *sentence ? " " : "", sentence);
	return 1;
}
