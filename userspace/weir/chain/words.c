// SPDX-License-Identifier: GPL-2.0
#include "chain/words.h"

#include <weir.h>
#include <weir_xdp_nl.h>

#include "base/tool.h"
#include "grammar/args.h"

static bool is_own(uint64_t prio)
{
	return prio == WEIR_XDP_CHAIN_PRIO_FILTER || prio == WEIR_XDP_CHAIN_PRIO_FLOW ||
	       prio == WEIR_XDP_CHAIN_PRIO_SUM || prio == WEIR_XDP_CHAIN_PRIO_ORDER ||
	       prio == WEIR_XDP_CHAIN_PRIO_FORWARD;
}

static int parse_prio(struct value *value)
{
	int status = args_digits(value, value->word, &value->number);

	if (status)
		return status;
	if (is_own(value->number))
		return usage(value->key->name, "%s %s is the place of weir's own program: take one before or behind it; `weir port`, `weir trim`, `weir filter`, `weir flow` and `weir order` bring that program",
			     value->key->name, value->word);
	return WEIR_OK;
}

const struct syntax chain_prio_syntax = { .parse = parse_prio };

static const struct name modes[] = {
	{ WEIR_MODE_XDP, "xdp", "in the driver" },
	{ WEIR_MODE_GENERIC, "generic", "behind the driver, on socket buffers" },
};

const struct names chain_mode_names = { "mode", 2, modes };
