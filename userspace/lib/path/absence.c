// SPDX-License-Identifier: BSD-2-Clause
#include "path/absence.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "comm/comm.h"
#include "packet/wire.h"

/* Shorter waits are a lost packet's, or a rank's that is a little slower. */
#define ASKED_AFTER	NSEC_PER_SEC

#define SENTENCE	512

static uint64_t waited(const struct weir *comm)
{
	return comm->now - comm->progress;
}

static uint64_t least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* The box has to be asked, and to answer, before the names are wanted. */
bool absence_is_asked(const struct weir *comm)
{
	const struct config *config = &comm->config;
	uint64_t wanted = least(config->ranks_timeout, config->ranks_warning);

	return waited(comm) >= least(ASKED_AFTER, wanted / 4);
}

/* All but those that are there, and those that blocks are complete without. */
static void note(struct weir *comm, const uint64_t there[BITMAP_WORDS])
{
	struct absence *absence = &comm->absence;

	for (unsigned int i = 0; i < BITMAP_WORDS; i++)
		absence->ranks[i] = comm->config.everyone[i] & ~there[i] & ~comm->members.excluded[i];
	absence->noted = comm->now;
}

void absence_note(struct weir *comm, const uint8_t *wire)
{
	uint64_t in[BITMAP_WORDS];

	wire_get_bitmap(in, wire, comm->config.ranks);
	note(comm, in);
}

void absence_note_joins(struct weir *comm, const struct wire_notice *notice)
{
	note(comm, notice->waiting);
}

bool absence_is_known(const struct weir *comm)
{
	return comm->absence.noted > comm->progress && bitmap_count(comm->absence.ranks);
}

void absence_words(const struct weir *comm, const char *verb, char words[ABSENCE_WORDS])
{
	char ranks[BITMAP_TEXT];

	words[0] = '\0';
	if (!absence_is_known(comm))
		return;
	bitmap_text(comm->absence.ranks, ranks);
	snprintf(words, ABSENCE_WORDS, "%s %s. ", verb, ranks);
}

static void describe(const struct weir *comm, bool is_joining, char sentence[SENTENCE])
{
	const struct config *config = &comm->config;
	double seconds = (double)waited(comm) / (double)NSEC_PER_SEC;
	char ranks[BITMAP_TEXT] = "other ranks", what[64] = "to join";

	if (absence_is_known(comm))
		bitmap_text(comm->absence.ranks, ranks);
	if (!is_joining)
		snprintf(what, sizeof(what), "in block %" PRIu64, comm->window.base);
	snprintf(sentence, SENTENCE,
		 "rank %u of job %u on %s waits for %s %s for %.1f s, and gives up after %.1f s",
		 config->rank, config->job, config->box_text, ranks, what, seconds,
		 (double)config->ranks_timeout / (double)NSEC_PER_SEC);
}

static void tell(const struct weir *comm, bool is_joining)
{
	static const uint64_t nobody[BITMAP_WORDS];
	const struct config *config = &comm->config;
	char sentence[SENTENCE];
	struct weir_missing missing = {
		.size = sizeof(missing),
		.block = is_joining ? UINT64_MAX : comm->window.base,
		.waited_ms = waited(comm) / NSEC_PER_MSEC,
		.sentence = sentence,
	};

	describe(comm, is_joining, sentence);
	if (!config->on_missing) {
		fprintf(stderr, "weir: %s\n", sentence);
		return;
	}
	missing.all_ranks = absence_is_known(comm) ? comm->absence.ranks : nobody;
	memcpy(missing.ranks, missing.all_ranks, sizeof(missing.ranks));
	config->on_missing(config->on_missing_context, &missing);
}

void absence_warn(struct weir *comm, bool is_joining)
{
	struct absence *absence = &comm->absence;
	bool is_long = waited(comm) >= comm->config.ranks_warning;

	if (is_long && !absence->warned)
		tell(comm, is_joining);
	absence->warned = is_long;
}
