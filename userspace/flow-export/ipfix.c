// SPDX-License-Identifier: GPL-2.0
#include "ipfix.h"

#include <arpa/inet.h>
#include <fixbuf/public.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <weir.h>

#include "netlink/genl.h"

/* Ids of the templates, which this exporter chooses. */
#define TEMPLATE_IPV4	256
#define TEMPLATE_IPV6	257

/* Seconds after which a collector that is gone is called again. */
#define RETRY_AFTER	2

/* What both templates have, in this order, without holes. */
struct counts {
	uint64_t packets;
	uint64_t octets;
	uint64_t start;
	uint64_t end;
	uint32_t interface;
	uint16_t sport;
	uint16_t dport;
	uint16_t vlan;
	uint8_t proto;
	uint8_t tos;
	uint8_t flags;
	uint8_t reason;
	uint8_t padding[2];
};

struct ipv4 {
	struct counts counts;
	uint32_t src;
	uint32_t dst;
};

struct ipv6 {
	struct counts counts;
	uint8_t src[16];
	uint8_t dst[16];
};

_Static_assert(sizeof(struct counts) == 48 && sizeof(struct ipv4) == 56 &&
	       sizeof(struct ipv6) == 80, "holes in records");

/* Their names are those of IANA's registry. */
#define FIELD(name, len) { (char *)(name), len, 0 }
static fbInfoElementSpec_t counts_fields[] = {
	FIELD("packetDeltaCount", 8), FIELD("octetDeltaCount", 8),
	FIELD("flowStartMilliseconds", 8), FIELD("flowEndMilliseconds", 8),
	FIELD("ingressInterface", 4), FIELD("sourceTransportPort", 2),
	FIELD("destinationTransportPort", 2), FIELD("vlanId", 2),
	FIELD("protocolIdentifier", 1), FIELD("ipClassOfService", 1),
	FIELD("tcpControlBits", 1), FIELD("flowEndReason", 1),
	FIELD("paddingOctets", 2), FB_IESPEC_NULL,
};

static fbInfoElementSpec_t ipv4_fields[] = {
	FIELD("sourceIPv4Address", 4), FIELD("destinationIPv4Address", 4), FB_IESPEC_NULL,
};

static fbInfoElementSpec_t ipv6_fields[] = {
	FIELD("sourceIPv6Address", 16), FIELD("destinationIPv6Address", 16), FB_IESPEC_NULL,
};

/**
 * struct ipfix - an exporter
 * @session: of the connection
 * @buffer: of the connection; NULL while the collector is gone
 * @refresh: when templates are sent again, in seconds of the monotonic clock
 * @retry: when the collector is called again
 * @dropped: records, as the collector was gone
 */
struct ipfix {
	const struct ipfix_to *with;
	fbInfoModel_t *model;
	fbSession_t *session;
	fBuf_t *buffer;
	fbConnSpec_t to;
	time_t refresh;
	time_t retry;
	uint64_t dropped;
};

static time_t now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return time.tv_sec;
}

static bool failed(GError *error)
{
	fprintf(stderr, "weir-flow-export: %s\n", error ? error->message : "libfixbuf fails");
	g_clear_error(&error);
	return false;
}

/* The records in memory are as those that are sent. */
static bool add_template(struct ipfix *ipfix, uint16_t id, fbInfoElementSpec_t *fields)
{
	fbTemplate_t *template = fbTemplateAlloc(ipfix->model);
	GError *error = NULL;

	if (fbTemplateAppendSpecArray(template, counts_fields, UINT32_MAX, &error) &&
	    fbTemplateAppendSpecArray(template, fields, UINT32_MAX, &error) &&
	    fbSessionAddTemplate(ipfix->session, TRUE, id, template, &error) &&
	    fbSessionAddTemplate(ipfix->session, FALSE, id, template, &error))
		return true;
	return failed(error);
}

static bool send_templates(struct ipfix *ipfix)
{
	GError *error = NULL;

	ipfix->refresh = now() + ipfix->with->refresh;
	return fbSessionExportTemplates(ipfix->session, &error) || failed(error);
}

static void hang_up(struct ipfix *ipfix)
{
	if (ipfix->buffer)
		fBufFree(ipfix->buffer);
	ipfix->buffer = NULL;
}

static bool call(struct ipfix *ipfix)
{
	ipfix->session = fbSessionAlloc(ipfix->model);
	fbSessionSetDomain(ipfix->session, ipfix->with->domain);
	ipfix->buffer = fBufAllocForExport(ipfix->session, fbExporterAllocNet(&ipfix->to));
	if (add_template(ipfix, TEMPLATE_IPV4, ipv4_fields) &&
	    add_template(ipfix, TEMPLATE_IPV6, ipv6_fields) && send_templates(ipfix))
		return true;
	hang_up(ipfix);
	ipfix->retry = now() + RETRY_AFTER;
	return false;
}

struct ipfix *ipfix_open(const struct ipfix_to *to)
{
	struct ipfix *ipfix = calloc(1, sizeof(*ipfix));

	if (!ipfix)
		abort();
	ipfix->with = to;
	ipfix->to.transport = to->tcp ? FB_TCP : FB_UDP;
	ipfix->to.host = (char *)to->host;
	ipfix->to.svc = (char *)to->port;
	ipfix->model = fbInfoModelAlloc();
	if (call(ipfix))
		return ipfix;
	ipfix_close(ipfix);
	return NULL;
}

void ipfix_close(struct ipfix *ipfix)
{
	hang_up(ipfix);
	fbInfoModelFree(ipfix->model);
	free(ipfix);
}

uint64_t ipfix_dropped(const struct ipfix *ipfix)
{
	return ipfix->dropped;
}

/* The reason has been printed. */
static void lose(struct ipfix *ipfix)
{
	fprintf(stderr, "weir-flow-export: the collector is gone, and is called again each %d seconds\n",
		RETRY_AFTER);
	hang_up(ipfix);
	ipfix->retry = now() + RETRY_AFTER;
}

/* Is the collector there, or there again? */
static bool is_up(struct ipfix *ipfix)
{
	if (ipfix->buffer)
		return true;
	if (now() < ipfix->retry || !call(ipfix))
		return false;
	fprintf(stderr, "weir-flow-export: the collector is there again; %ju records were dropped so far\n",
		(uintmax_t)ipfix->dropped);
	return true;
}

static void read_counts(struct counts *counts, const struct nlattr *const record[])
{
	memset(counts, 0, sizeof(*counts));
	counts->packets = nl_uint(record[WEIR_A_FLOW_RECORD_PACKETS]);
	counts->octets = nl_uint(record[WEIR_A_FLOW_RECORD_BYTES]);
	counts->start = nl_uint(record[WEIR_A_FLOW_RECORD_FIRST]);
	counts->end = nl_uint(record[WEIR_A_FLOW_RECORD_LAST]);
	counts->interface = nl_uint(record[WEIR_A_FLOW_RECORD_IFINDEX]);
	counts->sport = nl_uint(record[WEIR_A_FLOW_RECORD_SPORT]);
	counts->dport = nl_uint(record[WEIR_A_FLOW_RECORD_DPORT]);
	counts->vlan = nl_uint(record[WEIR_A_FLOW_RECORD_VLAN]);
	counts->proto = nl_uint(record[WEIR_A_FLOW_RECORD_PROTO]);
	counts->tos = nl_uint(record[WEIR_A_FLOW_RECORD_TOS]);
	counts->flags = nl_uint(record[WEIR_A_FLOW_RECORD_TCP_FLAGS]);
	counts->reason = nl_uint(record[WEIR_A_FLOW_RECORD_END]);
}

static bool append(struct ipfix *ipfix, uint16_t id, void *record, size_t size)
{
	GError *error = NULL;

	if (fBufSetInternalTemplate(ipfix->buffer, id, &error) &&
	    fBufSetExportTemplate(ipfix->buffer, id, &error) &&
	    fBufAppend(ipfix->buffer, record, size, &error))
		return true;
	return failed(error);
}

/* Addresses of IPv4 are numbers to the library, and those of IPv6 bytes. */
static bool add_ipv4(struct ipfix *ipfix, const struct nlattr *const record[])
{
	struct ipv4 out;

	read_counts(&out.counts, record);
	out.src = ntohl(mnl_attr_get_u32(record[WEIR_A_FLOW_RECORD_SRC]));
	out.dst = ntohl(mnl_attr_get_u32(record[WEIR_A_FLOW_RECORD_DST]));
	return append(ipfix, TEMPLATE_IPV4, &out, sizeof(out));
}

static bool add_ipv6(struct ipfix *ipfix, const struct nlattr *const record[])
{
	struct ipv6 out;

	read_counts(&out.counts, record);
	memcpy(out.src, mnl_attr_get_payload(record[WEIR_A_FLOW_RECORD_SRC]), sizeof(out.src));
	memcpy(out.dst, mnl_attr_get_payload(record[WEIR_A_FLOW_RECORD_DST]), sizeof(out.dst));
	return append(ipfix, TEMPLATE_IPV6, &out, sizeof(out));
}

static size_t length_of(const struct nlattr *attr)
{
	return attr ? mnl_attr_get_payload_len(attr) : 0;
}

static bool emit(struct ipfix *ipfix)
{
	GError *error = NULL;

	return fBufEmit(ipfix->buffer, &error) || failed(error);
}

/* Templates go in a message of their own, after the records that wait. */
static bool refresh(struct ipfix *ipfix)
{
	if (ipfix->to.transport == FB_TCP || now() < ipfix->refresh)
		return true;
	return emit(ipfix) && send_templates(ipfix) && emit(ipfix);
}

static bool add(struct ipfix *ipfix, const struct nlmsghdr *message)
{
	const struct nlattr *record[WEIR_A_FLOW_RECORD_MAX + 1];
	size_t src, dst;

	weir_attributes(message, record, WEIR_A_FLOW_RECORD_MAX);
	src = length_of(record[WEIR_A_FLOW_RECORD_SRC]);
	dst = length_of(record[WEIR_A_FLOW_RECORD_DST]);
	if (src == 4 && dst == 4)
		return add_ipv4(ipfix, record);
	return src != 16 || dst != 16 || add_ipv6(ipfix, record);
}

void ipfix_add(struct ipfix *ipfix, const struct nlmsghdr *message)
{
	if (!is_up(ipfix)) {
		ipfix->dropped++;
		return;
	}
	if (!refresh(ipfix) || !add(ipfix, message)) {
		ipfix->dropped++;
		lose(ipfix);
	}
}

void ipfix_send(struct ipfix *ipfix)
{
	if (is_up(ipfix) && !(emit(ipfix) && refresh(ipfix)))
		lose(ipfix);
}
