#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# One job whose packets come on four processors at once: the sums are right, whether packets come
# one by one or merged, each worker's on one processor or on all in turn. To be run in a virtual
# machine with four processors:
#
#	selftests/vm/run --cpus 4 -- selftests/netns/queues.sh
set -u

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd) || exit 1
# shellcheck source=../lib/ktap.sh
. "$here/../lib/ktap.sh"
# shellcheck source=../lib/netns.sh
. "$here/../lib/netns.sh"
# shellcheck source=box.sh
. "$here/box.sh"

cpus=4
events=/sys/kernel/tracing/events
came=$events/weir/weir_contribution
by_cpu='hist:keys=common_cpu,source'
longs=$events/net/netif_receive_skb

# A packet goes over a veth on the processor that sends it: so each worker has one.
in_worker() {
	taskset -c $((($1 - 1) % cpus)) nsenter --net="/run/netns/$(ns_name "w$1")" -- "${@:2}"
}

# As many receive and transmit queues as processors, at both ends of all links.
queues() {
	local i
	for ((i = 1; i <= star_size; i++)); do
		in_router ethtool -L "w$i" rx "$cpus" tx "$cpus" &&
			in_worker "$i" ethtool -L eth0 rx "$cpus" tx "$cpus" ||
			return
	done
}

each_port() {
	local i
	for ((i = 1; i <= star_size; i++)); do
		"$1" "w$i" "${@:2}" || return
	done
}
mode() { weir port attach dev "$1" mode "$2"; }
features() { in_router ethtool -K "$@" >/dev/null; }

# steers PID: until that process has ended, packets of all links are sent on from the processor
# that they come on to another, to each in turn. /sys shows the devices of the namespace that
# mounted it.
steers() {
	ip netns exec "$(ns_name router)" sh -c '
		files=$(echo /sys/class/net/w*/queues/rx-*/rps_cpus)
		set_all() { for file in $files; do echo "$1" >"$file" || exit; done; }
		while kill -0 "$1" 2>/dev/null; do
			for mask in 1 2 4 8; do set_all "$mask"; done
		done
		set_all 0' sh "$1"
}

# counts EVENT HISTOGRAM COMMAND...: the command's status; what came is in $box_out/hist
counts() {
	local event=$1 hist=$2 status
	shift 2
	echo "$hist" >"$event/trigger" || return
	"$@"
	status=$?
	cat "$event/hist" >"$box_out/hist"
	echo "!$hist" >"$event/trigger"
	return "$status"
}

# Processors that contributions came on; with a number, those of this source.
processors() {
	sed -n "s/^{ common_cpu: *\([0-9]*\), source: *${1-[0-9]*} } hitcount: .*/\1/p" "$box_out/hist" | sort -u | wc -l
}
spread() {
	(($(processors "$@") == cpus)) || { cat "$box_out/hist"; return 1; }
}

# A generation of its own each time. The jobs' blocks are few, so that all work on the same ones.
sums() {
	box_allreduce 7 4 --grads 256 --min-bytes 1M --max-bytes 1M --iterations 4 --warmup 1 --window 256
}

# All blocks complete, each contribution counted once.
all_counted() {
	box_stat '.[0].stats' job show id 7 >"$box_out/stats"
	gojq -e '.degraded + .aged == 0 and .contributions == .blocks * 4' "$box_out/stats" >/dev/null ||
		{ cat "$box_out/stats"; return 1; }
}

in_mode() {
	each_port mode "$1" && counts "$came" "$by_cpu" sums && spread && all_counted
}

# GRO merges what a worker sends in a batch, as the box's device polls.
merged() {
	each_port mode tc && each_port features gro on rx-udp-gro-forwarding on &&
		counts "$came" "$by_cpu" counts_merged && spread && all_counted
}
counts_merged() {
	counts "$longs" 'hist:keys=len if len > 3000' sums || return
	grep -q 'hitcount:' "$box_out/hist" || { echo "no packet came merged"; return 1; }
}

# The processor that a packet is steered to changes all the time: packets of one worker come on
# all of them, and overtake each other.
steered() {
	each_port mode "$1" || return
	counts "$came" "$by_cpu" while_steering && spread 0 && spread 3 && all_counted
}
while_steering() {
	sums &
	steers $! && wait $!
}

ktap_header
if [[ ! -e /sys/module/weir ]] || (($(nproc) < cpus)); then
	ktap_skip "a job on four processors" "no module, or fewer processors"
	ktap_end
fi
up() { box_up 4 1500 tc && queues && box_job 7 4 blocks 512 grads 256; }
ktap_run "the box comes up" up
ktap_run "xdp, four processors" in_mode xdp
ktap_run "tc, four processors" in_mode tc
ktap_run "tc, a worker's packets on all processors" steered tc
ktap_run "tc, packets merged by GRO, four processors" merged
ktap_run "tc, merged, a worker's packets on all processors" steered tc

ktap_end
