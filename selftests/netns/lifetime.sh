#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Things end while packets fly: bystanders' traffic does not notice a job, and jobs,
# ports, devices, namespaces and the module go without leaving anything.
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

bystanders() {
	local server
	in_worker 2 iperf3 -s -1 >"$box_out/server" 2>&1 &
	server=$!
	poll 60 listening || return
	box_start 7 4 --min-bytes 200000 --max-bytes 200000 --iterations 3 || return
	in_worker 1 ping -c 10 -i 0.2 -W 60 "$(worker_addr 3)" >"$box_out/ping" || {
		cat "$box_out/ping"
		return 1
	}
	in_worker 1 ping -6 -c 3 -W 60 "$(worker_addr6 3)" >/dev/null || return
	in_worker 1 iperf3 -c "$(worker_addr 2)" -n 4M -J >"$box_out/client" || return
	box_wait || return
	wait "$server"
	# The box counts no packet that it does not know as weir's.
	[[ $(box_stat '.stats.refusals | to_entries | map(select(.value != 0 and .key != "duplicate")) | length' stats) == 0 ]]
}

listening() { in_worker 2 ss -ltn | grep -q :5201; }

# Traffic to weir's port, but to others than the box, passes byte for byte.
transit() {
	local sent=$box_out/sent got=$box_out/got pid
	head -c 3000 /dev/urandom >"$sent"
	in_worker 2 timeout 60 socat -u UDP4-RECV:12000,bind="$(worker_addr 2)" \
		CREATE:"$got" &
	pid=$!
	poll 60 udp_bound || return
	in_worker 1 socat -u OPEN:"$sent" UDP4-SENDTO:"$(worker_addr 2)":12000 || return
	poll 60 cmp -s "$sent" "$got"
	local status=$?
	ns_term "$pid"
	wait "$pid"
	return "$status"
}

udp_bound() { in_worker 2 ss -lun | grep -q :12000; }

delete_job_under_load() {
	local i
	flood_start 7 4
	flowing || return
	for i in 1 2 3 4 5; do
		weir job del id 7 || return
		box_job 7 4 blocks 256 grads 1024 || return
		flowing || return
	done
	flood_stop
	weir job flush
	[[ $(box_stat '."memory-used"' stats) == 0 ]]
}

detach_under_load() {
	local i
	box_job 7 4 blocks 256 grads 1024 || return
	flood_start 7 4
	flowing || return
	for i in 1 2 3; do
		weir port flush || return
		[[ $(box_stat length port show) == 0 ]] || return
		weir port attach dev w1 mode xdp || return
		weir port attach dev w2 mode tc || return
		weir port attach dev w3 mode generic || return
		weir port attach dev w4 mode xdp || return
		flowing || return
	done
	flood_stop
}

# A device that goes takes its port and program along.
device_goes() {
	ip -n "$(ns_name w4)" link del eth0 &&
		[[ $(box_stat length port show) == 3 ]]
}

# One that moves to another namespace is no port there.
device_moves() {
	ip -n "$(ns_name router)" link set w3 netns "$(ns_name elsewhere)" || return
	[[ $(box_stat length port show) == 2 ]] || return
	[[ $(in_ns elsewhere weir -j port show | gojq length) == 0 ]]
}

module_is_held() {
	! rmmod weir 2>/dev/null
}

unload_under_load() {
	box_job 7 4 blocks 256 grads 1024 || return
	flood_start 7 4
	flowing || return
	module_is_held || return
	weir port flush || return
	module_goes 20 || return
	[[ $(box_stat .jobs stats) == 0 && $(box_stat .ports stats) == 0 ]] || return
	flood_stop
}

# The router's namespace is removed while this runs.
namespace_is_loaded() {
	box_job 7 4 blocks 4096 grads 1024 && flood_start 7 4 && flowing
}

set_up() { box_attach 4 xdp && box_job 7 4 blocks 256 grads 1024; }

ktap_header
star_create 4 9000
ktap_run "set up" set_up
ktap_run "ping and TCP go on beside a job" bystanders
ktap_run "others' packets on weir's port pass unchanged" transit
ktap_run "a job is deleted under load" delete_job_under_load
ktap_run "ports are detached and attached under load" detach_under_load
ktap_run "a device goes, and its port with it" device_goes
ns_create elsewhere
ktap_run "a device that moves away is no port any more" device_moves
box_down
box_up 4 9000 xdp || ktap_fail "set up again"
ktap_run "the module is unloaded under load" unload_under_load
box_down
box_up 4 9000 xdp || ktap_fail "set up a third time"
ktap_run "a namespace is under load" namespace_is_loaded
star_delete
ktap_run "it goes with all that is in it" poll 60 all_memory_is_back
flood_stop
ktap_run "the module goes and comes" module_goes 20
ktap_end
