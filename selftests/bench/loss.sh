#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Compare the contributions that are sent again with the packets that the links have lost. To be
# run in a virtual machine:
#
#	selftests/vm/run --icount -- selftests/bench/loss.sh
#
# Four workers, each link loses one packet in a hundred either way. A lost packet may be
# a contribution, which has to be sent again; or a result, a question or a reply, after
# which there is nothing to send but a question.
set -u
cd "$(dirname "${BASH_SOURCE[0]}")/../.." || exit 1
# shellcheck source=ranks.sh
. selftests/bench/ranks.sh

job=1
bytes=$((16 << 20))

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

bench_star
each_worker pass ingress
each_worker ports
each_worker lossy
setup --job "$job" --sources "$bench_workers" --blocks 1024
before=$(lost)
ranks_weir "$job" "$bytes" 2 --warmup 0 --verify
gone=$(($(lost) - before))
again=$(gojq -s '[.[].retransmits] | add' "$ranks_work"/rank*)
note "$gone packets lost, $again sent again, $(gojq -s '[.[].queries] | add' "$ranks_work"/rank*) questions"
figure retransmit_over_lost_1pct "$(ratio "$again" "$gone")"
