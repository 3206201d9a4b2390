/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Shared by all parts of the tool: the options, and how a problem is reported.
 *
 * A function that talks to the user about its failure returns the exit status
 * that the failure leads to (greater than 0). A function that leaves the report
 * to its caller returns a negative errno.
 */
#ifndef WEIR_TOOL_H
#define WEIR_TOOL_H

#include <stdbool.h>
#include <stdint.h>

#ifndef WEIR_VERSION
#define WEIR_VERSION "0"
#endif

enum {
	WEIR_OK		= 0,
	WEIR_REFUSED	= 1,	/* by the kernel or the system */
	WEIR_USAGE	= 2,	/* the command line is wrong */
};

enum color_when { COLOR_AUTO, COLOR_ALWAYS, COLOR_NEVER };

struct options {
	bool json;
	bool pretty;
	bool stats;
	bool debug;
	enum color_when color;
	const char *netns;
};

extern struct options opt;

/**
 * struct problem - an error, as text and JSON report it
 * @status: WEIR_REFUSED or WEIR_USAGE
 * @err: errno, or 0 where there is none
 * @key: the key of the command line that is at fault, or NULL
 */
struct problem {
	int status;
	int err;
	const char *key;
};

int tell(const struct problem *problem, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
int usage(const char *key, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
int refused(int err, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
void warning(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* From now on an error with this errno, 0 for none, is not reported, and counts as success. */
void tell_unless(int err);

/*
 * Set the place that messages are about from now on: "FILE line 7"; NULL for none. The name is not copied,
 * as this is called for each line of files of millions of lines.
 */
void tell_where(const char *file, unsigned long long line);

/* Prints a choice of the tool where the command line gives none. */
void note(const char *format, ...) __attribute__((format(printf, 1, 2)));

int netns_enter(const char *name);

#endif
