// SPDX-License-Identifier: GPL-2.0
/* `weir kv get`. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

#include <weir.h>

#include "base/tool.h"
#include "grammar/args.h"
#include "grammar/commands.h"
#include "libweir.h"

static void print_pair(const struct weir_kv_pair *pair, enum weir_type type)
{
	fwrite(pair->key, 1, pair->length, stdout);
	if (type != WEIR_FLOAT32)
		printf("\t%" PRId64 "\n", pair->integer);
	else
		printf("\t%.9g\n", pair->real);
}

/* An error of writing is found at the end of the program. */
static void print_all(struct weir_stream *stream, enum weir_type type)
{
	struct weir_kv_pair pair = { .size = sizeof(pair) };

	while (weir_kv_next(stream, &pair) == 1)
		print_pair(&pair, type);
}

int kv_get(const struct args *args)
{
	const struct value *address = args_get(args, "address");
	const struct weir_kv_options options = {
		.size = sizeof(options),
		.address = address ? address->word : NULL,
		.port = (uint16_t)args_number(args, "port", 0),
		.job = (uint16_t)args_number(args, "job", 0),
		.sources = (uint16_t)args_number(args, "sources", 0),
		.type = args_number(args, "dtype", WEIR_INT32),
		.operation = args_number(args, "op", WEIR_SUM),
	};
	struct weir_stream *stream;
	int err = weir_kv_listen(&stream, &options);

	if (err)
		return refused(-err, "%s", weir_kv_error(NULL));
	do
		err = weir_kv_wait(stream);
	while (err == -EINTR);
	if (err)
		refused(-err, "%s", weir_kv_error(stream));
	else
		print_all(stream, options.type);
	weir_kv_close(stream);
	return err ? WEIR_REFUSED : WEIR_OK;
}
