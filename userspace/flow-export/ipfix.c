// SPDX-License-Identifier: GPL-2.0
#include "ipfix.h"

#include <arpa/inet.h>
#include <fixbuf/public.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <weir_xdp_nl.h>

#include "netlink/genl.h"

/* Ids of the templates, which this exporter chooses. Those of ICMP have a type and a code for ports. */
#define TEMPLATE_IPV4	256
#define TEMPLATE_IPV6	257
#define TEMPLATE_ICMPV4	258
#define TEMPLATE_ICMPV6	259
#define TEMPLATE_SAMPLE	260

/* Devices whose sample is announced. */
#define SAMPLES_MAX	256

/* IANA's "PSAMP parameters": random n-out-of-N sampling. */
#define RANDOM_N_OF_N	3

/* Seconds after which a collector that is gone is called again. */
#define RETRY_AFTER	2

/* A record in memory, without holes. Only the fields of its template are sent. */
struct counts {
	uint64_t packets;
	uint64_t octets;
	uint64_t start;
	uint64_t end;
	uint64_t selector;
	uint32_t interface;
	uint16_t sport;
	uint16_t dport;
	uint16_t vlan;
	uint8_t proto;
	uint8_t tos;
	uint8_t flags;
	uint8_t reason;
	uint16_t icmp;
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

_Static_assert(sizeof(struct counts) == 56 && sizeof(struct ipv4) == 64 &&
	       sizeof(struct ipv6) == 88, "holes in records");

/**
 * struct sample - the sample of a device, as it is announced: RFC 5477, section 8.2
 * @selector: the device's number, which its records have too
 * @size: packets of
 * @population: so many
 * @interval: the same for collectors that know regular samples alone: of so many packets and
 * @space: so many that follow the former are recorded
 * @algorithm: RANDOM_N_OF_N
 */
struct sample {
	uint64_t selector;
	uint32_t size;
	uint32_t population;
	uint32_t interval;
	uint32_t space;
	uint16_t algorithm;
	uint8_t padding[6];
};

_Static_assert(sizeof(struct sample) == 32, "holes in a sample");

/* Their names are those of IANA's registry. */
#define FIELD(name, len) { (char *)(name), len, 0 }
#define COUNTS FIELD("packetDeltaCount", 8), FIELD("octetDeltaCount", 8), \
	FIELD("flowStartMilliseconds", 8), FIELD("flowEndMilliseconds", 8), \
	FIELD("selectorId", 8), FIELD("ingressInterface", 4)
#define PORTS FIELD("sourceTransportPort", 2), FIELD("destinationTransportPort", 2)
#define REST FIELD("vlanId", 2), FIELD("protocolIdentifier", 1), FIELD("ipClassOfService", 1), \
	FIELD("tcpControlBits", 1), FIELD("flowEndReason", 1)
#define ADDRESSES(version, len) FIELD("source" version "Address", len), \
	FIELD("destination" version "Address", len)

/**
 * struct layout - a template
 * @id: of the template
 * @inside: fields as they lie in memory
 * @sent: fields that are sent
 * @scope: number of these that are the scope of options; 0 for records
 */
struct layout {
	uint16_t id;
	fbInfoElementSpec_t inside[17];
	fbInfoElementSpec_t sent[17];
	uint16_t scope;
};

static struct layout layouts[] = {
	{ TEMPLATE_IPV4, { COUNTS, PORTS, REST, FIELD("icmpTypeCodeIPv4", 2), ADDRESSES("IPv4", 4) },
	  { COUNTS, PORTS, REST, ADDRESSES("IPv4", 4) }, 0 },
	{ TEMPLATE_IPV6, { COUNTS, PORTS, REST, FIELD("icmpTypeCodeIPv6", 2), ADDRESSES("IPv6", 16) },
	  { COUNTS, PORTS, REST, ADDRESSES("IPv6", 16) }, 0 },
	{ TEMPLATE_ICMPV4, { COUNTS, PORTS, REST, FIELD("icmpTypeCodeIPv4", 2), ADDRESSES("IPv4", 4) },
	  { COUNTS, FIELD("icmpTypeCodeIPv4", 2), REST, ADDRESSES("IPv4", 4) }, 0 },
	{ TEMPLATE_ICMPV6, { COUNTS, PORTS, REST, FIELD("icmpTypeCodeIPv6", 2), ADDRESSES("IPv6", 16) },
	  { COUNTS, FIELD("icmpTypeCodeIPv6", 2), REST, ADDRESSES("IPv6", 16) }, 0 },
	{ TEMPLATE_SAMPLE,
	  { FIELD("selectorId", 8), FIELD("samplingSize", 4), FIELD("samplingPopulation", 4),
	    FIELD("samplingPacketInterval", 4), FIELD("samplingPacketSpace", 4),
	    FIELD("selectorAlgorithm", 2), FIELD("paddingOctets", 6) },
	  { FIELD("selectorId", 8), FIELD("samplingSize", 4), FIELD("samplingPopulation", 4),
	    FIELD("samplingPacketInterval", 4), FIELD("samplingPacketSpace", 4),
	    FIELD("selectorAlgorithm", 2) }, 1 },
};

/**
 * struct device - a device that records a sample, or did
 * @number: the device
 * @sample: one packet in so many
 */
struct device {
	uint32_t number;
	uint32_t sample;
};

/**
 * struct ipfix - an exporter
 * @session: of the connection
 * @buffer: of the connection; NULL while the collector is gone
 * @refresh: time at which templates are sent again, in seconds of the monotonic clock
 * @retry: time at which the collector is called again
 * @dropped: records, as the collector was gone
 * @device: the devices with a sample
 * @devices: number of entries in @device
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
	struct device device[SAMPLES_MAX];
	unsigned int devices;
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

/* One side of a template: @inside of the memory, or as it is sent. */
static bool add_side(struct ipfix *ipfix, const struct layout *layout, bool inside)
{
	fbTemplate_t *template = fbTemplateAlloc(ipfix->model);
	fbInfoElementSpec_t *fields = (void *)(inside ? layout->inside : layout->sent);
	GError *error = NULL;

	if (!fbTemplateAppendSpecArray(template, fields, UINT32_MAX, &error))
		return failed(error);
	if (layout->scope)
		fbTemplateSetOptionsScope(template, layout->scope);
	return fbSessionAddTemplate(ipfix->session, inside, layout->id, template, &error) ||
	       failed(error);
}

static bool add_templates(struct ipfix *ipfix)
{
	size_t i;

	for (i = 0; i < sizeof(layouts) / sizeof(*layouts); i++) {
		if (!add_side(ipfix, &layouts[i], true) || !add_side(ipfix, &layouts[i], false))
			return false;
	}
	return true;
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

static bool announce(struct ipfix *ipfix, const struct device *device)
{
	struct sample sample = {
		.selector = device->number, .size = 1, .population = device->sample,
		.interval = 1, .space = device->sample - 1, .algorithm = RANDOM_N_OF_N,
	};

	return append(ipfix, TEMPLATE_SAMPLE, &sample, sizeof(sample));
}

/* The templates, and the samples, without which counts are not understood. */
static bool send_templates(struct ipfix *ipfix)
{
	GError *error = NULL;
	unsigned int i;

	ipfix->refresh = now() + ipfix->with->refresh;
	if (!fbSessionExportTemplates(ipfix->session, &error))
		return failed(error);
	for (i = 0; i < ipfix->devices; i++) {
		if (!announce(ipfix, &ipfix->device[i]))
			return false;
	}
	return true;
}

static struct device *find_device(struct ipfix *ipfix, uint32_t number)
{
	unsigned int i;

	for (i = 0; i < ipfix->devices; i++) {
		if (ipfix->device[i].number == number)
			return &ipfix->device[i];
	}
	return NULL;
}

/* Announces a device's sample before the first record that it holds for. */
static bool tell_sample(struct ipfix *ipfix, uint32_t number, uint32_t sample)
{
	struct device *device = find_device(ipfix, number);

	if (device ? device->sample == sample : sample == 1)
		return true;
	if (!device && ipfix->devices == SAMPLES_MAX)
		return true;
	if (!device)
		device = &ipfix->device[ipfix->devices++];
	*device = (struct device){ number, sample };
	return announce(ipfix, device);
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
	if (add_templates(ipfix) && send_templates(ipfix))
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

/* Return true if the collector is there. If it is gone, call it again when it is time. */
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
	counts->selector = counts->interface;
	counts->icmp = nl_uint(record[WEIR_A_FLOW_RECORD_ICMP_TYPE]) << 8 |
		       nl_uint(record[WEIR_A_FLOW_RECORD_ICMP_CODE]);
}

/* Addresses of IPv4 are numbers to the library, and those of IPv6 bytes. */
static bool add_ipv4(struct ipfix *ipfix, const struct nlattr *const record[])
{
	bool icmp = record[WEIR_A_FLOW_RECORD_ICMP_TYPE];
	struct ipv4 out;

	read_counts(&out.counts, record);
	out.src = ntohl(mnl_attr_get_u32(record[WEIR_A_FLOW_RECORD_SRC]));
	out.dst = ntohl(mnl_attr_get_u32(record[WEIR_A_FLOW_RECORD_DST]));
	return append(ipfix, icmp ? TEMPLATE_ICMPV4 : TEMPLATE_IPV4, &out, sizeof(out));
}

static bool add_ipv6(struct ipfix *ipfix, const struct nlattr *const record[])
{
	bool icmp = record[WEIR_A_FLOW_RECORD_ICMP_TYPE];
	struct ipv6 out;

	read_counts(&out.counts, record);
	memcpy(out.src, mnl_attr_get_payload(record[WEIR_A_FLOW_RECORD_SRC]), sizeof(out.src));
	memcpy(out.dst, mnl_attr_get_payload(record[WEIR_A_FLOW_RECORD_DST]), sizeof(out.dst));
	return append(ipfix, icmp ? TEMPLATE_ICMPV6 : TEMPLATE_IPV6, &out, sizeof(out));
}

static size_t length_of(const struct nlattr *attr)
{
	return attr ? mnl_attr_get_payload_len(attr) : 0;
}

static uint32_t sample_of(const struct nlattr *const record[])
{
	const struct nlattr *sample = record[WEIR_A_FLOW_RECORD_SAMPLE];

	return sample ? nl_uint(sample) : 1;
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
	if (!tell_sample(ipfix, nl_uint(record[WEIR_A_FLOW_RECORD_IFINDEX]), sample_of(record)))
		return false;
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
