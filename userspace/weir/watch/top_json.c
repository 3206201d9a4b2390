// SPDX-License-Identifier: GPL-2.0
/* `weir -j top`: an object on a line of its own for each look. */
#include <weir_trim_nl.h>

#include "base/print.h"
#include "flow/text.h"
#include "grammar/names.h"
#include "watch/top.h"

/* The rates of all counters that have moved, or could have: those of the list. */
static void print_rates(const struct sample *sample, const struct counters *counters,
			const uint16_t *attrs)
{
	print_object("rates");
	for (; *attrs; attrs++) {
		const struct name *name = names_value(&counter_names, *attrs);

		print_decimal(name ? name->word : "refusals",
			      sample_rate(sample, counters, *attrs));
	}
	print_end();
}

static void print_total(const struct sample *sample)
{
	static const uint16_t attrs[] = {
		WEIR_A_STATS_CONTRIBUTIONS, WEIR_A_STATS_BYTES, WEIR_A_STATS_BLOCKS,
		WEIR_A_STATS_DEGRADED, WEIR_A_STATS_REFUSAL, 0,
	};
	const struct top_total *total = &sample->total;

	print_uint("interval", sample->elapsed / 1000);
	print_uint("memory", total->memory);
	print_uint("memory-used", total->memory_used);
	print_uint("memory-limit", total->memory_limit);
	print_rates(sample, &total->counters, attrs);
}

static void print_job(const struct sample *sample, const struct top_job *job)
{
	static const uint16_t attrs[] = {
		WEIR_A_STATS_BLOCKS, WEIR_A_STATS_DEGRADED, WEIR_A_STATS_BYTES, 0,
	};

	print_object(NULL);
	print_uint("id", job->id);
	print_uint("sources", job->sources);
	print_uint("bound", job->bound);
	print_string("policy", names_word(&policy_names, job->policy));
	print_uint("generation", job->generation);
	print_uint("open", job->open);
	print_uint("memory", job->memory);
	print_rates(sample, &job->counters, attrs);
	print_end();
}

static void print_source(const struct sample *sample, const struct top_source *source)
{
	static const uint16_t attrs[] = {
		WEIR_A_STATS_CONTRIBUTIONS, WEIR_A_STATS_LATE, WEIR_A_STATS_STRAGGLES, 0,
	};
	char text[ADDR_TEXT];

	print_object(NULL);
	print_uint("job", source->job);
	print_uint("id", source->id);
	print_string("address", addr_text(&source->address, text));
	print_string("state", names_word(&state_names, source->state));
	print_uint("missing", source->missing);
	lateness_print(&source->lateness);
	print_rates(sample, &source->counters, attrs);
	print_end();
}

static void print_trim(const struct sample *sample, const struct top_trim *trim)
{
	static const uint16_t attrs[] = {
		WEIR_A_TRIM_STATS_WHOLE, WEIR_A_TRIM_STATS_WHOLE_BYTES, WEIR_A_TRIM_STATS_TRIM, 0,
	};
	const uint16_t *attr;

	print_object(NULL);
	print_string("dev", trim->dev);
	print_string("hook", names_word(&trim_hook_names, trim->hook));
	print_uint("data-depth", trim->data_depth);
	print_uint("header-depth", trim->header_depth);
	print_object("rates");
	for (attr = attrs; *attr; attr++)
		print_decimal(names_word(&trim_counter_names, *attr),
			      sample_trim_rate(sample, trim, *attr));
	print_decimal("drop", sample_trim_drops(sample, trim));
	print_end();
	print_end();
}

static void print_flow(const struct sample *sample, const struct top_flow *flow)
{
	char text[ADDR_TEXT], proto[FLOW_PROTO_TEXT];

	print_object(NULL);
	print_string("dev", flow->dev);
	print_string("proto", flow_proto_text(flow->proto, proto));
	print_string("src", addr_text(&flow->src, text));
	print_uint("sport", flow->sport);
	print_string("dst", addr_text(&flow->dst, text));
	print_uint("dport", flow->dport);
	print_uint("bytes", flow->total);
	print_uint("gaps", flow->gaps);
	print_uint("reordered", flow->reordered);
	print_uint("trimmed", flow->trimmed);
	print_object("rates");
	print_decimal("packets", sample_per_second(sample, flow->packets));
	print_decimal("bytes", sample_per_second(sample, flow->bytes));
	print_end();
	print_end();
}

void top_print_json(const struct sample *sample)
{
	size_t i;

	print_object(NULL);
	print_total(sample);
	print_list("jobs");
	for (i = 0; i < sample->jobs; i++)
		print_job(sample, &sample->job[i]);
	print_end();
	print_list("sources");
	for (i = 0; i < sample->sources; i++)
		print_source(sample, &sample->source[i]);
	print_end();
	print_list("trims");
	for (i = 0; i < sample->trims; i++)
		print_trim(sample, &sample->trim[i]);
	print_end();
	print_list("flows");
	for (i = 0; i < sample->flows; i++)
		print_flow(sample, &sample->flow[i]);
	print_end();
	print_done();
}
