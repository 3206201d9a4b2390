#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Measure what a packet costs more when its flow is recorded: on a device that has a chain already, and
# on one that has none.
# To be run in a virtual machine whose clock counts instructions:
#
#	selftests/vm/run --icount -- selftests/bench/flows.sh
set -u
cd "$(dirname "${BASH_SOURCE[0]}")/../.." || exit 1
# shellcheck source=../lib/ktap.sh
. selftests/lib/ktap.sh
# shellcheck source=lib.sh
. selftests/bench/lib.sh

pins=/sys/fs/bpf/flows_$$
work=$(mktemp -d) || exit 1
at_exit rm -rf "$work" "$pins"

ethernet='\x02\0\0\0\0\x01\x02\0\0\0\0\x02'
payload() { head -c "$1" /dev/zero; }

# Frames of the addresses of test networks; that of TCP has no payload, so that it is in order.
udp() { printf '%b' "$ethernet"'\x08\0\x45\0\0\x32\0\0\0\0\x40\x11\0\0\xc0\0\x02\x01\xc0\0\x02\x02\x30\x39\0\x35\0\x1e\0\0' && payload 22; }
tcp() { printf '%b' "$ethernet"'\x08\0\x45\0\0\x28\0\0\0\0\x40\x06\0\0\xc0\0\x02\x01\xc0\0\x02\x02\x30\x39\0\x50\0\0\0\x01\0\0\0\x01\x50\x10\xff\xff\0\0\0\0' && payload 6; }
ipv6() { printf '%b' "$ethernet"'\x86\xdd\x60\0\0\0\0\x0c\x11\x40\x20\x01\x0d\xb8\0\0\0\0\0\0\0\0\0\0\0\x01\x20\x01\x0d\xb8\0\0\0\0\0\0\0\0\0\0\0\x02\x30\x39\0\x35\0\x0c\0\0' && payload 4; }

# cost PROGRAM FRAME: instructions a packet, with what the kernel's loop around it takes.
cost() {
	"$2" >"$work/$2" && bpftool -j prog run pinned "$pins/$1" data_in "$work/$2" repeat 100000 |
		gojq -e .duration
}

for object in bench weir_chain; do
	bpftool prog loadall "build/bpf/$object.bpf.o" "$pins" || die "cannot load $object"
done
frames=(udp tcp ipv6)
declare -A alone chain
for frame in "${frames[@]}"; do
	alone[$frame]=$(cost bench_pass "$frame") || die "cannot run a program"
done
weir chain add dev lo prio 300 program build/bpf/bench.bpf.o section bench_pass mode generic ||
	die "cannot make a chain"
for frame in "${frames[@]}"; do
	chain[$frame]=$(cost weir_chain "$frame") || die "cannot run the chain"
done
weir flow on dev lo || die "cannot record flows"
for frame in "${frames[@]}"; do
	with=$(cost weir_chain "$frame") || die "cannot run the chain"
	figure "flow_cost_$frame" $((with - chain[$frame]))
	figure "flow_cost_${frame}_first" $((with - alone[$frame]))
done
{ weir flow stats dev lo && weir flow show; } | sed 's/^/# /'
weir flow off dev lo
weir chain flush
