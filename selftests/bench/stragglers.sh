#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Measure how long a block with a silent worker takes to be answered, and the cost to look for
# it. To be run in a virtual machine that counts instructions:
#
#	selftests/vm/run --icount --memory 4G -- selftests/bench/stragglers.sh
#
# Blocks are sent as fast as the one processor makes them, by three workers of four in
# step; the age of a degraded result is the time from its block's first packet to when
# it is handed to the stack, as the module's own tracepoint has it. A second job in the
# same namespace holds 65,535 open blocks meanwhile, as many as it can.
#
# A processor of 10^9 instructions a second cannot open 65,535 blocks in 50 ms. So that
# many blocks of one job age in a run of their own, with a timeout that they can be opened
# in.
set -u
cd "$(dirname "${BASH_SOURCE[0]}")/../.." || exit 1
# shellcheck source=../lib/ktap.sh
. selftests/lib/ktap.sh
# shellcheck source=lib.sh
. selftests/bench/lib.sh

ages=$bench_tracing/events/weir/weir_result
# A histogram of ages has buckets of so many ns, a hundredth of the shortest timeout.
bucket=50000

[[ -e /sys/module/weir ]] || die "the module is not loaded"

# percentile SHARE: of the ages, the upper end of the bucket in ns, and how many there are
percentile() {
	sed -n 's/^{ age: ~ *\([0-9]*\)-\([0-9]*\) } hitcount: *\([0-9]*\).*/\2 \3/p' "$ages/hist" |
		sort -n | awk -v share="$1" '{ end[NR] = $1; count[NR] = $2; n += $2 }
		END {
			for (i = 1; i <= NR; i++) {
				seen += count[i]
				if (seen >= n * share)
					break
			}
			print end[i] + 0, n + 0
		}'
}

none_open() {
	[[ $(open_blocks "$1") == 0 ]]
}

# are_there JOB SOURCES: all contribute to a block that is to come after all others. So no block goes
# on without waiting for the source that is silent.
are_there() {
	bench-blast --to "$bench_box" --block $((bench_block + 65535)) --blocks 1 --grads 1 --job "$1" \
		--sources "$2" "${bench_namespaces[@]}" >/dev/null || die "no block"
}

# age NAME TIMEOUT_US JOB BLOCKS OPTION...: sends blocks that lack a worker to a job that
# is there, and prints how old they are when they are answered.
age() {
	local name=$1 timeout=$2 job=$3 blocks=$4 keys="keys=age.buckets=$bucket:size=16384 if aged==1 && job==$3"
	local p50 p99 n each
	hist "$ages" "$keys"
	each=$(blast "$blocks" --job "$job" --grads 1 "${@:5}") || exit
	poll 120 none_open "$job" || die "blocks stay open"
	read -r p99 n < <(percentile 0.99)
	read -r p50 _ < <(percentile 0.5)
	hist_end
	((n == blocks)) || die "$n of $blocks blocks have aged"
	note "timeout $timeout us: $n blocks, $each ns a packet, answered after $p50 ns (median)," \
		"$p99 ns (99th percentile)"
	figure "$name" "$(ratio "$p99" $((1000 * timeout)))"
}

at_exit hist_end
bench_star
each_worker ports

# One job with all its blocks open, one of its two workers silent.
setup --job 1 --sources 2 --blocks 65536 --grads 1 --timeout 600000
are_there 1 2
age straggler_p99_over_timeout_all_open 600000 1 "$bench_full" --sources 1
in_router weir job del id 1

setup --job 1 --sources 2 --bound 1 --blocks 65536 --grads 1 --timeout 900000000
bench_block=0
blast "$bench_full" --job 1 --grads 1 --sources 1 >/dev/null
note "$(open_blocks 1) blocks of another job are open"
scan_cost 1
figure scan_instructions_a_record "$scanned"

for ms in 5 10 20 50; do
	setup --job 2 --sources 4 --blocks 65536 --grads 1 --timeout $((1000 * ms))
	bench_block=0
	are_there 2 4
	age "straggler_p99_over_timeout_${ms}ms" $((1000 * ms)) 2 8000 --first 1 --sources 4
	in_router weir job del id 2
done
[[ $(open_blocks 1) == "$bench_full" ]] || die "the other job's blocks are gone"
none_refused
