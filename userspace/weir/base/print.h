/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Output. One call a field gives "key value" in text and "key": value in JSON.
 *
 * The JSON document is built in memory and written by print_done(), so an error
 * on the way leaves no half of one. Text is written as it comes.
 */
#ifndef WEIR_PRINT_H
#define WEIR_PRINT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum color {
	COLOR_NONE,
	COLOR_NAME,
	COLOR_ADDRESS,
	COLOR_GOOD,
	COLOR_WARN,
	COLOR_BAD,
	COLOR_TITLE,
};

void print_setup(void);
const char *print_color(enum color color);
const char *print_plain(void);

/* In JSON only: the key is NULL for the document and for members of a list. */
void print_list(const char *key);
void print_object(const char *key);
void print_end(void);

/*
 * Fields. Strings that are not UTF-8, or that have control characters, are written as quote_text()
 * has them. The label is what text says instead of the key: NULL for the key
 * itself, "" for the value alone.
 */
void print_uint(const char *key, uint64_t value);
void print_uint_as(const char *label, enum color color, const char *key, uint64_t value);
void print_string(const char *key, const char *value);
void print_string_as(const char *label, enum color color, const char *key, const char *value);
void print_bytes(const char *key, uint64_t value);
void print_micros(const char *key, uint64_t value);
void print_unit(const char *key, uint64_t value, const char *unit);
void print_decimal(const char *key, double value);

/*
 * In JSON only. Bytes that are not UTF-8 become a member KEY-hex; numbers that JSON lacks, as inf,
 * become strings.
 */
void print_octets(const char *key, const char *bytes, size_t length);
void print_int(const char *key, int64_t value);
void print_real(const char *key, double value);

/* In text only: ends the line, if one was begun, and indents the next. */
void print_line(unsigned int indent);
void print_text(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Text goes there from now on, NULL being standard output. */
void print_to(FILE *file);

/* As print_to(), for commands that are to be run again: each string is quoted as one word. */
void print_commands_to(FILE *file);

/* Writes the JSON document, ends the last line. */
void print_done(void);

#endif
