#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Measure what several trees gain where spines are the bottleneck, what they cost, and how long the death
# of a spine is felt: four workers in two racks, below spines that are boxes. To be run in a virtual machine
# that counts instructions, whose idle time passes at once for the first and last, and counts for the
# second:
#
#	selftests/vm/run --icount --qemu -icount --qemu sleep=off -- selftests/bench/spines.sh links
#	selftests/vm/run --icount --memory 4G -- selftests/bench/spines.sh cost
#	selftests/vm/run --icount --qemu -icount --qemu sleep=off -- selftests/bench/spines.sh failover
#
# links: those between racks and spines are shaped, as in link.sh. cost: 16 trees by the four spines,
# beside one.
set -u
cd "$(dirname "${BASH_SOURCE[0]}")/../.." || exit 1
# shellcheck source=ranks.sh
. selftests/bench/ranks.sh
# shellcheck source=../lib/ktap.sh
. selftests/lib/ktap.sh
# shellcheck source=../netns/tree.sh
. selftests/netns/tree.sh
# shellcheck source=../netns/spines.sh
. selftests/netns/spines.sh

# Elements are compared by the tests; here that would be most of what is measured.
# shellcheck disable=SC2034 # it is tree_start's
tree_options=(--json)

job=7
mbit=100
grads=1024
bytes=$((8 << 20))
failover_ms=500

shape() {
	local bucket=(root tbf rate "${mbit}mbit" burst 16kb limit 4mb) spine rack
	for ((spine = 1; spine <= spines; spine++)); do
		for ((rack = 1; rack <= tree_racks; rack++)); do
			in_ns "rack-$rack" tc qdisc replace dev "up$spine" "${bucket[@]}" || die "no shaping"
			in_ns "spine-$spine" tc qdisc replace dev "r$rack" "${bucket[@]}" || die "no shaping"
		done
	done
}

# iterate TREES ITERATIONS: by so many trees.
iterate() {
	tree_allreduce "$job" --trees "$1" --min-bytes "$bytes" --max-bytes "$bytes" --iterations "$2" \
		--warmup 1 --grads "$grads" || die "the transfer failed"
}

seconds() { tree_of_all "$job" '.results[0].time_us' | gojq 'max / 1e6'; }

part_links() {
	local one four
	spines_jobs "$job" blocks 1024 grads "$grads" || die "no jobs"
	shape
	iterate 1 2
	one=$(seconds)
	iterate 4 2
	four=$(seconds)
	note "$mbit Mbit/s to each spine: $one s by one tree, $four s by four"
	figure trees_speedup_4 "$(ratio "$one" "$four")"
}

# Sixteen jobs, four a spine, as the list goes round.
part_cost() {
	local tree one many blocks=$((bytes / 4 / grads))
	for ((tree = 0; tree < 16; tree++)); do
		spine_job $((tree % spines + 1)) "$job" "$tree" blocks 256 grads "$grads" ||
			die "no jobs"
	done
	each_spent 1 3 iterate 1
	one=$worked
	each_spent 1 3 iterate 16
	many=$worked
	note "instructions a block, workers and boxes: $(awk "BEGIN { printf \"%.0f\", $one / $blocks }") by one tree, $(
		awk "BEGIN { printf \"%.0f\", $many / $blocks }") by 16"
	figure trees_insn_16_over_1 "$(ratio "$many" "$one")"
}

blocks_of() { at "spine-$1" -j job show id "$2" | gojq -r '.[].stats.blocks'; }

# A spine from which nothing comes, not even that a port is unreachable.
falls_silent() {
	local rack
	for ((rack = 1; rack <= tree_racks; rack++)); do
		in_ns "spine-$1" tc qdisc replace dev "r$rack" root netem loss 100% || die "the spine lives"
	done
}

# fails_over NAME SPINE TREES: a spine falls silent in the middle of the third allreduce or so, which is the
# longest one of the run; with several trees it goes on by the others meanwhile, with one it stops until the
# ranks meet at the next box of the list.
fails_over() {
	local blocks=$((bytes / 4 / grads / $3))
	spines_jobs "$job" blocks 1024 grads "$grads" || die "no jobs"
	shape
	tree_start "$job" --min-bytes "$bytes" --max-bytes "$bytes" --iterations 12 --warmup 1 \
		--grads "$grads" --failover "${failover_ms}ms" --verify --trees "$3"
	poll 60 is_more_than $((blocks * 7 / 2)) blocks_of "$2" $((job + $2 - 1)) || die "nothing flows"
	falls_silent "$2"
	tree_wait || die "the transfer failed"
	note "$1: an allreduce takes $(tree_of_all "$job" '.results[0].min_us / 1e3' | gojq max) ms at least, $(
		tree_of_all "$job" '.results[0].max_us / 1e3' | gojq max) ms at most; $failover_ms ms is the failover time"
	figure "$1_failover_timeouts" "$(tree_of_all "$job" '.results[0] | (.max_us - .min_us) / 1e3' |
		gojq "max / $failover_ms * 1000 | round / 1000")"
	spines_jobs_del
}

part_failover() {
	fails_over tree 3 4
	fails_over standby 1 1
}

[[ -e /sys/module/weir ]] || die "the module is not loaded"
spines_up 4 2 2 9000 tc || die "no spines"
case ${1-} in
links | cost | failover) "part_$1" ;;
*) die "no part is called ${1-}" ;;
esac
