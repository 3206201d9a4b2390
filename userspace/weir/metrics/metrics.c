// SPDX-License-Identifier: GPL-2.0
/* `weir metrics`. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/tool.h"
#include "grammar/args.h"
#include "grammar/commands.h"
#include "metrics/styles.h"
#include "metrics/text.h"
#include "netlink/genl.h"

enum { STYLE_OPEN, STYLE_PROMETHEUS };

static const struct name styles[] = {
	{ STYLE_OPEN, "openmetrics", NULL }, { STYLE_PROMETHEUS, "prometheus", NULL },
};

const struct names metrics_styles = { "format", 2, styles };

int metrics_run(const struct args *args)
{
	const struct metrics_style style = {
		.open = args_number(args, "format", STYLE_OPEN) == STYLE_OPEN,
	};
	int err = metrics_text(stdout, &style);

	if (err == -ENOENT)
		return weir_refuse_none();
	if (err)
		return refused(err, "the module does not tell its counters: %s", strerror(-err));
	return WEIR_OK;
}
