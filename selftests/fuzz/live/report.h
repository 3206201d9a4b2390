/* SPDX-License-Identifier: GPL-2.0 */
/* What all processes of a run share, and how one says that it has found a fault. */
#ifndef REPORT_H
#define REPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RUN_KINDS	64

/**
 * struct run - what all processes see
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

/* Who this process is, for its report. */
void report_as(const char *who);

/* What is being tried: said with a fault, in hexadecimal. */
void report_about(const void *data, size_t len);

/* Says what is wrong and with what, in lines that begin with '#', and ends the process. */
void fault(const char *format, ...) __attribute__((format(printf, 1, 2), noreturn));

#endif
