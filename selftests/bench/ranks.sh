# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# An allreduce between the workers of a star, by the box or by Open MPI's ring. All take turns on
# the counting machine's one processor.

# shellcheck source=lib.sh
. "${BASH_SOURCE[0]%/*}/lib.sh"

# Each rank's output, and the programs of MPI.
ranks_work=$(mktemp -d) || exit 1
at_exit rm -rf "$ranks_work"

# ranks_up N MTU: a star, from whose workers the ring goes by cubic, as the box's own default may
# be another.
ranks_up() {
	local i
	bench_workers=$1 bench_addresses=()
	star_create "$1" "$2" || die "no star"
	for ((i = 1; i <= $1; i++)); do
		bench_addresses+=("$(worker_addr "$i")")
		in_worker "$i" ip route change default via "$(router_addr "$i")" congctl cubic || die "no cubic"
		in_worker "$i" ping -q -c 1 -W 2 "$bench_box" >/dev/null || die "worker $i has no way to the box"
	done
	ranks_agent
}

# ranks_python PROGRAM OPTION...: a rank of job 7 in each worker, as selftests/lib/rank_loop.py has them;
# the program's result
ranks_python() {
	local i names=()
	for ((i = 1; i <= bench_workers; i++)); do
		names+=("$(ns_name "w$i")")
	done
	ranks_python_in "${names[*]}" "$@"
}

# ranks_python_in "NAMESPACE[,BOX,SOURCE]..." PROGRAM OPTION...: the same with ranks in these places
ranks_python_in() {
	local names
	read -ra names <<<"$1"
	shift
	LD_LIBRARY_PATH=$PWD/build/lib PYTHONPATH=$PWD/userspace/python PYTHONDONTWRITEBYTECODE=1 \
		/usr/bin/python3 "$@" "$bench_box" 7 "${names[@]}" || die "the ranks failed"
}

# ranks_weir JOB BYTES ITERATIONS OPTION...: a weir-perf in each worker
ranks_weir() {
	local i pids=()
	rm -f "$ranks_work"/rank*
	for ((i = 1; i <= bench_workers; i++)); do
		in_worker "$i" weir-perf --job "$1" --address "$bench_box" --rank $((i - 1)) \
			--ranks "$bench_workers" --min-bytes "$2" --max-bytes "$2" --iterations "$3" \
			--json "${@:4}" >"$ranks_work/rank$i" &
		pids+=($!)
	done
	wait_all "${pids[@]}" || die "the transfer failed"
}

# The slowest rank's time of an allreduce, in microseconds.
ranks_slowest() {
	gojq -s '[.[] | .results[0].time_us] | max' "$ranks_work"/rank*
}

# Return true if there is a ring. It is built where MPI's compiler is.
ranks_have_ring() {
	command -v mpirun >/dev/null && [[ -x build/bin/bench-mpi-ring ]]
}

# Open MPI starts its daemons on other hosts by ssh; here hosts are namespaces, told by
# their addresses. Each gets a host name of its own, without which they pass for one.
ranks_agent() {
	cat >"$ranks_work/agent" <<-END
		#!/bin/bash
		host=\$1
		shift
		i=\${host#10.77.}
		i=\${i%%.*}
		exec nsenter --net=/run/netns/$(ns_name w)\$i -- unshare --uts -- \\
			/bin/sh -c "hostname worker\$i; \$*"
	END
	chmod +x "$ranks_work/agent"
}

# The same program with its reductions taken by a box, whose job takes as many gradients a packet.
# ranks_preload JOB GRADS: sets $ranks_mpi for ranks_ring(). With threads Open MPI has cmpxchg16b, which the
# emulated processor lacks (selftests/vm/machine.sh): reductions end with a barrier instead.
ranks_preload() {
	ranks_mpi=(-x "LD_PRELOAD=$PWD/build/lib/libweir-mpi.so" -x "WEIR_BOX=$bench_box" -x "WEIR_JOB=$1"
		-x "WEIR_GRADS=$2" -x WEIR_MPI_THREADS=0)
}
ranks_mpi=()

# ranks_mpirun PROGRAM...: sets $ranks_command to what runs it in each worker, by $ranks_algorithm.
# With ports attached in mode xdp veth has no TSO: the ring is measured without ports. Ranks that
# wait let the others run.
ranks_mpirun() {
	local hosts
	hosts=$(IFS=,; echo "${bench_addresses[*]}")
	# shellcheck disable=SC2016 # expanded in the worker
	ranks_command=(nsenter --net="/run/netns/$(ns_name w1)" --
		unshare --uts -- /bin/sh -c 'hostname worker1; exec "$@"' sh
		mpirun --allow-run-as-root -np "$bench_workers" --host "$hosts"
		--mca plm rsh --mca plm_rsh_agent "$ranks_work/agent" --mca plm_rsh_no_tree_spawn 1
		--mca orte_tmpdir_base "$ranks_work" --mca oob_tcp_if_include eth0
		--mca pml ob1 --mca btl "tcp,self" --mca btl_tcp_if_include eth0
		--mca mpi_yield_when_idle 1
		"${ranks_algorithm[@]}" "${ranks_mpi[@]}" "$@")
}
# The ring. Empty, Open MPI chooses an algorithm itself.
ranks_algorithm=(--mca coll_tuned_use_dynamic_rules 1 --mca coll_tuned_allreduce_algorithm 4)

# ranks_ring mean|median BYTES ITERATIONS [double]: prints seconds an allreduce, by the slowest rank's clock. A
# program of others that fails is run once more; when it fails again, the figures with it are not measured.
ranks_ring() {
	local ranks_command try
	ranks_mpirun bench-mpi-ring "${@:2}"
	for try in once again; do
		"${ranks_command[@]}" >"$ranks_work/mpi" 2>"$ranks_work/mpi.errors" &&
			{ sed -n "s/^$1 //p" "$ranks_work/mpi"; return; }
		note "the ring failed $try:" >&2
		cat "$ranks_work/mpi.errors" >&2
	done
	return 1
}

# Nanoseconds that the processor was not idle. /proc/uptime has the same clocks, cut to hundredths
# of a second.
busy() {
	awk -F '[ :]+' '
		/^now at/ { now = $3 }
		$2 ~ /^\.(idle|iowait)_sleeptime$/ { idle += $3 }
		END { printf "%.0f\n", now - idle }
	' /proc/timer_list
}

# spent COMMAND...: sets $worked to the nanoseconds that the processor was not idle meanwhile.
spent() {
	local before
	before=$(busy)
	"$@" >/dev/null
	worked=$(($(busy) - before))
}

# each_spent FEW MANY COMMAND...: $worked of one iteration, whose number is the command's last
# argument.
each_spent() {
	local short
	spent "${@:3}" "$1"
	short=$worked
	spent "${@:3}" "$2"
	worked=$(((worked - short) / ($2 - $1)))
}
