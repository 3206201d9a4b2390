// SPDX-License-Identifier: GPL-2.0
/*
 * Errors: one sentence on standard error, or with -j one JSON object on one
 * line there, so that standard output holds a whole document or nothing.
 */
#define _GNU_SOURCE
#include <json-c/json.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/quote.h"
#include "base/tool.h"

static int silent_err;
static const char *where_file;
static unsigned long long where_line;

void tell_unless(int err)
{
	silent_err = err;
}

void tell_where(const char *file, unsigned long long line)
{
	where_file = file;
	where_line = line;
}

/* The sentence with the place that it is about. */
static char *placed(const char *said)
{
	char *sentence;
	int length;

	if (where_file)
		length = asprintf(&sentence, "%s line %llu: %s", where_file, where_line, said);
	else
		length = asprintf(&sentence, "%s", said);
	if (length < 0)
		abort();
	return sentence;
}

static void tell_json(const struct problem *problem, const char *what,
		      const char *sentence)
{
	struct json_object *object = json_object_new_object();

	json_object_object_add(object, what, json_object_new_string(sentence));
	if (problem) {
		json_object_object_add(object, "exit",
				       json_object_new_int(problem->status));
		if (problem->err)
			json_object_object_add(object, "errno",
				json_object_new_string(strerrorname_np(problem->err) ?: "?"));
		if (problem->key)
			json_object_object_add(object, "key",
				json_object_new_string(problem->key));
	}
	fprintf(stderr, "%s\n", json_object_to_json_string_ext(object,
		JSON_C_TO_STRING_PLAIN | JSON_C_TO_STRING_NOSLASHESCAPE));
	json_object_put(object);
}

static void vtell(const struct problem *problem, const char *what,
		  const char *format, va_list args)
{
	char *said = NULL, *all, *sentence;

	if (vasprintf(&said, format, args) < 0)
		abort();
	all = placed(said);
	free(said);
	/* It quotes names of devices and files. */
	sentence = quote_sentence(all);
	free(all);
	if (opt.json)
		tell_json(problem, what, sentence);
	else
		fprintf(stderr, "weir: %s\n", sentence);
	free(sentence);
}

int tell(const struct problem *problem, const char *format, ...)
{
	va_list args;

	if (silent_err && problem->err == silent_err)
		return WEIR_OK;
	va_start(args, format);
	vtell(problem, "error", format, args);
	va_end(args);
	return problem->status;
}

int usage(const char *key, const char *format, ...)
{
	struct problem problem = { .status = WEIR_USAGE, .key = key };
	va_list args;

	va_start(args, format);
	vtell(&problem, "error", format, args);
	va_end(args);
	return WEIR_USAGE;
}

int refused(int err, const char *format, ...)
{
	struct problem problem = { .status = WEIR_REFUSED, .err = abs(err) };
	va_list args;

	va_start(args, format);
	vtell(&problem, "error", format, args);
	va_end(args);
	return WEIR_REFUSED;
}

void warning(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vtell(NULL, "warning", format, args);
	va_end(args);
}

void note(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vtell(NULL, "note", format, args);
	va_end(args);
}
