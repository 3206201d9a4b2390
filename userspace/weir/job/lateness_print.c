// SPDX-License-Identifier: GPL-2.0
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/print.h"
#include "base/tool.h"
#include "base/units.h"
#include "job/lateness.h"

#define BAR_WIDTH 40

/* The more telling bound, with its sign: where the bucket ends, if it does. */
static uint64_t bound(int bucket, char *sign)
{
	*sign = bucket < LATENESS_LAST ? '<' : '>';
	return bucket < LATENESS_LAST ? lateness_below(bucket) : lateness_from(bucket);
}

const char *lateness_text(char text[static LATENESS_TEXT], int bucket)
{
	char duration[UNITS_TEXT], sign;

	if (bucket < 0)
		return strcpy(text, "-");
	units_duration(duration, bound(bucket, &sign) * 1000);
	snprintf(text, LATENESS_TEXT, "%c%s", sign, duration);
	return text;
}

const char *lateness_short(char text[static LATENESS_TEXT], int bucket)
{
	uint64_t micros;
	char sign;

	if (bucket < 0)
		return strcpy(text, "-");
	micros = bound(bucket, &sign);
	if (micros < 1000)
		snprintf(text, LATENESS_TEXT, "%c%" PRIu64 "us", sign, micros);
	else if (micros < 1000000)
		snprintf(text, LATENESS_TEXT, "%c%" PRIu64 "ms", sign, (micros + 500) / 1000);
	else
		snprintf(text, LATENESS_TEXT, "%c%" PRIu64 "s", sign, (micros + 500000) / 1000000);
	return text;
}

void lateness_print_list(const struct lateness *lateness, const char *list, const char *what)
{
	unsigned int i;

	print_list(list);
	for (i = 0; i < WEIR_LATENESS_BUCKETS; i++) {
		print_object(NULL);
		print_uint("from", lateness_from(i));
		if (i < LATENESS_LAST)
			print_uint("below", lateness_below(i));
		print_uint(what, lateness->bucket[i]);
		print_end();
	}
	print_end();
}

static void print_quantile(const struct lateness *lateness, const char *name,
			   unsigned int permille)
{
	char text[LATENESS_TEXT];

	print_string(name, lateness_text(text, lateness_quantile(lateness, permille)));
}

void lateness_print(const struct lateness *lateness)
{
	if (opt.json) {
		lateness_print_list(lateness, "lateness", "contributions");
		return;
	}
	print_text("lateness");
	print_quantile(lateness, "p50", 500);
	print_quantile(lateness, "p99", 990);
	print_quantile(lateness, "max", 1000);
}

static uint64_t fullest(const struct lateness *lateness)
{
	uint64_t most = 1;
	unsigned int i;

	for (i = 0; i < WEIR_LATENESS_BUCKETS; i++) {
		if (lateness->bucket[i] > most)
			most = lateness->bucket[i];
	}
	return most;
}

/* A bucket that is not empty has a bar, however short. */
static void draw_bar(uint64_t number, uint64_t most)
{
	unsigned int length = number * ((double)BAR_WIDTH / most);
	static const char bar[] = "########################################";

	if (!number)
		return;
	print_text("%s%.*s%s", print_color(COLOR_GOOD), length ?: 1, bar, print_plain());
}

void lateness_draw(const struct lateness *lateness)
{
	int last = lateness_quantile(lateness, 1000), i;
	char from[UNITS_TEXT], below[UNITS_TEXT];
	uint64_t most = fullest(lateness);

	if (opt.json)
		return;
	for (i = 0; i <= last && !lateness->bucket[i]; i++)
		;
	for (; i <= last; i++) {
		print_line(8);
		units_duration(from, lateness_from(i) * 1000);
		if (i < LATENESS_LAST)
			units_duration(below, lateness_below(i) * 1000);
		else
			*below = '\0';
		print_text("%7s - %-7s %12" PRIu64, i ? from : "0", below, lateness->bucket[i]);
		draw_bar(lateness->bucket[i], most);
	}
}
