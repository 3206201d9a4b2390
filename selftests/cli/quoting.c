// SPDX-License-Identifier: GPL-2.0
/*
 * quoting MODE: the tool's quoting of names, for the test. Names come on standard input, each ended by
 * a zero byte, and so do the results go out: as words of a saved file, in UTF-8, or as labels. With
 * "split" the input is one line, and its words go out.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/quote.h"

static void convert(const char *mode, const char *name)
{
	char *text;

	if (!strcmp(mode, "word")) {
		quote_word(stdout, name);
	} else if (!strcmp(mode, "label")) {
		quote_label(stdout, name);
	} else {
		text = strcmp(mode, "text") ? quote_sentence(name) : quote_text(name);
		fputs(text, stdout);
		free(text);
	}
	putchar('\0');
}

static int split(char *line)
{
	char *word;

	do {
		if (!quote_next(&line, &word))
			return 1;
		if (word) {
			fputs(word, stdout);
			putchar('\0');
		}
	} while (line);
	return 0;
}

int main(int argc, char **argv)
{
	char *name = NULL;
	size_t size = 0;
	int bad = 0;

	if (argc != 2)
		return 2;
	while (!bad && getdelim(&name, &size, '\0', stdin) > 0) {
		if (!strcmp(argv[1], "split"))
			bad = split(name);
		else
			convert(argv[1], name);
	}
	free(name);
	return bad || ferror(stdin) || fflush(stdout);
}
