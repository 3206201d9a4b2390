#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# The simulated network, small: no packet is lost sight of, every sum is right and each rank is in it once,
# the same seed gives the same figures, and a planted fault is noticed.
set -u
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd) || exit 1
cd "$root" || exit 1
# shellcheck source=../lib/ktap.sh
. selftests/lib/ktap.sh

work=$(mktemp -d) || exit 1
at_exit rm -rf "$work"
small=(ports 6 from 5 until 30 load 0.5 scale 128 drain 1)

# sim NAME KEY VALUE...: a small run, until nothing is under way; what it prints is in a file.
sim() {
	local name=$1
	shift
	build/bin/plan-sim "${small[@]}" "$@" >"$work/$name" 2>"$work/$name.err" && return
	cat "$work/$name" "$work/$name.err"
	return 1
}

# value NAME KEY
value() {
	awk -v key="$2" '$1 == key { print $2 }' "$work/$1"
}

# holds NAME EXPRESSION: of awk, with the figures as variables.
holds() {
	local words=()
	mapfile -t words < <(awk '{ print "-v"; print $1 "=" $2 }' "$work/$1")
	awk "${words[@]}" "BEGIN { exit !($2) }" && return
	echo "not so: $2"
	cat "$work/$1"
	return 1
}

sums_are_right() {
	sim weir scheme weir && holds weir 'jobs > 0 && results > 10000 && results_wrong == 0' &&
		holds weir 'results == contributed - contributed_again && ranks_lacking == 0'
}

one_tree() {
	sim one scheme weir trees 1 &&
		holds one 'results == contributed - contributed_again && ranks_lacking == 0'
}

# Of the ranks of a job 0.12 at most are lacking, and some are.
quorum() {
	sim quorum scheme 0.88 && holds quorum 'results_wrong == 0 && late > 0 && ranks_lacking > 0' &&
		holds quorum 'results == contributed - contributed_again' &&
		holds quorum 'ranks_lacking <= 0.12 * 54 * results'
}

# Queues of seven frames lose contributions, results and questions.
losses() {
	sim losses scheme weir buffer 64000 &&
		holds losses 'lost > 100 && contributed_again > 10 && tcp_again > 10 && results_wrong == 0' &&
		holds losses 'results == contributed - contributed_again && ranks_lacking == 0'
}

ring() {
	sim ring scheme ring && holds ring 'jobs > 0 && contributed == 0 && training_stretch > 1'
}

same_seed() {
	sim first seed 7 && sim second seed 7 && sim third seed 8 &&
		cmp "$work/first" "$work/second" && ! cmp -s "$work/first" "$work/third"
}

# A box that sums a source twice.
fault() {
	! build/bin/plan-sim "${small[@]}" fault 1 >"$work/fault" && holds fault 'results_wrong > 0'
}

# Without the rule a window is as long as the buffers let it be.
rule() {
	sim free scheme free window 1024 && sim ruled scheme weir &&
		holds free "longest_queue_kb > 2 * $(value ruled longest_queue_kb)"
}

# Alone, eight workers have of their links what headers leave, 8,192 of 8,292 bytes, and start slowly once.
alone() {
	build/bin/plan-sim ports 4 noise 0 >"$work/alone" && holds alone 'iteration_ms < 4 * 8292 / 8192 * 1.03'
}

ktap_header
ktap_run "sums are right, and packets add up" sums_are_right
ktap_run "one tree" one_tree
ktap_run "a quorum lacks no more ranks than it may" quorum
ktap_run "losses are made good, exactly once" losses
ktap_run "rings" ring
ktap_run "the same seed, the same figures" same_seed
ktap_run "a planted fault is noticed" fault
ktap_run "the rule keeps queues short" rule
ktap_run "a job alone fills its links" alone
ktap_end
