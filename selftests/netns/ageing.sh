#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Things end while blocks age: workers, devices, processors, jobs, namespaces and the
# module. Four workers send without end, and nearly all packets of the last one are lost: so blocks
# wait for it again and again, and time out.
# To be run in the virtual machine: it unloads and loads the module.
set -u

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd) || exit 1
# shellcheck source=../lib/ktap.sh
. "$here/../lib/ktap.sh"
# shellcheck source=../lib/module.sh
. "$here/../lib/module.sh"
# shellcheck source=../lib/netns.sh
. "$here/../lib/netns.sh"
# shellcheck source=box.sh
. "$here/box.sh"
# shellcheck source=flood.sh
. "$here/flood.sh"

cpus=/sys/devices/system/cpu

ageing_job() { box_job 7 4 blocks 256 grads 1024 policy partial timeout 2ms "$@"; }

aged() { box_stat '.[].stats.aged' job show id 7; }
none_open() { [[ $(box_stat '.[].open' job show id 7) == 0 ]]; }

# Blocks really age, a hundred of them, however long that takes.
ageing() {
	local before step
	before=$(aged) || return
	for ((step = 10; step <= 100; step += 10)); do
		poll 120 is_more_than $((before + step)) aged && continue
		echo "no 10 blocks have aged in two minutes"
		weir job show id 7
		weir source show job 7
		return 1
	done
}

age_and_stop() {
	ageing_job || return
	flood_start 7 4
	ageing || return
	flood_stop
	# No timer is left with work that it does not do.
	poll 120 none_open
}

# A source that is gone for good holds up no other: its slots are used again.
degraded() { box_stat '.[].stats.degraded' job show id 7; }
is_dead() { [[ $(box_stat '.[] | select(.id == 3).state' source show job 7) == dead ]]; }
goes_round_the_table() {
	flood_start 7 3
	rises_by $((3 * 1024)) 120 degraded && poll 120 is_dead || return
	flood_stop
}

change_the_timeout() {
	local timeout
	flood_start 7 4
	for timeout in 1ms 20ms 500us 2ms; do
		weir job set id 7 timeout "$timeout" || return
		ageing || return
	done
	weir job set id 7 policy wait timeout 0 && weir job set id 7 policy partial timeout 2ms || return
	ageing || return
	flood_stop
	poll 120 none_open
}

processors_come_and_go() {
	local i cpu
	flood_start 7 4
	for ((i = 0; i < 3; i++)); do
		for cpu in "$cpus"/cpu[1-9]*; do
			echo 0 >"$cpu/online" || return
		done
		ageing || return
		for cpu in "$cpus"/cpu[1-9]*; do
			echo 1 >"$cpu/online" || return
		done
		ageing || return
	done
	flood_stop
	poll 120 none_open
}

links_go_down() {
	flood_start 7 4
	ageing || return
	in_router ip link set w2 down || return
	ageing || return
	in_router ip link set w2 up || return
	weir port detach dev w3 || return
	ageing || return
	weir port attach dev w3 mode xdp || return
	flood_stop
	poll 120 none_open
}

delete_the_job() {
	local i
	flood_start 7 4
	for ((i = 0; i < 5; i++)); do
		ageing || return
		weir job del id 7 || return
		ageing_job timers $((1 + 250 * i)) || return
	done
	flood_stop
	weir job flush
	[[ $(box_stat '."memory-used"' stats) == 0 ]]
}

unload() {
	ageing_job || return
	flood_start 7 4
	ageing || return
	weir port flush || return
	module_goes 60 || return
	flood_stop
}

namespace_is_loaded() { ageing_job && flood_start 7 4 && ageing; }

# Nearly all that the last worker sends is lost.
lossy_box_up() {
	box_up 4 9000 xdp && in_worker 4 tc qdisc replace dev eth0 root netem loss 95%
}

ktap_header
lossy_box_up || ktap_fail "set up"
ktap_run "blocks age, and no timer is left" age_and_stop
ktap_run "a worker that is gone holds nothing" goes_round_the_table
ktap_run "the timeout changes while blocks age" change_the_timeout
if [[ -w $cpus/cpu1/online ]]; then
	ktap_run "processors come and go while blocks age" processors_come_and_go
else
	ktap_skip "processors come and go while blocks age" "there is one processor"
fi
ktap_run "links and ports go while blocks age" links_go_down
ktap_run "jobs are deleted while blocks age" delete_the_job
ktap_run "the module is unloaded while blocks age" unload
box_down
lossy_box_up || ktap_fail "set up again"
ktap_run "a namespace has blocks that age" namespace_is_loaded
star_delete
ktap_run "it goes with all that is in it" poll 120 all_memory_is_back
flood_stop
ktap_run "the module goes and comes" module_goes 60
ktap_end
