#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Measure what a second level leaves of the links, and what it costs: eight workers in two racks below a
# root. To be run in a virtual machine that counts instructions, whose idle time passes at once for
# the first, and counts for the second:
#
#	selftests/vm/run --icount --qemu -icount --qemu sleep=off -- selftests/bench/levels.sh links
#	selftests/vm/run --icount --memory 4G -- selftests/bench/levels.sh cost
#
# links: they are shaped as in link.sh, those between the boxes too. cost: beside eight workers behind
# one box. A block of N workers in R racks crosses links 2 N + 2 R times, and without the racks 2 N
# times.
set -u
cd "$(dirname "${BASH_SOURCE[0]}")/../.." || exit 1
# shellcheck source=ranks.sh
. selftests/bench/ranks.sh
# shellcheck source=../netns/tree.sh
. selftests/netns/tree.sh

# Elements are compared by the tests; here that would be most of what is measured.
# shellcheck disable=SC2034 # it is tree_start's
tree_options=()

levels_job=1
levels_mbit=100
levels_grads=1024
levels_bytes=$((8 << 20))

# Either end of every link.
levels_shape() {
	local bucket=(root tbf rate "${levels_mbit}mbit" burst 16kb limit 4mb) rack i
	for ((rack = 1; rack <= tree_racks; rack++)); do
		in_ns "rack-$rack" tc qdisc replace dev uplink "${bucket[@]}" || die "no shaping"
		in_ns root tc qdisc replace dev "r$rack" "${bucket[@]}" || die "no shaping"
		for ((i = 1; i <= tree_workers; i++)); do
			in_ns "r$rack-w$i" tc qdisc replace dev eth0 "${bucket[@]}" || die "no shaping"
			in_ns "rack-$rack" tc qdisc replace dev "w$i" "${bucket[@]}" || die "no shaping"
		done
	done
}

# levels_iterate ITERATIONS
levels_iterate() {
	tree_allreduce "$levels_job" --min-bytes "$levels_bytes" --max-bytes "$levels_bytes" \
		--iterations "$1" --warmup 1 --grads "$levels_grads" --json || die "the transfer failed"
}

levels_seconds() { gojq -s '[.[] | .results[0].time_us] | max / 1e6' "$tree_out/$levels_job".*; }

# Bytes that came to the first rack's box from its workers, and that it sent up.
levels_carried() {
	in_ns rack-1 ip -s -j link show | gojq -r '
		"\([.[] | select(.ifname | test("^w")).stats64.rx.bytes] | add) \(
			.[] | select(.ifname == "uplink").stats64.tx.bytes)"'
}

part_links() {
	local before after took
	levels_shape
	before=$(levels_carried)
	levels_iterate 2
	after=$(levels_carried)
	took=$(levels_seconds)
	note "two levels, $levels_mbit Mbit/s: $(printf '%.3f' "$took") s an allreduce"
	figure levels_efficiency "$(awk -v b="$levels_bytes" -v t="$took" -v r="$levels_mbit" \
		-v p=$((4 * levels_grads)) 'BEGIN { printf "%.4f\n", 8 * b / t / (r * 1e6 * p / (p + 54)) }')"
	figure levels_uplink_share "$(awk '{ printf "%.4f\n", ($4 - $2) / ($3 - $1) }' <<<"$before $after")"
}

# Instructions of workers and boxes, a packet on a link.
levels_hop() { awk -v t="$1" -v n="$2" 'BEGIN { printf "%.0f\n", t / n }'; }

# levels_one_box ITERATIONS
levels_one_box() { ranks_weir 6 "$levels_bytes" "$1" --grads "$levels_grads" --warmup 1; }

part_cost() {
	local blocks=$((levels_bytes / 4 / levels_grads)) two one
	each_spent 1 3 levels_iterate
	two=$(levels_hop "$worked" $((20 * blocks)))
	tree_down
	ranks_up 8 9000
	setup --job 6 --sources 8 --blocks 1024 --grads "$levels_grads"
	ports_are tc
	each_spent 1 3 levels_one_box
	one=$(levels_hop "$worked" $((16 * blocks)))
	note "instructions a packet on a link: one box $one, two levels $two"
	figure levels_insn_over_one_box "$(ratio "$two" "$one")"
}

[[ -e /sys/module/weir ]] || die "the module is not loaded"
tree_up 2 4 9000 tc || die "no racks"
tree_job "$levels_job" blocks 1024 grads "$levels_grads" || die "no jobs"
case ${1-} in
links | cost) "part_$1" ;;
*) die "no part is called ${1-}" ;;
esac
