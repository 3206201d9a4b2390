#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Jobs of several trees: two racks below four spines, each of which is a box.
set -u

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd) || exit 1
# shellcheck source=../lib/ktap.sh
. "$here/../lib/ktap.sh"
# shellcheck source=../lib/netns.sh
. "$here/../lib/netns.sh"
# shellcheck source=tree.sh
. "$here/tree.sh"
# shellcheck source=spines.sh
. "$here/spines.sh"

job=7
keys=(blocks 256 grads 1024)

# with_jobs COMMAND [KEY VALUE...]
with_jobs() {
	local status
	spines_jobs "$job" "${keys[@]}" "${@:2}" && "$1"
	status=$?
	spines_jobs_del
	return "$status"
}

all_alike() { tree_all_alike "$job"; }

# blocks SPINE JOB
blocks() { at "spine-$1" -j job show id "$2" | gojq -r '.[].stats.blocks'; }

sums() {
	local tree
	tree_allreduce "$job" --json --trees 4 --min-bytes 4 --max-bytes 200004 --step-bytes 100000 \
		--iterations 2 --warmup 1 && all_alike || return
	for tree in 0 1 2 3; do
		(($(blocks $((tree + 1)) $((job + tree))) > 0)) || { echo "tree $tree has no block"; return 1; }
		(($(blocks $((tree % 4 + 1)) $((job + (tree + 1) % 4))) == 0)) || { echo "a standby has blocks"; return 1; }
	done
}

floats() {
	tree_allreduce "$job" --json --dtype float32 --trees 4 --min-bytes 400K --max-bytes 400K \
		--iterations 2 --warmup 0 && all_alike
}

run() {
	tree_start "$job" --json --trees 4 --min-bytes 1M --max-bytes 1M --warmup 0 --timeout 60s "$@"
}

one_tree_loses() {
	local status dev
	for dev in r1 r2; do
		in_ns spine-2 tc qdisc replace dev "$dev" root netem limit 20000 loss 20% duplicate 5% || return
	done
	run --iterations 1 && tree_wait && all_alike
	status=$?
	for dev in r1 r2; do
		in_ns spine-2 tc qdisc del dev "$dev" root
	done
	return "$status"
}

# A spine dies: its tree's blocks go by the next one's job, and come back when it is there again.
blocks_move() {
	rises_by 30 60 blocks 3 $((job + 2)) &&
		at spine-3 job flush && poll 60 is_more_than 50 blocks 4 $((job + 2)) &&
		spine_jobs 3 "$job" "${keys[@]}" && poll 60 is_more_than 50 blocks 3 $((job + 2))
}
spine_dies() {
	run --endless || return
	blocks_move || { tree_says; return 1; }
	tree_end && tree_wait && all_alike
}

other_number() {
	local pids=() rank
	for rank in 0 1 2 3; do
		in_ns "r$((rank / 2 + 1))-w$((rank % 2 + 1))" weir-perf --job "$job" --address "$tree_boxes" \
			--rank "$rank" --ranks 4 --trees $((rank == 3 ? 2 : 4)) --timeout 20s --max-bytes 64K \
			>"$tree_out/other-$rank" 2>&1 &
		pids+=($!)
	done
	for rank in "${pids[@]}"; do
		! wait "$rank" || { echo "a rank has succeeded"; return 1; }
	done
	grep -q "trees" "$tree_out/other-3" || { cat "$tree_out"/other-*; return 1; }
}

ktap_header
spines_up 4 2 2 9000 tc || ktap_fail "set up"
ktap_run "four trees" with_jobs sums
ktap_run "four trees, floats" with_jobs floats dtype float32
ktap_run "one tree loses and duplicates" with_jobs one_tree_loses
ktap_run "a spine dies, and comes back" with_jobs spine_dies
ktap_run "another number of trees" with_jobs other_number
ktap_end
