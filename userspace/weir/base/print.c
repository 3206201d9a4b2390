// SPDX-License-Identifier: GPL-2.0
#include <inttypes.h>
#include <json-c/json.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/print.h"
#include "base/quote.h"
#include "base/tool.h"
#include "base/units.h"

#define DEPTH 8

static struct json_object *stack[DEPTH];
static unsigned int depth;
static bool colored;
static FILE *out;			/* of text; NULL is standard output */
static bool commands;		/* text is commands, whose values are quoted */
static bool in_line;		/* the text line has a field already */
static unsigned int indent;

static const char *const codes[] = {
	[COLOR_NONE]	= "",
	[COLOR_NAME]	= "\033[1;36m",
	[COLOR_ADDRESS]	= "\033[35m",
	[COLOR_GOOD]	= "\033[32m",
	[COLOR_WARN]	= "\033[33m",
	[COLOR_BAD]	= "\033[1;31m",
	[COLOR_TITLE]	= "\033[7m",
};

/* NO_COLOR holds for `auto` alone: `always` is an explicit wish. */
void print_setup(void)
{
	const char *no = getenv("NO_COLOR");

	switch (opt.color) {
	case COLOR_ALWAYS:
		colored = true;
		break;
	case COLOR_NEVER:
		colored = false;
		break;
	case COLOR_AUTO:
		colored = isatty(STDOUT_FILENO) && !(no && *no);
		break;
	}
	if (opt.json)
		colored = false;
}

const char *print_color(enum color color)
{
	return colored && !out ? codes[color] : "";
}

const char *print_plain(void)
{
	return colored && !out ? "\033[0m" : "";
}

static FILE *text_file(void)
{
	return out ?: stdout;
}

void print_to(FILE *file)
{
	out = file;
	commands = false;
}

void print_commands_to(FILE *file)
{
	out = file;
	commands = true;
}

static void add(const char *key, struct json_object *value)
{
	struct json_object *parent = stack[depth - 1];

	if (json_object_is_type(parent, json_type_array))
		json_object_array_add(parent, value);
	else
		json_object_object_add(parent, key, value);
}

static void push(const char *key, struct json_object *value)
{
	if (!opt.json) {
		json_object_put(value);
		return;
	}
	if (depth == DEPTH)
		abort();
	if (depth)
		add(key, value);
	stack[depth++] = value;
}

void print_list(const char *key)
{
	push(key, json_object_new_array());
}

void print_object(const char *key)
{
	push(key, json_object_new_object());
}

/* The document itself stays, for print_done(). */
void print_end(void)
{
	if (opt.json && depth > 1)
		depth--;
}

/* Begins a field in text: a blank behind the field before, then the label. */
static void lead(const char *label)
{
	if (in_line)
		putc(' ', text_file());
	else
		fprintf(text_file(), "%*s", indent, "");
	in_line = true;
	if (*label)
		fprintf(text_file(), "%s ", label);
}

void print_uint_as(const char *label, enum color color, const char *key, uint64_t value)
{
	if (opt.json) {
		add(key, json_object_new_uint64(value));
		return;
	}
	lead(label ?: key);
	fprintf(text_file(), "%s%" PRIu64 "%s", print_color(color), value,
	       color ? print_plain() : "");
}

void print_uint(const char *key, uint64_t value)
{
	print_uint_as(NULL, COLOR_NONE, key, value);
}

void print_string_as(const char *label, enum color color, const char *key, const char *value)
{
	char *text;

	if (commands) {
		lead(label ?: key);
		quote_word(text_file(), value);
		return;
	}
	text = quote_text(value);
	if (opt.json) {
		add(key, json_object_new_string(text));
	} else {
		lead(label ?: key);
		fprintf(text_file(), "%s%s%s", print_color(color), text, color ? print_plain() : "");
	}
	free(text);
}

void print_string(const char *key, const char *value)
{
	print_string_as(NULL, COLOR_NONE, key, value);
}

/* Bytes in JSON; in text rounded. */
void print_bytes(const char *key, uint64_t value)
{
	char text[UNITS_TEXT];

	if (opt.json)
		print_uint(key, value);
	else
		print_string(key, units_bytes(text, value));
}

/* A number in JSON; in text with its unit, as the command line takes it. */
void print_unit(const char *key, uint64_t value, const char *unit)
{
	char text[UNITS_TEXT];

	if (opt.json) {
		print_uint(key, value);
		return;
	}
	snprintf(text, sizeof(text), "%ju%s", (uintmax_t)value, unit);
	print_string(key, text);
}

/* Microseconds in JSON; in text as the command line takes them. */
void print_micros(const char *key, uint64_t value)
{
	char text[UNITS_TEXT];

	if (opt.json)
		print_uint(key, value);
	else
		print_string(key, units_micros(text, value));
}

/* A rate or the like, with a tenth behind the point. */
void print_decimal(const char *key, double value)
{
	char text[32];

	snprintf(text, sizeof(text), "%.1f", value);
	if (opt.json)
		add(key, json_object_new_double_s(value, text));
	else
		print_string(key, text);
}

static bool is_utf8(const char *bytes, size_t length)
{
	size_t at = 0, step;

	while (at < length) {
		step = quote_utf8(bytes + at, length - at);
		if (!step)
			return false;
		at += step;
	}
	return true;
}

void print_octets(const char *key, const char *bytes, size_t length)
{
	char name[32], *hex;
	size_t i;

	if (!opt.json)
		return;
	if (is_utf8(bytes, length)) {
		add(key, json_object_new_string_len(bytes, (int)length));
		return;
	}
	hex = calloc(length, 2);
	if (!hex)
		abort();
	for (i = 0; i < 2 * length; i++)
		hex[i] = "0123456789abcdef"[(unsigned char)bytes[i / 2] >> (i & 1 ? 0 : 4) & 15];
	snprintf(name, sizeof(name), "%s-hex", key);
	add(name, json_object_new_string_len(hex, 2 * (int)length));
	free(hex);
}

void print_int(const char *key, int64_t value)
{
	if (opt.json)
		add(key, json_object_new_int64(value));
}

void print_real(const char *key, double value)
{
	char text[32];

	if (!opt.json)
		return;
	snprintf(text, sizeof(text), "%.9g", value);
	add(key, isfinite(value) ? json_object_new_double_s(value, text) :
				   json_object_new_string(text));
}

void print_line(unsigned int columns)
{
	if (opt.json)
		return;
	if (in_line)
		putc('\n', text_file());
	in_line = false;
	indent = columns;
}

void print_text(const char *format, ...)
{
	va_list args;

	if (opt.json)
		return;
	lead("");
	va_start(args, format);
	vfprintf(text_file(), format, args);
	va_end(args);
}

void print_done(void)
{
	int flags = JSON_C_TO_STRING_NOSLASHESCAPE;

	print_line(0);
	if (!depth)
		return;
	if (opt.pretty)
		flags |= JSON_C_TO_STRING_PRETTY | JSON_C_TO_STRING_SPACED;
	printf("%s\n", json_object_to_json_string_ext(stack[0], flags));
	json_object_put(stack[0]);
	depth = 0;
}
