// SPDX-License-Identifier: GPL-2.0
/* Sources that blocks wait for, and the blocks that wait. */
#include <net/if.h>
#include <stdio.h>

#include <weir.h>

#include "base/units.h"
#include "doctor/doctor.h"
#include "job/lateness.h"
#include "job/ranks.h"

#define NANOS_A_MICRO 1000ull

/* If a job has no timeout, a block that is older than this has waited for long. */
#define PATIENCE_NANOS 1000000000ull

/* A job gives too much away when more than one of so many blocks is degraded. */
#define DEGRADED_OF 10

static void check_state(uint32_t job, const char *subject, const struct nlattr **source,
			const struct nlmsghdr *message)
{
	struct finding finding = { DOCTOR_WARN, "state", subject, NULL };
	char text[LATENESS_TEXT];
	struct lateness lateness;

	switch (nl_uint(source[WEIR_A_SOURCE_STATE])) {
	case WEIR_SOURCE_STATE_STRAGGLER:
		lateness_read(&lateness, message);
		finding.fix = "look at the worker's load and at the links to it: `weir top`";
		report(&finding, "blocks time out for want of it; the lateness of its contributions is %s at p99",
		       lateness_text(text, lateness_quantile(&lateness, 990)));
		break;
	case WEIR_SOURCE_STATE_DEAD:
		finding.fix = fix("start the worker again, or with `weir job set id %u policy exclude` let blocks not wait for it",
				  job);
		report(&finding, "nothing is heard of it, and blocks time out for want of it");
		break;
	case WEIR_SOURCE_STATE_EXCLUDED:
		finding.fix = "start the worker again: it is back with the next generation";
		report(&finding, "nothing has been heard of it, and blocks are complete without it");
		break;
	case WEIR_SOURCE_STATE_BEHIND:
		finding.fix = fix("if it does not resume: start the worker again; see `retain` of job %u", job);
		report(&finding, "it lacks a result that the box has evicted, and nothing is retained for it");
		break;
	}
}

/* The only device that the source's packets may come in on must hand them over. */
static void check_device(const struct patient *patient, const char *subject,
			 const struct nlattr **source)
{
	struct finding finding = { DOCTOR_FAIL, "device", subject, NULL };
	unsigned int ifindex = nl_uint(source[WEIR_A_SOURCE_IFINDEX]);
	char name[IF_NAMESIZE];

	if (!ifindex || port_known(patient, ifindex))
		return;
	if (!if_indextoname(ifindex, name)) {
		finding.fix = "bind it to another device, or to any: `weir source set`";
		report(&finding, "contributions are taken from device number %u alone, which is gone",
		       ifindex);
		return;
	}
	finding.fix = fix("run `weir port attach dev %s`", quoted(name));
	report(&finding, "contributions are taken from %s alone, which is no port", name);
}

static void check_source(const struct patient *patient, const struct nlmsghdr *message)
{
	const struct nlattr *source[WEIR_A_SOURCE_MAX + 1];
	char subject[64];
	uint32_t job;

	weir_attributes(message, source, WEIR_A_SOURCE_MAX);
	job = nl_uint(source[WEIR_A_SOURCE_JOB]);
	if (!job_wanted(patient, job))
		return;
	snprintf(subject, sizeof(subject), "source %ju of job %u",
		 (uintmax_t)nl_uint(source[WEIR_A_SOURCE_ID]), job);
	check_state(job, subject, source, message);
	check_device(patient, subject, source);
}

static void check_degraded(const struct nlattr **job, const char *subject)
{
	struct finding finding = { DOCTOR_WARN, "degraded", subject, NULL };
	const struct nlattr *stats[WEIR_A_STATS_MAX + 1];
	uint64_t blocks, degraded;

	if (!job[WEIR_A_JOB_STATS])
		return;
	nl_nested(job[WEIR_A_JOB_STATS], stats, WEIR_A_STATS_MAX);
	blocks = nl_uint(stats[WEIR_A_STATS_BLOCKS]);
	degraded = nl_uint(stats[WEIR_A_STATS_DEGRADED]);
	if (degraded * DEGRADED_OF <= blocks)
		return;
	finding.fix = "see who is late with `weir source show`; raise the timeout or the quorum if all are";
	report(&finding, "%ju of %ju blocks were answered without all sources",
	       (uintmax_t)degraded, (uintmax_t)blocks);
}

/* Blocks that wait for long in one job. */
struct waiting {
	uint64_t blocks;
	uint64_t oldest;
	uint32_t id;
	struct ranks missing;
};

static void add_block(struct waiting *waiting, const struct nlattr **block,
		      const struct nlmsghdr *message)
{
	uint64_t age = nl_uint(block[WEIR_A_BLOCK_AGE]);

	waiting->blocks++;
	if (age > waiting->oldest) {
		waiting->oldest = age;
		waiting->id = nl_uint(block[WEIR_A_BLOCK_ID]);
	}
	ranks_missing(&waiting->missing, message);
}

static void find_waiting(const struct patient *patient, uint32_t job, uint64_t patience,
			 struct waiting *waiting)
{
	const struct nlattr *block[WEIR_A_BLOCK_MAX + 1];
	size_t i;

	for (i = 0; i < patient->blocks.count; i++) {
		const struct nlmsghdr *message = patient->blocks.message[i];

		weir_attributes(message, block, WEIR_A_BLOCK_MAX);
		if (nl_uint(block[WEIR_A_BLOCK_JOB]) == job &&
		    nl_uint(block[WEIR_A_BLOCK_AGE]) > patience)
			add_block(waiting, block, message);
	}
}

/* With a timeout, a block that has waited for two of them should have been answered. */
static void check_blocks(const struct patient *patient, const struct nlattr **job,
			 const char *subject)
{
	uint64_t timeout = nl_uint(job[WEIR_A_JOB_TIMEOUT]) * NANOS_A_MICRO;
	struct finding finding = { DOCTOR_WARN, "blocks", subject, NULL };
	uint32_t id = nl_uint(job[WEIR_A_JOB_ID]);
	char age[UNITS_TEXT], ranks[RANKS_TEXT];
	struct waiting waiting = {};

	find_waiting(patient, id, 2 * timeout > PATIENCE_NANOS ? 2 * timeout : PATIENCE_NANOS,
		     &waiting);
	if (!waiting.blocks)
		return;
	finding.fix = fix("look at those workers: `weir source show job %u`; at the blocks: `weir block show job %u`",
			  id, id);
	report(&finding, "%ju open blocks wait for sources %s; block %u has for %s",
	       (uintmax_t)waiting.blocks, ranks_text(&waiting.missing, ranks), waiting.id,
	       units_duration(age, waiting.oldest));
}

static void check_job(const struct patient *patient, const struct nlmsghdr *message)
{
	const struct nlattr *job[WEIR_A_JOB_MAX + 1];
	char subject[32];
	uint32_t id;

	weir_attributes(message, job, WEIR_A_JOB_MAX);
	id = nl_uint(job[WEIR_A_JOB_ID]);
	if (!job_wanted(patient, id))
		return;
	snprintf(subject, sizeof(subject), "job %u", id);
	check_degraded(job, subject);
	check_blocks(patient, job, subject);
}

void doctor_late(struct patient *patient)
{
	size_t i;

	for (i = 0; i < patient->jobs.count; i++)
		check_job(patient, patient->jobs.message[i]);
	for (i = 0; i < patient->sources.count; i++)
		check_source(patient, patient->sources.message[i]);
}
