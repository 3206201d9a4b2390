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
	MEMBER(weir_options, fallback);
	MEMBER(weir_options, fallback_context);
	MEMBER(weir_options, on_block);
	MEMBER(weir_options, on_block_context);
	MEMBER(weir_options, type);
	MEMBER(weir_options, operation);
	MEMBER(weir_options, ranks_timeout_ms);
	MEMBER(weir_options, ranks_warning_ms);
	MEMBER(weir_options, on_missing);
	MEMBER(weir_options, on_missing_context);
	MEMBER(weir_options, box);
	MEMBER(weir_options, source);
	MEMBER(weir_options, failover_ms);
	MEMBER(weir_options, trees);
	MEMBER(weir_options, reserved2);
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
	MEMBER(weir_stats, reserved);
	MEMBER(weir_stats, queries);
	MEMBER(weir_stats, notices);
	MEMBER(weir_stats, early);
	MEMBER(weir_stats, type);
	MEMBER(weir_stats, operation);
	MEMBER(weir_stats, merged_sent);
	MEMBER(weir_stats, merged_received);
	MEMBER(weir_stats, rank);
	MEMBER(weir_stats, ranks);
	MEMBER(weir_stats, job);
	MEMBER(weir_stats, port);
	MEMBER(weir_stats, marked);
	MEMBER(weir_stats, moves);
	MEMBER(weir_stats, trees);
	MEMBER(weir_stats, reserved2);
	printf("weir_info %zu\n", sizeof(struct weir_info));
	MEMBER(weir_info, size);
	MEMBER(weir_info, blocks);
	MEMBER(weir_info, overflow_blocks);
	MEMBER(weir_info, degraded_blocks);
	MEMBER(weir_info, min_ranks);
	MEMBER(weir_info, reserved);
	MEMBER(weir_info, missed_blocks);
	MEMBER(weir_info, cut_blocks);
	printf("weir_extra %zu\n", sizeof(struct weir_extra));
	MEMBER(weir_extra, size);
	MEMBER(weir_extra, residual);
	MEMBER(weir_extra, scale);
	MEMBER(weir_extra, follow);
	MEMBER(weir_extra, reserved);
	printf("weir_poll %zu\n", sizeof(struct weir_poll));
	MEMBER(weir_poll, size);
	MEMBER(weir_poll, fd);
	MEMBER(weir_poll, group_fd);
	MEMBER(weir_poll, writable);
	MEMBER(weir_poll, reserved);
	MEMBER(weir_poll, timeout_us);
	printf("weir_members %zu\n", sizeof(struct weir_members));
	MEMBER(weir_members, size);
	MEMBER(weir_members, notices);
	MEMBER(weir_members, dead);
	MEMBER(weir_members, excluded);
	MEMBER(weir_members, waiting);
	MEMBER(weir_members, missing);
	MEMBER(weir_members, all_dead);
	MEMBER(weir_members, all_excluded);
	MEMBER(weir_members, all_waiting);
	MEMBER(weir_members, all_missing);
	printf("weir_failure %zu\n", sizeof(struct weir_failure));
	MEMBER(weir_failure, size);
	MEMBER(weir_failure, error);
	MEMBER(weir_failure, rank);
	MEMBER(weir_failure, block);
	MEMBER(weir_failure, silent_ms);
	MEMBER(weir_failure, sequence);
	MEMBER(weir_failure, in);
	MEMBER(weir_failure, out);
	MEMBER(weir_failure, count);
	MEMBER(weir_failure, type);
	MEMBER(weir_failure, operation);
	MEMBER(weir_failure, flags);
	printf("weir_block_info %zu\n", sizeof(struct weir_block_info));
	MEMBER(weir_block_info, size);
	MEMBER(weir_block_info, sequence);
	MEMBER(weir_block_info, offset);
	MEMBER(weir_block_info, count);
	MEMBER(weir_block_info, contributors);
	MEMBER(weir_block_info, ranks);
	MEMBER(weir_block_info, overflow);
	MEMBER(weir_block_info, all_contributors);
	return 0;
}
