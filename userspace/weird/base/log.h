/* SPDX-License-Identifier: GPL-2.0 */
/* The daemon's messages to its administrator: lines on standard error. */
#ifndef WEIRD_LOG_H
#define WEIRD_LOG_H

__attribute__((format(printf, 1, 2)))
void log_line(const char *format, ...);

/* The same, and the daemon ends with status 1. */
__attribute__((noreturn, format(printf, 1, 2)))
void log_die(const char *format, ...);

/* Memory of zeroes, or the daemon ends. */
void *zalloc(unsigned long size);

#endif
