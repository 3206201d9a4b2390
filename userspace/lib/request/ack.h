/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Acknowledgments: they report to the box which results this rank has received, so that the box need
 * not retain them for it.
 *
 * A contribution to block b implies that this rank has all results before b less the largest window,
 * which is half of the box's blocks. If that leaves a quarter of such a window or more
 * unacknowledged, a cumulative acknowledgment is sent:
 *
 * - with contributions, as the short last segment of a merged message;
 * - at the end of the last call under way, with WEIR_TRIO_FINAL: the program has got as far as this
 *   rank's results;
 * - for results that were received before the program asked for them.
 *
 * A rank that was late, so that blocks are complete without it, has caught up when no early results
 * are left. It reports so with WEIR_TRIO_FINAL, once a call: at its end, or with the first
 * contributions of the next one; but not of a call that it only follows, as the box then waits for its
 * contributions.
 *
 * An acknowledgment may be lost. The next one makes up for it, and so does a later contribution. One
 * with WEIR_TRIO_FINAL is repeated with the next contributions.
 */
#ifndef WEIR_ACK_H
#define WEIR_ACK_H

#include <stdbool.h>
#include <stdint.h>

struct weir;

/* Return whether an acknowledgment is to be sent with contributions. */
bool ack_goes_along(const struct weir *comm);

/* Write an acknowledgment to go along, WIRE_HEADER bytes; and note that it was sent. */
void ack_write(struct weir *comm, void *packet);
void ack_sent(struct weir *comm, const void *packet);

/*
 * Send the acknowledgment that is due, by itself; and ask for results that were lost before the
 * program wanted them. Return how many packets were sent, or a negative errno.
 */
int ack_due(struct weir *comm);

/* Return the time when ack_due() asks for lost results, or UINT64_MAX if there are none. */
uint64_t ack_deadline(const struct weir *comm);

/* Report at once that the program goes on at the next block. Return 0 or a negative errno. */
int ack_resumed(struct weir *comm);

#endif
