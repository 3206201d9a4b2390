// SPDX-License-Identifier: GPL-2.0
#include <linux/genetlink.h>
#include <string.h>

#include "lib/genl.h"
#include "message.h"

void message_begin(struct message *m, const struct grammar_op *op, bool dump)
{
	const struct nlmsghdr nlh = {
		.nlmsg_len = MESSAGE_HEAD,
		.nlmsg_type = genl_family(op->cmd),
		.nlmsg_flags = NLM_F_REQUEST | (dump ? NLM_F_DUMP : NLM_F_ACK),
		.nlmsg_seq = 1,
	};
	const struct genlmsghdr genl = { .cmd = op->cmd, .version = 1 };

	m->op = op;
	m->dump = dump;
	m->odd = false;
	m->len = MESSAGE_HEAD;
	memcpy(m->data, &nlh, sizeof(nlh));
	memcpy(m->data + sizeof(nlh), &genl, sizeof(genl));
}

uint16_t message_get_u16(const struct message *m, size_t off)
{
	uint16_t value;

	memcpy(&value, m->data + off, sizeof(value));
	return value;
}

void message_set_u16(struct message *m, size_t off, uint16_t value)
{
	memcpy(m->data + off, &value, sizeof(value));
}

static void set_len(struct message *m, uint32_t len)
{
	memcpy(m->data, &len, sizeof(len));
}

void message_put(struct message *m, uint16_t type, const void *data, size_t len)
{
	const struct nlattr nla = { .nla_len = sizeof(nla) + len, .nla_type = type };
	size_t at = NLA_ALIGN(m->len);

	if (at + NLA_ALIGN(sizeof(nla) + len) > sizeof(m->data))
		return;
	memset(m->data + m->len, 0, at - m->len);
	memcpy(m->data + at, &nla, sizeof(nla));
	if (len)
		memcpy(m->data + at + sizeof(nla), data, len);
	m->len = at + sizeof(nla) + len;
	memset(m->data + m->len, 0, NLA_ALIGN(m->len) - m->len);
	m->len = NLA_ALIGN(m->len);
	set_len(m, m->len);
}

void message_put_u32(struct message *m, const char *attr, uint32_t value)
{
	message_put(m, grammar_number(m->op->set, attr), &value, sizeof(value));
}

/* Of a request without attributes the kernel looks at none that are there all the same. */
const char *message_fault(const struct message *m)
{
	uint64_t allowed = m->dump ? m->op->dump_request : m->op->do_request;
	uint32_t len;

	memcpy(&len, m->data, sizeof(len));
	return !allowed ? NULL :
	       grammar_request_fault(m->op->set, allowed, m->data + MESSAGE_HEAD,
				     len - MESSAGE_HEAD);
}

/* The edges of the allowed range, and their neighbours. */
static uint64_t edge(struct rng *rng, const struct grammar_attr *attr)
{
	const uint64_t of[] = {
		attr->min - 1, attr->min, attr->min + 1, attr->max - 1, attr->max,
		attr->max + 1, 0, 0x7fffffff, 0x80000000, 0xffffffff, rng_next(rng),
	};

	return RNG_PICK(rng, of);
}

static uint64_t number(struct rng *rng, const struct grammar_attr *attr, const struct hint *hint)
{
	if (rng_percent(rng, 3))
		return edge(rng, attr);
	if (hint->value && rng_percent(rng, 90))
		return hint->value(rng);
	return rng_range(rng, attr->min, attr->max);
}

static size_t put_number(struct rng *rng, const struct grammar_attr *attr,
			 const struct hint *hint, uint8_t *to)
{
	uint64_t value = number(rng, attr, hint);
	size_t len = attr->kind == GRAMMAR_UINT && (value >> 32 || rng_percent(rng, 50)) ? 8 : 4;

	memcpy(to, &value, len);
	return len;
}

static size_t put_bytes(struct rng *rng, const struct hint *hint, uint8_t *to)
{
	static const uint8_t lengths[] = { 0, 1, 3, 4, 5, 8, 15, 16, 17, 64 };
	size_t len, i;

	if (hint->bytes && rng_percent(rng, 95))
		return hint->bytes(rng, to);
	len = RNG_PICK(rng, lengths);
	for (i = 0; i < len; i++)
		to[i] = rng_next(rng);
	return len;
}

static void put_attr(struct message *m, struct rng *rng, const struct grammar_set *set,
		     unsigned int type);

/* Some of a set's attributes, as often as hints.c says; or all of them, or none. */
static void put_set(struct message *m, struct rng *rng, const struct grammar_set *set,
		    uint64_t allowed)
{
	unsigned int type, mode = rng_below(rng, 100);

	for (type = 1; type <= set->last; type++) {
		if (!(allowed >> type & 1) || !set->attr[type].name)
			continue;
		if (mode < 97 ? !rng_percent(rng, hint_find(set, &set->attr[type])->percent) :
				mode == 97)
			continue;
		put_attr(m, rng, set, type);
		while (set->attr[type].multi && rng_percent(rng, 40))
			put_attr(m, rng, set, type);
	}
}

static void put_nest(struct message *m, struct rng *rng, const struct grammar_attr *attr,
		     unsigned int type)
{
	size_t at = m->len;

	message_put(m, type | NLA_F_NESTED, NULL, 0);
	put_set(m, rng, attr->nest, ~0ULL);
	if (m->len > at)
		message_set_u16(m, at, m->len - at);
}

static void put_attr(struct message *m, struct rng *rng, const struct grammar_set *set,
		     unsigned int type)
{
	const struct grammar_attr *attr = &set->attr[type];
	const struct hint *hint = hint_find(set, attr);
	uint8_t payload[64];
	size_t len = 0;

	if (attr->kind == GRAMMAR_NEST) {
		put_nest(m, rng, attr, type);
		return;
	}
	if (attr->kind == GRAMMAR_BINARY || attr->kind == GRAMMAR_STRING)
		len = put_bytes(rng, hint, payload);
	else if (attr->kind != GRAMMAR_FLAG)
		len = put_number(rng, attr, hint, payload);
	message_put(m, type, payload, len);
}

void message_good(struct message *m, struct rng *rng,
		  const struct grammar_op *op, bool dump)
{
	message_begin(m, op, dump);
	put_set(m, rng, op->set, dump ? op->dump_request : op->do_request);
}

/* Requests that take much away come seldom, or nothing would ever be there. */
static unsigned int percent_of(const struct grammar_op *op)
{
	if (strstr(op->name, "-flush"))
		return 2;
	return strcmp(op->name, "job-del") ? 100 : 10;
}

void message_any(struct message *m, struct rng *rng)
{
	const struct grammar_op *op;

	do {
		op = &grammar_ops[rng_below(rng, grammar_ops_count)];
	} while ((!op->do_it && !op->dump_it) || !rng_percent(rng, percent_of(op)));
	message_good(m, rng, op, op->dump_it && (!op->do_it || rng_percent(rng, 50)));
	if (rng_percent(rng, 35))
		message_break(m, rng);
}
