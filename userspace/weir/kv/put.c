// SPDX-License-Identifier: GPL-2.0
/* `weir kv put`. */
#include <errno.h>
#include <string.h>

#include <weir.h>

#include "base/tool.h"
#include "grammar/args.h"
#include "grammar/commands.h"
#include "kv/lines.h"
#include "kv/pairs.h"
#include "libweir.h"

/**
 * struct put - a mapper
 * @stream: its stream
 * @integers: values are of int32 or int64
 * @lines: its input
 */
struct put {
	struct weir_stream *stream;
	bool integers;
	struct lines lines;
};

static struct put put;

static int stream_refuses(int err)
{
	return refused(err, "%s", weir_kv_error(put.stream));
}

static int lines_refuse(int err)
{
	if (err == -E2BIG)
		return refused(-err, "line %llu is longer than a key and a value can be",
			       put.lines.number + 1);
	return refused(-err, "cannot read %s: %s", put.lines.name, strerror(-err));
}

static int put_pair(const struct pair *pair)
{
	if (pair->is_integer)
		return weir_kv_put_integer(put.stream, pair->key, pair->length, pair->integer);
	return weir_kv_put(put.stream, pair->key, pair->length, pair->real);
}

/* Returns an exit status; *@err is that of the stream. */
static int put_line(const char *line, size_t length, int *err)
{
	struct pair pair;
	int status;

	tell_where(put.lines.name, put.lines.number);
	status = pair_read(&pair, line, length, put.integers);
	if (!status)
		*err = put_pair(&pair);
	if (*err == -EINVAL || *err == -ERANGE)
		status = stream_refuses(-*err);
	tell_where(NULL, 0);
	return status;
}

/* All lines. Returns an exit status; *@err is that of the stream. */
static int put_lines(int *err)
{
	int status = WEIR_OK, got = 1;
	size_t length;
	char *line;

	while (!status && !*err && got) {
		got = lines_next(&put.lines, &line, &length);
		if (got > 0)
			status = put_line(line, length, err);
		else if (got == -EAGAIN)
			*err = weir_kv_progress(put.stream);
		else if (got < 0)
			status = lines_refuse(got);
	}
	return status;
}

static int finish(void)
{
	int err;

	do
		err = weir_kv_finish(put.stream);
	while (err == -EINTR);
	return err;
}

static int restart(void)
{
	int err;

	do
		err = weir_kv_restart(put.stream);
	while (err == -EINTR);
	return err;
}

/* A void run is restarted if the lines are still there. */
static int put_all(void)
{
	int err = 0, status;

	do {
		if (err) {
			if (!lines_rewind(&put.lines))
				return refused(-err, "%s; what came by a pipe is gone: run all mappers again",
					       weir_kv_error(put.stream));
			err = restart();
		}
		status = err ? WEIR_OK : put_lines(&err);
		if (!status && !err)
			err = finish();
	} while (!status && err == -ERESTART);
	if (status || !err)
		return status;
	return stream_refuses(-err);
}

static int open_stream(const struct args *args)
{
	const struct weir_kv_options options = {
		.size = sizeof(options),
		.address = args_get(args, "to")->word,
		.port = (uint16_t)args_number(args, "port", 0),
		.job = (uint16_t)args_number(args, "job", 0),
		.source = (uint16_t)args_number(args, "source", 0),
		.type = args_number(args, "dtype", WEIR_INT32),
		.operation = args_number(args, "op", WEIR_SUM),
		.local_keys = args_number(args, "local-keys", 0),
		.timeout_ms = args_number(args, "timeout", 0) / 1000,
	};
	int err;

	do
		err = weir_kv_open(&put.stream, &options);
	while (err == -EINTR);
	put.integers = options.type != WEIR_FLOAT32;
	return err ? stream_refuses(-err) : WEIR_OK;
}

int kv_put(const struct args *args)
{
	const struct value *file = args_get(args, "file");
	int status = lines_open(&put.lines, file ? file->word : NULL);

	if (status)
		return status;
	status = open_stream(args);
	if (!status)
		status = put_all();
	weir_kv_close(put.stream);
	lines_close(&put.lines);
	return status;
}
