/* SPDX-License-Identifier: BSD-2-Clause */
/* Addresses in numbers, of either family. */
#ifndef WEIR_ADDRESS_H
#define WEIR_ADDRESS_H

#include <stdbool.h>
#include <stdint.h>

#include <netinet/in.h>
#include <sys/socket.h>

#define ADDRESS_TEXT	(INET6_ADDRSTRLEN + 32)

/**
 * struct address - address and port
 * @length: of the sockaddr that is in use; 0 is no address
 * @any: common head
 * @v4: IPv4
 * @v6: IPv6
 */
struct address {
	socklen_t length;
	union {
		struct sockaddr any;
		struct sockaddr_in v4;
		struct sockaddr_in6 v6;
	};
};

/* Reads "192.0.2.1", "2001:db8::1" or "fe80::1%eth0"; false when it is none. */
bool address_parse(struct address *address, const char *text, uint16_t port);

/* The family's wildcard. */
void address_any(struct address *address, int family, uint16_t port);

bool address_is_multicast(const struct address *address);

/* The same address and port. */
bool address_is_same(const struct address *a, const struct address *b);

/* Writes the address without its port. */
const char *address_format(const struct address *address, char text[ADDRESS_TEXT]);

uint16_t address_port(const struct address *address);

/* Bytes of IP and UDP header that carry a datagram to it. */
unsigned int address_overhead(const struct address *address);

#endif
