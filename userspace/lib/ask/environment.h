/* SPDX-License-Identifier: BSD-2-Clause */
/* Settings that launchers pass to their processes: torchrun, Open MPI, MPICH, PMIx, SLURM. */
#ifndef WEIR_ENVIRONMENT_H
#define WEIR_ENVIRONMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* False where no launcher tells both. */
bool environment_ranks(uint16_t *rank, uint16_t *ranks);

/* $WEIR_TREES, 0 where it is not set; false where it is no number. */
bool environment_trees(uint32_t *trees);

/* A name that all ranks of this run have, and no other run; false where no launcher gives one. */
bool environment_name(char *name, size_t size);

#endif
