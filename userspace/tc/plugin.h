/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The interface of tc(8) of iproute2 and its plug-ins. iproute2 installs no header for it: a
 * plug-in is a shared object q_KIND.so in tc's directory with a symbol KIND_qdisc_util, and
 * may call what the program exports. It is unchanged since iproute2 5.0, except the last
 * member of the structure, which came with 5.8; older versions do not read it.
 */
#ifndef _WEIR_TC_PLUGIN_H
#define _WEIR_TC_PLUGIN_H

#include <linux/rtnetlink.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/**
 * struct qdisc_util - a kind of qdisc
 * @next: tc's
 * @id: the kind
 * @parse_qopt: reads the options of a qdisc; prints a mistake itself, and returns -1
 * @print_qopt: prints TCA_OPTIONS of a qdisc
 * @print_xstats: prints TCA_STATS_APP of one
 * @parse_copt: reads the options of a class
 * @print_copt: prints TCA_OPTIONS of a class
 * @has_block: sets its last argument to whether a qdisc's options name a block of filters
 */
struct qdisc_util {
	struct qdisc_util *next;
	const char *id;
	int (*parse_qopt)(struct qdisc_util *util, int argc, char **argv,
			  struct nlmsghdr *message, const char *dev);
	int (*print_qopt)(struct qdisc_util *util, FILE *file, struct rtattr *options);
	int (*print_xstats)(struct qdisc_util *util, FILE *file, struct rtattr *stats);
	int (*parse_copt)(struct qdisc_util *util, int argc, char **argv,
			  struct nlmsghdr *message, const char *dev);
	int (*print_copt)(struct qdisc_util *util, FILE *file, struct rtattr *options);
	int (*has_block)(struct qdisc_util *util, struct rtattr *options, uint32_t block,
			 bool *has);
};

/* tc prints text or JSON: flags for each and for both, and no colour. */
#define PRINT_FP	1
#define PRINT_JSON	2
#define PRINT_ANY	4
#define COLOR_NONE	6

int print_color_u64(int type, int color, const char *key, const char *format, uint64_t value);
int print_color_string(int type, int color, const char *key, const char *format,
		       const char *value);
void print_nl(void);

/* They write attributes of the message that tc sends, which has @max bytes. */
struct rtattr *addattr_nest(struct nlmsghdr *message, int max, int type);
int addattr_nest_end(struct nlmsghdr *message, struct rtattr *nest);
int addattr32(struct nlmsghdr *message, int max, int type, uint32_t value);
int addattr64(struct nlmsghdr *message, int max, int type, uint64_t value);

#endif /* _WEIR_TC_PLUGIN_H */
