#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Measure what a packet costs in the box, in nanoseconds: dropped, sent back or redirected by XDP, and
# aggregated by a port in XDP or tc mode, one by one and as GSO packets. To be run by `run`:
#
#	selftests/native/run -- selftests/native/box.sh ROUNDS
#
# Sender and box share the CPU, so everything that a packet causes happens before the next one is sent.
# A value is the fastest of many short runs, less the sender's part. Prints a line "NAME NANOSECONDS" for
# each in each round. "tc" are packets one by one, "merged" GSO packets, both in tc mode. All other
# contributions are in XDP mode, of int32 unless another type is named. "whole_box" includes sending the
# result to all workers, whose part is divided among the contributions.
# shellcheck disable=SC2154 # variables of selftests/bench/cost.sh
set -eu -o pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

rounds=$1
# shellcheck source=/dev/null
. selftests/bench/cost.sh

# fastest VARIABLE RUNS BLOCKS [OPTION...]
fastest() {
	local -n fastest_of=$1
	local i run
	fastest_of=''
	for ((i = 0; i < $2; i++)); do
		run=$(blast "${@:3}") || exit
		bench_block=$((bench_block + $3))
		[[ -n $fastest_of ]] && ((fastest_of <= run)) || fastest_of=$run
	done
}

# Replace two functions of cost.sh, which make one long run.
measure() {
	blast 20 "${@:3}" >/dev/null
	bench_block=$((bench_block + 20))
	fastest "$1" 50 25 "${@:3}"
}

# The numbers of blocks fill GSO packets of 63 times 256 or 15 times 1,024 gradients.
cost_merged() {
	local blocks=126
	(($2 != 1024)) || blocks=120
	fastest "$1" 20 "$blocks" --grads "$2" --merged "${cost_fit[$2]}" "${@:3}"
}

measure_round() {
	local name
	cost=()
	ports_off
	setup --job "$cost_whole" --sources 4 --blocks 8192
	setup --job "$cost_lacking" --sources 5 --bound 4 --blocks 8192
	cost_sender 256 1024
	cost_of_xdp 256 1024
	ports_are xdp
	cost_of_box 256 1024
	in_router weir job flush
	cost_of_types
	cost_of_tc
	for name in {float32,bfloat16,float16}{,_fixed}; do
		cost[contribution_${name}_1024]=${cost[$name]}
	done
}

bench_star
bench_programs
each_worker redirect_to_next
for ((round = 0; round < rounds; round++)); do
	measure_round
	for name in {drop,tx,redirect,contribution,whole_box}_{256,1024} \
		contribution_{float32,bfloat16,float16}{,_fixed}_1024 {contribution,whole_box}_{tc,merged}_{256,1024}; do
		echo "$name ${cost[$name]}"
	done
done
