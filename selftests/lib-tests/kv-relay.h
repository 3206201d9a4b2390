/* SPDX-License-Identifier: GPL-2.0 */
/* A path between a mapper and a reducer, which loses, doubles and reorders packets both ways. */
#ifndef KV_RELAY_H
#define KV_RELAY_H

#include <netinet/in.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "faults.h"

#define RELAY_BYTES 9100

/**
 * struct relay_way - one direction
 * @faults: of its packets
 * @held: a packet that waits until another one has passed
 * @length: of it; 0 where there is none
 */
struct relay_way {
	struct faults faults;
	uint8_t held[RELAY_BYTES];
	size_t length;
};

/**
 * struct relay - the path
 * @near: the socket that the mapper sends to
 * @far: the one that is connected to the reducer
 * @mapper: where packets on @near come from
 * @up: towards the reducer
 * @down: back
 * @silent: packets back say that the reducer is silent, as a box does (WEIR_KV_SILENT)
 * @cut: nothing passes
 * @stop: the thread is to end
 */
struct relay {
	int near;
	int far;
	struct sockaddr_in mapper;
	struct relay_way up;
	struct relay_way down;
	pthread_t thread;
	atomic_bool silent;
	atomic_bool cut;
	atomic_bool stop;
};

/* From a port of 127.0.0.1 to another one. */
bool relay_start(struct relay *relay, uint16_t from, uint16_t to,
		 const struct faults_options *options);
void relay_stop(struct relay *relay);

#endif
