// SPDX-License-Identifier: GPL-2.0
/*
 * Findings, printed. In text those that say the same of several ports or sources are one, with
 * the others named behind it: "the same" is, where they differ in nothing but the names of
 * devices and addresses. JSON has each by itself.
 */
#include <net/if.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/print.h"
#include "base/quote.h"
#include "base/tool.h"
#include "doctor/doctor.h"

#define TEXT_MAX	512
#define LIKEWISE_MAX	8

/* Names in a fix at most, and bytes of each where all of a name has to be quoted. */
#define QUOTED		4
#define NAME_TEXT	(4 * IFNAMSIZ + 8)

/**
 * struct kept - a finding that is still to be printed
 * @found: the finding's text
 * @fix: advice; empty if all is well
 * @alike: verdict, check and both texts, without the names in them
 * @name: the first such name in @found; empty where there is none
 * @printed: it was named behind another one
 */
struct kept {
	enum verdict verdict;
	const char *check;
	char *subject;
	char *found;
	char *fix;
	char *alike;
	char name[ADDR_TEXT];
	bool printed;
};

static unsigned int tally[DOCTOR_VERDICTS];
static struct kept *kept;
static size_t count;

static const struct { const char *word; enum color color; } verdicts[] = {
	[DOCTOR_OK]	= { "ok", COLOR_GOOD },
	[DOCTOR_WARN]	= { "warn", COLOR_WARN },
	[DOCTOR_FAIL]	= { "fail", COLOR_BAD },
};

unsigned int reported(enum verdict verdict)
{
	return tally[verdict];
}

const char *fix(const char *format, ...)
{
	static char text[TEXT_MAX];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	return text;
}

const char *quoted(const char *name)
{
	static char text[QUOTED][NAME_TEXT];
	static unsigned int next;
	char *to = text[next++ % QUOTED], *word = quote_copy(name);

	snprintf(to, NAME_TEXT, "%s", word);
	free(word);
	return to;
}

static char *copy(const char *text)
{
	char *new = strdup(text);

	if (!new)
		abort();
	return new;
}

/* Of a word that may be a name: devices are called much, but never with these. */
static size_t word_length(const char *text)
{
	size_t length = strcspn(text, " \t\n`,;()/");

	while (length && (text[length - 1] == ':' || text[length - 1] == '.'))
		length--;
	return length;
}

static bool is_device(const struct if_nameindex *devices, const char *word)
{
	for (const struct if_nameindex *device = devices; device && device->if_index; device++)
		if (!strcmp(device->if_name, word))
			return true;
	return false;
}

static bool is_name(const struct if_nameindex *devices, const char *text, size_t length)
{
	char word[ADDR_TEXT];
	struct addr addr;

	if (!length || length >= sizeof(word))
		return false;
	snprintf(word, sizeof(word), "%.*s", (int)length, text);
	return is_device(devices, word) || addr_parse(&addr, word);
}

/* Appends the text without names; @first becomes the first of them, where it is empty. */
static void mask(const struct if_nameindex *devices, char *to, size_t size, const char *text,
		 char first[static ADDR_TEXT])
{
	size_t used = strlen(to), length;

	for (; *text && used + 2 < size; text += length ?: 1) {
		length = word_length(text);
		if (is_name(devices, text, length)) {
			if (!*first)
				snprintf(first, ADDR_TEXT, "%.*s", (int)length, text);
			to[used++] = '*';
		} else {
			used += snprintf(to + used, size - used, "%.*s", (int)(length ?: 1), text);
		}
	}
	to[used < size ? used : size - 1] = '\0';
}

static void keep(const struct finding *finding, const char *found)
{
	struct kept *new;

	kept = realloc(kept, (count + 1) * sizeof(*kept));
	if (!kept)
		abort();
	new = &kept[count++];
	memset(new, 0, sizeof(*new));
	new->verdict = finding->verdict;
	new->check = finding->check;
	new->subject = copy(finding->subject);
	new->found = copy(found);
	new->fix = copy(finding->fix ?: "");
}

static void compare(struct kept *finding, const struct if_nameindex *devices)
{
	char alike[3 * TEXT_MAX], ignored[ADDR_TEXT] = "-";

	snprintf(alike, sizeof(alike), "%d %s ", finding->verdict, finding->check);
	mask(devices, alike, sizeof(alike), finding->found, finding->name);
	mask(devices, alike, sizeof(alike), finding->fix, ignored);
	finding->alike = copy(alike);
}

/*
 * The list is read once, and at the end: the first findings are made before the namespace is
 * entered. To ask the kernel for the number of a device that is not there has it look for a
 * module of that name, by a program that it starts: a tenth of a second for each plain word.
 */
static void compare_all(void)
{
	struct if_nameindex *devices = if_nameindex();

	for (size_t i = 0; i < count; i++)
		compare(&kept[i], devices);
	if (devices)
		if_freenameindex(devices);
}

static void report_json(const struct finding *finding, const char *found)
{
	print_object(NULL);
	print_string("check", finding->check);
	if (*finding->subject)
		print_string("subject", finding->subject);
	print_string("status", verdicts[finding->verdict].word);
	print_string("found", found);
	if (finding->fix)
		print_string("fix", finding->fix);
	print_end();
}

void report(const struct finding *finding, const char *format, ...)
{
	char found[TEXT_MAX];
	va_list args;

	va_start(args, format);
	vsnprintf(found, sizeof(found), format, args);
	va_end(args);
	tally[finding->verdict]++;
	if (opt.json)
		report_json(finding, found);
	else
		keep(finding, found);
}

/* "likewise port w2, source 1 of job 7 (w3)" */
static void print_likewise(size_t first)
{
	unsigned int others = 0;
	size_t i;

	for (i = first + 1; i < count; i++) {
		struct kept *other = &kept[i];

		if (other->printed || strcmp(other->alike, kept[first].alike))
			continue;
		other->printed = true;
		if (++others > LIKEWISE_MAX)
			continue;
		if (others == 1)
			print_line(6);
		print_text(others == 1 ? "likewise %s" : "and %s", other->subject);
		if (*other->name && !strstr(other->subject, other->name))
			print_text("(%s)", other->name);
	}
	if (others > LIKEWISE_MAX)
		print_text("and %u more", others - LIKEWISE_MAX);
}

static void print_kept(const struct kept *finding)
{
	print_text("%s%-4s%s  %s%s%s: %s", print_color(verdicts[finding->verdict].color),
		   verdicts[finding->verdict].word, print_plain(), finding->subject,
		   *finding->subject ? ": " : "", finding->check, finding->found);
	if (*finding->fix) {
		print_line(6);
		print_text("%s", finding->fix);
	}
}

void report_end(void)
{
	size_t i;

	compare_all();
	for (i = 0; i < count; i++) {
		if (!kept[i].printed) {
			print_kept(&kept[i]);
			if (*kept[i].subject)
				print_likewise(i);
			print_line(0);
		}
		free(kept[i].subject);
		free(kept[i].found);
		free(kept[i].fix);
	}
	for (i = 0; i < count; i++)
		free(kept[i].alike);
	free(kept);
	kept = NULL;
	count = 0;
}
