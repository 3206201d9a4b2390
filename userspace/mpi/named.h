/* SPDX-License-Identifier: BSD-2-Clause */
/* Jobs that the box is asked for: the URL of each. */
#ifndef WEIR_MPI_NAMED_H
#define WEIR_MPI_NAMED_H

#include <stdbool.h>

#include <libweir.h>

#define NAMED_LENGTH	64
#define NAMED_URL	512

/* Return true if @box is a URL: the box has to be asked for the jobs. */
bool named_is_asked(const char *box);

/*
 * The name that the run has, from the URL or WEIR_JOB, else one that no other run has: the ranks
 * have MPI to tell each other. Returns 0, or -1 where it is too long.
 */
int named_run(const char *box, char name[NAMED_LENGTH]);

/* The URL of the run's job of a type and an operation. Returns as above. */
int named_url(const char *box, const char *run, enum weir_type type, enum weir_operation operation,
	      char url[NAMED_URL]);

const char *named_type(enum weir_type type);
const char *named_operation(enum weir_operation operation);

#endif
