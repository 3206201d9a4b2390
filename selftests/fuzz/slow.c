// SPDX-License-Identifier: GPL-2.0
#include "slow.h"

#include <string.h>

bool slow_has(size_t size, size_t off, size_t bytes)
{
	return off + bytes <= size;
}

int64_t slow_read(const uint8_t *data, size_t size, size_t off, int bytes)
{
	int64_t value = 0;

	if (!slow_has(size, off, bytes))
		return -1;
	while (bytes--)
		value = value * 256 + data[off++];
	return value;
}

uint16_t slow_checksum(const uint8_t *data, size_t size, uint32_t start)
{
	uint64_t sum = start;
	size_t i;

	for (i = 0; i < size; i++)
		sum += i % 2 ? data[i] : data[i] * 256;
	while (sum >= 65536)
		sum = sum % 65536 + sum / 65536;
	return 65535 - sum;
}

static void map_address(uint8_t *to, const uint8_t *from)
{
	memset(to, 0, 10);
	memset(to + 10, 0xff, 2);
	memcpy(to + 12, from, 4);
}

static void parse_ipv4(struct slow_packet *p, const uint8_t *data, size_t size)
{
	size_t at = p->ip_off;
	int words;

	if (!slow_has(size, at, 20) || data[at] / 16 != 4)
		return;
	words = data[at] % 16;
	if (words < 5)
		return;
	p->ip = 4;
	p->dscp = data[at + 1] / 4;
	p->ip_len = slow_read(data, size, at + 2, 2);
	p->more = data[at + 6] & 0x20;
	p->offset = (data[at + 6] & 0x1f) || data[at + 7];
	p->proto = data[at + 9];
	p->chain = true;
	map_address(p->src, data + at + 12);
	map_address(p->dst, data + at + 16);
	p->l4_off = at + words * 4;
}

/* Returns whether another header follows. */
static bool parse_extension(struct slow_packet *p, const uint8_t *data, size_t size)
{
	size_t at = p->l4_off;

	if (p->proto != 0 && p->proto != 43 && p->proto != 60 && p->proto != 44) {
		p->chain = true;
		return false;
	}
	if (!slow_has(size, at, 2))
		return false;
	p->extensions++;
	if (p->proto == 44) {
		if (!slow_has(size, at, 8))
			return false;
		p->more |= data[at + 3] & 1;
		p->offset |= data[at + 2] || data[at + 3] & 0xf8;
		p->l4_off += 8;
	} else {
		p->l4_off += 8 + data[at + 1] * 8;
	}
	p->proto = data[at];
	return true;
}

static void parse_ipv6(struct slow_packet *p, const uint8_t *data, size_t size)
{
	size_t at = p->ip_off;

	if (!slow_has(size, at, 40) || data[at] / 16 != 6)
		return;
	p->ip = 6;
	p->dscp = data[at] % 16 * 4 + data[at + 1] / 64;
	p->ip_len = 40 + slow_read(data, size, at + 4, 2);
	p->proto = data[at + 6];
	memcpy(p->src, data + at + 8, 16);
	memcpy(p->dst, data + at + 24, 16);
	p->l4_off = at + 40;
	while (parse_extension(p, data, size))
		;
}

void slow_parse(struct slow_packet *p, const uint8_t *data, size_t size)
{
	int64_t type;

	memset(p, 0, sizeof(*p));
	p->ip_off = 14;
	p->type = -1;
	type = slow_read(data, size, 12, 2);
	while ((type == 0x8100 || type == 0x88a8) && p->vlans < 2) {
		if (!slow_has(size, p->ip_off, 4))
			return;
		if (!p->vlans++)
			p->vlan = slow_read(data, size, p->ip_off, 2) % 4096;
		type = slow_read(data, size, p->ip_off + 2, 2);
		p->ip_off += 4;
	}
	p->type = type;
	if (type == 0x0800)
		parse_ipv4(p, data, size);
	else if (type == 0x86dd)
		parse_ipv6(p, data, size);
}
