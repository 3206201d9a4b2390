/* SPDX-License-Identifier: GPL-2.0 */
/* The reason of a refusal: the status of HTTP, and a sentence. */
#ifndef WEIRD_REFUSAL_H
#define WEIRD_REFUSAL_H

#include <stdbool.h>

#define REFUSAL_TEXT 384

/**
 * struct refusal - the answer to a request that is not granted
 * @status: of HTTP; 0 is none
 * @text: the sentence
 */
struct refusal {
	int status;
	char text[REFUSAL_TEXT];
};

/* Fills it, unless it tells of an earlier fault. Returns false, for the caller to return. */
__attribute__((format(printf, 3, 4)))
bool refuse(struct refusal *refusal, int status, const char *format, ...);

#endif
