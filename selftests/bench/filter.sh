#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Measure what the example examples/trio-filter costs a packet, over a program that passes or drops all,
# and what it costs more in a chain; and what `weir filter` costs one that passes, by few and many rules.
# To be run in a virtual machine whose clock counts instructions:
#
#	selftests/vm/run --icount -- selftests/bench/filter.sh
set -u
cd "$(dirname "${BASH_SOURCE[0]}")/../.." || exit 1
# shellcheck source=../lib/ktap.sh
. selftests/lib/ktap.sh
# shellcheck source=lib.sh
. selftests/bench/lib.sh

pins=/sys/fs/bpf/filter_$$
work=$(mktemp -d) || exit 1
at_exit rm -rf "$work" "$pins"

ethernet='\x02\0\0\0\0\x01\x02\0\0\0\0\x02'
payload() { head -c "$1" /dev/zero; }

# Frames of 64 bytes, of the addresses of a test network.
plain() { printf '%b' "$ethernet"'\x08\0\x45\0\0\x32\0\0\0\0\x40\x11\0\0\xc0\0\x02\x01\xc0\0\x02\x02' && payload 30; }
options() { printf '%b' "$ethernet"'\x08\0\x46\0\0\x32\0\0\0\0\x40\x11\0\0\xc0\0\x02\x01\xc0\0\x02\x02\x01\x01\x01\0' && payload 26; }
other() { printf '%b' "$ethernet"'\x86\xdd\x60' && payload 49; }

# cost PROGRAM FRAME: instructions a packet, with what the kernel's loop around it takes.
cost() {
	"$2" >"$work/$2" && bpftool -j prog run pinned "$pins/$1" data_in "$work/$2" repeat 100000 |
		gojq -e .duration
}

# over NAME PROGRAM FRAME: what the filter takes more than a program of the same verdict.
over() {
	local filter other
	filter=$(cost trio_filter "$3") || die "cannot run the filter"
	other=$(cost "$2" "$3") || die "cannot run $2"
	figure "$1" $((filter - other))
}

# chained PROGRAM...: the verdict of a chain of these, by the program that it hangs on.
chained() {
	local prio=0 program
	weir chain flush || die "cannot flush chains"
	for program; do
		weir chain add dev lo prio $((prio += 1)) program "build/bpf/${program/bench_*/bench}.bpf.o" \
			section "$program" mode generic || die "cannot chain $program"
	done
	cost weir_chain plain || die "cannot run the chain"
}

# rules COUNT LAST: that many prefixes of lengths from LAST on to 32, all others than the packet's, a rule each.
rules() {
	local i
	for ((i = 0; i < $1; i++)); do
		echo "rule src=10.$((i >> 8)).$((i & 255)).0/$(($2 + i % (33 - $2))) action drop"
	done
}

# filtered NAME: what the filter that there is takes more than a program that passes all.
filtered() {
	local cost
	cost=$(cost weir_filter plain) || die "cannot run the filter"
	figure "$1" $((cost - passes))
}

# filter NAME COUNT LAST
filter() {
	weir filter flush || die "cannot flush filters"
	rules "$2" "$3" | sed '1s/$/ mode generic/' | weir filter load dev lo file - || die "cannot load rules"
	filtered "$1"
}

for object in trio_filter bench weir_chain weir_filter; do
	bpftool prog loadall "build/bpf/$object.bpf.o" "$pins" || die "cannot load $object"
done
over insn_filter_pass bench_pass plain
over insn_filter_drop_options bench_drop options
over insn_filter_drop_other bench_drop other
alone=$(cost trio_filter plain) one=$(chained trio_filter) two=$(chained bench_pass trio_filter)
figure insn_chain $((one - alone))
figure insn_chain_next $((two - one))
weir chain flush

passes=$(cost bench_pass plain) || die "cannot run bench_pass"
# The first rule begins a chain, in the mode that is said.
weir filter add dev lo prio 1 rule proto=132 action drop mode generic || die "cannot begin a filter"
filtered insn_filter_one
filter insn_filter 10 32
filter insn_filter_10000 10000 32
filter insn_filter_10000_lengths 10000 24
weir filter flush && weir filter add dev lo rule any action police 100gbit burst 1g mode generic && filtered insn_filter_police
weir filter flush && weir filter add dev lo rule any action police 100gbit burst 1g each mode generic && filtered insn_filter_police_each
weir filter flush && weir filter add dev lo rule any action mark cs6 mode generic && filtered insn_filter_mark
weir filter flush
