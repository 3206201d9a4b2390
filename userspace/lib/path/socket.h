/* SPDX-License-Identifier: BSD-2-Clause */
/* The sockets of a communicator. */
#ifndef WEIR_SOCKET_H
#define WEIR_SOCKET_H

#include <stdbool.h>
#include <stddef.h>

#include "base/address.h"

struct weir;

/*
 * Opens the socket towards the box, and the one of the group. The first is connected: so
 * it takes packets from the box alone, and gets an error when the box has no such port.
 */
int socket_open(struct weir *comm);
void socket_close(struct weir *comm);

/*
 * Connects to another box, and discards packets that have come of the one before. Returns false
 * where there is no way to it: then nothing has changed.
 */
bool socket_turn(struct weir *comm, const struct address *box);

/*
 * Connects a socket that has the same address and port as the one towards the box, to ask another
 * one. Returns false where there is no way to it.
 */
bool socket_aside(struct weir *comm, const struct address *box);

/*
 * Let the kernel merge packets if it can, after the last of those that are read one by one has come.
 * Return true if messages that come may be merged.
 */
bool socket_merge(struct weir *comm);

/*
 * Make packets of this rank ECN-capable if the box reports marks in its results (@is_on), so that
 * queues on the way mark them instead of dropping them.
 */
void socket_ecn(struct weir *comm, bool is_on);

/* Let the kernel report marks, with each message from now on. */
void socket_hear_marks(struct weir *comm);

/*
 * Return the number of packets of this rank that are together as long as one of the path's MTU, in
 * parts of PACE_ONE.
 */
uint32_t socket_growth(const struct weir *comm);

/* Raises the buffers as far as the system allows, and lowers the window to their room. */
void socket_buffers(struct weir *comm);

/* Bytes of a packet with a whole block, headers included. */
unsigned int socket_packet_size(const struct weir *comm);

/* Bytes behind UDP's header of the longest packet that has gradients. */
size_t socket_payload(const struct weir *comm);

/* Fails the communicator where the path carries no whole block, as far as it is known. */
int socket_check_size(struct weir *comm);

/* Writes the address that the box sees packets come from. */
void socket_local(const struct weir *comm, char text[ADDRESS_TEXT]);

/* A packet was longer than the path takes: fails the communicator. */
int socket_too_long(struct weir *comm);

#endif
