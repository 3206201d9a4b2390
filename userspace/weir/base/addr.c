// SPDX-License-Identifier: GPL-2.0
#include <arpa/inet.h>
#include <string.h>

#include "base/addr.h"

bool addr_parse(struct addr *addr, const char *word)
{
	memset(addr, 0, sizeof(*addr));
	if (inet_pton(AF_INET, word, addr->bytes) == 1)
		addr->len = 4;
	else if (inet_pton(AF_INET6, word, addr->bytes) == 1)
		addr->len = 16;
	return addr->len != 0;
}

bool addr_from(struct addr *addr, const void *bytes, size_t len)
{
	memset(addr, 0, sizeof(*addr));
	if (len != 4 && len != 16)
		return false;
	memcpy(addr->bytes, bytes, len);
	addr->len = len;
	return true;
}

int addr_family(const struct addr *addr)
{
	return addr->len == 4 ? AF_INET : AF_INET6;
}

const char *addr_family_word(const struct addr *addr)
{
	return addr->len == 4 ? "IPv4" : "IPv6";
}

const char *addr_text(const struct addr *addr, char text[static ADDR_TEXT])
{
	if (!addr->len || !inet_ntop(addr_family(addr), addr->bytes, text, ADDR_TEXT))
		strcpy(text, "?");
	return text;
}

bool addr_equal(const struct addr *a, const struct addr *b)
{
	return a->len == b->len && !memcmp(a->bytes, b->bytes, a->len);
}
