// SPDX-License-Identifier: GPL-2.0
/* `weir source show`. */
#include <weir.h>

#include "commands.h"
#include "print.h"
#include "request.h"
#include "show.h"
#include "tool.h"

void source_print(const struct nlmsghdr *message, bool brief)
{
	const struct nlattr *source[WEIR_A_SOURCE_MAX + 1];

	weir_attributes(message, source, WEIR_A_SOURCE_MAX);
	print_uint_as("source job", COLOR_NAME, "job", nl_uint(source[WEIR_A_SOURCE_JOB]));
	print_uint_as(NULL, COLOR_NAME, "id", nl_uint(source[WEIR_A_SOURCE_ID]));
	print_address(NULL, "address", source[WEIR_A_SOURCE_ADDRESS]);
	if (source[WEIR_A_SOURCE_PORT])
		print_uint("port", nl_uint(source[WEIR_A_SOURCE_PORT]));
	if ((!brief || opt.json) && source[WEIR_A_SOURCE_STATS])
		stats_print(source[WEIR_A_SOURCE_STATS]);
}

int source_show(const struct args *args)
{
	bool one = args_get(args, "id");
	struct nl_replies replies = {};
	struct weir weir;
	int status;
	size_t i;

	if (one && !args_get(args, "job"))
		return usage("job", "source show id lacks the job that it belongs to: add `job NUMBER`");
	status = weir_open(&weir);
	if (status)
		return status;
	status = request_show(&weir, args, one, &replies);
	if (!status) {
		print_list(NULL);
		for (i = 0; i < replies.count; i++) {
			print_object(NULL);
			source_print(replies.message[i], false);
			print_end();
			print_line(0);
		}
		print_done();
	}
	nl_replies_free(&replies);
	weir_close(&weir);
	return status;
}
