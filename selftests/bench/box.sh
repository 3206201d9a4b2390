#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# The box's cost of packets. To be run in a virtual machine that counts instructions:
#
#	selftests/vm/run --icount --memory 4G -- selftests/bench/box.sh box scale transfer
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
	cost_sender 1 256 1024
	cost_of_xdp 1 256 1024
	each_worker ports
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

# How the types of numbers compare, and sums in any order.
part_types() {
	local what
	if [[ -z ${cost[sender_1024]-} ]]; then
		cost_sender 1024
		each_worker ports
		cost_of_box 1024
	fi
	cost_of_types
	for what in float32 bfloat16 float16 {float32,bfloat16,float16}_fixed; do
		figure "insn_contribution_${what}_1024" "${cost[$what]}"
	done
	figure contribution_float32_over_int32 "$(ratio "${cost[float32]}" "${cost[contribution_1024]}")"
	figure fixed_order_over_arrival "$(ratio "${cost[float32_fixed]}" "${cost[float32]}")"
}

part_scale() {
	if [[ -z ${cost[sender_256]-} ]]; then
		cost_sender 256
		each_worker ports
	fi
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

# perf OPTION...: a weir-perf in each worker.
perf() {
	local i pids=() status=0
	for ((i = 1; i <= bench_workers; i++)); do
		in_worker "$i" weir-perf --job "$transfer_job" --address "$bench_box" --rank $((i - 1)) \
			--ranks "$bench_workers" --min-bytes 1M --max-bytes 1M --warmup 2 "$@" >/dev/null &
		pids+=($!)
	done
	for i in "${pids[@]}"; do
		wait "$i" || status=1
	done
	((status == 0)) || die "the transfer failed"
}

# Seconds that the processor was not idle.
worked() {
	awk '{ printf "%.2f\n", $1 - $2 }' /proc/uptime
}

# Everything that a gradient takes: four workers and the box, on one processor. A run's
# start and end fall out of the difference of a short run and a long one.
part_transfer() {
	local few=4 many=44 t=()
	transfer_job=6
	[[ $(in_router weir -j port show | gojq length) == 0 ]] && each_worker ports
	each_worker pass ingress
	setup --job "$transfer_job" --sources "$bench_workers" --blocks 1024
	perf --iterations 1 --verify
	t+=("$(worked)")
	perf --iterations "$few"
	t+=("$(worked)")
	perf --iterations "$many"
	t+=("$(worked)")
	figure insn_transfer_gradient "$(awk -v n=$((many - few)) 'BEGIN {
		printf "%.1f\n", ((ARGV[3] - ARGV[2]) - (ARGV[2] - ARGV[1])) * 1e9 / n / 262144
	}' "${t[@]}")"
}

(($#)) || set -- box types scale transfer
cost_up
for part; do
	case $part in
	box | types | scale | transfer) "part_$part" ;;
	*) die "no part is called $part" ;;
	esac
done
