#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Measure how long ranks wait for one that is stopped for two seconds, by size of vector and table, in
# timeouts of the job: of one box, and of two racks below a root. To be run in a virtual machine that counts
# instructions, so that the guest's clock does not depend on the machine:
#
#	selftests/vm/run --icount --memory 6G --qemu -icount --qemu sleep=off -- selftests/bench/stall.sh [LEVELS...]
#
# All ranks share one processor: the timeout is longer than what they take from each other, and the
# pauses between calls are as long as a computation. Timeouts nest: the root's is twice the racks', by
# which the wait is divided.
set -u
cd "$(dirname "${BASH_SOURCE[0]}")/../.." || exit 1
# shellcheck source=ranks.sh
. selftests/bench/ranks.sh
# shellcheck source=../netns/tree.sh
. selftests/netns/tree.sh

[[ -e /sys/module/weir ]] || die "the module is not loaded"

stall_worst=0

# stall_1 BLOCKS TIMEOUT_MS OPTION...: four ranks behind one box; what stopped.py prints
stall_1() {
	setup --job 7 --sources "$bench_workers" --blocks "$1" --grads 1024 --timeout $((1000 * $2))
	ranks_python selftests/netns/stopped.py "${@:3}" || exit
	in_router weir job del id 7
}

# stall_2 BLOCKS TIMEOUT_MS OPTION...: the same with two racks of two below a root
stall_2() {
	local options=(blocks "$1" grads 1024 policy partial) rack i places=()
	tree_root_job 7 "${options[@]}" timeout $((2 * $2))ms || die "no job of the root"
	for ((rack = 1; rack <= tree_racks; rack++)); do
		tree_rack_job 7 "$rack" "${options[@]}" timeout "$2ms" || die "no job of rack $rack"
		for ((i = 1; i <= tree_workers; i++)); do
			places+=("$(ns_name "r$rack-w$i"),$(rack_addr "$rack"),$((i - 1))")
		done
	done
	ranks_python_in "${places[*]}" selftests/netns/stopped.py "${@:3}" || exit
	tree_job_del 7
}

# stall LEVELS NAME BYTES BLOCKS TIMEOUT_MS ITERATIONS
stall() {
	local name=$2_$4 out
	out=$("stall_$1" "$4" "$5" --bytes "$3" --iterations "$6" --timeout "$(ratio "$5" 1000)") || exit 1
	(($1 == 1)) || name=$2_$4_levels
	note "$2, $4 blocks, timeout $5 ms, levels $1: $out"
	out=$(gojq .stall_over_timeout <<<"$out")
	figure "straggler_stall_over_timeout_$name" "$out"
	stall_worst=$(printf '%s\n' "$stall_worst" "$out" | sort -g | tail -n 1)
}

# stall_all LEVELS: a packet costs the processor twice as much with two
stall_all() {
	local blocks
	for blocks in 256 8192; do
		stall "$1" 64k $((64 << 10)) "$blocks" 50 60
		stall "$1" 1m $((1 << 20)) "$blocks" 50 60
		stall "$1" 16m $((16 << 20)) "$blocks" $((200 * $1)) 20
		stall "$1" 64m $((64 << 20)) "$blocks" $((500 * $1)) 12
	done
}

stall_up_1() {
	ranks_up 4 9000
	ports_are tc
}

stall_up_2() { tree_up 2 2 9000 tc || die "no racks"; }

(($#)) || set -- 1 2
for levels; do
	"stall_up_$levels"
	stall_all "$levels"
done
figure straggler_stall_over_timeout "$stall_worst"
