// SPDX-License-Identifier: GPL-2.0
#include <err.h>
#include <linux/netlink.h>
#include <stdio.h>
#include <string.h>

#include "grammar.h"

#include "fuzz/grammar_gen.h"

const struct grammar_op *const grammar_ops = grammar_table;
const unsigned int grammar_ops_count = sizeof(grammar_table) / sizeof(*grammar_table);

const struct grammar_op *grammar_op(unsigned int cmd)
{
	unsigned int i;

	for (i = 0; i < grammar_ops_count; i++)
		if (grammar_table[i].cmd == cmd)
			return &grammar_table[i];
	return NULL;
}

unsigned int grammar_number(const struct grammar_set *set, const char *name)
{
	unsigned int i;

	for (i = 1; i <= set->last; i++)
		if (set->attr[i].name && !strcmp(set->attr[i].name, name))
			return i;
	errx(1, "%s has no attribute %s", set->name, name);
}

/**
 * struct walk - a look at attributes
 * @reply: they are the kernel's
 * @fault: the mistake found, with the attribute's name
 */
struct walk {
	bool reply;
	char fault[96];
};

static struct walk walk;

static bool wrong(const char *name, const char *what)
{
	snprintf(walk.fault, sizeof(walk.fault), "%s: %s", name, what);
	return false;
}

static bool number_fits(const struct grammar_attr *attr, const void *payload, size_t len)
{
	uint64_t value = 0;

	if (len != 4 && (attr->kind != GRAMMAR_UINT || len != 8))
		return wrong(attr->name, "a number of another length");
	memcpy(&value, payload, len);
	if (value < attr->min || value > attr->max)
		return wrong(attr->name, "out of range");
	return true;
}

static bool string_fits(const struct grammar_attr *attr, const char *payload, size_t len)
{
	size_t end = strnlen(payload, len);

	if (walk.reply && end + 1 != len)
		return wrong(attr->name, "a string that does not end");
	return end >= attr->len_min && end <= attr->len_max ? true :
	       wrong(attr->name, "a string of another length");
}

static bool set_fits(const struct grammar_set *set, uint64_t allowed, const uint8_t *data,
		     size_t len);

static bool payload_fits(const struct grammar_attr *attr, const void *payload, size_t len)
{
	switch (attr->kind) {
	case GRAMMAR_U32:
	case GRAMMAR_UINT:
		return number_fits(attr, payload, len);
	case GRAMMAR_BINARY:
		return len >= attr->len_min && len <= attr->len_max ? true :
		       wrong(attr->name, "of another length");
	case GRAMMAR_STRING:
		return string_fits(attr, payload, len);
	case GRAMMAR_NEST:
		return !len || set_fits(attr->nest, ~0ULL, payload, len);
	case GRAMMAR_FLAG:
		return len ? wrong(attr->name, "a flag with something in it") : true;
	}
	return false;
}

/* The kernel itself leaves NLA_F_NESTED away, and asks for it. */
static bool nest_flag_fits(const struct grammar_attr *attr, uint16_t type)
{
	bool flag = type & NLA_F_NESTED;

	if (walk.reply || flag == (attr->kind == GRAMMAR_NEST))
		return true;
	return wrong(attr->name, flag ? "is no nest" : "does not say that it is a nest");
}

static bool attr_fits(const struct grammar_set *set, uint64_t allowed, const struct nlattr *nla,
		      uint64_t *seen)
{
	unsigned int type = nla->nla_type & NLA_TYPE_MASK;
	const struct grammar_attr *attr;

	if (!type || type > set->last || !(allowed >> type & 1) || !set->attr[type].name)
		return wrong(set->name, "has no such attribute here");
	attr = &set->attr[type];
	if (walk.reply && !attr->multi && *seen >> type & 1)
		return wrong(attr->name, "is there twice");
	*seen |= 1ULL << type;
	return nest_flag_fits(attr, nla->nla_type) &&
	       payload_fits(attr, nla + 1, nla->nla_len - sizeof(*nla));
}

static bool set_fits(const struct grammar_set *set, uint64_t allowed, const uint8_t *data,
		     size_t len)
{
	struct nlattr nla;
	uint64_t seen = 0;
	size_t step;

	while (len >= sizeof(nla)) {
		memcpy(&nla, data, sizeof(nla));
		if (nla.nla_len < sizeof(nla) || nla.nla_len > len)
			break;
		if (!attr_fits(set, allowed, (const void *)data, &seen))
			return false;
		step = NLA_ALIGN(nla.nla_len);
		step = step < len ? step : len;
		data += step;
		len -= step;
	}
	return len ? wrong(set->name, "bytes are left") : true;
}

static const char *fault(const struct grammar_set *set, uint64_t allowed, const void *data,
			 size_t len)
{
	return set_fits(set, allowed, data, len) ? NULL : walk.fault;
}

const char *grammar_request_fault(const struct grammar_set *set, uint64_t allowed,
				  const void *data, size_t len)
{
	walk.reply = false;
	return fault(set, allowed, data, len);
}

const char *grammar_reply_fault(const struct grammar_set *set, uint64_t allowed,
				const void *data, size_t len)
{
	walk.reply = true;
	return fault(set, allowed, data, len);
}
