#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Measure a step of training with sharded parameters with the backend "weir", beside "gloo", where
# links are slow. To be run in a virtual machine whose clock counts instructions:
#
#	selftests/vm/run --icount --memory 6G --qemu -icount --qemu sleep=off -- \
#		selftests/bench/fsdp.sh [OPTION...]
#
# Four ranks, each on a link of 200 Mbit/s either way, issue the collectives of such a step as an
# accelerator would, which overlap. Then they train by FullyShardedDataParallel, which on the CPU waits
# for each collective. fsdp.py takes the options. Gloo of PyTorch 1.13 has no such collectives: PyTorch
# comes from a tree of Debian trixie, which selftests/other-debian makes, or from $WEIR_TREE.
set -u
cd "$(dirname "${BASH_SOURCE[0]}")/../.." || exit 1
# shellcheck source=ranks.sh
. selftests/bench/ranks.sh

fsdp_job=5
fsdp_mbit=200
fsdp_tree=${WEIR_TREE:-${XDG_CACHE_HOME:-${HOME:-/root}/.cache}/weir/plugins-trixie}

# As part "link" has it: the queue of Linux, and a bucket that lets a jumbo frame pass.
shape() {
	local bucket=(root tbf rate "${fsdp_mbit}mbit" burst 16kb limit 4mb)
	in_worker "$1" tc qdisc replace dev eth0 "${bucket[@]}" || die "no shaping"
	in_router tc qdisc replace dev "w$1" "${bucket[@]}" || die "no shaping"
}

# Show the tree what its programs need: the system's devices, the workers' namespaces, and the project.
# Without a name server c10d does not wait for names of its peers.
tree_up() {
	local dir
	mkdir -p "$fsdp_tree/weir" || die "the tree cannot be written to"
	mount --bind . "$fsdp_tree/weir" || die "the tree has no project"
	for dir in dev proc sys run; do
		mount --rbind "/$dir" "$fsdp_tree/$dir" || die "the tree has no /$dir"
	done
	mount --bind /dev/null "$fsdp_tree/etc/resolv.conf" || die "the tree has a name server"
}

# train BACKEND OPTION...: set $took to seconds a step, by the slowest rank's clock. OpenBLAS does not know
# the name of the machine's processor, and takes it for one without AVX2.
train() {
	local i names=()
	for ((i = 1; i <= bench_workers; i++)); do
		names+=("$(ns_name "w$i")")
	done
	chroot "$fsdp_tree" /usr/bin/env MASTER_ADDR="${bench_addresses[0]}" MASTER_PORT=29500 \
		GLOO_SOCKET_IFNAME=eth0 USE_LIBUV=0 WEIR_BOX="$bench_box" WEIR_JOB="$fsdp_job" WEIR_GRADS=2048 \
		PYTHONPATH=/weir/userspace/python LD_LIBRARY_PATH=/weir/build/lib PYTHONDONTWRITEBYTECODE=1 \
		OPENBLAS_CORETYPE=Haswell TORCH_CPP_LOG_LEVEL=ERROR /usr/bin/python3 /weir/selftests/bench/fsdp.py \
		--backend "$@" "${names[@]}" >"$ranks_work/steps" || die "the ranks failed"
	took=$(most seconds)
	note "$1: $(printf '%.3f' "$took") s a step, in which a rank sends $(most sent) bytes and receives $(most received)"
}
most() { gojq -s "map(.$1) | max" "$ranks_work/steps"; }
contributions() { in_router weir -j job show id "$fsdp_job" | gojq '.[0].stats.contributions'; }

# measure FIGURE OPTION...
measure() {
	local gloo
	ports_off
	train gloo "${@:2}"
	gloo=$took
	ports_are tc
	train weir "${@:2}"
	(($(contributions) > 0)) || die "all went by Gloo"
	figure "$1_over_gloo_${fsdp_mbit}mbit" "$(ratio "$took" "$gloo")"
}

[[ -x $fsdp_tree/usr/bin/python3 ]] || {
	note "there is no PyTorch in $fsdp_tree: run selftests/other-debian trixie"
	not_measured "fsdp_step_over_gloo_${fsdp_mbit}mbit"
	not_measured "fsdp_train_over_gloo_${fsdp_mbit}mbit"
	exit "$bench_missed"
}
ranks_up 4 9000
# Of float32.
setup --job "$fsdp_job" --sources "$bench_workers" --blocks 1024 --grads 2048 --dtype 2
each_worker shape
tree_up
measure fsdp_step "$@"
measure fsdp_train --train "$@"
