#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Compare an iteration while ranks are slowed down with one without stragglers, at the size of a model:
# 64 MiB of float32, and ResNet-50's 25,557,032 parameters. To be run in a virtual machine that counts
# instructions, so that the guest's clock does not depend on the machine:
#
#	selftests/vm/run --icount --memory 6G --qemu -icount --qemu sleep=off -- selftests/bench/pace.sh
#
# All ranks share one processor, which a call takes most of: an iteration's usual time is longer.
set -u
cd "$(dirname "${BASH_SOURCE[0]}")/../.." || exit 1
# shellcheck source=ranks.sh
. selftests/bench/ranks.sh

[[ -e /sys/module/weir ]] || die "the module is not loaded"

# Of jobs of weird, which says no other number of blocks.
pace_blocks=4096
ideal=0 slowed=0 waited=0

# pace VARIABLE POLICY BYTES SHARE ITERATIONS: milliseconds
pace() {
	local out timeout=0
	[[ $2 == wait ]] || timeout=10000
	setup --job 7 --sources "$bench_workers" --blocks "$pace_blocks" --grads 1024 --dtype 2 \
		--timeout "$timeout"
	out=$(ranks_python selftests/bench/pace.py --bytes "$3" --share "$4" --iterations "$5" --usual 6) ||
		exit 1
	note "$3 bytes, policy $2, probability $4 %: $out"
	in_router weir job del id 7
	printf -v "$1" '%s' "$(gojq .iteration_ms <<<"$out")"
}

ranks_up 4 9000
ports_are tc
pace ideal partial $((64 << 20)) 0 16
pace slowed partial $((64 << 20)) 16 16
figure straggler_iteration_over_ideal_64m "$(ratio "$slowed" "$ideal")"
pace waited wait $((64 << 20)) 16 16
figure straggler_iteration_over_ideal_64m_wait "$(ratio "$waited" "$ideal")"
pace ideal partial $((4 * 25557032)) 0 8
pace slowed partial $((4 * 25557032)) 16 8
figure straggler_iteration_over_ideal_resnet50 "$(ratio "$slowed" "$ideal")"
