/* SPDX-License-Identifier: GPL-2.0 */
/* State that all processes of a run share, and the report of a fault. */
#ifndef REPORT_H
#define REPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RUN_KINDS	64

/**
 * struct run - state of all processes
 * @stop: it is time to end
 * @sent: requests, or frames
 * @taken: requests that were accepted
 * @refused: with a sentence or a place
 * @shown: objects in replies and notifications
 * @of: of those accepted, how many of each kind
 */
struct run {
	_Atomic bool stop;
	_Atomic uint64_t sent;
	_Atomic uint64_t taken;
	_Atomic uint64_t refused;
	_Atomic uint64_t shown;
	_Atomic uint64_t of[RUN_KINDS];
};

extern struct run *run;

/* Memory that processes share from here on. */
void report_init(void);

/* Sets this process's name, for its report. */
void report_as(const char *who);

/* Sets the bytes being tried: printed with a fault, in hexadecimal. */
void report_about(const void *data, size_t len);

/* Reports a fault and its bytes, in lines that begin with '#', and ends the process. */
void fault(const char *format, ...) __attribute__((format(printf, 1, 2), noreturn));

#endif
