#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# A TCP connection through a box whose program takes long with each packet, on one CPU and, by an
# order, on eight. To be run in a virtual machine with as many:
#
#	selftests/vm/run --cpus 8 -- selftests/bench/order_tcp.sh
#
# The processors are simulated, one after the other on one real one; what a packet takes is mostly
# a wait, in which the others run (work/work.c), so that their number counts and not their speed.
set -u
cd "$(dirname "${BASH_SOURCE[0]}")/../.." || exit 1
# shellcheck source=../lib/ktap.sh
. selftests/lib/ktap.sh
# shellcheck source=lib.sh
. selftests/bench/lib.sh

module=build/bench-work-$(uname -r)/work.ko
program=$PWD/build/bpf/work.bpf.o
cpus=8
bytes=4M
out=$(mktemp) || exit 1
at_exit rm -f "$out"
[[ -e /sys/module/weir ]] || die "the module is not loaded"
(($(nproc) == cpus)) || die "this takes a machine of $cpus CPUs"

router() { weir -n "$(ns_name router)" "$@" || die "no order: $*"; }
listens() { in_worker 2 ss -ltn | grep -q ':5201 '; }

# Print how often worker 1's TCP took packets for reordered on the way, or for lost when none was.
reordered() {
	in_worker 1 nstat -az |
		awk '$1 ~ /^TcpExtTCP((SACK|Reno|TS)Reorder|DSACK(Recv|Undo))$/ { sum += $2 } END { print sum + 0 }'
}

# goodput: bits a second of one connection
goodput() {
	in_worker 2 iperf3 -s -1 >/dev/null 2>&1 &
	poll 60 listens || die "no receiver"
	in_worker 1 iperf3 -c "$(worker_addr 2)" -n "$bytes" -J >"$out" || die "no transfer: $(cat "$out")"
	wait $!
	gojq '.end.sum_received.bits_per_second | floor' "$out"
}

insmod "$module" || die "there is no $module"
star_create 2 1500 || die "no star"
star_each ethtool -K eth0 tx off >/dev/null || die "no checksums"
in_worker 1 ping -c 1 "$(worker_addr 2)" >/dev/null || die "no way"
router chain add dev w1 prio 160 program "$program"
one=$(goodput) || exit
# ordered HOLD: the same on all CPUs; packets wait so long for earlier ones
ordered() {
	before=$(reordered)
	router order add dev w1 prio 1 rule proto=tcp cpus 0-$((cpus - 1)) hold "$1"
	all=$(goodput) || exit
	note "held $1: $all bit/s, $(($(reordered) - before)) events of reordering; $(router order show | tail -n 1)"
}
ordered 1s
note "one CPU: $one bit/s"
note "of the order's connection: $(gojq -c '.end.sum_sent | {bytes, seconds, retransmits}' "$out")"
figure order_tcp_goodput "$(ratio "$all" "$one")"
figure order_tcp_reordered $(($(reordered) - before))
figure order_hold_p99 "$(router -j order show | gojq '.[0].wait | (map(.packets) | add) as $all |
	[foreach .[] as $one ({sum: 0}; .sum += $one.packets | .below = $one.below; select(.sum >= $all * 0.99).below)][0] // 0')"
router order flush
ordered 1us
figure order_tcp_reordered_unheld $(($(reordered) - before))
router order flush
router chain flush
star_delete
rmmod work
