/* SPDX-License-Identifier: GPL-2.0 */
/* DSCPs by number and by name, and those of traffic classes. */
#ifndef WEIR_DSCP_H
#define WEIR_DSCP_H

#include <libmnl/libmnl.h>
#include <stdint.h>

#define TRAFFIC_CLASSES 16

struct syntax;

/* Of each traffic class. */
struct dscp_map {
	uint8_t dscp[TRAFFIC_CLASSES];
};

#define NO_CLASS 255

/* Of each DSCP; NO_CLASS for none. */
struct class_map {
	uint8_t class[64];
};

/* `dscp`: a number, a name, or the key's word for no DSCP of its own. */
extern const struct syntax dscp_syntax;

/* `tc-dscp`: CLASS:DSCP,... with 8 times the class, or 0 from 8 on, if one is not named. */
extern const struct syntax dscp_map_syntax;

/* `dscp-tc`: DSCP:CLASS,... */
extern const struct syntax class_map_syntax;

/* DSCP,...: a word of bits, empty where the key's word for none is given. */
extern const struct syntax dscp_list_syntax;

void dscp_list_print(const char *key, const struct nlattr *attr);
void dscp_map_print(const char *key, const struct nlattr *attr);
/* In JSON an array by DSCP, -1 for none. */
void class_map_print(const char *key, const struct nlattr *attr);

#endif
