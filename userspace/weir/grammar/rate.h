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

/* Of a VALUE_RATE. */
extern const struct words rate_words;

/* Return true if both are the same. A burst that @wanted lacks is the module's own. */
bool rate_same(const struct rate *now, const struct rate *wanted);

void rate_put(struct nlmsghdr *message, uint16_t attr, const struct rate *rate);

/* Of a WEIR_A_*_RATE nest, which may be NULL. */
void rate_print(const struct nlattr *nest);

#endif
