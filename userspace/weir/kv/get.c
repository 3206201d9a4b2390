// SPDX-License-Identifier: GPL-2.0
/* `weir kv get`. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <weir.h>

#include "base/print.h"
#include "base/tool.h"
#include "grammar/args.h"
#include "grammar/commands.h"
#include "libweir.h"

/*
 * struct broken - keys that a line cannot have, as a tab or a line feed would end them early
 * @count: number of such keys
 * @first: one of them
 * @length: of @first
 */
struct broken {
	unsigned long long count;
	char first[WEIR_KV_KEY_BYTES];
	size_t length;
};

static void print_value(const struct weir_kv_pair *pair, enum weir_type type)
{
	if (type != WEIR_FLOAT32)
		printf("\t%" PRId64 "\n", pair->integer);
	else
		printf("\t%.9g\n", pair->real);
}

static void print_member(const struct weir_kv_pair *pair, enum weir_type type)
{
	print_object(NULL);
	print_octets("key", pair->key, pair->length);
	if (type != WEIR_FLOAT32)
		print_int("value", pair->integer);
	else
		print_real("value", pair->real);
	print_end();
}

static void print_line_of(const struct weir_kv_pair *pair, enum weir_type type,
			  struct broken *broken)
{
	if (!memchr(pair->key, '\t', pair->length) && !memchr(pair->key, '\n', pair->length)) {
		fwrite(pair->key, 1, pair->length, stdout);
		print_value(pair, type);
		return;
	}
	if (!broken->count++) {
		broken->length = pair->length;
		memcpy(broken->first, pair->key, pair->length);
	}
}

/* Returns an exit status. */
static int refuse_broken(const struct broken *broken)
{
	char text[4 * WEIR_KV_KEY_BYTES + 1], *to = text;
	size_t i;

	if (!broken->count)
		return WEIR_OK;
	for (i = 0; i < broken->length; i++) {
		unsigned char byte = (unsigned char)broken->first[i];

		if (byte < ' ' || byte > '~' || byte == '\\')
			to += sprintf(to, "\\x%02x", byte);
		else
			*to++ = (char)byte;
	}
	*to = '\0';
	return refused(0, "%llu keys with a tab or a line feed are not printed, the first is '%s': use weir -j kv get, which prints any key",
		       broken->count, text);
}

/* An error of writing is found at the end of the program. Returns an exit status. */
static int print_all(struct weir_stream *stream, enum weir_type type)
{
	struct weir_kv_pair pair = { .size = sizeof(pair) };
	struct broken broken = { };

	print_list(NULL);
	while (weir_kv_next(stream, &pair) == 1) {
		if (opt.json)
			print_member(&pair, type);
		else
			print_line_of(&pair, type, &broken);
	}
	print_end();
	print_done();
	return refuse_broken(&broken);
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
	int status;
	int err = weir_kv_listen(&stream, &options);

	if (err)
		return refused(-err, "%s", weir_kv_error(NULL));
	do
		err = weir_kv_wait(stream);
	while (err == -EINTR);
	status = err ? refused(-err, "%s", weir_kv_error(stream)) : print_all(stream, options.type);
	weir_kv_close(stream);
	return status;
}
