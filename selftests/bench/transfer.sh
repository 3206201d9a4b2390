#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Measure what an allreduce takes: instructions of all workers, their stacks and the box together, and
# those of Open MPI's ring between the same workers. To be run in a virtual machine that counts
# instructions:
#
#	selftests/vm/run --icount --memory 4G -- selftests/bench/transfer.sh [transfer latency]
#
# weir's part is the difference of a long run and a short one, so that start and end fall out. The
# ring's is its own clock's: its ranks look for messages all the time and so leave the processor no
# idle time, and starting up differs from run to run by more than one of its allreduces takes.
set -u
cd "$(dirname "${BASH_SOURCE[0]}")/../.." || exit 1
# shellcheck source=ranks.sh
. selftests/bench/ranks.sh

[[ -e /sys/module/weir ]] || die "the module is not loaded"

transfer_job=6
transfer_bytes=$((4 << 20))
transfer_few=2 transfer_many=12

latency_few=200 latency_many=10200

# gradient NANOSECONDS: of them a gradient
gradient() {
	awk -v t="$1" -v n=$((transfer_bytes / 4)) 'BEGIN { printf "%.1f\n", t / n }'
}

# nanoseconds SECONDS
nanoseconds() { awk -v s="$1" 'BEGIN { printf "%.0f\n", 1e9 * s }'; }

# job_of GRADS
job_of() {
	setup --job "$transfer_job" --sources "$bench_workers" --blocks 1024 --grads "$1"
}

# iterate GRADS BYTES ITERATIONS
iterate() {
	ranks_weir "$transfer_job" "$2" "$3" --grads "$1" --warmup 2
}

# transfer_weir GRADS: sets $took to instructions a gradient.
transfer_weir() {
	job_of "$1"
	ranks_weir "$transfer_job" "$transfer_bytes" 1 --grads "$1" --warmup 0 --verify
	each_spent "$transfer_few" "$transfer_many" iterate "$1" "$transfer_bytes"
	in_router weir job del id "$transfer_job"
	took=$(gradient "$worked")
}

# transfer_least GRADS...: sets $took to the least.
transfer_least() {
	local grads least=''
	ports_are tc
	for grads; do
		transfer_weir "$grads"
		note "$bench_workers workers, $grads gradients a packet: $took instructions a gradient"
		least=$(printf '%s\n' "$took" "${least:-$took}" | sort -g | head -n 1)
	done
	took=$least
}

# transfer_ring: sets $ring to instructions a gradient, the middle one of three runs' medians. Once
# in a while an allreduce takes many times as long, and a run has its own pace.
transfer_ring() {
	local seconds
	seconds=$(for _ in 1 2 3; do
		ranks_ring median "$transfer_bytes" "$transfer_many" || exit
	done) || { not_measured insn_mpi_ring_gradient_4m; return; }
	seconds=$(sort -g <<<"$seconds" | sed -n 2p)
	ring=$(gradient "$(nanoseconds "$seconds")")
}

# transfer_star SUFFIX N MTU GRADS...: the best of so many gradients a packet, beside a ring
transfer_star() {
	local took ring=''
	ranks_up "$2" "$3"
	ranks_have_ring && transfer_ring
	transfer_least "${@:4}"
	figure "insn_transfer_gradient_4m$1" "$took"
	if [[ -n $ring ]]; then
		figure "insn_mpi_ring_gradient_4m$1" "$ring"
		figure "insn_over_mpi_ring_4m$1" "$(ratio "$took" "$ring")"
	fi
	star_delete
}

part_transfer() {
	local took
	transfer_star '' 4 9000 1024 2048
	transfer_star _mtu1500 4 1500 256 364
	transfer_star _n8 8 9000 1024 2048
	ranks_up 4 9000
	ports_are xdp
	transfer_weir 1024
	figure insn_transfer_gradient "$took"
	star_delete
}

# latency MODE: an allreduce of one block, by ports of that mode. Sets $worst to the largest ratio
# to what it took before. Its time is by the slowest rank's clock.
latency() {
	local took
	ports_are "$1"
	each_spent "$latency_few" "$latency_many" iterate 1024 4096
	took=$(ranks_slowest | awk '{ printf "%.0f\n", 1000 * $1 }')
	figure "insn_one_block_$1" "$worked"
	figure "ns_one_block_$1" "$took"
	worst=$(printf '%s\n' "$worst" "$(ratio "$worked" "$(recorded "insn_one_block_before_$1")")" \
		"$(ratio "$took" "$(recorded "ns_one_block_before_$1")")" | sort -g | tail -n 1)
}

# latency_of_mpi: an allreduce of one block by MPI, by the algorithm that it chooses, beside the box's ports in
# mode tc. Its ranks look for messages all the time: it is the time by its own clock, which counts
# instructions.
latency_of_mpi() {
	local ranks_algorithm=() seconds
	seconds=$(ranks_ring median 4096 "$latency_few") || { not_measured insn_one_block_over_mpi; return; }
	note "an allreduce of one block by MPI takes $seconds s"
	figure insn_one_block_over_mpi "$(ratio "$worked" "$(nanoseconds "$seconds")")"
}

part_latency() {
	local worst=0
	ranks_up 4 9000
	job_of 1024
	latency xdp
	latency tc
	ports_off
	ranks_have_ring && latency_of_mpi
	figure latency_one_block_over_before "$worst"
	star_delete
}

(($#)) || set -- transfer latency
for part; do
	case $part in
	transfer | latency) "part_$part" ;;
	*) die "no part is called $part" ;;
	esac
done
exit "$bench_missed"
