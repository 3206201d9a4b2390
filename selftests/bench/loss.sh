#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# How many contributions are sent again, by how many packets the links have lost. To be
# run in a virtual machine:
#
#	selftests/vm/run --icount -- selftests/bench/loss.sh
#
# Four workers, each link loses one packet in a hundred either way. A lost packet may be
# a contribution, which has to be sent again; or a result, a question or a reply, after
# which there is nothing to send but a question.
set -u
cd "$(dirname "${BASH_SOURCE[0]}")/../.." || exit 1
# shellcheck source=lib.sh
. selftests/bench/lib.sh

job=1
bytes=$((16 << 20))
work=$(mktemp -d) || exit 1
at_exit rm -rf "$work"

[[ -e /sys/module/weir ]] || die "the module is not loaded"

lossy() {
	in_worker "$1" tc qdisc replace dev eth0 root netem limit 20000 loss 1% || die "no loss"
	in_router tc qdisc replace dev "w$1" root netem limit 20000 loss 1% || die "no loss"
}

lost_of() {
	in_worker "$1" tc -s -j qdisc show dev eth0
	in_router tc -s -j qdisc show dev "w$1"
}

lost() {
	each_worker lost_of | gojq -s '[.[][] | select(.kind == "netem").drops] | add'
}

transfer() {
	local i pids=() status=0
	for ((i = 1; i <= bench_workers; i++)); do
		in_worker "$i" weir-perf --job "$job" --address "$bench_box" --rank $((i - 1)) \
			--ranks "$bench_workers" --min-bytes "$bytes" --max-bytes "$bytes" --iterations 2 \
			--warmup 0 --verify --json >"$work/$i" &
		pids+=($!)
	done
	for i in "${pids[@]}"; do
		wait "$i" || status=1
	done
	((status == 0)) || die "the transfer failed"
}

bench_star
each_worker pass ingress
each_worker ports
each_worker lossy
setup --job "$job" --sources "$bench_workers" --blocks 1024
before=$(lost)
transfer
gone=$(($(lost) - before))
again=$(gojq -s '[.[].retransmits] | add' "$work"/*)
note "$gone packets lost, $again sent again, $(gojq -s '[.[].queries] | add' "$work"/*) questions"
figure retransmit_over_lost_1pct "$(ratio "$again" "$gone")"
