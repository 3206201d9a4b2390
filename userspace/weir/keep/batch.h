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

/* Marks of a saved file: its first line, and its last one, with the number of commands. */
#define BATCH_BEGIN	"# weir save: the last line counts the commands"
#define BATCH_END	"# end of %zu commands"

/*
 * Read all of a text: a word `weir` in front may be left out, a # begins a comment, and a
 * backslash at a line's end has it go on. Words are quoted as for a shell. Return an exit status.
 */
int batch_read(struct batch *batch, FILE *file, const char *name);

/*
 * As batch_read(), and refuse a file that may have lost its end: one without a command, one whose last
 * line does not end, and one that has only one of the marks, or another number of commands than it says.
 */
int batch_read_whole(struct batch *batch, FILE *file, const char *name);

/* Write the commands as a file with both marks. */
void batch_write(const struct batch *batch, FILE *file);

/* Add the words of a line; false if a quote is not closed. */
bool batch_add(struct batch *batch, unsigned int line, const char *text);

/* Add a command of these words, which need no quotes. */
void batch_add_words(struct batch *batch, size_t count, const char *const *word);
void batch_free(struct batch *batch);

/* Write the words, quoted, with blanks between them. */
void batch_print(const struct command *command, FILE *file);

/* Reads the words; a mistake is reported with the line's number, where it has one. */
int batch_parse(const struct command *command, const char *name, struct args *args);

#endif
