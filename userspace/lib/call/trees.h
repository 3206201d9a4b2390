/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Several trees a job: a communicator whose work is done by one communicator a tree. Each of these
 * has its own socket, window, congestion state, timers and generation, and a job of its own on the
 * boxes. Block b of a vector goes by tree b mod T; a request has a part on each tree, which reads and
 * writes the caller's vectors where the tree's blocks are.
 */
#ifndef WEIR_TREES_H
#define WEIR_TREES_H

#include <stdbool.h>
#include <stdint.h>

#include "comm/comm.h"

struct weir_options;
struct weir_poll;
struct weir_request;

/* As many as a job may have. */
#define TREES_MAX	16

/**
 * struct trees - those of a communicator
 * @count: number of trees
 * @greeting: the sum of the ranks' greetings, which is 0
 * @failed: the one that has failed first, where the communicator has
 * @behind: the one that has fallen behind first, where the communicator has
 * @epoll: readable where a tree's socket is, or its thread has news
 * @is_watched: @epoll watches the socket of the tree, or the descriptor of its thread
 * @for_room: it waits for room in the socket, too
 * @is_due: something is to be done on the tree, in the loop that waits
 * @wakes: time at which the tree is due without a packet; 0 if something was done on it, in that
 *	loop, since that was noted
 * @members: ranks that the boxes report, of all trees together
 * @missing: ranks that this rank waits for, of all trees together
 * @tree: each one's communicator
 */
struct trees {
	unsigned int count;
	uint32_t greeting;
	unsigned int failed;
	unsigned int behind;
	int epoll;
	bool is_watched[TREES_MAX];
	bool for_room[TREES_MAX];
	bool is_due[TREES_MAX];
	uint64_t wakes[TREES_MAX];
	struct members members;
	uint64_t missing[BITMAP_WORDS];
	struct weir *tree[TREES_MAX];
};

/* Opens them, one after the other, as all ranks do. Returns 0 or a negative errno. */
int trees_open(struct weir *comm, const struct weir_options *options);
void trees_close(struct weir *comm);

/*
 * Begins a call on all trees. Returns 0, or -EBUSY from a callback of a tree's thread: none has
 * changed then.
 */
int trees_enter(struct weir *comm);
void trees_leave(struct weir *comm);

/* Asks for the trees' places again, as ask_renew(), which returns alike. */
int trees_renew(struct weir *comm);

/*
 * One that has failed fails the others, whose blocks alone are no sum; and where one has fallen
 * behind, so have all. Inside all.
 */
int trees_check(struct weir *comm);

/* The sentence of one that has fallen behind, of the communicator itself or of a tree. Return -ESTALE. */
int trees_refuse(struct weir *comm);

/* The one whose state an error is about: the communicator itself, where it has no trees. */
const struct weir *trees_blamed(const struct weir *comm);

struct weir_poll trees_poll(struct weir *comm);

/* @epoll is to tell of what @poll says of a tree; its number is in the event. */
void trees_watch(struct trees *trees, unsigned int tree, const struct weir_poll *poll);

#endif
