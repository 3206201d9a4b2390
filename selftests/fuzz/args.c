// SPDX-License-Identifier: GPL-2.0
/* The command line of weir: one word a line of the input. */
#include <string.h>

#include "base/tool.h"
#include "grammar/args.h"

#include "fuzz.h"

#define WORDS_MAX	64

struct options opt;

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 1), *words[WORDS_MAX], *at, *word;
	struct args args;
	int n = 0, status;

	if (!text)
		return 0;
	memcpy(text, data, size);
	text[size] = '\0';
	for (at = text; n < WORDS_MAX && (word = strsep(&at, "\n"));)
		words[n++] = word;
	status = args_parse(&args, n, words);
	HOLDS(status == WEIR_OK || status == WEIR_USAGE || status == WEIR_REFUSED);
	if (!status) {
		HOLDS(args.object && args.verb && args.count <= ARGS_MAX);
	}
	free(text);
	return 0;
}
