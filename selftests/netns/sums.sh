#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Allreduce through the box: every mode, number of workers, MTU and family; each
# element of each result is compared with a sum that weir-perf makes by itself.
#
#	sums.sh		all, in some stars
#	sums.sh long	the sums alone, in more stars
set -u

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd) || exit 1
# shellcheck source=../lib/ktap.sh
. "$here/../lib/ktap.sh"
# shellcheck source=../lib/bpftrace.sh
. "$here/../lib/bpftrace.sh"
# shellcheck source=../lib/netns.sh
. "$here/../lib/netns.sh"
# shellcheck source=box.sh
. "$here/box.sh"

# Sizes that are no multiple of a packet, a vector or anything else.
odd_sizes=(--min-bytes 4 --max-bytes 40004 --step-bytes 8000 --iterations 2 --warmup 1)

# Nothing is refused but what a worker that is slow to hear sends twice, nothing is
# lost in sending, and no block is left open. To generic XDP a merged packet is one of a
# wrong length, until the workers have seen that these get lost.
counters_are_clean() {
	local bad known=.duplicate,.stale
	[[ $mode == generic ]] && known+=,.length
	bad=$(weir -j stats | gojq -c '
		(.stats.refusals // {} | del('"$known"') | to_entries[] |
			select(.value != 0)),
		(.stats | select(."result-errors" != 0 or .overflows != 0))')
	[[ -z $bad ]] || { echo "counters: $bad"; return 1; }
	[[ $(box_stat '[.[].open] | add' job show) == 0 ]]
}

# run_of_many_blocks [OPTION...]: the digest of its results in $digest, and the packets that
# worker 1 sent merged in $merged.
run_of_many_blocks() {
	box_allreduce 7 "$n" --grads "$grads" --min-bytes 200004 --max-bytes 200004 --iterations 2 \
		--warmup 0 "$@" || return
	digest=$(sed -n 's/^# digest of all results: //p' "$box_out/7.1")
	merged=$(sed -n 's/^# \([0-9]*\) sent and [0-9]* received as parts of merged.*/\1/p' "$box_out/7.1")
}

# Each run is the first of a communicator, so its elements are the same.
merged_or_not() {
	local digest merged first
	run_of_many_blocks && first=$digest && ((merged > 0)) && run_of_many_blocks --unmerged &&
		[[ $merged == 0 && $digest == "$first" ]] && return
	echo "$merged merged, digest '$digest' and before '$first'"
	return 1
}

# one_star MODE N MTU GRADS
one_star() {
	local mode=$1 n=$2 mtu=$3 grads=$4
	if ! box_up "$n" "$mtu" "$mode" || ! box_job 7 "$n" blocks 256 grads "$grads" ||
	   ! box_job6 6 "$n" blocks 256 grads "$grads"; then
		ktap_fail "$mode, $n workers, MTU $mtu: set up"
		box_down
		return
	fi
	ktap_run "$mode, $n workers, MTU $mtu, IPv4" \
		box_allreduce 7 "$n" --grads "$grads" "${odd_sizes[@]}"
	BOX_TO=$(box_addr6) ktap_run "$mode, $n workers, MTU $mtu, IPv6" \
		box_allreduce 6 "$n" --grads "$grads" "${odd_sizes[@]}"
	ktap_run "$mode, $n workers, MTU $mtu: merged packets have the sums of plain ones" merged_or_not
	ktap_run "$mode, $n workers, MTU $mtu: counters" counters_are_clean
	box_down
}

floats_with_a_scale() {
	box_allreduce 7 4 --dtype float32 --scale 65536 --max-bytes 20004 --min-bytes 20004 \
		--iterations 2 --warmup 0
}

# numbers VECTOR DTYPE OP ORDER: vectors of one type through a job of another.
numbers() {
	local order=()
	[[ $4 == fixed ]] && order=(order fixed)
	box_job 12 4 blocks 64 grads 1024 dtype "$2" op "$3" "${order[@]}" || return
	box_allreduce 12 4 --dtype "$1" --op "$3" --min-bytes 20004 --max-bytes 20004 \
		--iterations 2 --warmup 0
	local status=$?
	weir job del id 12
	return "$status"
}

# A worker that asks for an operation that its job does not do is told both names when it joins.
other_numbers() {
	box_job 12 1 blocks 64 grads 1024 dtype bfloat16 op max || return
	in_worker 1 weir-perf --job 12 --address "$(box_addr)" --rank 0 --ranks 1 --op sum \
		>"$box_out/other" 2>&1
	local status=$?
	weir job del id 12
	[[ $status == 1 ]] &&
		grep -q 'has the operation max, and rank 0 was told of sum' "$box_out/other" && return
	cat "$box_out/other"
	return 1
}

# Several jobs between the same workers at the same time.
jobs_at_once() {
	local job pids=()
	for job in 1 2 3; do
		box_start "$job" 2 --bind-port $((13000 + job)) --min-bytes 30000 \
			--max-bytes 30000 --iterations 3 || return
		pids+=("${box_pids[@]}")
	done
	box_pids=("${pids[@]}")
	box_wait
}

three_jobs() {
	local job i
	for job in 1 2 3; do
		weir job add id "$job" sources 2 blocks 64 grads 1024 address "$(box_addr)" || return
		for i in 1 2; do
			weir source add job "$job" id $((i - 1)) address "$(worker_addr "$i")" \
				port $((13000 + job)) || return
		done
	done
}

# A job that waits for a source for ever holds up no other job.
stalled_neighbour() {
	weir job add id 9 sources 2 blocks 64 grads 1024 address "$(box_addr)" &&
		weir source add job 9 id 0 address "$(worker_addr 1)" &&
		bench-blast --to "$(box_addr)" --job 9 --grads 1024 --blocks 64 "$(ns_name w1)" >/dev/null &&
		[[ $(box_stat '.[].open' job show id 9) == 64 ]] &&
		box_allreduce 7 4 --min-bytes 100000 --max-bytes 100000 --iterations 2 &&
		[[ $(box_stat '.[].open' job show id 9) == 64 ]]
}

# A run that starts anew on the same job is not answered from the one before.
second_run() {
	box_allreduce 7 4 --min-bytes 50000 --max-bytes 50000 --iterations 1 --warmup 0 --seed 1 &&
		box_allreduce 7 4 --min-bytes 50000 --max-bytes 50000 --iterations 1 --warmup 0 --seed 2
}

# As many open blocks as a job can have; the source that they lack is nowhere.
all_blocks_open() {
	box_job 8 4 blocks 65536 grads 64 && weir source del job 8 id 3 || return
	bench-blast --to "$(box_addr)" --job 8 --grads 64 --blocks 65536 \
		"$(ns_name w1)" "$(ns_name w2)" "$(ns_name w3)" >/dev/null
	[[ $(box_stat '.[].open' job show id 8) == 65536 ]] || {
		weir job show id 8
		return 1
	}
}

# The trace shows each event that happened: four contributions and a result a block.
tracepoints() {
	local trace=/sys/kernel/tracing status=0
	echo >"$trace/trace"
	echo 1 >"$trace/events/weir/enable" || return
	box_allreduce 7 4 --min-bytes 8192 --max-bytes 8192 --iterations 1 --warmup 0
	in_worker 1 bench-blast --to "$(box_addr)" --job 7 --grads 1 --blocks 1 --block 4000000000 \
		"$(ns_name w2)" >/dev/null
	echo 0 >"$trace/events/weir/enable"
	cat "$trace/trace" >"$box_out/trace"
	grep -q 'weir_contribution: .*job=7 .*source=3 .*verdict=' "$box_out/trace" &&
		grep -q 'weir_result: job=7 .*sources=4 degraded=0 aged=0 overflow=0 age_ns=[1-9]' "$box_out/trace" &&
		grep -q 'weir_refusal: .*reason=spoofed job=7' "$box_out/trace" || status=1
	((status)) && tail -n 20 "$box_out/trace"
	return "$status"
}

# Of four workers' one block, and one packet that has another one's source.
lateness_is_traced() {
	local out=$box_out/lateness refused=$box_out/refused lateness_pid status=0
	bpftrace_start "$out" weir-lateness.bt 7 || return
	lateness_pid=$bpftrace_pid
	bpftrace_start "$refused" weir-refusals.bt || status=1
	if ((status == 0)); then
		box_allreduce 7 4 --min-bytes 8192 --max-bytes 8192 --iterations 1 --warmup 0
		in_worker 1 bench-blast --to "$(box_addr)" --job 7 --grads 1 --blocks 1 --block 4000000000 \
			"$(ns_name w2)" >/dev/null
		poll 60 grep -qE '^@refused\[spoofed, 7, [0-9]+, [0-9]+\]: 1$' "$refused" || status=1
		bpftrace_end || status=1
	fi
	bpftrace_pid=$lateness_pid
	bpftrace_end || status=1
	grep -qF '@lateness_us[7, 0]:' "$out" && grep -qF '@lateness_us[7, 3]:' "$out" || status=1
	((status)) && cat "$out" "$refused"
	return "$status"
}

# A guest whose device is to cut up what it sends, and a job of that guest alone.
guest_up() {
	modprobe tun
	[[ -e /dev/net/tun ]] || { echo "the kernel has no taps"; return 4; }
	in_router ip tuntap add dev tap9 mode tap vnet_hdr && ns_ip router <<-END || return
		link set tap9 address 02:00:00:00:00:fe up
		addr add 10.66.0.254/24 dev tap9
		neigh add 10.66.0.1 lladdr 02:00:00:00:00:66 dev tap9 nud permanent
	END
	weir port attach dev tap9 mode tc &&
		weir job add id 11 sources 1 blocks 64 grads 347 address 10.66.0.254 &&
		weir source add job 11 id 0 address 10.66.0.1
}

# guest_sends KIND CONTRIBUTIONS FRAGMENTS: what of all that it ever sent was summed, or not.
guest_sends() {
	in_router "$here/send-offload" tap9 02:00:00:00:00:fe 10.66.0.1 10.66.0.254 "$1" --job 11 || return
	poll 60 guest_is_heard "$2" "$3" && return
	weir -j stats
	weir -j job show id 11
	return 1
}
guest_is_heard() {
	[[ $(box_stat '.[0].stats.contributions' job show id 11) == "$1" && $(box_stat .stats.refusals.fragment stats) == "$2" ]]
}

# A datagram that is to go in fragments has a size to be cut at, too, and is one for all that.
offloads() {
	local status
	guest_up
	status=$?
	((status)) && return "$status"
	guest_sends merged 3 0 && guest_sends fragments 3 1
	status=$?
	in_router ip link del tap9
	return "$status"
}

memory_is_given_back() {
	weir job flush && [[ $(box_stat '."memory-used"' stats) == 0 ]]
}

ktap_header
if [[ ${1-} == long ]]; then
	for mode in xdp tc generic; do
		one_star "$mode" 2 9000 2048
	done
	one_star xdp 4 1500 359
	one_star tc 16 9000 1024
	ktap_end
fi
for mode in xdp tc generic; do
	one_star "$mode" 1 1500 256
	one_star "$mode" 4 9000 1024
done
one_star xdp 16 1500 359

box_up 4 9000 xdp && box_job 7 4 blocks 256 grads 1024 && three_jobs
ktap_run "floats with a scale" floats_with_a_scale
while read -r vector dtype op order; do
	ktap_run "vectors of $vector in a job of $dtype, $op, order $order" \
		numbers "$vector" "$dtype" "$op" "$order"
done <<-END
	float32 int32 sum arrival
	bfloat16 int32 sum arrival
	float16 int32 max arrival
	int32 int32 min arrival
	float32 float32 sum arrival
	float16 float32 sum fixed
	float32 float32 min arrival
	bfloat16 bfloat16 sum arrival
	float32 bfloat16 sum fixed
	bfloat16 bfloat16 max arrival
	float16 float16 sum arrival
	float32 float16 sum fixed
END
ktap_run "a worker that asks for what the job does not do" other_numbers
ktap_run "three jobs at once" jobs_at_once
ktap_run "a job that stalls holds up no other" stalled_neighbour
ktap_run "a second run of a job" second_run
ktap_run "tracepoints" tracepoints
ktap_run "scripts show lateness and refusals" lateness_is_traced
ktap_run "a datagram in fragments is none that is merged" offloads
ktap_run "65,536 open blocks" all_blocks_open
ktap_run "memory is given back" memory_is_given_back
box_down
ktap_end
