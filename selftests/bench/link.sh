#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Measure how much of a link's rate an allreduce uses, and how Open MPI's ring does over the same
# links. To be run in a virtual machine:
#
#	selftests/vm/run --icount --qemu -icount --qemu sleep=off -- \
#		selftests/bench/link.sh [MBIT[:QUEUE[:MARK]]...]
#
# Four workers, each on a link of so many Mbit/s either way, shaped by token buckets at
# both of its ends. A token bucket counts a frame from its Ethernet header to its last
# byte. An allreduce of B bytes through the box sends and receives B bytes of gradients a
# worker, in frames of 4,096 bytes of gradients each, behind 14 of Ethernet, 20 of IPv4, 8
# of UDP and 12 of Trio-ML. So a link leaves its rate * 4096 / 4150 for gradients, and its
# efficiency is
#
#	(B / time) / (rate * 4096 / 4150)
#
# The machine's clock counts instructions, because rates, timers and retransmissions go by
# the guest's clock, and the emulated processor is then one of 10^9 instructions a second,
# on any host, under any load. Its idle time passes at once (sleep=off): else the host decides
# how long it is, and a host that is busy takes a tenth off the efficiency at 200 Mbit/s.
set -u
cd "$(dirname "${BASH_SOURCE[0]}")/../.." || exit 1
# shellcheck source=ranks.sh
. selftests/bench/ranks.sh

link_job=1
link_grads=1024
link_bytes=$((16 << 20))
link_iterations=2
# enum weir_dtype of doubles
link_float64=6
# The queue of a link where none is given: about the 1,000 frames that Linux' plain queue
# holds. With a shorter one what is measured is how both sides take losses.
link_queue=4mb
# More than a jumbo frame, so that one can pass; less than what TCP hands down in one
# piece, which the bucket then cuts.
link_burst=16kb

# bucket MBIT QUEUE [MARK] -- COMMAND...: a token bucket on the device that the command is for; with
# MARK packets are marked, if they are ECN-capable, that find as many bytes in the queue.
bucket() {
	local mbit=$1 queue=$2 mark=''
	shift 2
	[[ $1 == -- ]] || { mark=$1; shift; }
	shift
	"$@" root handle 1: tbf rate "${mbit}mbit" burst "$link_burst" limit "$queue" || die "no shaping"
	[[ $mark ]] || return 0
	# The average is over few packets, and the step that of DCTCP.
	"$@" parent 1:1 handle 2: red limit "$queue" min "$mark" max "$mark" avpkt 4150 burst 16 \
		bandwidth "${mbit}mbit" probability 1 ecn || die "no marks"
}

# shape WORKER MBIT QUEUE [MARK]
shape() {
	in_worker "$1" tc qdisc del dev eth0 root 2>/dev/null
	in_router tc qdisc del dev "w$1" root 2>/dev/null
	bucket "${@:2}" -- in_worker "$1" tc qdisc replace dev eth0
	bucket "${@:2}" -- in_router tc qdisc replace dev "w$1"
}

# Packets that the links have dropped on the way to the box, and on the way from
# it.
dropped() {
	local i
	for ((i = 1; i <= bench_workers; i++)); do
		in_worker "$i" tc -s -j qdisc show dev eth0 | gojq '{up: .[0].drops}'
		in_router tc -s -j qdisc show dev "w$i" | gojq '{down: .[0].drops}'
	done | gojq -rs '"\(map(.up) | add) \(map(.down) | add)"'
}

dropped_since() {
	dropped | awk -v up="$1" -v down="$2" '{ printf "%d frames dropped on the way up, %d down\n", $1 - up, $2 - down }'
}

# weir_seconds: an allreduce by the box, by the slowest rank's clock
weir_seconds() {
	ranks_weir "$link_job" "$link_bytes" "$link_iterations" --grads "$link_grads" --warmup 1
	ranks_slowest | awk '{ print $1 / 1e6 }'
}

# headline NAME VALUE RATE AT: the figure without a rate in its name, where RATE is AT.
headline() {
	if [[ $3 == "$4" ]]; then
		figure "$1" "$2"
	fi
}

# Of all contributions that were sent, those that were sent again.
retransmitted() {
	gojq -s '([.[].retransmits] | add) / ([.[].packets_sent] | add)' "$ranks_work"/rank*
}

# measure_weir RATE MBIT: sets $time.
measure_weir() {
	local share drops
	drops=$(dropped)
	each_worker ports tc
	time=$(weir_seconds) || exit
	# shellcheck disable=SC2086 # two words
	note "$1 Mbit/s: weir $(printf '%.3f' "$time") s, $(dropped_since $drops)," \
		"$(gojq -s '[.[].retransmits] | add' "$ranks_work"/rank*) sent again"
	ports_off
	share=$(awk -v b="$link_bytes" -v t="$time" -v r="$2" -v p=$((4 * link_grads)) \
		'BEGIN { printf "%.4f\n", 8 * b / t / (r * 1e6 * p / (p + 54)) }')
	figure "link_efficiency_n4_${1//:/_}" "$share"
	headline link_efficiency_n4 "$share" "$1" "$highest"
	# A queue that marks is the one of those figures.
	if [[ $1 == *:*:* ]]; then
		figure link_efficiency_short_queue "$share"
		figure cc_retransmits "$(retransmitted)"
	fi
}

# measure_preload FIGURE JOB RING [double]: an MPI program that knows nothing of the box, by it, beside RING seconds
measure_preload() {
	local ranks_mpi took
	ranks_preload "$2" "$link_grads"
	each_worker ports tc
	took=$(ranks_ring mean "$link_bytes" "$link_iterations" "${@:4}")
	ports_off
	[[ -n $took ]] || { not_measured "$1"; return; }
	note "MPI by the box $(printf '%.3f' "$took") s"
	figure "$1" "$(ratio "$took" "$3")"
}

# measure_doubles FIGURE: the same of doubles
measure_doubles() {
	local ring job=$((link_job + 1))
	ring=$(ranks_ring mean "$link_bytes" "$link_iterations" double) || { not_measured "$1"; return; }
	note "ring of doubles $(printf '%.3f' "$ring") s"
	setup --job "$job" --sources "$bench_workers" --blocks 1024 --grads "$link_grads" --dtype "$link_float64"
	measure_preload "$1" "$job" "$ring" double
	in_router weir job del id "$job"
}

# measure_ring RATE
measure_ring() {
	local drops ring
	drops=$(dropped)
	ring=$(ranks_ring mean "$link_bytes" "$link_iterations") ||
		{ not_measured "goodput_over_mpi_ring_n4_${1//:/_}"; return; }
	# shellcheck disable=SC2086 # two words
	note "$1 Mbit/s: ring $(printf '%.3f' "$ring") s, $(dropped_since $drops)"
	if [[ $1 == "$highest" && -e build/lib/libweir-mpi.so ]]; then
		measure_preload "mpi_allreduce_over_ring_${1}mbit" "$link_job" "$ring"
		measure_doubles "mpi_double_allreduce_over_ring_${1}mbit"
	fi
	ring=$(ratio "$ring" "$time")
	figure "goodput_over_mpi_ring_n4_${1//:/_}" "$ring"
	headline goodput_over_mpi_ring_n4 "$ring" "$1" "$lowest"
}

measure_rate() {
	local rate=$1 mbit queue mark time
	IFS=: read -r mbit queue mark <<<"$rate"
	each_worker shape "$mbit" "${queue:-$link_queue}" ${mark:+"$mark"}
	measure_weir "$rate" "$mbit"
	if ranks_have_ring; then
		measure_ring "$rate"
	fi
}

(($#)) || set -- 200
# At the highest rate the box has the least time for a packet. At the lowest the one
# processor that all workers and the box share hinders the ring least: it is where the
# comparison favours weir least.
lowest=$(printf '%s\n' "$@" | grep -v : | sort -n | head -n 1)
highest=$(printf '%s\n' "$@" | grep -v : | sort -n | tail -n 1)
ranks_up 4 9000
setup --job "$link_job" --sources "$bench_workers" --blocks 1024 --grads "$link_grads"
for rate; do
	measure_rate "$rate"
done
exit "$bench_missed"
