#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Key-value streams by the box: what is left of them on the reducer's link, and what a pair costs. To be
# run in a virtual machine that counts instructions:
#
#	selftests/vm/run --icount --memory 4G -- selftests/bench/kv.sh
#
# The box's instructions are what its programs took (bpf_stats_enabled), from a packet's arrival at the
# port until all that it causes has been handed to a device: pairs, acknowledgments, packets to the
# reducer. The timer's are not among them.
set -u
cd "$(dirname "${BASH_SOURCE[0]}")/../.." || exit 1
# shellcheck source=lib.sh
. selftests/bench/lib.sh
# shellcheck source=../netns/box.sh
. selftests/netns/box.sh

kv_job=7 kv_keys=20000 kv_work=$(mktemp -d) || exit 1
at_exit rm -rf "$kv_work"

# Keys of 16 bytes, each once.
awk -v n="$kv_keys" 'BEGIN { for (i = 0; i < n; i++) printf "%016d\t1\n", i }' >"$kv_work/once"
for _ in 1 2 3 4 5; do
	cat "$kv_work/once"
done >"$kv_work/often"

# kv_get MAPPERS SENDERS: the reducer, behind the last link.
kv_get() {
	in_worker $(($1 + 1)) timeout 500 weir kv get job "$kv_job" sources "$2" >"$kv_work/got" &
	kv_getter=$!
}

# kv_put MAPPERS ADDRESS FILE
kv_put() {
	local i pids=()
	for ((i = 1; i <= $1; i++)); do
		in_worker "$i" timeout 500 weir kv put job "$kv_job" source $((i - 1)) to "$2" file "$3" &
		pids+=($!)
	done
	wait_all "${pids[@]}" "$kv_getter" || die "a stream failed"
	(($(wc -l <"$kv_work/got") == kv_keys)) || die "the counts are wrong"
}

# kv_up MAPPERS: a star with a job that has room for all keys.
kv_up() {
	star_create $(($1 + 1)) 1500 || die "no star"
	box_job "$kv_job" "$1" format kv keys $((4 * kv_keys)) parent "$(worker_addr $(($1 + 1)))" source 0 ||
		die "no job"
	box_attach $(($1 + 1)) tc || die "no ports"
}

# kv_sent DEVICE: bytes that the router has sent there
kv_sent() { in_router ip -s -j link show dev "$1" | gojq '.[0].stats64.tx.bytes'; }

# kv_carried STAR ADDRESS SENDERS MAPPERS: sets $carried, bytes on the reducer's link.
kv_carried() {
	local before
	before=$(kv_sent "w$(($1 + 1))")
	kv_get "$1" "$3"
	kv_put "$4" "$2" "$kv_work/once"
	carried=$(($(kv_sent "w$(($1 + 1))") - before))
}

# What comes of N mappers with the same keys, beside one mapper's own stream: the paper's 1 / (N rho).
kv_reduction() {
	local n=$1 ideal
	kv_up "$n"
	kv_carried "$n" "$(worker_addr $((n + 1)))" 1 1
	ideal=$carried
	kv_carried "$n" "$(box_addr)" 1 "$n"
	figure "kv_reduction_over_ideal_$n" "$(awk "BEGIN { printf \"%.4f\", $carried / $ideal }")"
	box_down
}

# Nanoseconds, which are instructions, that programs of ports have taken.
kv_taken() { bpftool prog show -j | gojq '[.[] | select(.name == "weir_tc").run_time_ns // 0] | add'; }

kv_cost() {
	local n=3 before
	kv_up "$n"
	sysctl -q kernel.bpf_stats_enabled=1
	before=$(kv_taken)
	kv_get "$n" 1
	kv_put "$n" "$(box_addr)" "$kv_work/often"
	figure insn_kv_pair "$(awk "BEGIN { printf \"%.1f\", ($(kv_taken) - $before) / (5 * $n * $kv_keys) }")"
	weir job show id "$kv_job" | while IFS= read -r line; do note "$line"; done
	box_down
}

for mappers in 3 6 12; do
	kv_reduction "$mappers"
done
kv_cost
