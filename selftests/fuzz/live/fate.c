// SPDX-License-Identifier: GPL-2.0
#include <stdio.h>
#include <string.h>

#include "fate.h"
#include "fuzz/slow.h"
#include "fuzz/trim_check.h"
#include "report.h"

/* Of a frame that nothing came of, so much is shown. */
#define TELL_BYTES	100

/* The receiver of routed frames, see wires.c. */
static const uint8_t next_hop[6] = { 2, 0, 0, 0, 2, 1 };

void fates_begin(struct fates *f)
{
	f->first += f->sent;
	f->sent = 0;
	f->odd = 0;
	f->parts = 0;
	memset(f->whole, 0, sizeof(f->whole));
	memset(f->marked, 0, sizeof(f->marked));
	f->routed = 0;
	f->returned = 0;
	f->returned_late = 0;
	f->box = 0;
}

uint64_t fates_out(const struct fates *f, enum wire wire)
{
	return f->whole[wire] + f->marked[wire];
}

static const struct frame *frame_of(struct fates *f, int64_t number)
{
	uint32_t i = (uint32_t)number - f->first;

	if (i >= f->sent && f->late)
		return NULL;
	if (i >= f->sent)
		fault("the frame %lld has come, of no round that is under way",
		      (long long)number);
	f->frame[i].seen = true;
	return &f->frame[i];
}

void fates_tell(const struct fates *f)
{
	const struct frame *frame;
	size_t i;

	for (frame = f->frame; frame < f->frame + f->sent; frame++) {
		if (frame->seen)
			continue;
		printf("# nothing came of %zu bytes: ", frame->len);
		for (i = 0; i < frame->len && i < TELL_BYTES; i++)
			printf("%02x", frame->data[i]);
		putchar('\n');
	}
}

/* Prints the frame sent and the one that came out. */
static void check(const struct frame *frame, const char *wrong, const uint8_t *got, size_t len)
{
	static uint8_t both[2 * TAP_FRAME_MAX];

	if (!wrong)
		return;
	memcpy(both, frame->data, frame->len);
	memcpy(both + frame->len, got, len);
	report_about(both, frame->len + len);
	fault("of a frame of %zu bytes came %zu, and it does not hold: %s", frame->len, len, wrong);
}

static bool is_same(const struct frame *frame, const uint8_t *got, size_t len)
{
	return frame->len == len && !memcmp(frame->data, got, len);
}

static struct trim_was before(const struct fates *f, const struct frame *frame, uint8_t dscp)
{
	return (struct trim_was){
		.data = frame->data, .len = frame->len, .dscp = dscp, .keep = f->keep,
		.filled = frame->partial,
	};
}

static uint8_t dscp_of(const uint8_t *data, size_t len)
{
	struct slow_packet p;

	slow_parse(&p, data, len);
	return p.dscp;
}

/*
 * Marked: with the DSCP of trimmed packets, or with none where its own mark is not
 * trusted. The result is unknown for many packets in one, and for a checksum that is
 * filled in anywhere.
 */
static void check_marked(const struct fates *f, const struct frame *frame, const uint8_t *got,
			 size_t len)
{
	uint8_t dscp = dscp_of(got, len);
	struct trim_was was = before(f, frame, dscp ? f->dscp : 0);

	if (frame->gso || frame->odd)
		return;
	check(frame, trim_marked_fault(&was, got, len), got, len);
	if (dscp || len < frame->len)
		check(frame, trim_eligible_fault(frame->data, frame->len), got, len);
}

static void check_returned(const struct fates *f, const struct frame *frame, const uint8_t *got,
			   size_t len)
{
	struct trim_was was = before(f, frame, f->return_dscp);

	if (!frame->gso && !frame->odd)
		check(frame, trim_returned_fault(&was, got, len), got, len);
}

/* A frame that comes out is a whole one, one that trimming has left, or none of ours. */
static void take(struct fates *f, enum wire wire, const uint8_t *got, size_t len)
{
	const struct frame *frame;
	int64_t number;

	number = frame_comes_back(got, len);
	if (number >= 0) {
		frame = frame_of(f, number);
		if (!frame) {
			f->returned_late++;
			return;
		}
		if (!f->trims)
			check(frame, "nothing comes back", got, len);
		check_returned(f, frame, got, len);
		f->returned++;
		return;
	}
	number = frame_is(got, len);
	if (number < 0) {
		f->routed += wire == WIRE_B && !memcmp(got, next_hop, sizeof(next_hop));
		f->box += wire == WIRE_A;
		if (wire == WIRE_A)
			frame_hear(got, len);
		return;
	}
	frame = frame_of(f, number);
	if (!frame)
		return;
	if (is_same(frame, got, len)) {
		f->whole[wire]++;
		return;
	}
	if (!f->trims && !frame->gso)
		check(frame, "it is what it was", got, len);
	check_marked(f, frame, got, len);
	f->marked[wire]++;
}

void fates_read(struct fates *f, const struct wires *w)
{
	static uint8_t got[TAP_FRAME_MAX];
	enum wire wire;
	size_t len;

	for (wire = 0; wire < WIRES; wire++)
		while ((len = tap_read(w->out[wire], got)))
			take(f, wire, got, len);
	while (w->stopped && (len = tap_read(w->stack, got)))
		take(f, WIRE_S, got, len);
}
