/* SPDX-License-Identifier: GPL-2.0 */
/* Internet and Ethernet addresses: read, written, and put into attributes. */
#ifndef WEIR_ADDR_H
#define WEIR_ADDR_H

#include <netinet/in.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* 4 bytes of IPv4, 16 of IPv6 or 6 of Ethernet, in network order, as attributes carry them. */
struct addr {
	uint8_t bytes[16];
	uint8_t len;
};

#define ADDR_TEXT INET6_ADDRSTRLEN

bool addr_parse(struct addr *addr, const char *word);
bool addr_from(struct addr *addr, const void *bytes, size_t len);
const char *addr_text(const struct addr *addr, char text[static ADDR_TEXT]);
int addr_family(const struct addr *addr);	/* of one that is not of Ethernet */
bool addr_is_link(const struct addr *addr);	/* true if it is one of Ethernet */
const char *addr_family_word(const struct addr *addr);
bool addr_equal(const struct addr *a, const struct addr *b);

#endif
