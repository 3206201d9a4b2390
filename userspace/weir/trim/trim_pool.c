// SPDX-License-Identifier: GPL-2.0
/* Pools of buffer that ports share. */
#include <string.h>

#include <weir_trim_nl.h>

#include "base/print.h"
#include "base/tool.h"
#include "grammar/args.h"
#include "grammar/commands.h"
#include "grammar/grammar.h"
#include "netlink/genl.h"
#include "request/show.h"
#include "trim/trim.h"

int trim_pool_set(const struct args *args)
{
	if (!strcmp(args_word(args, "name"), TRIM_UNSET))
		return usage("name", "trim-pool set: `pool " TRIM_UNSET "` is that of ports that share none: give the pool another name");
	return request_run(args);
}

static void print_size(const char *key, const struct nlattr *bytes)
{
	char text[UNITS_TEXT];

	if (opt.json)
		show_number(key, bytes);
	else
		print_string(key, units_size(text, nl_uint(bytes)));
}

static void pool_print(const struct nlmsghdr *message, bool brief)
{
	const struct nlattr *pool[WEIR_A_TRIM_POOL_MAX + 1];

	(void)brief;
	weir_attributes(message, pool, WEIR_A_TRIM_POOL_MAX);
	print_string_as("pool", COLOR_NAME, "name", nl_string(pool[WEIR_A_TRIM_POOL_NAME]));
	print_size("size", pool[WEIR_A_TRIM_POOL_SIZE]);
	show_keys(trim_pool_set_attributes, pool);
	print_size("used", pool[WEIR_A_TRIM_POOL_USED]);
	print_size("used-max", pool[WEIR_A_TRIM_POOL_USED_MAX]);
	show_number("ports", pool[WEIR_A_TRIM_POOL_PORTS]);
}

int trim_pool_show(const struct args *args)
{
	return show_run(args, args_get(args, "name"), pool_print);
}

void trim_pool_save(const struct nlmsghdr *message)
{
	const struct nlattr *pool[WEIR_A_TRIM_POOL_MAX + 1];

	weir_attributes(message, pool, WEIR_A_TRIM_POOL_MAX);
	print_text("trim-pool set");
	print_string("name", nl_string(pool[WEIR_A_TRIM_POOL_NAME]));
	print_size("size", pool[WEIR_A_TRIM_POOL_SIZE]);
	show_keys(trim_pool_set_attributes, pool);
}
