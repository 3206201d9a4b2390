/* SPDX-License-Identifier: BSD-2-Clause */
/* Sentences for errors. */
#ifndef WEIR_ERROR_H
#define WEIR_ERROR_H

struct weir;

/* Notes the sentence of an error that leaves the communicator usable; returns @err. */
__attribute__((format(printf, 3, 4)))
int error_refuse(struct weir *comm, int err, const char *format, ...);

/* Notes the sentence of a final error; returns @err. */
__attribute__((format(printf, 3, 4)))
int error_fail(struct weir *comm, int err, const char *format, ...);

/* Notes for weir_error(NULL) why weir_open() failed. */
void error_keep(const char *sentence);

#endif
