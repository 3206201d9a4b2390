/* SPDX-License-Identifier: GPL-2.0 */
/* Policers: read from the command line, put into attributes, shown. */
#ifndef WEIR_RATE_H
#define WEIR_RATE_H

#include <libmnl/libmnl.h>
#include <stdint.h>

#include "grammar/grammar.h"

#define RATE_TEXT 128

/**
 * struct rate - token buckets; 0 is none, and of a burst the module's own
 * @text: as it was written
 */
struct rate {
	uint32_t packets;
	uint32_t packets_burst;
	uint64_t bytes;
	uint64_t bytes_burst;
	char text[RATE_TEXT];
};

/*
 * Reads the words behind the key, up to the first that belongs to another one;
 * @used becomes their number. Returns an exit status.
 */
int rate_parse(struct rate *rate, const struct key *key, int count, char **words, int *used);

void rate_put(struct nlmsghdr *message, uint16_t attr, const struct rate *rate);

/* Of a WEIR_A_*_RATE nest, which may be NULL. */
void rate_print(const struct nlattr *nest);

/*
 * For completion: how many words behind the key are the rate's, a value that is not
 * there yet included.
 */
int rate_span(int count, char **words);

/* For completion: calls @say with each word that may follow these, which are all the rate's. */
void rate_next(int count, char **words, int (*say)(const char *word));

#endif
