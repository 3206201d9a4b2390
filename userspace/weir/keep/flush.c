// SPDX-License-Identifier: GPL-2.0
/* `weir flush all`: remove all configuration of the namespace. */
#include "base/tool.h"
#include "grammar/commands.h"
#include "keep/keep.h"

int flush_all(const struct args *args)
{
	static const struct batch nothing;

	(void)args;
	return keep_restore(&nothing, "nothing");
}
