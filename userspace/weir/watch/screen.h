/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A page of text that is shown again and again: in place on a terminal, one below the
 * other elsewhere.
 */
#ifndef WEIR_SCREEN_H
#define WEIR_SCREEN_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <termios.h>

#include "base/print.h"

/**
 * struct screen - a page
 * @live: it is a terminal's, which is to be restored
 * @width: columns; longer lines are cut off
 * @height: lines; further ones are cut off
 * @line: those written so far, @lines of them
 * @out: stream of the line that is being written, NULL between lines
 * @column: of that line
 * @keys: pressed last, where screen_wait() said so, @pressed of them
 */
struct screen {
	bool live;
	unsigned int width;
	unsigned int height;
	char **line;
	unsigned int lines;
	FILE *out;
	char *text;
	size_t size;
	unsigned int column;
	int signals;
	struct termios saved;
	char keys[16];
	size_t pressed;
};

enum screen_event { SCREEN_TIME, SCREEN_CHANGED, SCREEN_KEYS, SCREEN_QUIT };

/* Live where both standard input and output are terminals, and @plain does not forbid. */
int screen_open(struct screen *screen, bool plain);

/* Restores the terminal, and leaves the last page on it. */
void screen_close(struct screen *screen);

/* An empty page of the size that the terminal has now. */
void screen_begin(struct screen *screen);

/* Text at the end of the line; it has no control characters. */
void screen_put(struct screen *screen, enum color color, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
void screen_end_line(struct screen *screen);
void screen_show(struct screen *screen);

/* Waits for a time of CLOCK_MONOTONIC in nanoseconds, or for a key or a signal. */
enum screen_event screen_wait(struct screen *screen, uint64_t until);

uint64_t screen_clock(void);

#endif
