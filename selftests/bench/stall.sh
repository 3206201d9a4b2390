#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# How long ranks wait for one that is stopped for two seconds, by size of vector and table, in timeouts
# of the job. To be run in a virtual machine that counts instructions, so that the guest's clock does not
# depend on the machine:
#
#	selftests/vm/run --icount --memory 6G --qemu -icount --qemu sleep=off -- selftests/bench/stall.sh
#
# All ranks share one processor: the timeout is longer than what they take from each other, and the
# pauses between calls are as long as a computation.
set -u
cd "$(dirname "${BASH_SOURCE[0]}")/../.." || exit 1
# shellcheck source=ranks.sh
. selftests/bench/ranks.sh

[[ -e /sys/module/weir ]] || die "the module is not loaded"

stall_worst=0

# stall NAME BYTES BLOCKS TIMEOUT_MS ITERATIONS
stall() {
	local out
	setup --job 7 --sources "$bench_workers" --blocks "$3" --grads 1024 --timeout $((1000 * $4))
	out=$(ranks_python selftests/netns/stopped.py --bytes "$2" --iterations "$5" \
		--timeout "$(ratio "$4" 1000)") || exit 1
	note "$1, $3 blocks, timeout $4 ms: $out"
	in_router weir job del id 7
	figure "straggler_stall_over_timeout_$1_$3" "$(gojq .stall_over_timeout <<<"$out")"
	stall_worst=$(printf '%s\n' "$stall_worst" "$(gojq .stall_over_timeout <<<"$out")" | sort -g | tail -n 1)
}

ranks_up 4 9000
ports_are tc
for blocks in 256 8192; do
	stall 64k $((64 << 10)) "$blocks" 50 60
	stall 1m $((1 << 20)) "$blocks" 50 60
	stall 16m $((16 << 20)) "$blocks" 200 20
	stall 64m $((64 << 20)) "$blocks" 500 12
done
figure straggler_stall_over_timeout "$stall_worst"
