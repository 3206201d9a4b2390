/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The length of the data band, the header band's share of the link, and the percentages of
 * meters: as words and as attributes.
 */
#ifndef WEIR_BANDS_H
#define WEIR_BANDS_H

#include <libmnl/libmnl.h>

struct syntax;
struct value;

/* `limit`: packets, a size or a time, as the unit says, or `dynamic` and an alpha. */
extern const struct syntax limit_syntax;

/* The same in one word, value->word, where alpha follows `dynamic:`. Returns an exit status. */
int limit_parse_word(struct value *value);

/* A size, or a number of bytes. */
extern const struct syntax size_syntax;

/* `share`: strict, K:1 or P%. */
extern const struct syntax share_syntax;

/* `full`: drop, return, or return always. */
extern const struct syntax full_syntax;

/* A percentage, 1 to 100, with or without its sign. */
extern const struct syntax percent_syntax;

/* @trim: the attributes of a policy, by type */
void limits_print(const struct nlattr **trim);
void port_limit_print(const struct nlattr *limit);
void share_print(const struct nlattr **trim);
void full_print(const struct nlattr *full);
void percent_print(const char *key, const struct nlattr *attr);

#endif
