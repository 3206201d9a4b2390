#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Measure short flows of DCTCP beside training, by the box and by Open MPI's ring. To be run in a
# virtual machine, as link.sh:
#
#	selftests/vm/run --icount --qemu -icount --qemu sleep=off -- selftests/bench/short.sh [CASE...]
#
# Four workers, each on a link of 100 Mbit/s. A queue of 256 KB at either end of it marks what finds
# 64 KB in it, if it is ECN-capable; what is not passes until the queue is full. Training is one allreduce
# after the other. Flows go between all workers, see short.c: a link has a hundredth of the paper's rate,
# and flows have a hundredth of their lengths there, so that one by itself takes as long as there.
#
# Cases: idle (no training), weir, without (its packets not ECN-capable), ring (by Linux' own TCP, cubic),
# ring_dctcp.
set -u
cd "$(dirname "${BASH_SOURCE[0]}")/../.." || exit 1
# shellcheck source=../lib/ktap.sh
. selftests/lib/ktap.sh
# shellcheck source=ranks.sh
. selftests/bench/ranks.sh

[[ -e /sys/module/weir ]] || die "the module is not loaded"

short_mbit=100
# Of each link, as in the paper.
short_load=0.2
short_scale=100
# Seconds before flows are measured, and for those that are not done when the last has arrived.
short_warmup=1 short_patience=30
short_flows=${WEIR_SHORT_FLOWS:-1000}
short_job=1 short_grads=364 short_bytes=$((4 << 20))
# By case.
declare -A short_p99=() short_rate=()

# The processes that train.
short_pids=()

trains() {
	"$@" >"$ranks_work/training.${#short_pids[@]}" 2>"$ranks_work/errors" &
	short_pids+=($!)
}

trains_end() {
	((${#short_pids[@]})) && kill "${short_pids[@]}" 2>/dev/null
	wait "${short_pids[@]}" 2>/dev/null
	short_pids=()
}

# Sets the caller's $got to what bench-short prints, by its words.
flows() {
	local i hosts=() key value
	for ((i = 1; i <= bench_workers; i++)); do
		hosts+=("$(ns_name "w$i")=$(worker_addr "$i")")
	done
	bench-short "${short_mbit}e6" "$short_load" "$short_scale" "$short_warmup" "$short_flows" \
		"$short_patience" "${hosts[@]}" >"$ranks_work/flows" || die "the flows failed"
	while read -r key value; do
		got[$key]=$value
	done <"$ranks_work/flows"
}

# Packets that all queues have dropped, and marked.
queues() {
	star_qdiscs "$bench_workers" | gojq -rs '[.[][] | select(.kind == "red")] | "\(map(.drops) | add) \(map(.marked) | add)"'
}

ms() { awk -v us="${got[$1]}" 'BEGIN { printf "%.1f", us / 1e3 }'; }

# measure CASE TRAINED: the flows, beside what goes on; TRAINED is a command that prints of how many
# Mbit/s of gradients each worker has had sums meanwhile.
measure() {
	local -A got=()
	local before after
	before=$(queues)
	flows
	short_rate[$1]=$("$2") short_p99[$1]=${got[p99]}
	after=$(queues)
	note "$1: ${got[flows]} short flows took $(ms p50) ms (50th percentile), $(ms p90) (90th), $(ms p99) (99th)," \
		"$(ms longest) (longest; ${got[unfinished]} not done)"
	note "$1: ${got[long]} long flows had ${got[long_mbit]} Mbit/s each; all flows ${got[mbit]} a worker," \
		"training ${short_rate[$1]}; of all packets $((${after% *} - ${before% *})) dropped," \
		"$((${after#* } - ${before#* })) marked"
}

no_training() { echo 0; }

blocks() { in_router weir -j job show id "$short_job" | gojq '.[0].stats.blocks'; }
blocks_flow() { (($(blocks) > short_from + 2000)); }

# Nanoseconds of the guest's clock.
now() { date +%s%N; }

weir_trained() {
	awk -v b=$((($(blocks) - short_blocks) * 4 * short_grads)) -v t=$(($(now) - short_since)) \
		'BEGIN { printf "%.1f\n", 8e3 * b / t }'
}

# beside_weir CASE OPTION...
beside_weir() {
	local i short_from short_blocks short_since
	short_from=$(blocks)
	each_worker ports tc
	for ((i = 1; i <= bench_workers; i++)); do
		trains nsenter --net="/run/netns/$(ns_name "w$i")" -- "$PWD/build/bin/weir-perf" \
			--job "$short_job" --address "$bench_box" --rank $((i - 1)) --ranks "$bench_workers" \
			--min-bytes "$short_bytes" --max-bytes "$short_bytes" --iterations 100000 \
			--warmup 0 --grads "$short_grads" "${@:2}"
	done
	poll 60 blocks_flow || { cat "$ranks_work/errors" >&2; die "weir does not flow"; }
	short_blocks=$(blocks) short_since=$(now)
	measure "$1" weir_trained
	trains_end
	ports_off
}

laps_go() { (($(grep -c ^lap "$ranks_work/training.0") > 1)); }

ring_trained() {
	awk -v b="$short_bytes" -v from="${got[began]}" -v over="${got[over]}" '
		$1 == "lap" && $2 * 1e9 > from && $2 * 1e9 < over { if (!n++) first = $2; last = $2 }
		END { printf "%.1f\n", (n > 1 ? 8e-6 * b * (n - 1) / (last - first) : 0) }
	' "$ranks_work/training.0"
}

# beside_ring CASE CONTROL
beside_ring() {
	local i ranks_command
	for ((i = 1; i <= bench_workers; i++)); do
		in_worker "$i" ip route change default via "$(router_addr "$i")" congctl "$2" ||
			die "no $2"
	done
	ranks_mpirun bench-mpi-ring "$short_bytes" 100000 laps
	trains "${ranks_command[@]}"
	# Reading its files takes the ring the host's time, which may be much of the guest's.
	poll 3600 laps_go || { cat "$ranks_work/errors" >&2; die "the ring does not turn"; }
	measure "$1" ring_trained
	trains_end
}

# over FIGURE CASE CASE: the 99th percentile of one by that of the other, where both were measured
over() {
	[[ ${short_p99[$2]-} && ${short_p99[$3]-} ]] || return 0
	figure "$1" "$(ratio "${short_p99[$2]}" "${short_p99[$3]}")"
}

# shape COMMAND...: the queue of the device that the command is for
shape() {
	"$@" root handle 1: tbf rate "${short_mbit}mbit" burst 16kb limit 256kb || die "no shaping"
	"$@" parent 1:1 handle 2: red limit 256kb min 64kb max 64kb avpkt 1514 burst 44 \
		bandwidth "${short_mbit}mbit" probability 1 ecn nodrop || die "no marks"
}

modprobe tcp_dctcp || die "no DCTCP"
ranks_up 4 1500
for ((i = 1; i <= bench_workers; i++)); do
	# No flow knows what one before it met.
	ns_sysctl "w$i" ipv4/tcp_no_metrics_save=1
	shape in_worker "$i" tc qdisc add dev eth0
	shape in_router tc qdisc add dev "w$i"
done
setup --job "$short_job" --sources "$bench_workers" --blocks 1024 --grads "$short_grads"
at_exit trains_end
if ! (($#)); then
	set -- idle weir without
	if ranks_have_ring; then
		set -- "$@" ring ring_dctcp
	fi
fi
for case; do
	case $case in
	idle) measure idle no_training ;;
	weir) beside_weir "$case" ;;
	without) beside_weir "$case" --no-ecn ;;
	ring) beside_ring "$case" cubic ;;
	ring_dctcp) beside_ring "$case" dctcp ;;
	*) die "no case is called $case" ;;
	esac
done
over short_p99_ring_over_weir ring weir
over short_p99_ring_over_weir_without_rule ring without
over short_p99_ring_dctcp_over_weir ring_dctcp weir
over short_p99_without_rule_over_weir without weir
over short_p99_weir_over_idle weir idle
