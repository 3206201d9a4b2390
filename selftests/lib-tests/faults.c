// SPDX-License-Identifier: GPL-2.0
#include "faults.h"

#include <string.h>

#include <weir_wire.h>

void faults_init(struct faults *faults, const struct faults_options *options)
{
	*faults = (struct faults) { .options = *options, .state = options->seed };
}

/* splitmix64: any seed will do, and a few lines suffice. */
static uint64_t random64(struct faults *faults)
{
	uint64_t z = faults->state += 0x9e3779b97f4a7c15u;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
	return z ^ (z >> 31);
}

uint32_t faults_random(struct faults *faults, uint32_t limit)
{
	return (uint32_t)((random64(faults) >> 32) * limit >> 32);
}

static bool happens(struct faults *faults, double probability, uint64_t *counter)
{
	if (probability <= 0)
		return false;
	if ((double)(random64(faults) >> 11) * 0x1p-53 >= probability)
		return false;
	++*counter;
	return true;
}

bool faults_lose(struct faults *faults)
{
	return happens(faults, faults->options.loss, &faults->counters.lost);
}

/* Count an event in @next. Return true, and count it as lost, if it is one of @many from number @from on. */
static bool is_next_in(struct faults *faults, uint64_t *next, uint64_t from, uint64_t many)
{
	uint64_t n = (*next)++;

	if (n < from || n - from >= many)
		return false;
	faults->counters.lost++;
	return true;
}

bool faults_deaf(struct faults *faults)
{
	return is_next_in(faults, &faults->seen, faults->options.deaf_from, faults->options.deaf);
}

bool faults_mute(struct faults *faults)
{
	return is_next_in(faults, &faults->answered, faults->options.mute_from, faults->options.mute);
}

bool faults_double(struct faults *faults)
{
	return happens(faults, faults->options.duplicate, &faults->counters.doubled);
}

bool faults_hold(struct faults *faults)
{
	return happens(faults, faults->options.reorder, &faults->counters.held);
}

bool faults_forge(struct faults *faults)
{
	return happens(faults, faults->options.malformed, &faults->counters.forged);
}

static uint32_t nonzero(struct faults *faults, uint32_t limit)
{
	return 1 + faults_random(faults, limit - 1);
}

static size_t truncate(struct faults *faults, size_t length)
{
	return faults_random(faults, (uint32_t)length);
}

static size_t lengthen(struct faults *faults, uint8_t *packet, size_t length, size_t room)
{
	size_t more = nonzero(faults, (uint32_t)(room - length));

	memset(packet + length, 0xa5, more);
	return length + more;
}

/* A block that no window can have open: half the number space away. */
static void other_block(struct weir_trio *trio)
{
	trio->block_id[0] ^= 0x80;
}

/* The box's own refusals, for a worker that has not asked. */
static size_t bogus_join(struct weir_trio *trio)
{
	trio->flags |= WEIR_TRIO_CONTROL;
	return sizeof(*trio) + sizeof(struct weir_join) - 1;
}

/* As a reply to a query, but of another generation. */
static size_t bogus_reply(struct weir_trio *trio)
{
	trio->flags = WEIR_TRIO_WANTED;
	trio->gen_id[0] ^= 0x80;
	trio->grad_cnt[0] = WEIR_TRIO_DOWN >> 8;
	trio->grad_cnt[1] = 0;
	return sizeof(*trio);
}

/* That all are excluded, from another job. */
static size_t bogus_notice(struct weir_trio *trio)
{
	trio->flags = WEIR_TRIO_NOTICE;
	trio->job_id ^= 0xff;
	memset(trio + 1, 0xff, sizeof(struct weir_notice));
	return sizeof(*trio) + sizeof(struct weir_notice);
}

/* Contributors that are not as many as the header says. */
static size_t other_contributors(const struct weir_trio *trio, uint8_t *packet, size_t length)
{
	if (!(trio->flags & WEIR_TRIO_DEGRADED))
		return length - 1;
	packet[length - 1] ^= 1;
	return length;
}

static size_t noise(struct faults *faults, uint8_t *packet, size_t room)
{
	size_t length = faults_random(faults, (uint32_t)room);

	for (size_t i = 0; i < length; i++)
		packet[i] = (uint8_t)faults_random(faults, 256);
	return length;
}

size_t faults_mutate(struct faults *faults, uint8_t *packet, size_t length, size_t room)
{
	struct weir_trio *trio = (struct weir_trio *)packet;

	switch (faults_random(faults, 12)) {
	case 0:
		return truncate(faults, length);
	case 1:
		return lengthen(faults, packet, length, room);
	case 2:
		trio->job_id ^= (uint8_t)nonzero(faults, 256);
		return length;
	case 3:
		trio->gen_id[faults_random(faults, 2)] ^= (uint8_t)nonzero(faults, 256);
		return length;
	case 4:
		other_block(trio);
		return length;
	case 5:
		trio->grad_cnt[1] ^= (uint8_t)nonzero(faults, 256);
		return length;
	case 6:
		/* More contributors than there are, or fewer that nothing explains. */
		trio->src_cnt ^= (uint8_t)nonzero(faults, 256);
		trio->flags &= (uint8_t)~WEIR_TRIO_DEGRADED;
		return length;
	case 7:
		return bogus_join(trio);
	case 8:
		return bogus_reply(trio);
	case 9:
		return bogus_notice(trio);
	case 10:
		return other_contributors(trio, packet, length);
	default:
		return noise(faults, packet, room);
	}
}
