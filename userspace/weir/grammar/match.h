/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The packets that a trimming policy, or another rule, matches:
 *
 *	any
 *	dscp=A[-B],proto=udp|tcp|ndp|NUMBER,port=N,sport=N,vlan=N,
 *	src=ADDRESS[/BITS],dst=ADDRESS[/BITS],from=DEVICE
 *
 * in any order, each at most once; a part that is missing matches all. Rules of filters have
 * more parts (match_more.h), and no from.
 */
#ifndef WEIR_MATCH_H
#define WEIR_MATCH_H

#include <libmnl/libmnl.h>
#include <net/if.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/addr.h"
#include "grammar/match_more.h"

#define MATCH_TEXT 256

/* For help: the words of a rule of trimming, or of an order. */
#define MATCH_WORDS "any|dscp=A[-B],proto=udp|tcp|ndp|NUMBER,port=N,sport=N,vlan=N,src=ADDRESS[/BITS],dst=ADDRESS[/BITS],from=DEVICE"

struct syntax;

/**
 * struct prefix - addresses
 * @addr: one of them
 * @bits: leading bits of it that count; 0 where no address is given
 */
struct prefix {
	struct addr addr;
	uint32_t bits;
};

/**
 * struct match - the conditions of a rule
 * @dscp: the lowest DSCP; counts where @has_dscp
 * @last: the highest one
 * @proto: IP protocol; 0 for all, as below
 * @port: UDP or TCP destination port
 * @sport: UDP or TCP source port
 * @vlan: of the outer tag
 * @src: source addresses
 * @dst: destination addresses
 * @from: the device that it came in by; empty for all
 * @more: conditions that only rules of filters have
 */
struct match {
	bool has_dscp;
	uint32_t dscp;
	uint32_t last;
	uint32_t proto;
	uint32_t port;
	uint32_t sport;
	uint32_t vlan;
	struct prefix src;
	struct prefix dst;
	char from[IF_NAMESIZE];
	struct match_more more;
};

/* Packets that are trimmed, and those that never are. */
extern const struct syntax match_syntax;
extern const struct syntax match_disable_syntax;

/* Packets of a filter's rule: an attribute WEIR_A_FILTER_MATCH. */
extern const struct syntax match_filter_syntax;

/* Adds the conditions of a word to those that there are. NULL, or what is wrong with it. */
const char *match_parse(struct match *match, const char *word, bool filter);

/* The nest of a filter's match, put and read. */
void match_put(struct nlmsghdr *message, uint16_t attr, const struct match *match);
void match_read(struct match *match, const struct nlattr *nest);

/* The conditions of a policy's rule, WEIR_A_TRIM_RULE. Returns whether it disables trimming. */
bool match_read_rule(struct match *match, const struct nlattr *rule);

/* As the command line takes it; match_append() adds a part. */
void match_text(struct match *match, char text[static MATCH_TEXT]);
void match_append(char text[static MATCH_TEXT], const char *field, const char *value);

/* One match: a field in text, a member of a list in JSON. */
void match_print_one(const char *key, struct match *match);
/* Prints one rule. */
void match_print_rule(const char *key, const struct nlattr *rule);

/* Print all rules among the attributes of a policy, as two lists in JSON; with @counters, their counters, too. */
void match_print(const struct nlmsghdr *message, bool counters);

/**
 * enum match_extent - how many packets of a protocol and port, as source or destination, match
 * @MATCH_NONE: none
 * @MATCH_SOME: those that meet other conditions, too
 * @MATCH_ALL: all; there is no other condition
 */
enum match_extent {
	MATCH_NONE,
	MATCH_SOME,
	MATCH_ALL,
};

enum match_extent match_extent(const struct match *match, uint32_t proto, uint32_t port);

/*
 * Return true if a policy may have packets of this protocol and port, to it or from it, trimmed,
 * whatever their DSCP, addresses and VLAN.
 */
bool match_may_trim(const struct nlmsghdr *message, uint32_t proto, uint32_t port);

/* Return the number of rules. */
unsigned int match_count(const struct nlmsghdr *message);

#endif
