/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Trimming policies: the module has the policy, and the tool attaches the means that bring
 * packets to it: a qdisc, a tc program or XDP programs.
 */
#ifndef WEIR_TRIM_TOOL_H
#define WEIR_TRIM_TOOL_H

#include <weir_trim_nl.h>

#include "grammar/args.h"
#include "netlink/genl.h"
#include "netlink/rtnl.h"
#include "program/program.h"

/* Kind and handle of the qdiscs, by which they are found again for removal. */
#define TRIM_QDISC_KIND		"weir"
#define TRIM_QDISC_HANDLE	0x77650000
/* Its class, and a handle there for the kernel's own qdisc, which has none. */
#define TRIM_QDISC_CLASS	(TRIM_QDISC_HANDLE | 1)
#define TRIM_CHILD_HANDLE	0x77660000
/* The first handles of those at classes, and of what stands there instead of the kernel's own. */
#define TRIM_CLASS_HANDLE	0x77800000
#define TRIM_STAND_IN_HANDLE	0x77c00000
#define TRIM_CLASSES_MAX	32

/* The word of a key that takes a setting away again. */
#define TRIM_UNSET	"none"

/* Routing that doctor looks after. */
#define TRIM_BGP_PORT	179

/* Qdisc that `set` puts below a device: none if weir's is there already, or another one is. */
enum trim_qdisc {
	TRIM_QDISC_THERE,
	TRIM_QDISC_OTHERS,
	TRIM_QDISC_ROOT,
	TRIM_QDISC_MQ,
	TRIM_QDISC_MQ_THERE,
	TRIM_QDISC_ABOVE,
	TRIM_QDISC_CLASSES,
};

/* All qdiscs of a device, and the root among them: NULL while the device is down. */
struct qdiscs {
	size_t count;
	struct qdisc *qdisc;
	const struct qdisc *root;
};

/**
 * struct trim - the parts of a policy that the tool needs
 * @ifindex: 0 where there is none
 * @hook: enum weir_trim_hook
 * @meter: enum weir_trim_meter
 * @said: attributes given for the port itself, bit i being WEIR_A_TRIM_i
 * @rules: number of rules
 * @dscp: of trimmed packets
 * @size: bytes of a frame that stay
 * @bgp: its rules may match BGP's packets
 * @acl: the ACL that it names, or ""
 * @idle: no frame is longer than @size, so nothing is trimmed
 * @edge: marks of packets that come in by the device are not trusted
 * @sends: its driver takes redirected frames
 * @device_dropped: packets that the device itself has dropped
 * @lost: redirected frames that neither device nor qdisc took
 */
struct trim {
	unsigned int ifindex;
	char dev[IF_NAMESIZE];
	uint32_t hook;
	uint32_t meter;
	uint64_t rate;
	uint64_t said;
	unsigned int rules;
	uint32_t dscp;
	bool bgp;
	char acl[WEIR_TRIM_ACL_NAME_MAX + 1];
	uint32_t size;
	bool idle;
	bool edge;
	bool sends;
	uint64_t device_dropped;
	uint64_t child_dropped;
	uint64_t passed;
	uint64_t lost;
};

/**
 * struct trim_attempt - a run of `trim set`
 * @filled: the same arguments, to which those of a profile are added
 * @hook: enum weir_trim_hook
 * @link: the device that packets leave by
 * @reply: message with the policy as it was; empty if there was none
 * @before: the policy as it was, read from @reply
 * @replaces: settings that the command does not give are weir's own, or the default's
 * @qdisc: of hooks qdisc and xdp, the qdisc to install
 * @kept: of TRIM_QDISC_ABOVE, the root qdisc that stays
 * @program: of hook tc, where it had to be loaded
 * @fd: of that program, -1 where nothing is to be attached
 * @forward: of hook xdp, the programs that had to be loaded, by the number of the
 *	argument that names their device
 */
struct trim_attempt {
	const struct args *args;
	struct args *filled;
	uint32_t hook;
	struct weir weir;
	struct nl rtnl;
	struct link link;
	struct nl_replies reply;
	struct trim before;
	bool replaces;
	enum trim_qdisc qdisc;
	struct qdisc kept;
	struct program program;
	int fd;
	struct program forward[ARGS_MAX];
};

/**
 * struct trim_place - how packets of a device are brought to its policy
 * @prepare: looks at the devices, and loads programs
 * @attach: attaches programs and qdiscs; undoes its own part where it fails
 * @detach: takes weir's programs and qdiscs off a device; @any: there were some. @last: of
 *	hook xdp, no other policy needs the program
 *
 * All return an exit status, with the reason printed.
 */
struct trim_place {
	int (*prepare)(struct trim_attempt *attempt);
	int (*attach)(struct trim_attempt *attempt);
	int (*detach)(struct nl *rtnl, const struct link *link, bool last, bool *any);
};

extern const struct trim_place trim_qdisc_place;	/* trim_qdisc.c */
extern const struct trim_place trim_tc_place;		/* trim_tc.c */
extern const struct trim_place trim_forward_place;	/* trim_forward.c */

/* trim_read.c */
void trim_read(const struct nlmsghdr *message, struct trim *trim);

/*
 * Return true if an ACL may leave packets of this protocol and port, to it or from it, to the policies that
 * name it. @acls: all rules of the ACL, by prio
 */
bool trim_acl_leaves(const struct nl_replies *acls, const char *name, uint32_t proto, uint32_t port);

/* Refuses words that exclude each other. Returns an exit status. */
int trim_check_words(const struct args *args);

/*
 * Put a limit of 0 packets if the command gives other limits alone and no limit was given before: the
 * default limit of packets does not count then.
 * @said: attributes that were given before, as in struct trim
 */
void trim_put_limits(struct nlmsghdr *message, const struct args *args, uint64_t said);

/* Return true if the verb gives all settings, so that those not given are unset. */
bool trim_replaces(const struct args *args);

/*
 * Puts the keys of a command. Those with the word TRIM_UNSET are no longer given; @unset: nor are
 * these, bit i being WEIR_A_TRIM_i, unless the command gives them. Returns an exit status.
 */
int trim_put(struct nlmsghdr *message, const struct args *args, uint64_t unset);

/*
 * trim_rules.c: if the command adds or takes single rules, puts all that the port is to have.
 * Returns an exit status.
 */
int trim_put_rules(struct nlmsghdr *message, const struct trim_attempt *attempt);

/* Asks for one device's policy, or with 0 for all. Returns 0 or a negative errno. */
int trim_ask(struct weir *weir, unsigned int ifindex, struct nl_replies *replies);

/* Return the number of devices other than this one that have a policy with this hook. */
unsigned int trim_others(const struct nl_replies *replies, unsigned int ifindex,
			 uint32_t hook);

/* Set @there if there is a weir qdisc on the device. Return 0 or a negative errno. */
int trim_qdisc_find(struct nl *rtnl, unsigned int ifindex, bool *there);

/* The caller frees @qdiscs->qdisc, also after an error. Returns 0 or a negative errno. */
int trim_qdiscs_look(struct nl *rtnl, unsigned int ifindex, struct qdiscs *qdiscs);
int trim_look_refused(const char *dev, int err);

/*
 * trim_classes.c: weir's qdiscs at classes. Checks those that the command gives, and puts weir's
 * there and at no other class; takes all off. Return an exit status.
 */
int trim_classes_prepare(struct trim_attempt *attempt, const struct qdiscs *qdiscs);
int trim_classes_attach(struct trim_attempt *attempt);
int trim_classes_detach(struct nl *rtnl, const struct link *link, const struct qdiscs *qdiscs,
			bool *any);

/* Return true if the tool has put the qdisc at a class. */
bool trim_classes_is(const struct qdisc *qdisc);

/*
 * The classes of a device that have a qdisc of the tool's, in order; the caller frees @classes, also
 * after an error. Returns 0 or a negative errno.
 */
int trim_classes_find(struct nl *rtnl, unsigned int ifindex, struct class **classes, size_t *count);

/*
 * trim_child.c: another root qdisc stays, as the child of weir's.
 *
 * Return true if a qdisc of this kind can be made again elsewhere from its options in the kernel.
 */
bool trim_child_can(const struct qdisc *root);

/*
 * Puts weir above another qdisc, at the root or at a class; trim_child_return() puts that back
 * there. Return an exit status.
 */
int trim_child_keep(struct nl *rtnl, const struct link *link, const struct qdisc *weir,
		    const struct qdisc *kept);
int trim_child_return(struct nl *rtnl, const struct link *link, const struct qdisc *child,
		      uint32_t parent);

/* The place of a qdisc as tc has it: "root", or "parent 1:10". */
#define TRIM_PLACE_TEXT 32
const char *trim_place_text(char text[static TRIM_PLACE_TEXT], uint32_t parent);

/*
 * Counts the devices of this namespace with the program that forwards. Returns 0 or a
 * negative errno.
 */
int trim_forward_count(struct nl *rtnl, unsigned int *devices);

/* Return true if a device has the program that forwards, alone or in its chain. */
bool trim_forward_has(const struct link *link, struct hook *hook);

/* Reports why a program of trimming cannot be attached to a device. */
int trim_attach_refused(const char *dev, int err);

/* Reports why a program or qdisc cannot be taken off a device: @why are the kernel's words. */
int trim_detach_refused(const char *dev, int err, const char *why);

#endif
