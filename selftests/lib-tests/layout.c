// SPDX-License-Identifier: GPL-2.0
/* Prints how the library's structures lie in memory: callers depend on it. */
#include <stddef.h>
#include <stdio.h>

#include "libweir.h"

#define MEMBER(structure, member) \
	printf(#structure "." #member " %zu %zu\n", offsetof(struct structure, member), \
	       sizeof(((struct structure *)0)->member))

int main(void)
{
	printf("weir_options %zu\n", sizeof(struct weir_options));
	MEMBER(weir_options, size);
	MEMBER(weir_options, address);
	MEMBER(weir_options, bind_address);
	MEMBER(weir_options, group);
	MEMBER(weir_options, interface);
	MEMBER(weir_options, port);
	MEMBER(weir_options, bind_port);
	MEMBER(weir_options, rank);
	MEMBER(weir_options, ranks);
	MEMBER(weir_options, grads);
	MEMBER(weir_options, job);
	MEMBER(weir_options, reserved);
	MEMBER(weir_options, window);
	MEMBER(weir_options, timeout_ms);
	MEMBER(weir_options, flags);
	printf("weir_stats %zu\n", sizeof(struct weir_stats));
	MEMBER(weir_stats, size);
	MEMBER(weir_stats, packets_sent);
	MEMBER(weir_stats, packets_received);
	MEMBER(weir_stats, retransmits);
	MEMBER(weir_stats, timeouts);
	MEMBER(weir_stats, duplicates);
	MEMBER(weir_stats, malformed);
	MEMBER(weir_stats, elements);
	MEMBER(weir_stats, generation);
	MEMBER(weir_stats, window);
	MEMBER(weir_stats, blocks);
	MEMBER(weir_stats, grads);
	MEMBER(weir_stats, receive_buffer);
	MEMBER(weir_stats, rtt_us);
	MEMBER(weir_stats, rttvar_us);
	MEMBER(weir_stats, rtt_min_us);
	MEMBER(weir_stats, flight_limit);
	printf("weir_info %zu\n", sizeof(struct weir_info));
	MEMBER(weir_info, size);
	MEMBER(weir_info, blocks);
	MEMBER(weir_info, overflow_blocks);
	MEMBER(weir_info, degraded_blocks);
	MEMBER(weir_info, min_ranks);
	return 0;
}
