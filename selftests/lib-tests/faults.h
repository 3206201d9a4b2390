/* SPDX-License-Identifier: GPL-2.0 */
/* Links that lose, double, reorder and forge, reproducibly. */
#ifndef FAULTS_H
#define FAULTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * struct faults_options - how often what goes wrong; each from 0 to 1
 * @seed: of all decisions
 * @loss: packets lost, either way
 * @duplicate: packets doubled, either way
 * @reorder: packets held back until others have passed, either way
 * @malformed: forged packets put after a result
 * @deaf_from: contributions that come before the first of those
 * @deaf: that are lost one after the other, whatever @loss says
 * @mute_from: blocks answered before the first whose result rank 0 does not get
 * @mute: how many of those there are; when it asks for them, it gets them
 */
struct faults_options {
	uint64_t seed;
	double loss;
	double duplicate;
	double reorder;
	double malformed;
	uint64_t deaf_from;
	uint64_t deaf;
	uint64_t mute_from;
	uint64_t mute;
};

struct faults_counters {
	uint64_t lost;
	uint64_t doubled;
	uint64_t held;
	uint64_t forged;
};

struct faults {
	struct faults_options options;
	struct faults_counters counters;
	uint64_t state;
	uint64_t seen;
	uint64_t answered;
};

void faults_init(struct faults *faults, const struct faults_options *options);

/* Decisions about the next packet; those that come true are counted. */
bool faults_lose(struct faults *faults);
bool faults_deaf(struct faults *faults);
bool faults_mute(struct faults *faults);
bool faults_double(struct faults *faults);
bool faults_hold(struct faults *faults);
bool faults_forge(struct faults *faults);

/* Below @limit. */
uint32_t faults_random(struct faults *faults, uint32_t limit);

/*
 * Makes of a result of @length bytes, with @room bytes of memory, something that
 * no worker may take for one. Returns its length.
 */
size_t faults_mutate(struct faults *faults, uint8_t *packet, size_t length, size_t room);

#endif
