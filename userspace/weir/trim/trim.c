// SPDX-License-Identifier: GPL-2.0
/*
 * `weir trim set`, `weir trim replace`, `weir trim del` and `weir trim flush`.
 *
 * The steps that fail most come first: devices are looked at and programs loaded,
 * then the module gets the policy, then programs and qdiscs are attached. If that
 * fails, the module gets back the policy that it had. To remove a policy the programs
 * and qdiscs go first, as without them no packet uses the policy.
 */
#include <errno.h>
#include <linux/genetlink.h>
#include <stdio.h>
#include <string.h>

#include <weir_trim_nl.h>

#include "base/device.h"
#include "base/tool.h"
#include "grammar/commands.h"
#include "request/request.h"
#include "trim/profile.h"
#include "trim/speed.h"
#include "trim/trim.h"

/* Preamble, checksum and the gap behind a frame; and the shortest frame with them. */
#define ETHERNET_OVERHEAD	24
#define ETHERNET_MPU		84

static const struct trim_place *const places[] = {
	[WEIR_TRIM_HOOK_QDISC]	= &trim_qdisc_place,
	[WEIR_TRIM_HOOK_TC]	= &trim_tc_place,
	[WEIR_TRIM_HOOK_XDP]	= &trim_forward_place,
	[WEIR_TRIM_HOOK_NONE]	= NULL,
};

int trim_attach_refused(const char *dev, int err)
{
	const char *why = *bpf_said() ? bpf_said() : strerror(-err);

	switch (-err) {
	case EPERM:
		return refused(err, "not permitted to attach the program to %s: this takes CAP_NET_ADMIN; run it as root",
			       dev);
	case EBUSY:
	case EEXIST:
		return refused(err, "another program came to %s meanwhile (%s): try again", dev,
			       why);
	case EAGAIN:
		return refused(err, "clsact was taken off %s meanwhile (%s): try again", dev, why);
	case ENOSPC:
		return refused(err, "%s has as many tcx programs as the kernel lets it have: detach one, or trim with hook qdisc",
			       dev);
	case EOPNOTSUPP:
		return refused(err, "the driver of %s has no XDP of its own (%s): trim with hook tc or qdisc",
			       dev, why);
	case ERANGE:
	case EINVAL:
		return refused(err, "%s does not take the program (%s): lower its MTU, or trim with hook tc or qdisc",
			       dev, why);
	default:
		return refused(err, "cannot attach the program to %s: %s", dev, why);
	}
}

int trim_detach_refused(const char *dev, int err, const char *why)
{
	if (err == -EPERM)
		return refused(err, "not permitted to take anything off %s: this takes CAP_NET_ADMIN; run it as root",
			       dev);
	return refused(err, "cannot take off %s what trims: %s", dev,
		       *why ? why : strerror(-err));
}

/* A limit may be given once in packets, once in bytes, once as a time and once as dynamic. */
static int check_limits(const struct args *args)
{
	size_t i, j;

	for (i = 0; i < args->count; i++) {
		for (j = 0; j < i && !strcmp(args->value[i].key->name, "limit"); j++) {
			if (args->value[i].attr == args->value[j].attr)
				return usage("limit", "%s set: limit %s and limit %s are of one kind; give one limit in packets, one in bytes, one as a time and one dynamic at most",
					     args->object->name, args->value[j].word,
					     args->value[i].word);
		}
	}
	return WEIR_OK;
}

static int check_dscp(const struct args *args)
{
	const struct value *dscp = args_get(args, "dscp"), *tc = args_get(args, "tc");

	if (dscp && dscp->none && !tc)
		return usage("tc", "%s set: dscp from-tc lacks the traffic class: add `tc NUMBER`",
			     args->object->name);
	if (dscp && !dscp->none && tc)
		return usage("dscp", "%s set: dscp %s and tc %s exclude each other: give dscp from-tc, or no tc",
			     args->object->name, dscp->word, tc->word);
	return WEIR_OK;
}

int trim_check_words(const struct args *args)
{
	return check_limits(args) ?: check_dscp(args);
}

/* The policy that the device has; none is no error. */
static int read_before(struct trim_attempt *attempt)
{
	int err;

	err = trim_ask(&attempt->weir, attempt->link.ifindex, &attempt->reply);
	if (err == -ENOENT)
		return WEIR_OK;
	if (err)
		return request_refused(&attempt->weir, attempt->args);
	if (attempt->reply.count)
		trim_read(attempt->reply.message[0], &attempt->before);
	return WEIR_OK;
}

/* A policy keeps its hook; a new one needs one. */
static int choose_hook(struct trim_attempt *attempt)
{
	const struct value *hook = args_get(attempt->args, "hook");
	uint32_t before = attempt->before.hook;

	attempt->hook = hook ? hook->number : before;
	if (!attempt->hook)
		return usage("hook", "trim %s lacks the key hook, as %s has no policy yet: add `hook qdisc`, `hook tc`, `hook xdp` or `hook none`",
			     attempt->args->verb->name, attempt->link.name);
	if (before && attempt->hook != before)
		return refused(EBUSY, "%s has a policy with hook %s: run `weir trim del dev %s` to give it one with hook %s",
			       attempt->link.name, names_word(&trim_hook_names, before),
			       attempt->link.name, hook->word);
	if (attempt->hook != WEIR_TRIM_HOOK_XDP && args_get(attempt->args, "from"))
		return usage("from", "trim set: from belongs to hook xdp, and the hook is %s",
			     names_word(&trim_hook_names, attempt->hook));
	if (attempt->hook != WEIR_TRIM_HOOK_QDISC && attempt->hook != WEIR_TRIM_HOOK_XDP &&
	    args_get(attempt->args, "child"))
		return usage("child", "trim set: child belongs to the hooks qdisc and xdp, and the hook is %s",
			     names_word(&trim_hook_names, attempt->hook));
	if (attempt->hook != WEIR_TRIM_HOOK_QDISC && attempt->hook != WEIR_TRIM_HOOK_XDP &&
	    args_get(attempt->args, "class"))
		return usage("class", "trim set: class belongs to the hooks qdisc and xdp, and the hook is %s",
			     names_word(&trim_hook_names, attempt->hook));
	return WEIR_OK;
}

/* A virtual queue has to know how fast the device is. */
static bool needs_rate(const struct trim_attempt *attempt)
{
	uint32_t before = attempt->replaces ? WEIR_TRIM_METER_SHARED : attempt->before.meter;
	uint32_t meter = args_number(attempt->args, "meter", before);

	return (attempt->hook == WEIR_TRIM_HOOK_TC || attempt->hook == WEIR_TRIM_HOOK_XDP) &&
	       meter != WEIR_TRIM_METER_BACKLOG &&
	       (attempt->replaces || !attempt->before.rate) && !args_get(attempt->args, "rate");
}

static int put_speed(const struct trim_attempt *attempt, struct nlmsghdr *message)
{
	uint64_t speed = device_speed(attempt->link.name);
	char text[UNITS_TEXT];

	if (!speed)
		return refused(ENODATA, "%s does not say how fast it is: add `rate RATE`, such as rate 10gbit",
			       attempt->link.name);
	note("rate %s, which is the speed of %s", units_rate(text, speed), attempt->link.name);
	nl_put_u64(message, WEIR_A_TRIM_RATE, speed);
	/* That is the speed of the wire, which carries more than frames. */
	if (!args_get(attempt->args, "overhead"))
		nl_put_u32(message, WEIR_A_TRIM_OVERHEAD, ETHERNET_OVERHEAD);
	if (!args_get(attempt->args, "mpu"))
		nl_put_u32(message, WEIR_A_TRIM_MPU, ETHERNET_MPU);
	return WEIR_OK;
}

void trim_put_limits(struct nlmsghdr *message, const struct args *args, uint64_t said)
{
	uint64_t limits = 1ull << WEIR_A_TRIM_LIMIT | 1ull << WEIR_A_TRIM_LIMIT_BYTES |
			  1ull << WEIR_A_TRIM_LIMIT_TIME | 1ull << WEIR_A_TRIM_LIMIT_DYNAMIC;

	if (args_get(args, "limit") && !args_by_attr(args, WEIR_A_TRIM_LIMIT) && !(said & limits))
		nl_put_u32(message, WEIR_A_TRIM_LIMIT, 0);
}

bool trim_replaces(const struct args *args)
{
	return !strcmp(args->verb->name, "replace");
}

static bool is_unset(const struct value *value)
{
	return (value->attr == WEIR_A_TRIM_PRIORITY || value->attr == WEIR_A_TRIM_QUEUE ||
		value->attr == WEIR_A_TRIM_POOL || value->attr == WEIR_A_TRIM_ACL) &&
	       !strcmp(value->word, TRIM_UNSET);
}

int trim_put(struct nlmsghdr *message, const struct args *args, uint64_t unset)
{
	struct args given = *args;
	size_t i;

	given.count = 0;
	for (i = 0; i < args->count; i++) {
		if (is_unset(&args->value[i]))
			unset |= 1ull << args->value[i].attr;
		else
			given.value[given.count++] = args->value[i];
	}
	if (unset)
		mnl_attr_put_u64(message, WEIR_A_TRIM_UNSET, unset);
	return request_put(message, &given);
}

static int set_policy(struct trim_attempt *attempt)
{
	char buffer[NL_REQUEST_SIZE];
	struct nlmsghdr *message;
	int status;

	message = weir_begin(&attempt->weir, buffer, WEIR_CMD_TRIM_SET, 0);
	status = trim_put(message, attempt->args, attempt->replaces ? UINT64_MAX : 0);
	status = status ?: trim_put_rules(message, attempt);
	trim_put_limits(message, attempt->args, attempt->replaces ? 0 : attempt->before.said);
	if (!status && needs_rate(attempt))
		status = put_speed(attempt, message);
	return status ?: request_send(&attempt->weir, buffer, attempt->args, NULL);
}

static int take_policy_away(struct trim_attempt *attempt)
{
	char buffer[NL_REQUEST_SIZE];
	struct nlmsghdr *message;

	message = weir_begin(&attempt->weir, buffer, WEIR_CMD_TRIM_DEL, 0);
	nl_put_u32(message, WEIR_A_TRIM_IFINDEX, attempt->link.ifindex);
	return nl_talk(&attempt->weir.nl, buffer, NULL);
}

/* Best effort: the step that it undoes has worked a moment ago. */
static void restore_policy(struct trim_attempt *attempt)
{
	uint64_t said = attempt->before.said | 1ull << WEIR_A_TRIM_IFINDEX;
	const struct nlattr *attr;
	char buffer[NL_REQUEST_SIZE];
	struct nlmsghdr *message;

	if (!attempt->reply.count) {
		take_policy_away(attempt);
		return;
	}
	message = weir_begin(&attempt->weir, buffer, WEIR_CMD_TRIM_SET, 0);
	mnl_attr_put_u64(message, WEIR_A_TRIM_UNSET, UINT64_MAX);
	mnl_attr_for_each(attr, attempt->reply.message[0], sizeof(struct genlmsghdr)) {
		if (said >> mnl_attr_get_type(attr) & 1)
			nl_put(message, attr->nla_type, mnl_attr_get_payload_len(attr),
				     mnl_attr_get_payload(attr));
	}
	nl_talk(&attempt->weir.nl, buffer, NULL);
}

static int set(struct trim_attempt *attempt)
{
	const struct trim_place *place;
	int status;

	status = read_before(attempt);
	status = status ?: choose_hook(attempt);
	status = status ?: profile_fill(attempt->filled, attempt->hook);
	status = status ?: trim_check_words(attempt->args);
	if (status)
		return status;
	place = places[attempt->hook];
	status = place ? place->prepare(attempt) : WEIR_OK;
	status = status ?: set_policy(attempt);
	if (status || !place)
		return status;
	status = place->attach(attempt);
	if (status)
		restore_policy(attempt);
	return status;
}

/* Opens the sockets, and looks at the device where one is given. */
static int with_sockets(struct trim_attempt *attempt, int (*run)(struct trim_attempt *))
{
	const struct value *dev = args_get(attempt->args, "dev");
	unsigned int ifindex;
	int status, err;

	bpf_quiet();
	status = weir_open(&attempt->weir, WEIR_CMD_TRIM_SET);
	if (status)
		return status;
	status = rtnl_open(&attempt->rtnl);
	if (status) {
		weir_close(&attempt->weir);
		return status;
	}
	status = dev ? device_find(dev->word, &ifindex) : WEIR_OK;
	if (!status && dev) {
		err = rtnl_link(&attempt->rtnl, ifindex, &attempt->link);
		if (err)
			status = refused(err, "cannot look at %s: %s", dev->word, strerror(-err));
	}
	status = status ?: run(attempt);
	nl_replies_free(&attempt->reply);
	nl_close(&attempt->rtnl);
	weir_close(&attempt->weir);
	return status;
}

int trim_set(const struct args *args)
{
	struct args all = *args;
	struct trim_attempt attempt = {
		.args = &all, .filled = &all, .replaces = trim_replaces(args), .fd = -1,
	};
	int status;
	size_t i;

	status = trim_check_words(&all);
	status = status ?: with_sockets(&attempt, set);
	program_close(&attempt.program);
	for (i = 0; i < ARGS_MAX; i++)
		program_close(&attempt.forward[i]);
	return status;
}

/* Takes all of weir's programs and qdiscs off a device, under any policy. */
static int detach_all(struct nl *rtnl, const struct link *link, bool last, bool *any)
{
	int status = WEIR_OK;
	size_t i;

	*any = false;
	for (i = 0; !status && i < sizeof(places) / sizeof(places[0]); i++) {
		bool some = false;

		if (places[i])
			status = places[i]->detach(rtnl, link, last, &some);
		*any |= some;
	}
	return status;
}

/* No other policy of the namespace needs the program that forwards. */
static int read_last(struct trim_attempt *attempt, bool *last)
{
	if (trim_ask(&attempt->weir, 0, &attempt->reply))
		return request_refused(&attempt->weir, attempt->args);
	*last = !trim_others(&attempt->reply, attempt->link.ifindex, WEIR_TRIM_HOOK_XDP);
	return WEIR_OK;
}

/* A device that lost its policy in another way is cleaned of the rest. */
static int del(struct trim_attempt *attempt)
{
	bool last = false, any = false;
	int status, err;

	status = read_last(attempt, &last);
	status = status ?: detach_all(&attempt->rtnl, &attempt->link, last, &any);
	if (status)
		return status;
	err = take_policy_away(attempt);
	if (!err || (err == -ENOENT && any))
		return WEIR_OK;
	return request_refused(&attempt->weir, attempt->args);
}

int trim_del(const struct args *args)
{
	struct trim_attempt attempt = { .args = args, .fd = -1 };

	return with_sockets(&attempt, del);
}

static int flush(struct trim_attempt *attempt)
{
	char buffer[NL_REQUEST_SIZE];
	int status = WEIR_OK;
	struct trim trim;
	size_t i;
	bool any;

	if (trim_ask(&attempt->weir, 0, &attempt->reply))
		return request_refused(&attempt->weir, attempt->args);
	for (i = 0; !status && i < attempt->reply.count; i++) {
		trim_read(attempt->reply.message[i], &trim);
		attempt->link.ifindex = trim.ifindex;
		snprintf(attempt->link.name, sizeof(attempt->link.name), "%s", trim.dev);
		status = detach_all(&attempt->rtnl, &attempt->link, true, &any);
	}
	if (status)
		return status;
	weir_begin(&attempt->weir, buffer, WEIR_CMD_TRIM_FLUSH, 0);
	return request_send(&attempt->weir, buffer, attempt->args, NULL);
}

int trim_flush(const struct args *args)
{
	struct trim_attempt attempt = { .args = args };

	return with_sockets(&attempt, flush);
}
