#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Measure an iteration of DistributedDataParallel with the backend "weir", beside "gloo": its time
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
ddp_few=2 ddp_many=12
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

# Their standard inputs are files 11 and up, their outputs 31 and up. OpenBLAS knows the machine's
# processor by no name, and takes it for one without AVX2.
workers_start() {
	local i
	for ((i = 1; i <= bench_workers; i++)); do
		mkfifo "$ranks_work/in$i" "$ranks_work/out$i"
		in_worker "$i" env RANK=$((i - 1)) WORLD_SIZE="$bench_workers" MASTER_ADDR="${bench_addresses[0]}" \
			MASTER_PORT=29500 GLOO_SOCKET_IFNAME=eth0 WEIR_BOX="$bench_box" WEIR_JOB="$ddp_job" \
			WEIR_GRADS=2048 PYTHONPATH=userspace/python LD_LIBRARY_PATH=build/lib \
			OPENBLAS_CORETYPE=Haswell /usr/bin/python3 selftests/bench/ddp.py \
			<"$ranks_work/in$i" >"$ranks_work/out$i" 2>"$ranks_work/errors$i" &
		ddp_pids+=("$!")
		eval "exec $((10 + i))>\"\$ranks_work/in$i\" $((30 + i))<\"\$ranks_work/out$i\""
	done
}
workers_end() {
	local i
	for ((i = 1; i <= bench_workers; i++)); do
		eval "exec $((10 + i))>&- $((30 + i))<&-"
	done
	wait "${ddp_pids[@]}"
}

# tell LINE: to all of them; then waits for what each answers, in $ddp_told. Nobody looks meanwhile:
# that would be counted.
tell() {
	local i line
	for ((i = 1; i <= bench_workers; i++)); do
		echo "$1" >&$((10 + i))
	done
	ddp_told=()
	for ((i = 1; i <= bench_workers; i++)); do
		read -r line <&$((30 + i)) || { cat "$ranks_work"/errors*; die "a worker has died"; }
		ddp_told+=("$line")
	done
}

go() { tell "go $1"; }

# train BACKEND: sets $took to seconds an iteration, by the slowest rank's clock, and $worked to
# instructions of one: the difference of a long run and a short one, as both end with a digest of
# the model. The models of all ranks are the same bit for bit.
train() {
	local digests
	each_spent "$ddp_few" "$ddp_many" go
	took=$(printf '%s\n' "${ddp_told[@]}" | sort -g | awk 'END { print $1 }')
	digests=$(printf '%s\n' "${ddp_told[@]}" | cut -d ' ' -f 2 | sort -u | wc -l)
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

ddp_pids=() ddp_told=()
ranks_up 4 9000
# Of float32.
setup --job "$ddp_job" --sources "$bench_workers" --blocks 1024 --grads 2048 --dtype 2
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
