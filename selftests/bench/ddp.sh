#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# What an iteration of DistributedDataParallel takes with the backend "weir", beside "gloo": its time
# where links are slow, and instructions of all workers and the box where they are not. To be run
# in a virtual machine whose clock counts instructions:
#
#	selftests/vm/run --icount --memory 6G --timeout 2400 --qemu -icount --qemu sleep=off -- \
#		selftests/bench/ddp.sh
#
# Four workers train a perceptron of 1.1 million parameters, one process each (ddp.py). Each makes its
# own batch's gradients, by turns on the one processor, so both sides pay for all of that.
set -u
cd "$(dirname "${BASH_SOURCE[0]}")/../.." || exit 1
# shellcheck source=ranks.sh
. selftests/bench/ranks.sh

ddp_job=5
ddp_iterations=10
ddp_mbit=200

# As part "link" has it: the queue of Linux, and a bucket that lets a jumbo frame pass.
shape() {
	local bucket=(root tbf rate "${ddp_mbit}mbit" burst 16kb limit 4mb)
	in_worker "$1" tc qdisc replace dev eth0 "${bucket[@]}" || die "no shaping"
	in_router tc qdisc replace dev "w$1" "${bucket[@]}" || die "no shaping"
}
unshape() {
	in_worker "$1" tc qdisc del dev eth0 root
	in_router tc qdisc del dev "w$1" root
}

# Their standard inputs are files 11 and up.
workers_start() {
	local i
	for ((i = 1; i <= bench_workers; i++)); do
		mkfifo "$ranks_work/in$i"
		in_worker "$i" env RANK=$((i - 1)) WORLD_SIZE="$bench_workers" MASTER_ADDR="${bench_addresses[0]}" \
			MASTER_PORT=29500 GLOO_SOCKET_IFNAME=eth0 WEIR_BOX="$bench_box" WEIR_JOB="$ddp_job" \
			WEIR_GRADS=1024 PYTHONPATH=userspace/python LD_LIBRARY_PATH=build/lib \
			/usr/bin/python3 selftests/bench/ddp.py "$ddp_iterations" \
			<"$ranks_work/in$i" >"$ranks_work/out$i" 2>"$ranks_work/errors$i" &
		ddp_pids+=("$!")
		eval "exec $((10 + i))>\"\$ranks_work/in$i\""
	done
}
workers_end() {
	local i
	for ((i = 1; i <= bench_workers; i++)); do
		eval "exec $((10 + i))>&-"
	done
	wait "${ddp_pids[@]}"
}

# tell LINE: to all of them; then waits until all have printed as many lines as were told.
tell() {
	local i
	for ((i = 1; i <= bench_workers; i++)); do
		echo "$1" >&$((10 + i))
	done
	ddp_told=$((ddp_told + 1))
	until heard; do
		kill -0 "${ddp_pids[@]}" 2>/dev/null || { cat "$ranks_work"/errors*; die "a worker has died"; }
		sleep 0.01
	done
}
heard() {
	local i
	for ((i = 1; i <= bench_workers; i++)); do
		(($(wc -l <"$ranks_work/out$i") == ddp_told)) || return
	done
}

# train BACKEND: sets $took to seconds an iteration, by the slowest rank's clock, and $worked to
# instructions of one. The models of all ranks are the same bit for bit.
train() {
	local before digests
	before=$(busy)
	tell go
	worked=$((($(busy) - before) / ddp_iterations))
	took=$(tail -qn 1 "$ranks_work"/out* | sort -g | awk 'END { print $1 }')
	digests=$(tail -qn 1 "$ranks_work"/out* | cut -d ' ' -f 2 | sort -u | wc -l)
	((digests == 1)) || die "$1: the workers' models differ"
	note "$1: $took s and $worked instructions an iteration"
}

# run BACKEND: sets $slow to seconds an iteration over slow links, and $worked to instructions over
# others.
run() {
	tell "$1"
	each_worker shape
	train "$1"
	slow=$took
	each_worker unshape
	train "$1"
	tell end
}

ddp_pids=() ddp_told=0
ranks_up 4 9000
# Of float32.
setup --job "$ddp_job" --sources "$bench_workers" --blocks 1024 --grads 1024 --dtype 2
workers_start

run gloo
slow_gloo=$slow worked_gloo=$worked
each_worker ports tc
run weir
figure "ddp_iteration_over_gloo_${ddp_mbit}mbit" "$(ratio "$slow" "$slow_gloo")"
figure ddp_insn_gloo "$worked_gloo"
figure ddp_insn_weir "$worked"
figure ddp_insn_over_gloo "$(ratio "$worked" "$worked_gloo")"
workers_end
