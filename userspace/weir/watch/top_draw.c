// SPDX-License-Identifier: GPL-2.0
/* The page of `weir top`, made to fit 80 columns and 24 lines. */
#include <math.h>
#include <string.h>
#include <time.h>

#include <weir_trim_nl.h>

#include "base/units.h"
#include "flow/text.h"
#include "grammar/names.h"
#include "job/ranks.h"
#include "request/show.h"
#include "watch/top.h"

/* Lines that are always there: three of totals, and a blank and a title twice. */
#define FIXED_LINES 7

/* A blank and a title, of a list that is not always there. */
#define TITLE_LINES 2

/* Columns of a source without its address and its bar, blanks between them included. */
#define SOURCE_COLUMNS 60
#define ADDRESS_MIN 7
#define ADDRESS_COMMON 15	/* of IPv4 */
#define BAR_MIN 8
#define BAR_MAX 24

/* Columns of a flow's device, and of each of its ends. */
#define DEV_COLUMNS 8
#define END_COLUMNS 21

static void put_time(struct screen *screen)
{
	time_t now = time(NULL);
	char text[16];
	struct tm local;

	strftime(text, sizeof(text), "%T", localtime_r(&now, &local));
	screen_put(screen, COLOR_NONE, "%s", text);
}

static void put_bytes(struct screen *screen, const char *before, uint64_t bytes, const char *after)
{
	char text[UNITS_TEXT];

	screen_put(screen, COLOR_NONE, "%s%s%s", before, units_bytes(text, bytes), after);
}

/* A rate of so many columns; "-" before there is one. */
static void put_rate(struct screen *screen, enum color color, int columns, double rate)
{
	char text[UNITS_TEXT] = "-";

	if (!isnan(rate))
		units_count(text, rate);
	screen_put(screen, rate > 0 ? color : COLOR_NONE, " %*s", columns, text);
}

static double megabits(double bytes)
{
	return bytes * 8 / 1e6;
}

static void draw_total(struct screen *screen, const struct sample *sample, const char *status)
{
	static const struct { const char *label; uint16_t attr; enum color color; } rates[] = {
		{ "contributions/s", WEIR_A_STATS_CONTRIBUTIONS, COLOR_NONE },
		{ "blocks/s", WEIR_A_STATS_BLOCKS, COLOR_NONE },
		{ "degraded/s", WEIR_A_STATS_DEGRADED, COLOR_WARN },
		{ "refused/s", WEIR_A_STATS_REFUSAL, COLOR_WARN },
	};
	const struct top_total *total = &sample->total;
	size_t i;

	screen_put(screen, COLOR_NAME, "weir top ");
	put_time(screen);
	screen_put(screen, COLOR_NONE, "  jobs %u  ports %u  sums with %s", total->jobs,
		   total->ports, total->reduction);
	if (screen->live)
		screen_put(screen, COLOR_WARN, "  %s", status);
	screen_end_line(screen);
	put_bytes(screen, "memory ", total->memory, "");
	put_bytes(screen, "  of all namespaces ", total->memory_used, "");
	put_bytes(screen, "  limit ", total->memory_limit, "");
	screen_end_line(screen);
	screen_put(screen, COLOR_NONE, "Mbit/s");
	put_rate(screen, COLOR_NONE, 0,
		 megabits(sample_rate(sample, &total->counters, WEIR_A_STATS_BYTES)));
	for (i = 0; i < sizeof(rates) / sizeof(rates[0]); i++) {
		screen_put(screen, COLOR_NONE, "  %s", rates[i].label);
		put_rate(screen, rates[i].color, 0,
			 sample_rate(sample, &total->counters, rates[i].attr));
	}
	screen_end_line(screen);
}

static void draw_title(struct screen *screen, const char *text)
{
	screen_end_line(screen);
	screen_put(screen, COLOR_TITLE, "%-*s", screen->live ? (int)screen->width : 0, text);
	screen_end_line(screen);
}

/* Return the number of rows of a list that fit in so many lines, with the line that counts the others. */
static size_t fitting(size_t count, size_t lines)
{
	return count <= lines ? count : lines ? lines - 1 : 0;
}

static void draw_rest(struct screen *screen, size_t rest, const char *what)
{
	if (!rest)
		return;
	screen_put(screen, COLOR_NONE, "  ... and %zu more %s%s", rest, what, rest > 1 ? "s" : "");
	screen_end_line(screen);
}

static void draw_job(struct screen *screen, const struct sample *sample, const struct top_job *job)
{
	double (*rate)(const struct sample *, const struct counters *, uint16_t) = sample_rate;
	char sources[32], memory[UNITS_TEXT];

	snprintf(sources, sizeof(sources), "%u/%u", job->bound, job->sources);
	screen_put(screen, COLOR_NAME, "%3u", job->id);
	screen_put(screen, job->bound < job->sources ? COLOR_WARN : COLOR_NONE, " %8s", sources);
	screen_put(screen, COLOR_NONE, " %-8s %10u %6u", names_word(&policy_names, job->policy),
		   job->generation, job->open);
	put_rate(screen, COLOR_NONE, 9, rate(sample, &job->counters, WEIR_A_STATS_BLOCKS));
	put_rate(screen, COLOR_WARN, 11, rate(sample, &job->counters, WEIR_A_STATS_DEGRADED));
	put_rate(screen, COLOR_NONE, 7,
		 megabits(rate(sample, &job->counters, WEIR_A_STATS_BYTES)));
	screen_put(screen, COLOR_NONE, " %8s", units_bytes(memory, job->memory));
	screen_end_line(screen);
}

static void draw_jobs(struct screen *screen, const struct sample *sample, size_t lines)
{
	size_t shown = fitting(sample->jobs, lines), i;

	draw_title(screen, "job  sources policy   generation   open  blocks/s  degraded/s  Mbit/s   memory");
	for (i = 0; i < shown; i++)
		draw_job(screen, sample, &sample->job[i]);
	draw_rest(screen, sample->jobs - shown, "job");
}

/* The columns of an address and of a bar, by the content and the width. */
struct columns {
	int address;
	int bar;
};

static struct columns source_columns(const struct screen *screen, const struct sample *sample,
				     size_t shown)
{
	int room = (int)screen->width - SOURCE_COLUMNS - 1, most;
	struct columns columns = { .address = ADDRESS_MIN };
	char text[ADDR_TEXT];
	size_t i;

	for (i = 0; i < shown; i++) {
		int length = strlen(addr_text(&sample->source[i].address, text));

		if (length > columns.address)
			columns.address = length;
	}
	most = room - BAR_MIN > ADDRESS_COMMON ? room - BAR_MIN : ADDRESS_COMMON;
	if (columns.address > most)
		columns.address = most;
	columns.bar = room - columns.address;
	if (columns.bar > BAR_MAX)
		columns.bar = BAR_MAX;
	if (columns.bar < 0)
		columns.bar = 0;
	return columns;
}

/* The end of an address tells more than its beginning, and so does its port. */
static void put_address(struct screen *screen, const char *text, int columns)
{
	int length = strlen(text);

	if (length > columns)
		screen_put(screen, COLOR_ADDRESS, " ~%s", text + length - columns + 1);
	else
		screen_put(screen, COLOR_ADDRESS, " %-*s", columns, text);
}

static void put_quantile(struct screen *screen, int bucket)
{
	char text[LATENESS_TEXT];

	screen_put(screen, COLOR_NONE, " %6s", lateness_short(text, bucket));
}

/* On a scale of buckets: up to the median, and from there to the 99th percentile. */
static void put_bar(struct screen *screen, int p50, int p99, int columns)
{
	int solid = ((p50 + 1) * columns + LATENESS_LAST) / WEIR_LATENESS_BUCKETS;
	int light = ((p99 + 1) * columns + LATENESS_LAST) / WEIR_LATENESS_BUCKETS - solid;
	static const char solids[BAR_MAX + 1] = "########################";
	static const char lights[BAR_MAX + 1] = "------------------------";

	if (p50 < 0 || !columns)
		return;
	screen_put(screen, COLOR_GOOD, " %.*s", solid, solids);
	screen_put(screen, COLOR_WARN, "%.*s", light, lights);
}

static void draw_source(struct screen *screen, const struct sample *sample,
			const struct top_source *source, struct columns columns)
{
	const struct counters *counters = &source->counters;
	char address[ADDR_TEXT];
	int p50 = lateness_quantile(&source->lateness, 500);
	int p99 = lateness_quantile(&source->lateness, 990);

	screen_put(screen, COLOR_NAME, "%3u %4u", source->job, source->id);
	put_address(screen, addr_text(&source->address, address), columns.address);
	screen_put(screen, state_color(source->state), " %-9s",
		   names_word(&state_names, source->state));
	put_rate(screen, COLOR_NONE, 5,
		 sample_rate(sample, counters, WEIR_A_STATS_CONTRIBUTIONS));
	put_rate(screen, COLOR_WARN, 6, sample_rate(sample, counters, WEIR_A_STATS_LATE));
	put_rate(screen, COLOR_WARN, 7, sample_rate(sample, counters, WEIR_A_STATS_STRAGGLES));
	put_quantile(screen, p50);
	put_quantile(screen, p99);
	screen_put(screen, COLOR_NONE, " %5u", source->missing);
	put_bar(screen, p50, p99, columns.bar);
	screen_end_line(screen);
}

static void draw_sources(struct screen *screen, const struct sample *sample, size_t lines)
{
	size_t shown = fitting(sample->sources, lines), i;
	struct columns columns = source_columns(screen, sample, shown);
	char title[256];

	snprintf(title, sizeof(title),
		 "job rank %-*s state      in/s late/s strag/s    p50    p99  miss%s",
		 columns.address, "address", columns.bar >= BAR_MIN ? " lateness" : "");
	draw_title(screen, title);
	for (i = 0; i < shown; i++)
		draw_source(screen, sample, &sample->source[i], columns);
	draw_rest(screen, sample->sources - shown, "source");
}

static void draw_trim(struct screen *screen, const struct sample *sample,
		      const struct top_trim *trim)
{
	screen_put(screen, COLOR_NAME, "%-15s", trim->dev);
	screen_put(screen, COLOR_NONE, " %-5s", names_word(&trim_hook_names, trim->hook));
	put_rate(screen, COLOR_NONE, 8,
		 sample_trim_rate(sample, trim, WEIR_A_TRIM_STATS_WHOLE));
	put_rate(screen, COLOR_WARN, 8,
		 sample_trim_rate(sample, trim, WEIR_A_TRIM_STATS_TRIM));
	put_rate(screen, COLOR_BAD, 8, sample_trim_drops(sample, trim));
	put_rate(screen, COLOR_NONE, 8,
		 megabits(sample_trim_rate(sample, trim, WEIR_A_TRIM_STATS_WHOLE_BYTES)));
	screen_put(screen, COLOR_NONE, " %6u %7u", trim->data_depth, trim->header_depth);
	screen_end_line(screen);
}

/* Not there where nothing is trimmed. */
static void draw_trims(struct screen *screen, const struct sample *sample, size_t lines)
{
	size_t shown, i;

	if (lines <= TITLE_LINES)
		return;
	shown = fitting(sample->trims, lines - TITLE_LINES);
	draw_title(screen, "trims on        hook   whole/s   trim/s   drop/s   Mbit/s   data headers");
	for (i = 0; i < shown; i++)
		draw_trim(screen, sample, &sample->trim[i]);
	draw_rest(screen, sample->trims - shown, "device");
}

static void draw_flow(struct screen *screen, const struct sample *sample,
		      const struct top_flow *flow)
{
	char proto[FLOW_PROTO_TEXT], end[FLOW_END_TEXT];

	screen_put(screen, COLOR_NAME, "%-*s", DEV_COLUMNS, flow->dev);
	screen_put(screen, COLOR_NONE, " %-5.5s", flow_proto_text(flow->proto, proto));
	put_address(screen, flow_end_text(&flow->src, flow->sport, end), END_COLUMNS);
	put_address(screen, flow_end_text(&flow->dst, flow->dport, end), END_COLUMNS);
	put_rate(screen, COLOR_NONE, 7, sample_per_second(sample, flow->packets));
	put_rate(screen, COLOR_NONE, 6, megabits(sample_per_second(sample, flow->bytes)));
	put_rate(screen, COLOR_WARN, 5, flow->gaps);
	screen_end_line(screen);
}

/* Not there where no flows are recorded. */
static void draw_flows(struct screen *screen, const struct sample *sample, size_t lines)
{
	size_t shown, i;
	char title[128];

	if (lines <= TITLE_LINES)
		return;
	shown = fitting(sample->flows, lines - TITLE_LINES);
	snprintf(title, sizeof(title), "%-*s proto %-*s %-*s  pkts/s Mbit/s  gaps", DEV_COLUMNS,
		 "flows on", END_COLUMNS, "from", END_COLUMNS, "to");
	draw_title(screen, title);
	for (i = 0; i < shown; i++)
		draw_flow(screen, sample, &sample->flow[i]);
	draw_rest(screen, sample->flows - shown, "flow");
}

/* A quarter of the lines, or what other lists leave; none where there is nothing to show. */
static size_t side_lines(size_t count, size_t others, size_t room)
{
	size_t most = room / 4;

	if (others < room && room - others > most)
		most = room - others;
	if (!count || most <= TITLE_LINES)
		return 0;
	return count + TITLE_LINES < most ? count + TITLE_LINES : most;
}

/* Of the lines left by these, a third is for jobs, and more where the sources leave it. */
void top_draw(struct screen *screen, const struct sample *sample, const char *status)
{
	size_t others = sample->jobs + sample->sources, room, jobs, trims, flows;

	screen_begin(screen);
	room = screen->height > FIXED_LINES ? screen->height - FIXED_LINES : 0;
	trims = side_lines(sample->trims, others, room);
	room -= trims;
	flows = side_lines(sample->flows, others, room);
	room -= flows;
	jobs = room / 3;
	if (sample->sources < room - jobs)
		jobs = room - sample->sources;
	if (sample->jobs < jobs)
		jobs = sample->jobs;
	draw_total(screen, sample, status);
	draw_trims(screen, sample, trims);
	draw_flows(screen, sample, flows);
	draw_jobs(screen, sample, jobs);
	draw_sources(screen, sample, room - jobs);
}
