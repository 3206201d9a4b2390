// SPDX-License-Identifier: GPL-2.0
/* The module's counters, with the names that tenants and their jobs have. */
#include "metrics/metrics.h"
#include "metrics/text.h"

/* Names of tenants and jobs have no character that would need an escape. */
static void labels(const void *context, uint32_t id, char *to, size_t size)
{
	const struct jobs *jobs = context;
	const struct job *job = id <= WEIR_JOB_ID_MAX ? jobs->by_id[id] : NULL;

	snprintf(to, size, ",tenant=\"%s\",name=\"%s\"", job ? job->tenant : "",
		 job ? job->name : "");
}

int metrics_write(FILE *to, const struct jobs *jobs)
{
	const struct metrics_style style = { .labels = labels, .context = jobs };

	return metrics_text(to, &style);
}
