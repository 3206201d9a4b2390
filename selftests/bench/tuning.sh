#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Measure what the settings of docs/how-to/tuning.md cost or save: instructions a gradient of an allreduce of
# 1 MiB between four workers, of these and the box together. To be run in a virtual machine that
# counts instructions:
#
#	selftests/vm/run --icount --memory 4G --timeout 3000 -- selftests/bench/tuning.sh [ROW...]
set -u
cd "$(dirname "${BASH_SOURCE[0]}")/../.." || exit 1
# shellcheck source=ranks.sh
. selftests/bench/ranks.sh

[[ -e /sys/module/weir ]] || die "the module is not loaded"

tuning_job=1 tuning_bytes=$((1 << 20))
tuning_few=2 tuning_many=12

# allreduce OPTION... ITERATIONS
allreduce() {
	ranks_weir "$tuning_job" "$tuning_bytes" "${@: -1}" --warmup 2 "${@:1:$#-1}"
}

# gradient TEXT GRADIENTS OPTION...: a row
gradient() {
	setup --job "$tuning_job" --sources "$bench_workers" --blocks 2048 --grads "$2"
	allreduce --grads "${@:2}" --verify 1
	each_spent "$tuning_few" "$tuning_many" allreduce --grads "${@:2}"
	in_router weir job del id "$tuning_job"
	note "$(awk -v what="$1" -v t="$worked" -v n=$((tuning_bytes / 4)) \
		'BEGIN { printf "  %-58s %6.1f", what, t / n }')"
}

mode() { each_worker ports "$1"; }

# box FEATURE on|off..., worker FEATURE on|off...: of all devices
box() { each_worker box_feature "$@"; }
worker() { each_worker worker_feature "$@"; }
box_feature() { in_router ethtool -K "w$1" "${@:2}" >/dev/null || die "no ${*:2}"; }
worker_feature() { in_worker "$1" ethtool -K eth0 "${@:2}" >/dev/null || die "no ${*:2}"; }

mtu() { each_worker mtu_of "$1"; }
mtu_of() {
	in_router ip link set "w$1" mtu "$2" || die "no MTU"
	in_worker "$1" ip link set eth0 mtu "$2" || die "no MTU"
}

row_modes() {
	local m
	for m in xdp generic tc; do
		mode "$m"
		gradient "mode $m, 1,024 gradients a packet, MTU 9000" 1024
	done
	mtu 1500
	for m in xdp tc; do
		mode "$m"
		gradient "mode $m, 256 gradients a packet, MTU 1500" 256
	done
	mtu 9000
}
row_lengths() {
	mode tc
	gradient "256 gradients a packet, MTU 9000" 256
	gradient "2,048 gradients a packet, MTU 9000" 2048
	mtu 1500
	gradient "364 gradients a packet, MTU 1500" 364
	mtu 9000
}
row_gro() {
	mode tc
	worker gro on
	gradient "GRO on at the workers" 1024
	worker gro off
	box gro on rx-udp-gro-forwarding on
	gradient "GRO and rx-udp-gro-forwarding on at the box" 1024
	box rx-udp-gro-forwarding off rx-gro-list on
	gradient "GRO and rx-gro-list on at the box" 1024
	box gro off rx-gro-list off
}
row_segmentation() {
	mode tc
	worker tx-udp-segmentation off
	gradient "tx-udp-segmentation off at the workers" 1024
	worker tx-udp-segmentation on
	box tx-udp-segmentation off
	gradient "tx-udp-segmentation off at the box" 1024
	worker tx-udp-segmentation off
	gradient "tx-udp-segmentation off at both" 1024
	box rx-udp-gro-forwarding on gro on
	gradient "the same, and rx-udp-gro-forwarding on at the box" 1024
	box gro off rx-udp-gro-forwarding off
	box tx-udp-segmentation on
	worker tx-udp-segmentation on
}
row_window() {
	local window
	mode tc
	for window in 4 16 64 256 1024; do
		gradient "a window of $window packets" 1024 --window "$window"
	done
}

(($#)) || set -- modes lengths gro segmentation window
ranks_up 4 9000
each_worker box_feature gro off
each_worker worker_feature gro off
for row; do
	[[ $(type -t "row_$row") == function ]] || die "no row is called $row"
	"row_$row"
done
