// SPDX-License-Identifier: GPL-2.0
#include <string.h>

#include <weir.h>

#include "base/print.h"
#include "grammar/args.h"
#include "request/request.h"
#include "request/show.h"

void show_number(const char *key, const struct nlattr *attr)
{
	if (attr)
		print_uint(key, nl_uint(attr));
}

void show_name(const char *key, const struct names *names, const struct nlattr *attr)
{
	if (attr)
		print_string(key, names_word(names, nl_uint(attr)));
}

void show_keys(const struct verb_key *keys, const struct nlattr **attrs)
{
	const struct verb_key *entry;

	for (entry = keys; entry->key; entry++) {
		const struct nlattr *attr = attrs[entry->key->attr];

		if (entry->key->type == VALUE_NAME)
			show_name(entry->key->name, entry->key->names, attr);
		else
			show_number(entry->key->name, attr);
	}
}

void show_address(const char *label, const char *key, const struct nlattr *attr)
{
	char text[ADDR_TEXT];
	struct addr addr;

	if (!nl_addr(attr, &addr))
		return;
	print_string_as(label, COLOR_ADDRESS, key, addr_text(&addr, text));
}

enum color state_color(uint32_t state)
{
	switch (state) {
	case WEIR_SOURCE_STATE_ACTIVE:
		return COLOR_GOOD;
	case WEIR_SOURCE_STATE_STRAGGLER:
		return COLOR_WARN;
	default:
		return COLOR_BAD;
	}
}

static void show_one(const struct nlmsghdr *message, print_object_fn *print)
{
	print_object(NULL);
	print(message, false);
	print_end();
	print_line(0);
}

static void show_first(const struct nl_replies *replies, size_t count, print_object_fn *print)
{
	size_t i;

	print_list(NULL);
	for (i = 0; i < count; i++)
		show_one(replies->message[i], print);
	print_done();
}

void show_replies(const struct nl_replies *replies, print_object_fn *print)
{
	show_first(replies, replies->count, print);
}

int show_some(const struct args *args, bool one, print_object_fn *print, size_t limit,
	      size_t *left)
{
	struct nl_replies replies = {};
	size_t shown;
	struct weir weir;
	int status;

	status = weir_open(&weir, args->verb->command);
	if (status)
		return status;
	status = request_show(&weir, args, one, &replies);
	shown = replies.count < limit ? replies.count : limit;
	*left = replies.count - shown;
	if (!status)
		show_first(&replies, shown, print);
	nl_replies_free(&replies);
	weir_close(&weir);
	return status;
}

int show_run(const struct args *args, bool one, print_object_fn *print)
{
	size_t left;

	return show_some(args, one, print, SIZE_MAX, &left);
}

int show_of_dev(const struct args *args, const char *what, uint16_t ifname,
		print_object_fn *print)
{
	const char *dev = args_word(args, "dev");
	struct nl_replies replies = {};
	struct weir weir;
	int status;
	size_t i;

	status = weir_open(&weir, args->verb->command);
	if (status)
		return status;
	status = request_dump(&weir, args->verb->command, what, &replies);
	weir_close(&weir);
	if (!status)
		print_list(NULL);
	for (i = 0; !status && i < replies.count; i++) {
		const struct nlmsghdr *message = replies.message[i];

		if (!dev || !strcmp(dev, nl_string(weir_attribute(message, ifname))))
			show_one(message, print);
	}
	if (!status)
		print_done();
	nl_replies_free(&replies);
	return status;
}
