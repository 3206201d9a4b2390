// SPDX-License-Identifier: GPL-2.0
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <weir_trim_nl.h>

#include "base/tool.h"
#include "grammar/args.h"
#include "grammar/names.h"
#include "watch/view.h"

#define ORDERS_MAX 4
#define PAGE_ROWS 10

/* @name: of the row, a number that lists are in the order of */
struct view_level {
	uint64_t name;
	uint64_t level;
};

/**
 * struct order - what a list can be ordered by
 * @level: highest first; NULL orders by names alone
 * @exact: the number itself is the level
 */
struct order {
	const char *word;
	uint64_t (*level)(const void *row);
	bool exact;
};

/* Doubles: 0, 1, 2 for 2 and 3, 3 up to 7 and so on. */
static uint64_t level_of(uint64_t number)
{
	return number ? 64 - __builtin_clzll(number) : 0;
}

static uint64_t job_name(const void *row)
{
	return ((const struct top_job *)row)->id;
}

static uint64_t job_memory(const void *row)
{
	return ((const struct top_job *)row)->memory;
}

static uint64_t job_blocks(const void *row)
{
	return level_of(((const struct top_job *)row)->counters.count[WEIR_A_STATS_BLOCKS]);
}

static uint64_t job_degraded(const void *row)
{
	return level_of(((const struct top_job *)row)->counters.count[WEIR_A_STATS_DEGRADED]);
}

static uint64_t source_name(const void *row)
{
	const struct top_source *source = row;

	return (uint64_t)source->job << 32 | source->id;
}

static uint64_t source_late(const void *row)
{
	return sample_lateness(row);
}

static uint64_t source_in(const void *row)
{
	const struct top_source *source = row;

	return level_of(source->counters.count[WEIR_A_STATS_CONTRIBUTIONS]);
}

static uint64_t source_missing(const void *row)
{
	return level_of(((const struct top_source *)row)->missing);
}

static uint64_t trim_name(const void *row)
{
	return ((const struct top_trim *)row)->ifindex;
}

static uint64_t trim_drop(const void *row)
{
	return level_of(sample_drops(row));
}

static uint64_t trim_trim(const void *row)
{
	return level_of(((const struct top_trim *)row)->counters.count[WEIR_A_TRIM_STATS_TRIM]);
}

static uint64_t trim_whole(const void *row)
{
	return level_of(((const struct top_trim *)row)->counters.count[WEIR_A_TRIM_STATS_WHOLE]);
}

static uint64_t flow_name(const void *row)
{
	return ((const struct top_flow *)row)->name;
}

static uint64_t flow_rate(const void *row)
{
	return level_of(((const struct top_flow *)row)->bytes);
}

static uint64_t flow_packets(const void *row)
{
	return level_of(((const struct top_flow *)row)->packets);
}

static uint64_t flow_total(const void *row)
{
	return level_of(((const struct top_flow *)row)->total);
}

static uint64_t flow_gaps(const void *row)
{
	return level_of(((const struct top_flow *)row)->gaps);
}

static bool job_has(const void *row, const char *text)
{
	const struct top_job *job = row;
	char words[64];

	snprintf(words, sizeof(words), "job %u %s", job->id, names_word(&policy_names, job->policy));
	return strstr(words, text);
}

static bool source_has(const void *row, const char *text)
{
	const struct top_source *source = row;
	char words[128], addr[ADDR_TEXT];

	snprintf(words, sizeof(words), "job %u rank %u %s %s", source->job, source->id,
		 addr_text(&source->address, addr), names_word(&state_names, source->state));
	return strstr(words, text);
}

static bool trim_has(const void *row, const char *text)
{
	return strstr(((const struct top_trim *)row)->dev, text);
}

static bool flow_has(const void *row, const char *text)
{
	return top_flow_has(row, text);
}

static const struct list {
	const char *word;
	size_t size;
	uint64_t (*name)(const void *row);
	bool (*has)(const void *row, const char *text);
	struct order order[ORDERS_MAX];
} lists[VIEW_LISTS] = {
	[VIEW_TRIMS] = { "devices", sizeof(struct top_trim), trim_name, trim_has, {
		{ "drop", trim_drop, false }, { "trim", trim_trim, false },
		{ "whole", trim_whole, false }, { "number", NULL, true } } },
	[VIEW_FLOWS] = { "flows", sizeof(struct top_flow), flow_name, flow_has, {
		{ "rate", flow_rate, false }, { "packets", flow_packets, false },
		{ "bytes", flow_total, false }, { "gaps", flow_gaps, false } } },
	[VIEW_JOBS] = { "jobs", sizeof(struct top_job), job_name, job_has, {
		{ "memory", job_memory, true }, { "blocks", job_blocks, false },
		{ "degraded", job_degraded, false }, { "id", NULL, true } } },
	[VIEW_SOURCES] = { "sources", sizeof(struct top_source), source_name, source_has, {
		{ "late", source_late, false }, { "in", source_in, false },
		{ "missing", source_missing, false }, { "rank", NULL, true } } },
};

static const struct name source_orders[ORDERS_MAX] = {
	{ 0, "late", NULL }, { 1, "in", NULL }, { 2, "missing", NULL }, { 3, "rank", NULL },
};

const struct names view_orders = { "order", ORDERS_MAX, source_orders };

static int parse_filter(struct value *value)
{
	if (*value->word && strlen(value->word) < VIEW_FILTER)
		return WEIR_OK;
	return usage(value->key->name, "filter takes a text of 1 to %d characters, not '%s'",
		     VIEW_FILTER - 1, value->word);
}

const struct syntax view_filter_syntax = { .parse = parse_filter };

void view_begin(struct view *view, unsigned int order, const char *filter)
{
	memset(view, 0, sizeof(*view));
	view->focus = VIEW_SOURCES;
	view->order[VIEW_SOURCES] = order;
	snprintf(view->filter, sizeof(view->filter), "%s", filter ?: "");
}

static void *rows_of(const struct sample *sample, enum view_list list, size_t *count)
{
	switch (list) {
	case VIEW_TRIMS:
		*count = sample->trims;
		return sample->trim;
	case VIEW_FLOWS:
		*count = sample->flows;
		return sample->flow;
	case VIEW_JOBS:
		*count = sample->jobs;
		return sample->job;
	default:
		*count = sample->sources;
		return sample->source;
	}
}

static int compare_names(const void *a, const void *b)
{
	const struct view_level *one = a, *other = b;

	return one->name < other->name ? -1 : one->name > other->name;
}

static const struct view_level *find_level(const struct view *view, enum view_list list,
					   uint64_t name)
{
	const struct view_level wanted = { .name = name };

	return view->levels[list] ? bsearch(&wanted, view->level[list], view->levels[list],
					    sizeof(wanted), compare_names) : NULL;
}

/* One level more or less is noise. */
static uint64_t follow(const struct view *view, enum view_list list, const struct order *order,
		       const void *row)
{
	uint64_t level = order->level ? order->level(row) : 0;
	const struct view_level *before = find_level(view, list, lists[list].name(row));

	if (order->exact || !before)
		return level;
	return level > before->level + 1 || level + 1 < before->level ? level : before->level;
}

/* The kernel lists all in the order of their numbers. */
static void note_list(struct view *view, const struct sample *change, enum view_list list)
{
	const struct order *order = &lists[list].order[view->order[list]];
	struct view_level *levels;
	const char *row;
	size_t count, i;

	row = rows_of(change, list, &count);
	levels = calloc(count ?: 1, sizeof(*levels));
	if (!levels)
		abort();
	for (i = 0; i < count; i++, row += lists[list].size) {
		levels[i].name = lists[list].name(row);
		levels[i].level = follow(view, list, order, row);
	}
	qsort(levels, count, sizeof(*levels), compare_names);
	free(view->level[list]);
	view->level[list] = levels;
	view->levels[list] = count;
}

void view_note(struct view *view, const struct sample *change)
{
	int list;

	for (list = 0; list < VIEW_LISTS; list++)
		note_list(view, change, list);
}

/* A row with what it is ordered by. */
struct entry {
	uint64_t level;
	uint64_t state;
	uint64_t name;
	const void *row;
};

static int compare_entries(const void *a, const void *b)
{
	const struct entry *one = a, *other = b;

	if (one->level != other->level)
		return one->level > other->level ? -1 : 1;
	if (one->state != other->state)
		return one->state > other->state ? -1 : 1;
	return one->name < other->name ? -1 : one->name > other->name;
}

/* Return what orders rows of one level: the state of a source, and all that a flow has sent. */
static uint64_t state_of(const struct view *view, enum view_list list, const void *row)
{
	if (list == VIEW_FLOWS)
		return flow_total(row);
	if (list != VIEW_SOURCES || !lists[list].order[view->order[list]].level)
		return 0;
	return ((const struct top_source *)row)->state;
}

/* Copies the rows that are shown into @to; returns how many they are. */
static size_t page_list(struct view *view, const struct sample *change, enum view_list list,
			char *to)
{
	size_t count, i, kept = 0, size = lists[list].size;
	const char *row = rows_of(change, list, &count);
	struct entry *entries = calloc(count ?: 1, sizeof(*entries));

	if (!entries)
		abort();
	for (i = 0; i < count; i++, row += size) {
		const struct view_level *level = find_level(view, list, lists[list].name(row));

		if (*view->filter && !lists[list].has(row, view->filter))
			continue;
		entries[kept++] = (struct entry){
			.level = level ? level->level : 0,
			.state = state_of(view, list, row),
			.name = lists[list].name(row),
			.row = row,
		};
	}
	qsort(entries, kept, sizeof(*entries), compare_entries);
	if (view->first[list] >= kept)
		view->first[list] = kept ? kept - 1 : 0;
	for (i = view->first[list]; i < kept; i++, to += size)
		memcpy(to, entries[i].row, size);
	free(entries);
	return kept - view->first[list];
}

static void *room(size_t count, size_t size)
{
	void *rows = calloc(count ?: 1, size);

	if (!rows)
		abort();
	return rows;
}

void view_page(struct view *view, const struct sample *change, struct sample *page)
{
	*page = *change;
	page->trim = room(change->trims, sizeof(*page->trim));
	page->flow = room(change->flows, sizeof(*page->flow));
	page->job = room(change->jobs, sizeof(*page->job));
	page->source = room(change->sources, sizeof(*page->source));
	page->trims = page_list(view, change, VIEW_TRIMS, (char *)page->trim);
	page->flows = page_list(view, change, VIEW_FLOWS, (char *)page->flow);
	page->jobs = page_list(view, change, VIEW_JOBS, (char *)page->job);
	page->sources = page_list(view, change, VIEW_SOURCES, (char *)page->source);
}

/* A key of the filter; the end of it is a line's. */
static void type(struct view *view, char key)
{
	size_t length = strlen(view->filter);

	if (key == '\r' || key == '\n')
		view->typing = false;
	else if ((key == '\b' || key == 0x7f) && length)
		view->filter[length - 1] = '\0';
	else if (key >= ' ' && key < 0x7f && length + 1 < sizeof(view->filter))
		view->filter[length] = key, view->filter[length + 1] = '\0';
}

static void scroll(struct view *view, long rows)
{
	size_t *first = &view->first[view->focus];

	*first = rows < 0 && (size_t)-rows > *first ? 0 : *first + rows;
}

/* Another order has other levels. */
static void next_order(struct view *view)
{
	view->order[view->focus] = (view->order[view->focus] + 1) % ORDERS_MAX;
	view->first[view->focus] = 0;
	view->levels[view->focus] = 0;
}

/* Keys that are several bytes; returns how many. */
static size_t take_sequence(struct view *view, const char *keys, size_t count)
{
	static const struct { const char *bytes; long rows; } sequences[] = {
		{ "\033[A", -1 }, { "\033[B", 1 }, { "\033OA", -1 }, { "\033OB", 1 },
		{ "\033[5~", -PAGE_ROWS }, { "\033[6~", PAGE_ROWS },
		{ "\033[H", -1000000 }, { "\033[1~", -1000000 }, { "\033[F", 1000000 },
		{ "\033[4~", 1000000 },
	};
	size_t i, length;

	for (i = 0; i < sizeof(sequences) / sizeof(sequences[0]); i++) {
		length = strlen(sequences[i].bytes);
		if (count < length || memcmp(keys, sequences[i].bytes, length))
			continue;
		scroll(view, sequences[i].rows);
		return length;
	}
	view->typing = false;
	*view->filter = '\0';
	return count;
}

bool view_keys(struct view *view, const char *keys, size_t count)
{
	size_t used;

	for (; count; keys += used, count -= used) {
		used = 1;
		if (*keys == '\033')
			used = take_sequence(view, keys, count);
		else if (view->typing)
			type(view, *keys);
		else if (*keys == 'q' || *keys == 'Q')
			return false;
		else if (*keys == '/')
			view->typing = true;
		else if (*keys == '\t')
			view->focus = (view->focus + 1) % VIEW_LISTS;
		else if (*keys == 's')
			next_order(view);
		else if (*keys == 'j' || *keys == 'k')
			scroll(view, *keys == 'j' ? 1 : -1);
	}
	return true;
}

const char *view_text(const struct view *view, char text[static 96])
{
	const struct list *list = &lists[view->focus];
	size_t first = view->first[view->focus];
	int used = snprintf(text, 96, "%s by %s", list->word,
			    list->order[view->order[view->focus]].word);

	if (first)
		used += snprintf(text + used, 96 - used, " from %zu", first + 1);
	if (view->typing || *view->filter)
		snprintf(text + used, 96 - used, " /%s%s", view->filter, view->typing ? "_" : "");
	return text;
}

void view_end(struct view *view)
{
	int list;

	for (list = 0; list < VIEW_LISTS; list++)
		free(view->level[list]);
}
