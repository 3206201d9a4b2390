// SPDX-License-Identifier: BSD-2-Clause
#include "base/address.h"

#include <arpa/inet.h>
#include <net/if.h>
#include <string.h>

static bool parse_v4(struct address *address, const char *text)
{
	if (inet_pton(AF_INET, text, &address->v4.sin_addr) != 1)
		return false;
	address->v4.sin_family = AF_INET;
	address->length = sizeof(address->v4);
	return true;
}

/* getaddrinfo() reads scopes too, but does not go into static programs. */
static bool parse_v6(struct address *address, const char *text)
{
	char number[INET6_ADDRSTRLEN];
	const char *scope = strchr(text, '%');
	size_t length = scope ? (size_t)(scope - text) : strlen(text);

	if (length >= sizeof(number))
		return false;
	memcpy(number, text, length);
	number[length] = '\0';
	if (inet_pton(AF_INET6, number, &address->v6.sin6_addr) != 1)
		return false;
	if (scope) {
		address->v6.sin6_scope_id = if_nametoindex(scope + 1);
		if (!address->v6.sin6_scope_id)
			return false;
	}
	address->v6.sin6_family = AF_INET6;
	address->length = sizeof(address->v6);
	return true;
}

static void set_port(struct address *address, uint16_t port)
{
	if (address->any.sa_family == AF_INET)
		address->v4.sin_port = htons(port);
	else
		address->v6.sin6_port = htons(port);
}

bool address_parse(struct address *address, const char *text, uint16_t port)
{
	memset(address, 0, sizeof(*address));
	if (!parse_v4(address, text) && !parse_v6(address, text))
		return false;
	set_port(address, port);
	return true;
}

void address_any(struct address *address, int family, uint16_t port)
{
	address_parse(address, family == AF_INET ? "0.0.0.0" : "::", port);
}

bool address_is_same(const struct address *a, const struct address *b)
{
	if (a->any.sa_family != b->any.sa_family || address_port(a) != address_port(b))
		return false;
	if (a->any.sa_family == AF_INET)
		return a->v4.sin_addr.s_addr == b->v4.sin_addr.s_addr;
	return a->v6.sin6_scope_id == b->v6.sin6_scope_id &&
	       IN6_ARE_ADDR_EQUAL(&a->v6.sin6_addr, &b->v6.sin6_addr);
}

bool address_is_multicast(const struct address *address)
{
	if (address->any.sa_family == AF_INET)
		return IN_MULTICAST(ntohl(address->v4.sin_addr.s_addr));
	return IN6_IS_ADDR_MULTICAST(&address->v6.sin6_addr);
}

const char *address_format(const struct address *address, char text[ADDRESS_TEXT])
{
	char scope[IF_NAMESIZE];

	if (address->any.sa_family == AF_INET)
		return inet_ntop(AF_INET, &address->v4.sin_addr, text, ADDRESS_TEXT);
	if (!inet_ntop(AF_INET6, &address->v6.sin6_addr, text, ADDRESS_TEXT))
		return "?";
	if (address->v6.sin6_scope_id && if_indextoname(address->v6.sin6_scope_id, scope)) {
		strcat(text, "%");
		strcat(text, scope);
	}
	return text;
}

uint16_t address_port(const struct address *address)
{
	return ntohs(address->any.sa_family == AF_INET ? address->v4.sin_port :
						       address->v6.sin6_port);
}

unsigned int address_overhead(const struct address *address)
{
	return address->any.sa_family == AF_INET ? 20 + 8 : 40 + 8;
}
