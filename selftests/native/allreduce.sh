#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# CPU time of an allreduce between four workers: with the box, with Open MPI and with PyTorch's Gloo.
# Workers are namespaces that share one CPU with links and box, so this is the time of all of them
# together. To be run by `profile`:
#
#	selftests/native/profile -- selftests/native/allreduce.sh MTU KIB ROUNDS SECONDS KIND...
#
# Each round runs all kinds in turn, for about so many seconds each. Kinds are
#
#	tc, xdp            the box, int32, by ports in this mode
#	float32            the box in tc mode
#	ring, plain        Open MPI, by its ring or by the algorithm that it chooses itself, int32
#	preload            the same program with its reductions taken by the box in tc mode
#	gloo               PyTorch's Gloo, float32
# shellcheck disable=SC2034,SC2154 # variables of selftests/bench/ranks.sh
set -eu -o pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

mtu=$1 kib=$2 rounds=$3 seconds=$4
bytes=$((kib << 10))

# Set $received to the bytes that the box, or the router of a ring, has received from the workers.
count_received() {
	local device count _
	received=0
	while read -r device count _; do
		[[ $device != w[0-9]*: ]] || received=$((received + count))
	done </proc/net/dev
}

# Print marks for `profile` from the third allreduce on, until killed. COUNT is bytes received. Runs in
# the router's namespace and starts no programs: that takes milliseconds.
if [[ ${5-} == marks ]]; then
	exec {nothing}<> <(:)
	count_received
	start=$((received + bytes * 9)) last=0
	while count_received && ((received < start)); do
		read -rt 0.05 -u "$nothing" _ || :
	done
	while :; do
		count_received
		read -r _ syscalls </proc/uml
		((received == last)) || echo "profile: mark $EPOCHREALTIME $received $syscalls"
		last=$received
		read -rt 0.25 -u "$nothing" _ || :
	done
fi

# shellcheck source=/dev/null
. selftests/bench/ranks.sh

job=6
# A packet is as long as the MTU lets it be.
((mtu == 9000)) && grads=2048 || grads=364
# So many milliseconds an allreduce may take; all that matters is that a run is long enough.
guess=$((kib < 1024 ? 2 : kib * (mtu == 9000 ? 5 : 8) / 1024 + 5))
iterations=$((seconds * 1000 / guess + 4))

from_workers() {
	in_router bash -c "$(declare -f count_received); count_received; echo \"\$received\""
}

box_is() {
	ports_are "$1"
	setup --job "$job" --sources "$bench_workers" --blocks 1024 --grads "$grads" "${@:2}"
}

box_goes() {
	in_router weir job del id "$job"
	ports_off
}

perf_of() {
	ranks_weir "$job" "$bytes" "$iterations" --grads "$grads" --warmup 1 --dtype "$1" >/dev/null
}

run_tc() {
	perf_of int32
}

run_xdp() {
	perf_of int32
}

run_float32() {
	perf_of float32
}

run_ring() {
	ranks_ring median "$bytes" "$iterations" >/dev/null
}

run_plain() {
	local ranks_algorithm=()
	run_ring
}

run_preload() {
	local ranks_mpi ranks_algorithm=()
	ranks_preload "$job" "$grads"
	run_ring
}

run_gloo() {
	local i pids=()
	for ((i = 1; i <= bench_workers; i++)); do
		in_worker "$i" env MASTER_ADDR="$(worker_addr 1)" MASTER_PORT=29500 GLOO_SOCKET_IFNAME=eth0 \
			OMP_NUM_THREADS=1 build/bin/weir-perf-gloo --rank $((i - 1)) --ranks "$bench_workers" \
			--iterations "$iterations" --warmup 1 --dtype float32 --op sum "$bytes" >/dev/null &
		pids+=($!)
	done
	wait_all "${pids[@]}" || die "Gloo failed"
}

# measured KIND: with the box as the kind needs it
measured() {
	local marks before after first=$bytes
	case $1 in
	tc | preload) box_is tc ;;
	xdp) box_is xdp ;;
	float32) box_is tc --dtype 2 --order 1 ;;
	*) ports_off ;;
	esac
	in_router "${BASH_SOURCE[0]}" "$mtu" "$kib" - - marks &
	marks=$!
	before=$(from_workers)
	"run_$1"
	ns_term "$marks"
	wait "$marks" || :
	after=$(from_workers)
	case $1 in
	tc | xdp | float32 | preload) box_goes ;;
	esac
	# Each begins with one more allreduce. That of the program of MPI is of 256 KiB.
	case $1 in
	ring | plain | preload) first=$((1 << 18)) ;;
	esac
	awk -v name="$1" -v received=$((after - before)) -v bytes="$bytes" -v n="$iterations" -v first="$first" \
		'BEGIN { printf "profile: run %s %.0f\n", name, received / (n + first / bytes) }'
}

ranks_up 4 "$mtu"
for ((round = 0; round < rounds; round++)); do
	for kind in "${@:5}"; do
		measured "$kind"
	done
done
