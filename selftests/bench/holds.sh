#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# The longest that RTNL is held, and the longest softirq, while tables of full size are made, listed
# and taken away, and while the device goes that has them; while a job with 65,536 blocks loses a source, and
# while a table of 262,144 keys is collected: what one user's tables cost all others of the host. To be run in a
# virtual machine whose clock counts instructions:
#
#	selftests/vm/run --icount --memory 4G -- selftests/bench/holds.sh
set -u
cd "$(dirname "${BASH_SOURCE[0]}")/../.." || exit 1
# shellcheck source=../lib/ktap.sh
. selftests/lib/ktap.sh
# shellcheck source=lib.sh
. selftests/bench/lib.sh
# shellcheck source=../netns/box.sh
. selftests/netns/box.sh

flows=65536
matches=262143
work=$(mktemp -d) || exit 1
at_exit rm -rf "$work"
[[ -e /sys/module/weir ]] || die "the module is not loaded"

# u32 NUMBER...: in the machine's order
u32() {
	local n
	for n; do
		printf '%b' "$(printf '\\x%02x\\x%02x\\x%02x\\x%02x' $((n & 255)) $((n >> 8 & 255)) $((n >> 16 & 255)) $((n >> 24)))"
	done
}
frame() { printf '%b' '\x02\0\0\0\0\x01\x02\0\0\0\0\x02\x08\0\x45\0\0\x32\0\0\0\0\x40\x11\0\0\xc0\0\x02\x01\xc0\0\x02\x02\x30\x39\0\x35\0\x1e\0\0' && head -c 22 /dev/zero; }

# device: holds0, with a program that makes another flow of each frame
device() {
	ip link add holds0 type veth peer name holds1 || die "no device"
	ethtool -K holds1 tx off >/dev/null || die "no checksums"
	ip link set holds0 up || die "no link"
	ip link set holds1 up || die "no link"
	weir chain add dev holds0 prio 10 program build/bpf/traffic.bpf.o section flow_traffic mode xdp ||
		die "no program"
	bpftool map update name traffic.data key hex 00 00 00 00 value hex 00 00 01 00 00 00 00 00 ||
		die "no flows"
	u32 0 64 0 "$(<"/sys/class/net/holds0/ifindex")" 0 0 >"$work/context"
	frame >"$work/frame"
}
# fill: a packet of each flow
fill() {
	bpftool prog run name weir_chain data_in "$work/frame" ctx_in "$work/context" repeat "$flows" >/dev/null ||
		die "no packets"
}
record() { weir flow on dev holds0 flows "$flows" idle 1000s active 1000s mode xdp || die "no records"; }
filter() {
	awk -v n="$matches" 'BEGIN { for (i = 0; i < n; i++) print "172." 16 + int(i / 65536) "." int(i / 256) % 256 "." i % 256 }' >"$work/set"
	weir filter add dev holds0 prio 10 set "$work/set" action drop mode xdp || die "no filter"
	weir filter add dev holds0 prio 20 rule proto=udp,sport=1 action drop mode xdp || die "no rule"
}
order() { weir order add dev holds0 prio 1 rule any cpus 0 flows "$flows" packets 256 hold 1000s mode xdp || die "no order"; }
# A listener that does not read.
listener() {
	weir-flow-export 127.0.0.1 9 >"$work/exports" 2>&1 & exporter=$!
	poll 60 grep -q "^sends records" "$work/exports" || die "no listener"
	kill -STOP "$exporter"
}

# longest NAME COMMAND...: what it holds up, with the callbacks of RCU that it leaves
longest() {
	local name=$1 tracer rtnl by softirq vector
	bench-holds >"$work/held" 2>&1 & tracer=$!
	poll 60 grep -q '^ready' "$work/held" || die "$(<"$work/held")"
	"${@:2}" >"$work/out" || die "$name: $(<"$work/out")"
	kill "$tracer"
	wait "$tracer" || die "$name: $(<"$work/held")"
	read -r rtnl by < <(sed -n 's/^rtnl //p' "$work/held")
	read -r softirq vector < <(sed -n 's/^softirq //p' "$work/held")
	note "$name: RTNL $((rtnl / 1000)) us ($by), softirq $((softirq / 1000)) us (vector $vector)"
	note "  released by $(sed -n 's/^caller //p' "$work/held" | tr '\n' ' ')"
	((rtnl <= most_rtnl)) || most_rtnl=$rtnl
	((softirq <= most_softirq)) || most_softirq=$softirq
}

made() { record && filter && order && fill; }
listed() {
	weir flow show top 1000 && weir flow show && weir flow stats && weir filter show && weir order show
}
removed() { weir flow off dev holds0 && weir filter flush dev holds0 && weir order flush; }
gone() { ip link del holds0; }
# Wait until the module has nothing left under way.
quiet() { weir flow flush && weir filter flush; }

# A few pairs in a large table: all of its buckets are looked at once the mapper says that it is done.
collected() {
	in_worker 2 timeout 900 weir kv get job 9 sources 1 >"$work/got" & local reducer=$!
	in_worker 1 timeout 900 weir kv put job 9 source 0 to "$(box_addr)" file "$work/pairs" &&
		wait "$reducer" && (($(wc -l <"$work/got") == 100))
}
keys() {
	awk 'BEGIN { for (i = 0; i < 100; i++) printf "%016d\t1\n", i }' >"$work/pairs"
	box_job 9 1 format kv keys 262144 parent "$(worker_addr 2)" source 0 || die "no job with keys"
}
# Worker 1 opens a block; of worker 2 nothing comes.
one_block() {
	in_worker 1 /usr/bin/python3 -S -c 'import socket, struct, sys
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
s.bind(("", 12000))
s.sendto(struct.pack("!BIBBBHHi", 7, 0, 0, 0, 1, 0, 1, 5), (sys.argv[1], 12000))' "$(box_addr)"
}
is_dead() { [[ $(box_stat ".[0].state" source show job 7 id 1) == @(dead|excluded) ]]; }
source_dies() { box_job 7 2 blocks 65536 grads 1 policy exclude timeout 100ms dead-after 200ms && one_block && poll 900 is_dead; }
jobs_go() { weir job flush; }

most_rtnl=0 most_softirq=0
star_create 2 1500 || die "no star"
keys
box_attach 2 tc || die "no ports"
longest "a table of keys is collected" collected
longest "a source of a job with 65,536 blocks dies" source_dies
longest "the jobs go" jobs_go
star_delete
rest_rtnl=$most_rtnl rest_softirq=$most_softirq
# The rest is in the machine's own namespace.
weir() { command weir "$@"; }
device
longest "a device without tables goes" gone
most_rtnl=$rest_rtnl most_softirq=$rest_softirq
device
longest "tables are made and filled" made
longest "they are listed" listed
listener
longest "they are taken away" removed
made || die "no tables"
longest "their device goes" gone
longest "and they end" quiet
kill -KILL "$exporter"
wait "$exporter" 2>/dev/null
figure longest_rtnl_ms "$(awk -v ns="$most_rtnl" 'BEGIN { printf "%.1f", ns / 1e6 }')"
figure longest_softirq_us "$(awk -v ns="$most_softirq" 'BEGIN { printf "%.0f", ns / 1e3 }')"
