/* SPDX-License-Identifier: BSD-2-Clause */
/* Settings that the environment has, and that must be alike on all ranks. */
#ifndef WEIR_MPI_SETTINGS_H
#define WEIR_MPI_SETTINGS_H

#include <stdbool.h>
#include <stdint.h>

#include "named.h"

#define SETTINGS_JOBS	8
#define FAULT_LENGTH	256

struct job {
	uint8_t id;
	uint16_t port;
};

/**
 * struct settings - from WEIR_BOX, WEIR_JOB, WEIR_MIN_BYTES, WEIR_GRADS
 * @is_asked: the box gives jobs
 * @run: then the name of the run
 * @jobs: else the number of jobs
 * @job: one for each type and operation
 * @grads: elements a packet; 0 is the library's default
 * @min_bytes: smaller vectors are MPI's own
 */
struct settings {
	bool is_asked;
	char run[NAMED_LENGTH];
	uint32_t jobs;
	struct job job[SETTINGS_JOBS];
	uint32_t grads;
	uint64_t min_bytes;
};

/* Returns 0, or -1 and a sentence. */
int settings_read(struct settings *settings, char fault[FAULT_LENGTH]);

/* Reads a number of a variable that may be unset. Returns as above. */
int settings_number(const char *variable, uint64_t most, uint64_t *value,
		    char fault[FAULT_LENGTH]);

/* Return true if MPI may be asked for more threads than the program has: WEIR_MPI_THREADS, else @needed. */
bool settings_threads(bool needed);

#endif
