/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Names are data: a device, a path or a section may have any bytes but zero. These functions write
 * such a name where the text around it has a syntax of its own.
 *
 * A word of a saved file is a word of bash: plain, in '...', or with bytes that are not printable ASCII
 * in $'...'. A name in JSON and in metrics must be UTF-8, and two names must not become the same: one
 * that is not UTF-8, or has control characters, is written as that word, as is one that begins with $'.
 */
#ifndef WEIR_QUOTE_H
#define WEIR_QUOTE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Write a word so that quote_next() and a shell read the same bytes. */
void quote_word(FILE *file, const char *word);

/* As quote_word(), as a string that the caller frees. */
char *quote_copy(const char *word);

/**
 * quote_next - take the next word off a line
 * @at: the rest of the line, which is changed; NULL after the last word
 * @word: the word without its quotes, within the line; NULL if there is none left
 *
 * Blanks separate words, and a # where a word could begin ends the line. Backslash, '...', "..."
 * and $'...' quote as in bash; nothing is expanded.
 *
 * Return: false if a quote is not closed.
 */
bool quote_next(char **at, char **word);

/* Return the length of the UTF-8 sequence that @bytes begin with, 0 if there is none. */
size_t quote_utf8(const char *bytes, size_t left);

/* Return the name as UTF-8 without control characters: a string that the caller frees. */
char *quote_text(const char *name);

/* Return a sentence with \xNN for bytes that are not UTF-8 text: a string that the caller frees. */
char *quote_sentence(const char *sentence);

/* Write the name as the value of a label of metrics, without the quotation marks around it. */
void quote_label(FILE *file, const char *name);

#endif
