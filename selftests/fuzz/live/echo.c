// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <string.h>

#include <weir.h>
#include <weir_trim_nl.h>

#include "echo.h"
#include "report.h"
#include "talk.h"

/**
 * struct kind - an object's requests
 * @get: shows it
 * @del: takes it away
 * @add: makes it
 * @keys: how many of its attributes, from the first on, say which one it is
 */
struct kind {
	uint8_t get;
	uint8_t del;
	uint8_t add;
	unsigned int keys;
};

static const struct kind kinds[] = {
	{ WEIR_CMD_JOB_GET, WEIR_CMD_JOB_DEL, WEIR_CMD_JOB_ADD, 1 },
	{ WEIR_CMD_SOURCE_GET, WEIR_CMD_SOURCE_DEL, WEIR_CMD_SOURCE_ADD, 2 },
	{ WEIR_CMD_PORT_GET, WEIR_CMD_PORT_DEL, WEIR_CMD_PORT_ADD, 1 },
	{ WEIR_CMD_TRIM_GET, WEIR_CMD_TRIM_DEL, WEIR_CMD_TRIM_SET, 1 },
};

/**
 * struct shown - one of the objects of a dump
 * @rng: chooses
 * @objects: how many there were
 * @len: bytes of the chosen one's attributes
 * @attrs: the attributes
 */
struct shown {
	struct rng *rng;
	unsigned int objects;
	size_t len;
	_Alignas(8) uint8_t attrs[MESSAGE_MAX];
};

static void take(const struct nlmsghdr *nlh, void *data)
{
	struct shown *shown = data;

	if (rng_below(shown->rng, ++shown->objects))
		return;
	shown->len = nlh->nlmsg_len - MESSAGE_HEAD;
	memcpy(shown->attrs, (const uint8_t *)nlh + MESSAGE_HEAD, shown->len);
}

/* A request with the attributes of an object that it may have. */
static void say_again(struct message *m, const struct shown *shown, uint64_t allowed)
{
	const struct nlattr *nla;
	size_t off;

	for (off = 0; off + NLA_HDRLEN <= shown->len; off += NLA_ALIGN(nla->nla_len)) {
		nla = (const void *)(shown->attrs + off);
		if (allowed >> (nla->nla_type & NLA_TYPE_MASK) & 1)
			message_put(m, nla->nla_type, nla + 1, nla->nla_len - NLA_HDRLEN);
	}
}

static uint64_t keys(const struct kind *kind)
{
	return (1ULL << (kind->keys + 1)) - 2;
}

/* There may be no memory for the object again, as others have taken it. */
static bool is_made(int fd, const struct message *m)
{
	struct answer answer;

	talk(fd, m, &answer, NULL, NULL);
	if (!answer.came)
		fault("%s was not answered", m->op->name);
	if (answer.err == ENOMEM || answer.err == EDQUOT)
		return false;
	if (answer.err)
		fault("%s refuses with %d what was shown", m->op->name, answer.err);
	return true;
}

static void request(struct message *m, uint8_t cmd, const struct shown *shown, uint64_t allowed)
{
	message_begin(m, grammar_op(cmd), false);
	say_again(m, shown, allowed);
}

static void echo(int fd, const struct kind *kind, const struct shown *was, struct rng *rng)
{
	const struct grammar_op *add = grammar_op(kind->add);
	static struct message m, before, after;
	struct shown again = { .rng = rng };
	struct answer answer;

	request(&m, kind->del, was, keys(kind));
	is_made(fd, &m);
	request(&before, kind->add, was, add->do_request);
	if (!is_made(fd, &before))
		return;
	request(&m, kind->get, was, keys(kind));
	talk(fd, &m, &answer, take, &again);
	if (again.objects != 1)
		fault("%s shows %u objects", m.op->name, again.objects);
	request(&after, kind->add, &again, add->do_request);
	if (after.len != before.len || memcmp(after.data, before.data, after.len)) {
		report_about(after.data, after.len);
		fault("%s has made another object than was shown", add->name);
	}
}

void echo_any(int fd, struct rng *rng)
{
	const struct kind *kind = &RNG_PICK(rng, kinds);
	struct shown shown = { .rng = rng };
	static struct message m;
	struct answer answer;

	message_begin(&m, grammar_op(kind->get), true);
	talk(fd, &m, &answer, take, &shown);
	if (shown.objects)
		echo(fd, kind, &shown, rng);
}

/* Requests that set attributes of an object, and the object. */
static const struct {
	uint8_t cmd;
	const struct kind *kind;
} sayings[] = {
	{ WEIR_CMD_JOB_ADD, &kinds[0] }, { WEIR_CMD_JOB_SET, &kinds[0] },
	{ WEIR_CMD_SOURCE_ADD, &kinds[1] }, { WEIR_CMD_SOURCE_SET, &kinds[1] },
	{ WEIR_CMD_PORT_ADD, &kinds[2] }, { WEIR_CMD_PORT_SET, &kinds[2] },
	{ WEIR_CMD_TRIM_SET, &kinds[3] },
};

/* The last attribute of a number, which is the one that counts, or NULL. */
static const struct nlattr *find(const uint8_t *attrs, size_t len, unsigned int number)
{
	const struct nlattr *nla, *last = NULL;
	size_t off;

	for (off = 0; off + NLA_HDRLEN <= len; off += NLA_ALIGN(nla->nla_len)) {
		nla = (const void *)(attrs + off);
		if ((nla->nla_type & NLA_TYPE_MASK) == number)
			last = nla;
	}
	return last;
}

static uint64_t value_of(const struct nlattr *nla)
{
	uint64_t value = 0;

	memcpy(&value, nla + 1, nla->nla_len == NLA_HDRLEN + 8 ? 8 : 4);
	return value;
}

/*
 * Timers are no more than there are slots, and 0 stands for the number that goes with the
 * timeout. Memory for retained results is rounded down to slots, of which a table has a limit.
 */
static bool may_differ(const struct grammar_attr *attr, uint64_t said, uint64_t shown)
{
	return (!strcmp(attr->name, "timers") && shown < said) ||
	       (!strcmp(attr->name, "retain") && shown < said) ||
	       (!strcmp(attr->name, "dead-after") && !said);
}

static void compare(const struct message *m, const struct shown *shown)
{
	const uint8_t *attrs = m->data + MESSAGE_HEAD;
	const struct nlattr *said, *is;
	const struct grammar_attr *attr;
	unsigned int i;

	for (i = 1; i <= m->op->set->last; i++) {
		attr = &m->op->set->attr[i];
		said = find(attrs, m->len - MESSAGE_HEAD, i);
		is = find(shown->attrs, shown->len, i);
		if (!said || !is || (attr->kind != GRAMMAR_U32 && attr->kind != GRAMMAR_UINT) ||
		    value_of(said) == value_of(is) ||
		    may_differ(attr, value_of(said), value_of(is)))
			continue;
		report_about(m->data, m->len);
		fault("%s says %s %llu, and %llu is shown", m->op->name, attr->name,
		      (unsigned long long)value_of(said), (unsigned long long)value_of(is));
	}
}

void echo_said(int fd, struct rng *rng)
{
	unsigned int which = rng_below(rng, sizeof(sayings) / sizeof(*sayings));
	const struct kind *kind = sayings[which].kind;
	struct shown said = { .rng = rng }, shown = { .rng = rng };
	static struct message m, get;
	struct answer answer;

	message_good(&m, rng, grammar_op(sayings[which].cmd), false);
	talk(fd, &m, &answer, NULL, NULL);
	if (answer.err || !answer.came)
		return;
	said.len = m.len - MESSAGE_HEAD;
	memcpy(said.attrs, m.data + MESSAGE_HEAD, said.len);
	request(&get, kind->get, &said, keys(kind));
	talk(fd, &get, &answer, take, &shown);
	if (shown.objects != 1)
		fault("%s is taken, and %u objects are shown", m.op->name, shown.objects);
	compare(&m, &shown);
}
