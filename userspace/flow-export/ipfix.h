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
 * @refresh: seconds after which templates are sent again by UDP
 */
struct ipfix_to {
	const char *host;
	const char *port;
	bool tcp;
	uint32_t domain;
	unsigned int refresh;
};

/* RFC 7011, section 8.4 */
#define IPFIX_REFRESH	60

struct ipfix;

/* Return NULL if the collector cannot be sent to; the reason is printed. @to stays with the exporter. */
struct ipfix *ipfix_open(const struct ipfix_to *to);

/*
 * Take a message of the module: it is sent with others, and by ipfix_send() at last. Both send templates
 * again from time to time, as those of UDP may be lost and a collector may have started later.
 *
 * If the collector is gone, the reason is printed, and it is called again each few seconds; records are
 * dropped meanwhile, and counted.
 */
void ipfix_add(struct ipfix *ipfix, const struct nlmsghdr *message);
void ipfix_send(struct ipfix *ipfix);

/* Number of records that were dropped as the collector was gone. */
uint64_t ipfix_dropped(const struct ipfix *ipfix);
void ipfix_close(struct ipfix *ipfix);

#endif
