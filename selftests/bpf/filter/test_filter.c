// SPDX-License-Identifier: GPL-2.0
/*
 * The example examples/trio-filter on packets, good and bad: the verdict, the one counter
 * that moves with the packet's length, and that a packet that passes is not changed.
 */
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <err.h>
#include <errno.h>
#include <linux/bpf.h>
#include <linux/if_ether.h>
#include <stdlib.h>
#include <string.h>

#include "bpf/trio_filter.skel.h"
#include "ktap.h"
#include "packet.h"

/* As the program's map has them. */
enum why { NOT_IP, NOT_PLAIN, WHYS };

#define PASSES	WHYS
#define IP_AT	ETH_HLEN

struct counter {
	uint64_t packets;
	uint64_t bytes;
};

/**
 * struct test - a packet and its expected fate
 * @name: its description
 * @spec: the packet
 * @why: the counter that it moves, or PASSES
 * @len: the frame ends there, 0 where it is whole
 * @version: instead of the IP header's first byte, 0 for the right one
 */
struct test {
	const char *name;
	struct packet_spec spec;
	unsigned int why;
	size_t len;
	uint8_t version;
};

static const struct test tests[] = {
	{ "IPv4 without options passes", { .count = 16 }, .why = PASSES },
	{ "so does the longest frame of an Ethernet", { .count = 364 }, .why = PASSES },
	{ "so does a fragment", { .count = 16, .fragment = 2 }, .why = PASSES },
	{ "so does another protocol", { .count = 16, .protocol = 6 }, .why = PASSES },
	{ "so does a packet that is not to this host", { .count = 16, .to = -1 }, .why = PASSES },
	{ "so does a header and nothing behind it", {}, .why = PASSES, .len = IP_AT + 20 },
	{ "four bytes of options", { .count = 16, .options = 4 }, .why = NOT_PLAIN },
	{ "forty bytes of options", { .count = 16, .options = 40 }, .why = NOT_PLAIN },
	{ "a header that says it is too short", { .count = 16 }, .why = NOT_PLAIN,
	  .version = 0x44 },
	{ "another version behind IPv4's EtherType", { .count = 16 }, .why = NOT_PLAIN,
	  .version = 0x65 },
	{ "a header that is cut", {}, .why = NOT_PLAIN, .len = IP_AT + 19 },
	{ "IPv4's EtherType and no header", {}, .why = NOT_PLAIN, .len = IP_AT },
	{ "IPv6", { .count = 16, .ipv6 = true }, .why = NOT_IP },
	{ "ARP", { .ethertype = ETH_P_ARP }, .why = NOT_IP },
	{ "IPv4 in a VLAN", { .count = 16, .vlans = 1 }, .why = NOT_IP },
	{ "an EtherType and nothing behind it", { .ethertype = ETH_P_LOOPBACK },
	  .why = NOT_IP, .len = IP_AT },
};

static void read_counters(const struct trio_filter_bpf *filter, struct counter *total)
{
	int cpus = libbpf_num_possible_cpus(), i;
	int fd = bpf_map__fd(filter->maps.dropped);
	struct counter *counter;
	uint32_t why;

	counter = calloc(cpus, sizeof(*counter));
	if (!counter)
		err(1, "calloc");
	memset(total, 0, WHYS * sizeof(*total));
	for (why = 0; why < WHYS; why++) {
		if (bpf_map_lookup_elem(fd, &why, counter))
			err(1, "read the counters");
		for (i = 0; i < cpus; i++) {
			total[why].packets += counter[i].packets;
			total[why].bytes += counter[i].bytes;
		}
	}
	free(counter);
}

static bool counted(const struct counter *before, const struct counter *after,
		    unsigned int expected, size_t len)
{
	unsigned int why;

	for (why = 0; why < WHYS; why++) {
		uint64_t packets = after[why].packets - before[why].packets;
		uint64_t bytes = after[why].bytes - before[why].bytes;

		if (packets != (why == expected) || bytes != (why == expected ? len : 0)) {
			printf("# counter %u: %llu packets, %llu bytes\n", why,
			       (unsigned long long)packets, (unsigned long long)bytes);
			return false;
		}
	}
	return true;
}

static bool run(const struct trio_filter_bpf *filter, const uint8_t *frame, size_t len,
		unsigned int why)
{
	uint32_t verdict = why == PASSES ? XDP_PASS : XDP_DROP;
	static uint8_t out[PACKET_MAX];
	LIBBPF_OPTS(bpf_test_run_opts, opts, .data_in = frame, .data_size_in = len,
		    .data_out = out, .data_size_out = sizeof(out), .repeat = 1);

	if (bpf_prog_test_run_opts(bpf_program__fd(filter->progs.trio_filter), &opts)) {
		printf("# test run: %s\n", strerror(errno));
		return false;
	}
	if (opts.retval != verdict)
		printf("# verdict %u, not %u\n", opts.retval, verdict);
	return opts.retval == verdict && opts.data_size_out == len && !memcmp(frame, out, len);
}

static void test(const struct trio_filter_bpf *filter, const struct test *test)
{
	struct counter before[WHYS], after[WHYS];
	uint8_t frame[PACKET_MAX];
	size_t len = packet_build(&test->spec, frame);
	bool ok;

	len = test->len ?: len;
	if (test->version)
		frame[IP_AT] = test->version;
	read_counters(filter, before);
	ok = run(filter, frame, len, test->why);
	read_counters(filter, after);
	ktap_ok(counted(before, after, test->why, len) && ok, "%s", test->name);
}

int main(void)
{
	struct trio_filter_bpf *filter = trio_filter_bpf__open_and_load();
	size_t i;

	if (!filter)
		err(1, "load the program");
	ktap_header();
	for (i = 0; i < sizeof(tests) / sizeof(*tests); i++)
		test(filter, &tests[i]);
	trio_filter_bpf__destroy(filter);
	return ktap_end();
}
