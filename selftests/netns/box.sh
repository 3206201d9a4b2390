# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# A star whose router sums: what the suites of this folder share. Sourced after
# ktap.sh and netns.sh.
#
#	box_up 4 9000 xdp
#	box_job 7 4 blocks 256 grads 1024
#	box_allreduce 7 4 --max-bytes 64K

box_out=$(mktemp -d) || exit 1
at_exit rm -rf "$box_out"

# By its own option: one program to start, not two.
# shellcheck disable=SC2154 # ns_prefix is netns.sh's
weir() { command weir -n "$ns_prefix-router" "$@"; }

# The address that all jobs have: the router's on the first worker's link.
box_addr() { router_addr 1; }
box_addr6() { router_addr6 1; }

# box_up N MTU MODE: a star with all of the router's devices attached.
box_up() {
	star_create "$1" "$2" && box_attach "$1" "$3"
}

# box_attach N MODE: the router's devices to the first N workers.
box_attach() {
	local i
	for ((i = 1; i <= $1; i++)); do
		weir port attach dev "w$i" mode "$2" || return
	done
}

# box_netem N OPTION...: netem on both ends of the first N links; box_no_netem N: as before.
box_netem() {
	local i
	for ((i = 1; i <= $1; i++)); do
		in_worker "$i" tc qdisc replace dev eth0 root netem limit 20000 "${@:2}" || return
		in_router tc qdisc replace dev "w$i" root netem limit 20000 "${@:2}" || return
	done
}
box_no_netem() {
	local i
	for ((i = 1; i <= $1; i++)); do
		in_worker "$i" tc qdisc del dev eth0 root
		in_router tc qdisc del dev "w$i" root
	done
}

box_down() {
	weir port flush
	weir job flush
	star_delete
}

# box_job ID N [KEY VALUE...]: a job of the first N workers; box_job6: over IPv6.
box_job() { box_make_job "$(box_addr)" worker_addr "$@"; }
box_job6() { box_make_job "$(box_addr6)" worker_addr6 "$@"; }

# box_make_job ADDRESS WORKERS ID N [KEY VALUE...]: the command WORKERS says where
# each of them is.
box_make_job() {
	local address=$1 workers=$2 id=$3 n=$4 i
	shift 4
	weir job add id "$id" sources "$n" address "$address" "$@" || return
	for ((i = 1; i <= n; i++)); do
		weir source add job "$id" id $((i - 1)) address "$("$workers" "$i")" || return
	done
}

# box_start JOB N [OPTION...]: weir-perf in each of N workers, verifying each
# element, in the background; box_wait waits for them. BOX_TO is the address.
box_start() {
	local job=$1 n=$2 i
	shift 2
	box_pids=()
	for ((i = 1; i <= n; i++)); do
		in_worker "$i" weir-perf --job "$job" --address "${BOX_TO:-$(box_addr)}" \
			--rank $((i - 1)) --ranks "$n" --verify "$@" \
			>"$box_out/$job.$i" 2>"$box_out/said-$job.$i" &
		box_pids+=($!)
	done
}

# Succeeds when all of box_start's have; shows what a failed one said.
box_wait() {
	wait_all "${box_pids[@]}" && return
	tail -n 3 "$box_out"/*
	return 1
}

# Those that box_start has started with --endless end, all with the same result.
box_end() { ns_term "${box_pids[0]}"; }

# monitored COMMAND [ARGUMENT...]: the events that the box tells meanwhile are in $box_out/events.
monitored() {
	local pid status
	weir monitor >"$box_out/events" 2>&1 & pid=$!
	"$@"
	status=$?
	ns_term "$pid"
	return "$status"
}

box_allreduce() {
	box_start "$@" && box_wait
}

# box_pings I J N: worker I sends N echo requests to worker J, and each is answered. After its last one
# ping waits for twice the time that an answer took, which is little; the kernel has counted what
# comes later, too.
box_pings() {
	local before
	before=$(box_counter "$1" IcmpInEchoReps) &&
		in_worker "$1" ping -f -c "$3" -W 60 "$(worker_addr "$2")" >"$box_out/ping" || return
	grep -q ' 0% packet loss' "$box_out/ping" || poll 60 is_more_than $((before + $3 - 1)) box_counter "$1" IcmpInEchoReps
}
# box_counter I NAME: what worker I's kernel has counted.
box_counter() { in_worker "$1" nstat -asz "$2" | awk -v name="$2" '$1 == name { print $2 }'; }

# box_stat FILTER WORD...: what gojq's FILTER finds in weir's JSON.
box_stat() {
	local filter=$1
	shift
	weir -j "$@" | gojq -r "$filter"
}
