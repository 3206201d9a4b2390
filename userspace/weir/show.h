/* SPDX-License-Identifier: GPL-2.0 */
/* Objects as the kernel describes them, printed: for `show` and for `monitor`. */
#ifndef WEIR_SHOW_H
#define WEIR_SHOW_H

#include <libmnl/libmnl.h>
#include <stdbool.h>

/*
 * Each prints the fields of one object into the JSON object that the caller has
 * begun. @brief leaves the counters to JSON.
 */
void job_print(const struct nlmsghdr *message, bool brief);
void source_print(const struct nlmsghdr *message, bool brief);
void port_print(const struct nlmsghdr *message);
void port_print_stats(const struct nlmsghdr *message);

/* Counters of a WEIR_A_*_STATS nest, and the reasons that were found. */
void stats_print(const struct nlattr *nest);

void print_address(const char *label, const char *key, const struct nlattr *attr);

#endif
