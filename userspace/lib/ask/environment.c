// SPDX-License-Identifier: BSD-2-Clause
#include "ask/environment.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The first launcher that tells both wins: inner ones (mpirun in a job of SLURM's) come first. */
static const struct { const char *rank, *ranks; } launchers[] = {
	{ "RANK", "WORLD_SIZE" },
	{ "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE" },
	{ "PMI_RANK", "PMI_SIZE" },
	{ "PMIX_RANK", "PMIX_SIZE" },
	{ "PMIX_RANK", "SLURM_NTASKS" },
	{ "SLURM_PROCID", "SLURM_NTASKS" },
};

#define LAUNCHERS (sizeof(launchers) / sizeof(launchers[0]))

static bool number(const char *variable, uint16_t *value)
{
	const char *text = getenv(variable);
	unsigned long parsed;
	char *end;

	if (!text || *text < '0' || *text > '9')
		return false;
	parsed = strtoul(text, &end, 10);
	if (*end || parsed > UINT16_MAX)
		return false;
	*value = (uint16_t)parsed;
	return true;
}

bool environment_ranks(uint16_t *rank, uint16_t *ranks)
{
	size_t i;

	for (i = 0; i < LAUNCHERS; i++) {
		if (number(launchers[i].rank, rank) && number(launchers[i].ranks, ranks))
			return true;
	}
	return false;
}

static const char *text_of(const char *variable)
{
	const char *text = getenv(variable);

	return text && *text ? text : NULL;
}

bool environment_trees(uint32_t *trees)
{
	uint16_t value = 0;
	bool is_right = !text_of("WEIR_TREES") || number("WEIR_TREES", &value);

	*trees = value;
	return is_right;
}

/* torchrun's own id is "none" where its user has given none: the meeting point tells runs apart. */
static bool torch_name(char *name, size_t size)
{
	const char *id = text_of("TORCHELASTIC_RUN_ID");
	const char *host = text_of("MASTER_ADDR"), *port = text_of("MASTER_PORT");

	if (id && strcmp(id, "none"))
		snprintf(name, size, "torch-%s", id);
	else if (host && port)
		snprintf(name, size, "torch-%s-%s", host, port);
	else
		return false;
	return true;
}

static bool slurm_name(char *name, size_t size)
{
	const char *job = text_of("SLURM_JOB_ID"), *step = text_of("SLURM_STEP_ID");

	if (!job)
		return false;
	snprintf(name, size, "slurm-%s.%s", job, step ? step : "0");
	return true;
}

static bool pmix_name(char *name, size_t size)
{
	const char *space = text_of("PMIX_NAMESPACE");

	if (!space)
		return false;
	snprintf(name, size, "pmix-%s", space);
	return true;
}

/* Names of jobs have letters, digits and "._:-". */
static void tidy(char *name)
{
	for (; *name; name++) {
		if (!((*name >= 'a' && *name <= 'z') || (*name >= 'A' && *name <= 'Z') ||
		      (*name >= '0' && *name <= '9') || strchr("._:-", *name)))
			*name = '-';
	}
}

bool environment_name(char *name, size_t size)
{
	const char *own = text_of("WEIR_JOB");
	bool found = true;

	if (own)
		snprintf(name, size, "%s", own);
	else
		found = torch_name(name, size) || pmix_name(name, size) || slurm_name(name, size);
	if (found)
		tidy(name);
	return found;
}
