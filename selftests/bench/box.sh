#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# The box's cost of packets. To be run in a virtual machine that counts instructions:
#
#	selftests/vm/run --icount --memory 4G -- selftests/bench/box.sh box merged scale
set -u
cd "$(dirname "${BASH_SOURCE[0]}")/../.." || exit 1
# shellcheck source=cost.sh
. selftests/bench/cost.sh

[[ -e /sys/module/weir ]] || die "the module is not loaded"

# row TEXT INSTRUCTIONS
row() {
	note "$(printf '  %-58s %6d' "$1" "$2")"
}

# The parts of the cost of a frame of 1,024 gradients. Each row is a difference of two
# measurements.
breakdown() {
	local frame=${cost[drop_1024]} small=$((cost[contribution_1] - cost[drop_1]))
	local summed=$((cost[contribution_1024] - frame - small))
	local result=$((cost[whole_box_1024] - cost[contribution_1024]))

	note "where the whole box's instructions go, a contribution of 1,024 gradients:"
	row "receive on veth, make an XDP frame, run XDP, free it" "${cost[drop_1]}"
	row "more of that for 4 KB instead of 4 bytes (veth copies)" $((frame - cost[drop_1]))
	row "parse, find job, source and block, lock, count" "$small"
	row "sum 1,024 gradients instead of 1" "$summed"
	row "one result to one receiver, up to the receiver's drop" "$result"
	row "the whole box" "${cost[whole_box_1024]}"
	row "and to check the UDP checksum, if the sender made one" \
		$((cost[checked_1024] - cost[contribution_1024]))
	row "one result of 1 gradient instead of 1,024" \
		$((cost[whole_box_1] - cost[contribution_1]))
}

part_box() {
	local g what
	ports_off
	cost_sender 1 256 1024
	cost_of_xdp 1 256 1024
	ports_are xdp
	cost_of_box 1 256 1024
	cost_of_checksum 1024
	for g in 256 1024; do
		for what in drop tx redirect contribution whole_box; do
			figure "insn_${what}_$g" "${cost[${what}_$g]}"
		done
		figure "contribution_over_tx_$g" "$(ratio "${cost[contribution_$g]}" "${cost[tx_$g]}")"
		figure "whole_box_over_forward_$g" "$(ratio "${cost[whole_box_$g]}" "${cost[redirect_$g]}")"
	done
	figure format_cost_trio "$(ratio "${cost[contribution_256]}" "$(recorded insn_before_formats_256)")"
	figure insn_checksum_1024 $((cost[checked_1024] - cost[contribution_1024]))
	breakdown
}

# Compare the types of numbers, and sums in a fixed order with sums in any.
part_types() {
	local what
	ports_are xdp
	if [[ -z ${cost[contribution_1024]-} ]]; then
		cost_sender 1024
		cost_of_box 1024
	fi
	cost_of_types
	for what in float32 bfloat16 float16 {float32,bfloat16,float16}_fixed; do
		figure "insn_contribution_${what}_1024" "${cost[$what]}"
	done
	figure contribution_float32_over_int32 "$(ratio "${cost[float32]}" "${cost[contribution_1024]}")"
	figure fixed_order_over_arrival "$(ratio "${cost[float32_fixed]}" "${cost[float32]}")"
}

# Contributions that come many in a packet, by ports in tc mode.
part_merged() {
	local g
	cost_sender 256 1024
	cost_of_tc
	note "by ports in tc mode, instructions in the box:"
	for g in 256 1024; do
		row "a contribution of $g gradients" "${cost[contribution_tc_$g]}"
		row "the same, ${cost_fit[$g]} in a packet" "${cost[contribution_merged_$g]}"
		row "with its share of results" "${cost[whole_box_tc_$g]}"
		row "the same, ${cost_fit[$g]} in a packet" "${cost[whole_box_merged_$g]}"
		figure "insn_contribution_tc_$g" "${cost[contribution_tc_$g]}"
		figure "insn_whole_box_tc_$g" "${cost[whole_box_tc_$g]}"
		figure "contribution_merged_$g" "${cost[contribution_merged_$g]}"
		figure "whole_box_merged_$g" "${cost[whole_box_merged_$g]}"
	done
}

part_scale() {
	ports_are xdp
	[[ -n ${cost[sender_256]-} ]] || cost_sender 256
	scale_addresses
	scale_jobs
	scale_sources
	scale_blocks
	note "a contribution of 256 gradients, instructions in the box:"
	row "the second to the 200th to a block, at most 8 open" "${cost[open_8]}"
	row "the same, 65,535 open" "${cost[open_65535]}"
	row "one job" "${cost[jobs_1]}"
	row "200 jobs, taking turns" "${cost[jobs_200]}"
	row "the second of 2 sources" "${cost[sources_2]}"
	row "the second to the 200th of 200 sources" "${cost[sources_200]}"
	figure scale_blocks "$(spread "${cost[open_8]}" "${cost[open_65535]}")"
	figure scale_jobs "$(spread "${cost[jobs_1]}" "${cost[jobs_200]}")"
	figure scale_sources "$(spread "${cost[sources_2]}" "${cost[sources_200]}")"
}

(($#)) || set -- box merged types scale
cost_up
for part; do
	case $part in
	box | merged | types | scale) "part_$part" ;;
	*) die "no part is called $part" ;;
	esac
done
