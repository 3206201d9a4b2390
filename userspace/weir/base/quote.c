// SPDX-License-Identifier: GPL-2.0
/* Names within saved files, JSON and metrics: see quote.h. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/quote.h"

#define BLANKS	" \t\r\n"
#define PLAIN	"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_@%+=:,./-"

static bool is_printable(char c)
{
	return c >= ' ' && c <= '~';
}

static bool all_printable(const char *word)
{
	while (is_printable(*word))
		word++;
	return !*word;
}

void quote_word(FILE *file, const char *word)
{
	/* quote_text() tells what is quoted by its beginning: a name that begins so is quoted so. */
	bool ascii = all_printable(word) && strncmp(word, "$'", 2);

	if (*word && !word[strspn(word, PLAIN)]) {
		fputs(word, file);
		return;
	}
	fputs(ascii ? "'" : "$'", file);
	for (; *word; word++) {
		if (!is_printable(*word))
			fprintf(file, "\\x%02x", (unsigned char)*word);
		else if (*word == '\'')
			fputs(ascii ? "'\\''" : "\\'", file);
		else if (*word == '\\' && !ascii)
			fputs("\\\\", file);
		else
			putc(*word, file);
	}
	putc('\'', file);
}

char *quote_copy(const char *word)
{
	char *text = NULL;
	size_t size;
	FILE *file = open_memstream(&text, &size);

	if (!file)
		abort();
	quote_word(file, word);
	fclose(file);
	return text;
}

static int hex_digit(char c)
{
	const char *digits = "0123456789abcdef0123456789ABCDEF", *at = c ? strchr(digits, c) : NULL;

	return at ? (int)((at - digits) % 16) : -1;
}

/* Read what follows a backslash within $'...'; false if it is not an escape that quote_word() writes. */
static bool read_escape(char **from, char **to)
{
	int high, low;

	switch (**from) {
	case 'x':
		high = hex_digit((*from)[1]);
		low = high < 0 ? -1 : hex_digit((*from)[2]);
		if (low < 0 || !(high | low))
			return false;
		*(*to)++ = (char)(high << 4 | low);
		*from += 3;
		return true;
	case 'n':
		*(*to)++ = '\n';
		break;
	case 't':
		*(*to)++ = '\t';
		break;
	case '\\':
	case '\'':
	case '"':
		*(*to)++ = **from;
		break;
	default:
		return false;
	}
	++*from;
	return true;
}

/* Read what is between quotation marks. @ansi: $'...' */
static bool read_quoted(char **from, char **to, char mark, bool ansi)
{
	while (**from && **from != mark) {
		if (ansi && **from == '\\') {
			++*from;
			if (!read_escape(from, to))
				return false;
			continue;
		}
		if (mark == '"' && **from == '\\' && (*from)[1] && strchr("\\\"$`", (*from)[1]))
			++*from;
		*(*to)++ = *(*from)++;
	}
	if (!**from)
		return false;
	++*from;
	return true;
}

/* A word is never longer without its quotes, so it is written over itself. */
bool quote_next(char **at, char **word)
{
	char *from = *at ? *at + strspn(*at, BLANKS) : NULL, *to = from;
	bool good = true;

	*word = NULL;
	*at = NULL;
	if (!from || !*from || *from == '#')
		return true;
	*word = from;
	while (good && *from && !strchr(BLANKS, *from)) {
		if (*from == '\'' || *from == '"') {
			char mark = *from++;

			good = read_quoted(&from, &to, mark, false);
		} else if (*from == '$' && from[1] == '\'') {
			from += 2;
			good = read_quoted(&from, &to, '\'', true);
		} else if (*from == '\\' && from[1]) {
			from++;
			*to++ = *from++;
		} else {
			*to++ = *from++;
		}
	}
	if (*from)
		*at = from + 1;
	*to = '\0';
	return good;
}

size_t quote_utf8(const char *bytes, size_t left)
{
	static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };
	unsigned char first = (unsigned char)*bytes;
	size_t length = first < 0x80 ? 1 : first < 0xc0 ? 0 : first < 0xe0 ? 2 :
			first < 0xf0 ? 3 : first < 0xf8 ? 4 : 0;
	uint32_t code;
	size_t i;

	if (length <= 1 || length > left)
		return length == 1;
	code = first & (0x7f >> length);
	for (i = 1; i < length; i++) {
		if ((bytes[i] & 0xc0) != 0x80)
			return 0;
		code = code << 6 | (bytes[i] & 0x3f);
	}
	if (code < least[length] || code > 0x10ffff || (code >= 0xd800 && code < 0xe000))
		return 0;
	return length;
}

/* The length of a character that is no control character of ASCII or Latin-1; 0 if there is none. */
static size_t text_length(const char *bytes, size_t left)
{
	size_t length = quote_utf8(bytes, left);

	if (length == 1)
		return is_printable(*bytes);
	if (length == 2 && *bytes == '\xc2' && (unsigned char)bytes[1] < 0xa0)
		return 0;
	return length;
}

static bool is_text(const char *name)
{
	size_t left = strlen(name), step;

	for (; left; left -= step, name += step) {
		step = text_length(name, left);
		if (!step)
			return false;
	}
	return true;
}

char *quote_text(const char *name)
{
	char *copy;

	if (!is_text(name) || !strncmp(name, "$'", 2))
		return quote_copy(name);
	copy = strdup(name);
	if (!copy)
		abort();
	return copy;
}

char *quote_sentence(const char *sentence)
{
	size_t left = strlen(sentence), step, size;
	char *text = NULL;
	FILE *file = open_memstream(&text, &size);

	if (!file)
		abort();
	for (; left; left -= step, sentence += step) {
		step = text_length(sentence, left);
		if (step)
			fwrite(sentence, 1, step, file);
		else
			fprintf(file, "\\x%02x", (unsigned char)*sentence);
		step = step ?: 1;
	}
	fclose(file);
	return text;
}

void quote_label(FILE *file, const char *name)
{
	char *text = quote_text(name), *at;

	for (at = text; *at; at++) {
		if (*at == '"' || *at == '\\')
			putc('\\', file);
		putc(*at, file);
	}
	free(text);
}
