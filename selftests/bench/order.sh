#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Measure what an order costs a packet, over the same way through a cpumap without its queue. To be run in a
# virtual machine whose clock counts instructions:
#
#	selftests/vm/run --icount --memory 4G -- selftests/bench/order.sh
#
# Packets of one flow, 32 a system call, from the sender to the receiver, whose processor is the
# same: it never rests. The port's NAPI has a thread, so that packets come in batches, as from a
# device: without, each would go all the way to the receiver before the next one is sent.
set -u
cd "$(dirname "${BASH_SOURCE[0]}")/../.." || exit 1
# shellcheck source=../lib/ktap.sh
. selftests/lib/ktap.sh
# shellcheck source=lib.sh
. selftests/bench/lib.sh

spread=$PWD/build/bpf/spread.bpf.o
count=20000
got=$(mktemp) || exit 1
sys=$(mktemp -d) || exit 1
at_exit rm -rf "$got" "$sys"
[[ -e /sys/module/weir ]] || die "the module is not loaded"

router() { weir -n "$(ns_name router)" "$@" || die "no order: $*"; }
arrived() { (($(gojq .packets "$got") == count)); }

# once SIZE: instructions a packet
once() {
	local receiver begin last
	: >"$got"
	nsenter --net="/run/netns/$(ns_name w2)" -- order-traffic recv "$got" & receiver=$!
	poll 60 [ -s "$got" ] || die "no receiver"
	# The NAPI is there since the program is.
	in_router sh -c 'mount -t sysfs none "$1" || exit; echo 1 >"$1/class/net/w1/threaded"; status=$?; umount "$1"; exit $status' \
		sh "$sys" || die "no thread"
	begin=${EPOCHREALTIME/./}
	in_worker 1 order-traffic send "$(worker_addr 2)" --count "$count" --size "$1" >/dev/null || die "no sender"
	poll 60 arrived || die "packets are missing: $(cat "$got")"
	last=$(gojq .last "$got")
	kill "$receiver"
	wait "$receiver" 2>/dev/null
	echo $(((last - begin * 1000) / count))
}

# cost SIZE: the least of three
cost() {
	local least=0 i one
	for i in 1 2 3; do
		one=$(once "$1") || exit
		((least && least < one)) || least=$one
	done
	echo "$least"
}

star_create 2 1500 || die "no star"
star_each ethtool -K eth0 tx off >/dev/null || die "no checksums"
in_worker 1 ping -c 1 "$(worker_addr 2)" >/dev/null || die "no way"
for size in 64 1400; do
	router chain add dev w1 prio 10 program "$spread"
	# A CPU's entry has room for so many packets, and no program.
	bpftool map update pinned /sys/fs/bpf/bench_cpus key 0 0 0 0 value hex 00 08 00 00 00 00 00 00 ||
		die "no CPU"
	plain=$(cost "$size") || exit
	router chain flush
	rm -f /sys/fs/bpf/bench_cpus
	router order add dev w1 prio 1 rule proto=udp cpus 0 hold 1s
	ordered=$(cost "$size") || exit
	note "$size bytes: by a cpumap $plain, in order $ordered; $(router order show | tail -n 1)"
	router order flush
	figure "order_cost_$size" $((ordered - plain))
done
star_delete
