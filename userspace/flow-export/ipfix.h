/* SPDX-License-Identifier: GPL-2.0 */
/* Records of flows to a collector of IPFIX (RFC 7011), by libfixbuf. */
#ifndef FLOW_EXPORT_IPFIX_H
#define FLOW_EXPORT_IPFIX_H

#include <libmnl/libmnl.h>
#include <stdbool.h>
#include <stdint.h>

/**
 * struct ipfix_to - a collector
 * @host: its name or address
 * @port: its port, or its name
 * @tcp: by TCP, else UDP
 * @domain: observation domain, for collectors that take records from several boxes
 */
struct ipfix_to {
	const char *host;
	const char *port;
	bool tcp;
	uint32_t domain;
};

struct ipfix;

/*
 * Each returns false, or NULL, where the collector cannot be sent to; the reason is printed.
 *
 * ipfix_add() takes a message of the module; it is sent with others, and by ipfix_send() at last,
 * which sends templates again from time to time, as those of UDP may be lost.
 */
struct ipfix *ipfix_open(const struct ipfix_to *to);
bool ipfix_add(struct ipfix *ipfix, const struct nlmsghdr *message);
bool ipfix_send(struct ipfix *ipfix);
void ipfix_close(struct ipfix *ipfix);

#endif
