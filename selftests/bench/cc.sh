#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Measure the share of a job on a link: with a flow of DCTCP, and with a job of fewer workers. To be run in a
# virtual machine, as link.sh:
#
#	selftests/vm/run --icount --qemu -icount --qemu sleep=off -- selftests/bench/cc.sh
#
# Worker 1's way to the box is the bottleneck, 100 Mbit/s; its queue of 256 KB marks what finds 64 KB in
# it. A packet of the job is as long as one of TCP's, 1,500 bytes. The job's share is what it gets of
# what the link leaves for gradients, as in link.sh, while the other goes on.
set -u
cd "$(dirname "${BASH_SOURCE[0]}")/../.." || exit 1
# shellcheck source=../lib/ktap.sh
. selftests/lib/ktap.sh
# shellcheck source=ranks.sh
. selftests/bench/ranks.sh

[[ -e /sys/module/weir ]] || die "the module is not loaded"

cc_mbit=100 cc_grads=364 cc_bytes=$((4 << 20)) cc_iterations=3
cc_job=1 cc_other=2 cc_port=12001 cc_flow_port=5001
cc_background=()

# Run a command beside the job; beside_end ends it by its process id.
beside() {
	"$@" >/dev/null 2>"$ranks_work/beside" &
	cc_background+=($!)
}

beside_end() {
	((${#cc_background[@]})) && kill "${cc_background[@]}" 2>/dev/null
	wait "${cc_background[@]}" 2>/dev/null
	cc_background=()
}

tcp_bytes() {
	cat "$ranks_work/tcp" 2>/dev/null || echo 0
}

tcp_flows() { (($(tcp_bytes) > $1)); }

flow_begin() {
	beside nsenter --net="/run/netns/$(ns_name router)" -- "$PWD/selftests/bench/flow.py" serve \
		"$cc_flow_port" "$ranks_work/tcp"
	poll 60 test -e "$ranks_work/tcp" || die "nobody takes the flow"
	beside nsenter --net="/run/netns/$(ns_name w1)" -- "$PWD/selftests/bench/flow.py" send \
		"$(router_addr 1)" "$cc_flow_port"
	# It has the link to itself at first.
	poll 60 tcp_flows 4000000 || { cat "$ranks_work/beside" >&2; die "the flow does not flow"; }
}

# job_share OPTION...: sets $share to the job's, and $seconds to an allreduce's.
job_share() {
	ranks_weir "$cc_job" "$cc_bytes" "$cc_iterations" --grads "$cc_grads" --warmup 1 "$@"
	seconds=$(ranks_slowest | awk '{ print $1 / 1e6 }')
	share=$(awk -v b="$cc_bytes" -v t="$seconds" -v r="$cc_mbit" -v p=$((4 * cc_grads)) \
		'BEGIN { printf "%.3f\n", 8 * b / t / (r * 1e6 * p / (p + 54)) }')
}

# beside_flow FIGURE OPTION...
beside_flow() {
	local share seconds before took
	flow_begin
	before=$(tcp_bytes) took=$(now)
	job_share "${@:2}"
	took=$(($(now) - took))
	note "${*:2} $(awk -v b=$(($(tcp_bytes) - before)) -v t="$took" -v r="$cc_mbit" \
		'BEGIN { printf "TCP has %.3f of the link", 8e3 * b / t / r }')," \
		"$(gojq -s '[.[].retransmits] | add' "$ranks_work"/rank*) of the job's packets were sent again"
	figure "$1" "$share"
	beside_end
}

# Nanoseconds of the guest's clock.
now() { date +%s%N; }

# other_rank RANK: of a job of two, which goes on.
other_rank() {
	beside nsenter --net="/run/netns/$(ns_name w$(($1 + 1)))" -- "$PWD/build/bin/weir-perf" \
		--job "$cc_other" --port "$cc_port" --address "$bench_box" --rank "$1" --ranks 2 \
		--min-bytes "$cc_bytes" --max-bytes "$cc_bytes" --iterations 100000 --warmup 0 \
		--grads "$cc_grads" "${@:2}"
}

other_blocks() { in_router weir -j job show id "$cc_other" | gojq '.[0].stats.blocks'; }

other_flows() { (($(other_blocks) > 2000)); }

# beside_job FIGURE OPTION...
beside_job() {
	local share seconds
	other_rank 0 "${@:2}"
	other_rank 1 "${@:2}"
	poll 60 other_flows || { cat "$ranks_work/beside" >&2; die "the other job does not flow"; }
	job_share "${@:2}"
	figure "$1" "$share"
	beside_end
}

cc_jobs() {
	local i
	setup --job "$cc_job" --sources "$bench_workers" --blocks 1024 --grads "$cc_grads"
	in_router weir job add id "$cc_other" sources 2 blocks 1024 grads "$cc_grads" \
		address "$bench_box" port "$cc_port" || die "no other job"
	for i in 0 1; do
		in_router weir source add job "$cc_other" id "$i" address "$(worker_addr $((i + 1)))" ||
			die "no other source"
	done
}

modprobe tcp_dctcp || die "no DCTCP"
ranks_up 4 1500
bucket_of_worker() { in_worker 1 tc qdisc add dev eth0 "$@" || die "no shaping"; }
bucket_of_worker root handle 1: tbf rate "${cc_mbit}mbit" burst 16kb limit 256kb
bucket_of_worker parent 1:1 handle 2: red limit 256kb min 64kb max 64kb avpkt 1514 burst 44 \
	bandwidth "${cc_mbit}mbit" probability 1 ecn
cc_jobs
each_worker ports tc
at_exit beside_end
beside_flow cc_share
beside_flow cc_share_without --no-ecn
beside_job cc_share_jobs
