#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# The cost of losses: retransmissions per lost packet, spurious ones among them (the box had the contribution), and
# the time for which a burst of losses stops an allreduce. To be run in a virtual machine:
#
#	selftests/vm/run --icount -- selftests/bench/loss.sh
#
# Four workers, each link loses packets at random either way. A lost packet may be a contribution, which has to be
# sent again; or a result, a question or a reply, after which there is nothing to send but a question.
set -u
cd "$(dirname "${BASH_SOURCE[0]}")/../.." || exit 1
# shellcheck source=../lib/ktap.sh
. selftests/lib/ktap.sh
# shellcheck source=ranks.sh
. selftests/bench/ranks.sh

bytes=$((16 << 20))
# Milliseconds for which the links of a worker lose all packets.
burst_ms=100

[[ -e /sys/module/weir ]] || die "the module is not loaded"

# loses WORKER PERCENT: on its link, either way.
loses() {
	in_worker "$1" tc qdisc replace dev eth0 root netem limit 20000 loss "$2%" || die "no loss"
	in_router tc qdisc replace dev "w$1" root netem limit 20000 loss "$2%" || die "no loss"
}

lost_of() {
	in_worker "$1" tc -s -j qdisc show dev eth0
	in_router tc -s -j qdisc show dev "w$1"
}
lost() { each_worker lost_of | gojq -s '[.[][] | select(.kind == "netem").drops] | add'; }
of_ranks() { gojq -s "[.[].$1] | add" "$ranks_work"/rank*; }
# Contributions that the box had already: to open blocks, and to those that are answered. A question is answered
# by a reply or by the result.
had() {
	in_router weir -j job show id "$1" |
		gojq '.[0].stats | (.refusals.duplicate // 0) + (.repeats // 0) - ((.queries // 0) - (.replies // 0))'
}

# with_loss PERCENT
with_loss() {
	local job=1 name=${1/./_}pct before gone again spurious
	each_worker loses "$1"
	setup --job "$job" --sources "$bench_workers" --blocks 1024
	before=$(lost)
	ranks_weir "$job" "$bytes" 2 --warmup 0 --verify
	gone=$(($(lost) - before)) again=$(of_ranks retransmits) spurious=$(had "$job")
	note "$1 %: $gone packets lost, $again retransmitted, $spurious of them spurious, $(of_ranks queries) questions, $(of_ranks timeouts) timeouts"
	figure "retransmit_over_lost_$name" "$(ratio "$again" "$gone")"
	figure "spurious_retransmit_over_lost_$name" "$(ratio "$spurious" "$gone")"
	figure "loss_time_over_none_$name" "$(ratio "$(ranks_slowest)" "$whole")"
	in_router weir job del id "$job"
}

blocks() { in_router weir -j job show id 1 | gojq '.[0].stats.blocks'; }

# In the middle of an allreduce a worker's link loses all for a while.
with_burst() {
	local ranks longest
	each_worker loses 0
	setup --job 1 --sources "$bench_workers" --blocks 1024
	ranks_weir 1 "$bytes" 8 --warmup 0 --verify &
	ranks=$!
	poll 60 is_more_than 4096 blocks || die "nothing is summed"
	loses 1 100
	sleep "$(awk -v ms=$burst_ms 'BEGIN { print ms / 1000 }')"
	loses 1 0
	wait "$ranks" || die "the transfer failed"
	longest=$(gojq -s '[.[].results[0].max_us] | max' "$ranks_work"/rank*)
	figure loss_burst_stall_ms "$(awk -v longest="$longest" -v whole="$whole" -v ms=$burst_ms 'BEGIN { printf "%.1f", (longest - whole) / 1000 - ms }')"
	in_router weir job del id 1
}

bench_star
each_worker pass ingress
each_worker ports
each_worker loses 0
setup --job 1 --sources "$bench_workers" --blocks 1024
ranks_weir 1 "$bytes" 2 --warmup 0 --verify
whole=$(ranks_slowest)
in_router weir job del id 1
with_loss 0.1
with_loss 1
with_loss 5
with_loss 20
with_burst
