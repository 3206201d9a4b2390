// SPDX-License-Identifier: GPL-2.0
/* `weir block show`. */
#include <weir.h>

#include "base/print.h"
#include "base/tool.h"
#include "base/units.h"
#include "grammar/args.h"
#include "grammar/commands.h"
#include "job/ranks.h"
#include "netlink/genl.h"
#include "request/show.h"

#define LIMIT_DEFAULT 100

static void print_age(uint64_t nanos)
{
	char text[UNITS_TEXT];

	if (opt.json)
		print_uint("age", nanos);
	else
		print_string("age", units_duration(text, nanos));
}

static void print_missing(const struct nlmsghdr *message)
{
	struct ranks missing = {};

	ranks_missing(&missing, message);
	ranks_print("missing-ranks", &missing);
}

void block_print(const struct nlmsghdr *message, bool brief)
{
	const struct nlattr *block[WEIR_A_BLOCK_MAX + 1];

	(void)brief;
	weir_attributes(message, block, WEIR_A_BLOCK_MAX);
	print_uint_as("block job", COLOR_NAME, "job", nl_uint(block[WEIR_A_BLOCK_JOB]));
	print_uint_as(NULL, COLOR_NAME, "id", nl_uint(block[WEIR_A_BLOCK_ID]));
	show_number("generation", block[WEIR_A_BLOCK_GENERATION]);
	show_number("grads", block[WEIR_A_BLOCK_GRADS]);
	print_age(nl_uint(block[WEIR_A_BLOCK_AGE]));
	show_number("received", block[WEIR_A_BLOCK_RECEIVED]);
	print_missing(message);
}

/* A table full of blocks tells readers no more than the first of them. */
static size_t limit_of(const struct args *args)
{
	const struct value *limit = args_get(args, "limit");

	if (limit)
		return limit->number ?: SIZE_MAX;
	return opt.json ? SIZE_MAX : LIMIT_DEFAULT;
}

int block_show(const struct args *args)
{
	size_t left = 0;
	int status = show_some(args, false, block_print, limit_of(args), &left);

	if (!status && left)
		note("%zu more blocks are open: `limit all` shows them", left);
	return status;
}
