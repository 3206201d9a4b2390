/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Checks of a frame that was trimmed, by the slow parser and checksums made byte by
 * byte: for the trimming code by itself, and for frames that the live module has
 * sent on.
 */
#ifndef TRIM_CHECK_H
#define TRIM_CHECK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * struct trim_was - a frame before it was trimmed or marked
 * @data: its bytes
 * @len: how many
 * @dscp: the DSCP that it must have now
 * @keep: lengths are those of the whole packet
 * @filled: the checksum of UDP or TCP was left to be filled in
 */
struct trim_was {
	const uint8_t *data;
	size_t len;
	uint8_t dscp;
	bool keep;
	bool filled;
};

/* Each returns the fault, or NULL. */

/* Of the trimmed frame, in which all but the headers must be the frame's own. */
const char *trim_marked_fault(const struct trim_was *was, const uint8_t *frame, size_t len);

/* Of a whole frame: the reason for which it may not be trimmed at all. */
const char *trim_eligible_fault(const uint8_t *frame, size_t len);

/* Turns a frame around again: Ethernet and IP addresses, ports. */
void trim_turn(uint8_t *frame, size_t len);

/* Of a frame that was turned around, @was before. */
const char *trim_returned_fault(const struct trim_was *was, const uint8_t *frame, size_t len);

#endif
