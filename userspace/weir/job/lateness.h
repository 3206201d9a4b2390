/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Histograms of lateness: how long after their block's first contribution those of a
 * source came. Buckets double; see lateness-buckets in uapi/weir.yaml.
 */
#ifndef WEIR_LATENESS_H
#define WEIR_LATENESS_H

#include <libmnl/libmnl.h>
#include <stdint.h>

#include <weir.h>

#define LATENESS_LAST (WEIR_LATENESS_BUCKETS - 1)
#define LATENESS_TEXT 40

struct lateness {
	uint64_t bucket[WEIR_LATENESS_BUCKETS];
	uint64_t total;
};

/* From the kernel's description of a source. */
void lateness_read(struct lateness *lateness, const struct nlmsghdr *source);

/* The same from such attributes of any message. */
void lateness_read_attr(struct lateness *lateness, const struct nlmsghdr *message, uint16_t type);

/* The difference to earlier counters; all of it if they have restarted at 0 since. */
void lateness_since(struct lateness *lateness, const struct lateness *before);

/* The bucket that so many of a thousand do not exceed; -1 where there are none. */
int lateness_quantile(const struct lateness *lateness, unsigned int permille);

/* The bounds of a bucket in microseconds; the last one ends nowhere. */
uint64_t lateness_from(unsigned int bucket);
uint64_t lateness_below(unsigned int bucket);

/* "<32us", or of the last bucket ">8.39s"; "-" for bucket -1. */
const char *lateness_text(char text[static LATENESS_TEXT], int bucket);

/* The same in six columns at most, rounded. */
const char *lateness_short(char text[static LATENESS_TEXT], int bucket);

/* In JSON alone: its buckets, with how many of @what each has. */
void lateness_print_list(const struct lateness *lateness, const char *list, const char *what);

/* Its quantiles as fields in text, its buckets in JSON. */
void lateness_print(const struct lateness *lateness);

/* In text alone: a line for each bucket from the first to the last that is not empty. */
void lateness_draw(const struct lateness *lateness);

#endif
