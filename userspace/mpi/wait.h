/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef WEIR_MPI_WAIT_H
#define WEIR_MPI_WAIT_H

#include <stdbool.h>

/*
 * Return true if it is the library that asks MPI about a request, in this thread, and not the program.
 * An error of the request is then not reported yet.
 */
bool wait_asks(void);

#endif
