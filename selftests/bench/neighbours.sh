#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# The effect of one job's flood, stall or loss on another job's throughput. To be run
# in a virtual machine whose clock counts instructions:
#
#	selftests/vm/run --icount -- selftests/bench/neighbours.sh
#
# Two workers of one job and two of another, each on a link of its own to the same box.
# The neighbour's time for an allreduce is measured alone and beside each misfortune; its
# links limit it, as long as the box gives each job its due.
set -u
cd "$(dirname "${BASH_SOURCE[0]}")/../.." || exit 1
# shellcheck source=../lib/ktap.sh
. selftests/lib/ktap.sh
# shellcheck source=lib.sh
. selftests/bench/lib.sh

rate=50mbit
bytes=$((8 << 20))
good=1 bad=2 stalled=3
work=$(mktemp -d) || exit 1
at_exit rm -rf "$work"

[[ -e /sys/module/weir ]] || die "the module is not loaded"

# shape WORKER OPTION...: its link, with netem's options
shape() {
	local ns dev
	for ns in "w$1 eth0" "router w$1"; do
		read -r ns dev <<<"$ns"
		in_ns "$ns" tc qdisc replace dev "$dev" root handle 1: tbf rate "$rate" burst 16kb limit 4mb ||
			die "no shaping"
		(($# == 1)) || in_ns "$ns" tc qdisc replace dev "$dev" parent 1: netem limit 10000 "${@:2}" ||
			die "no loss"
	done
}

# perf JOB FIRST OPTION...: rank 0 on worker FIRST, rank 1 on the next
perf() {
	local job=$1 first=$2 i pids=()
	for i in 0 1; do
		in_worker $((first + i)) weir-perf --job "$job" --address "$bench_box" --rank "$i" --ranks 2 \
			--json "${@:3}" >"$work/$job.$i" 2>"$work/$job.$i.error" &
		pids+=($!)
	done
	wait_all "${pids[@]}"
}

# Seconds for the neighbour's allreduce.
neighbour() {
	# Less than its links queue: nothing but the box is to hold it up.
	perf $good 1 --min-bytes $bytes --max-bytes $bytes --warmup 1 --iterations 2 --window 256 ||
		{ cat "$work"/*.error >&2; die "the neighbour failed"; }
	gojq -s '[.[] | .results[0].time_us] | max / 1e6' "$work/$good".?
}

# Contributions as fast as their links take them, answered or not; they have no more
# right to the one processor than that.
flood() {
	for ((b = 0; ; b += 1000)); do
		nice -n 19 bench-blast --to "$bench_box" --job $bad --grads 1024 --block "$b" --blocks 1000 \
			"${bench_namespaces[@]:2:2}" || return
	done >/dev/null 2>&1
}

stall() {
	for ((b = 0; ; b += 1000)); do
		nice -n 19 bench-blast --to "$bench_box" --job $stalled --grads 1024 --block "$b" --blocks 1000 \
			--sources 1 "${bench_namespaces[@]:2:2}" || return
	done >/dev/null 2>&1
}

loss() {
	while perf $bad 3 --min-bytes $bytes --max-bytes $bytes --warmup 0 --iterations 1; do :; done
}

handed_over() {
	in_router weir -j stats | gojq '.stats | .contributions + (.refusals | add)'
}

# beside MISFORTUNE: the neighbour's time by its time alone
beside() {
	local pid slow
	"$1" &
	pid=$!
	rises 60 handed_over || die "no $1"
	slow=$(neighbour) || exit
	kill "$pid"
	pkill -P "$pid"
	wait "$pid" 2>/dev/null
	note "beside a job with a $1: $slow s, alone $alone s"
	slowest=$(awk -v a="$slowest" -v b="$slow" -v c="$alone" \
		'BEGIN { b = b / c - 1; printf "%.4f\n", (a > b ? a : b) }')
}

bench_star
each_worker pass ingress
each_worker ports
each_worker shape
# job ID TIMEOUT WORKER: of a worker and the next one
job() {
	in_router bench-setup --address "$bench_box" --job "$1" --sources 2 --blocks 4096 --timeout "$2" \
		"${bench_addresses[@]:$3 - 1:2}" || die "no job"
}

job $good 0 1
job $bad 0 3
job $stalled 10000 3
slowest=0
alone=$(neighbour) || exit
beside flood
beside stall
shape 3 loss 5%
shape 4 loss 5%
beside loss
figure neighbour_slowdown "$slowest"
