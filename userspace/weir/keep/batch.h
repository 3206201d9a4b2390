/* SPDX-License-Identifier: GPL-2.0 */
/* Commands of the tool in a text, one a line, as `weir save` writes them. */
#ifndef WEIR_BATCH_H
#define WEIR_BATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "grammar/args.h"

/**
 * struct command - a line's words
 * @line: its number in the text
 * @count: words
 * @word: they are in @text
 */
struct command {
	unsigned int line;
	int count;
	char **word;
	char *text;
};

struct batch {
	size_t count;
	struct command *command;
};

/*
 * Reads all of a file: a word `weir` in front may be left out, a # begins a comment, and a
 * backslash at a line's end has it go on. Returns an exit status.
 */
int batch_read(struct batch *batch, FILE *file, const char *name);

/* Adds the words of a text. */
void batch_add(struct batch *batch, unsigned int line, const char *text);
void batch_free(struct batch *batch);

/* The words with blanks between them, for a reader. */
void batch_print(const struct command *command, FILE *file);

/* Reads the words; a mistake is reported with the line's number, where it has one. */
int batch_parse(const struct command *command, const char *name, struct args *args);

#endif
