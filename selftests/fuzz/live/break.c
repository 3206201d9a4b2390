// SPDX-License-Identifier: GPL-2.0
/* Ways to break a request: each is one step away from a good one. */
#include <linux/genetlink.h>
#include <string.h>

#include "message.h"

#define ATTRS_MAX	256

static void set_len(struct message *m, size_t len)
{
	uint32_t says = len;

	memcpy(m->data, &says, sizeof(says));
}

/* Find the attributes of a good message; those inside of nests, too, sometimes. */
static unsigned int find(const struct message *m, struct rng *rng, size_t *at)
{
	bool inside = rng_percent(rng, 30);
	unsigned int n = 0;
	size_t off = MESSAGE_HEAD;
	uint16_t len;

	while (off + NLA_HDRLEN <= m->len && n < ATTRS_MAX) {
		len = message_get_u16(m, off);
		if (len < NLA_HDRLEN)
			break;
		at[n++] = off;
		if (inside && message_get_u16(m, off + 2) & NLA_F_NESTED)
			off += NLA_HDRLEN;
		else
			off += NLA_ALIGN(len);
	}
	return n;
}

/* One of them; 0 where there is none. */
static size_t pick(const struct message *m, struct rng *rng)
{
	size_t at[ATTRS_MAX];
	unsigned int n = find(m, rng, at);

	return n ? at[rng_below(rng, n)] : 0;
}

static void junk(struct rng *rng, uint8_t *to, size_t len)
{
	while (len--)
		*to++ = rng_next(rng);
}

static void length_of_attr(struct message *m, struct rng *rng)
{
	size_t at = pick(m, rng);
	uint16_t len;

	if (!at)
		return;
	len = message_get_u16(m, at);
	message_set_u16(m, at, rng_percent(rng, 70) ? len - 3 + rng_below(rng, 7) : rng_next(rng));
}

static void type_of_attr(struct message *m, struct rng *rng)
{
	size_t at = pick(m, rng);
	uint16_t type;

	if (!at)
		return;
	type = message_get_u16(m, at + 2);
	switch (rng_below(rng, 4)) {
	case 0: type ^= NLA_F_NESTED; break;
	case 1: type ^= NLA_F_NET_BYTEORDER; break;
	case 2: type = rng_below(rng, m->op->set->last + 3); break;
	default: type = rng_next(rng); break;
	}
	message_set_u16(m, at + 2, type);
}

static void value_of_attr(struct message *m, struct rng *rng)
{
	size_t at = pick(m, rng);
	size_t len;

	if (!at)
		return;
	len = message_get_u16(m, at);
	if (len > NLA_HDRLEN && at + len <= m->len)
		junk(rng, m->data + at + NLA_HDRLEN, len - NLA_HDRLEN);
}

static void attr_again(struct message *m, struct rng *rng)
{
	size_t at = pick(m, rng);
	unsigned int times = rng_percent(rng, 80) ? 1 : rng_below(rng, 200);
	uint8_t copy[MESSAGE_MAX];
	size_t len;

	if (!at)
		return;
	len = message_get_u16(m, at);
	if (len < NLA_HDRLEN || at + len > m->len)
		return;
	memcpy(copy, m->data + at, len);
	while (times--)
		message_put(m, message_get_u16(m, at + 2), copy + NLA_HDRLEN, len - NLA_HDRLEN);
}

static void attr_away(struct message *m, struct rng *rng)
{
	size_t at = pick(m, rng);
	size_t len;

	if (!at)
		return;
	len = NLA_ALIGN(message_get_u16(m, at));
	if (at + len > m->len)
		return;
	memmove(m->data + at, m->data + at + len, m->len - at - len);
	m->len -= len;
	set_len(m, m->len);
}

static void attr_unknown(struct message *m, struct rng *rng)
{
	uint8_t payload[32];
	size_t len = rng_below(rng, sizeof(payload));

	junk(rng, payload, len);
	message_put(m, rng_percent(rng, 50) ? m->op->set->last + rng_below(rng, 3) :
					      rng_next(rng), payload, len);
}

/* Nests in nests, as many as fit. */
static void attr_deep(struct message *m, struct rng *rng)
{
	unsigned int depth = rng_range(rng, 1, 40), i;
	size_t start = m->len;
	uint16_t type = rng_range(rng, 1, m->op->set->last) | NLA_F_NESTED;

	for (i = 0; i < depth; i++)
		message_put(m, type, NULL, 0);
	for (i = 0; i < depth; i++)
		message_set_u16(m, start + i * NLA_HDRLEN, m->len - start - i * NLA_HDRLEN);
}

static void bytes(struct message *m, struct rng *rng)
{
	unsigned int n = rng_range(rng, 1, 8);

	while (n-- && m->len > MESSAGE_HEAD)
		m->data[rng_range(rng, MESSAGE_HEAD, m->len - 1)] = rng_next(rng);
}

/* The header says so, too, or else there is less than it says. */
static void cut(struct message *m, struct rng *rng)
{
	size_t len = rng_below(rng, m->len);

	if (rng_percent(rng, 80))
		set_len(m, len);
	else
		m->odd = true;
	m->len = len;
	m->odd |= len < MESSAGE_HEAD;
}

static void bytes_behind(struct message *m, struct rng *rng)
{
	size_t n = rng_range(rng, 1, 11);

	if (m->len + n > sizeof(m->data))
		return;
	junk(rng, m->data + m->len, n);
	m->len += n;
	set_len(m, m->len);
}

static void header(struct message *m, struct rng *rng)
{
	struct genlmsghdr *genl = (void *)(m->data + NLMSG_HDRLEN);
	struct nlmsghdr *nlh = (void *)m->data;

	m->odd = true;
	switch (rng_below(rng, 6)) {
	case 0: genl->cmd = rng_percent(rng, 50) ? rng_below(rng, 40) : rng_next(rng); break;
	case 1: genl->version = rng_next(rng); break;
	case 2: genl->reserved = rng_next(rng); break;
	case 3: nlh->nlmsg_flags = rng_next(rng); break;
	case 4: nlh->nlmsg_flags ^= 1 << rng_below(rng, 16); break;
	default: nlh->nlmsg_len = rng_percent(rng, 50) ? m->len + rng_below(rng, 64) :
							 rng_next(rng); break;
	}
}

void message_break(struct message *m, struct rng *rng)
{
	static void (*const ways[])(struct message *m, struct rng *rng) = {
		length_of_attr, type_of_attr, value_of_attr, attr_again, attr_away, attr_unknown,
		attr_deep, bytes, cut, bytes_behind, header,
	};

	RNG_PICK(rng, ways)(m, rng);
}
