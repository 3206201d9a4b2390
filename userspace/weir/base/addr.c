// SPDX-License-Identifier: GPL-2.0
#include <arpa/inet.h>
#include <linux/if_ether.h>
#include <stdio.h>
#include <string.h>

#include "base/addr.h"

static bool is_digit(char c)
{
	return c && strchr("0123456789abcdefABCDEF", c);
}

/* Six bytes of two digits each. No IPv6 address is written like that. */
static bool parse_link(struct addr *addr, const char *word)
{
	unsigned int byte;
	int i;

	for (i = 0; i < ETH_ALEN; i++, word += 3) {
		if (!is_digit(word[0]) || !is_digit(word[1]) ||
		    word[2] != (i + 1 < ETH_ALEN ? ':' : '\0') ||
		    sscanf(word, "%2x", &byte) != 1)
			return false;
		addr->bytes[i] = byte;
	}
	return true;
}

bool addr_parse(struct addr *addr, const char *word)
{
	memset(addr, 0, sizeof(*addr));
	if (inet_pton(AF_INET, word, addr->bytes) == 1)
		addr->len = 4;
	else if (inet_pton(AF_INET6, word, addr->bytes) == 1)
		addr->len = 16;
	else if (parse_link(addr, word))
		addr->len = ETH_ALEN;
	return addr->len != 0;
}

bool addr_from(struct addr *addr, const void *bytes, size_t len)
{
	memset(addr, 0, sizeof(*addr));
	if (len != 4 && len != 16 && len != ETH_ALEN)
		return false;
	memcpy(addr->bytes, bytes, len);
	addr->len = len;
	return true;
}

int addr_family(const struct addr *addr)
{
	return addr->len == 4 ? AF_INET : AF_INET6;
}

bool addr_is_link(const struct addr *addr)
{
	return addr->len == ETH_ALEN;
}

const char *addr_family_word(const struct addr *addr)
{
	if (addr_is_link(addr))
		return "Ethernet";
	return addr->len == 4 ? "IPv4" : "IPv6";
}

const char *addr_text(const struct addr *addr, char text[static ADDR_TEXT])
{
	const uint8_t *b = addr->bytes;

	if (addr_is_link(addr))
		snprintf(text, ADDR_TEXT, "%02x:%02x:%02x:%02x:%02x:%02x", b[0], b[1], b[2],
			 b[3], b[4], b[5]);
	else if (!addr->len || !inet_ntop(addr_family(addr), addr->bytes, text, ADDR_TEXT))
		strcpy(text, "?");
	return text;
}

bool addr_equal(const struct addr *a, const struct addr *b)
{
	return a->len == b->len && !memcmp(a->bytes, b->bytes, a->len);
}
