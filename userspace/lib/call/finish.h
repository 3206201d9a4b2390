/* SPDX-License-Identifier: BSD-2-Clause */
/* Finish allreduces. */
#ifndef WEIR_FINISH_H
#define WEIR_FINISH_H

struct weir_request;

/* weir_wait() of a request that is there, with its communicator entered. */
int finish_wait(struct weir_request **request);

#endif
