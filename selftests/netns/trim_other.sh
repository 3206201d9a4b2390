#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Traffic that no rule makes eligible, on a port that trims other traffic: it has a queue of its
# own, as long as the device's usual one, and half of the link where both want more.
# To be run in the virtual machine.
set -u

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd) || exit 1
# shellcheck source=../lib/ktap.sh
. "$here/../lib/ktap.sh"
# shellcheck source=../lib/netns.sh
. "$here/../lib/netns.sh"
# shellcheck source=../lib/figures.sh
. "$here/../lib/figures.sh"
# shellcheck source=traffic.sh
. "$here/traffic.sh"

port=5201

# slow RATE: weir's is the only queue that fills. At 8bit, a byte a second, nothing leaves but a burst.
slow() {
	in_router tc qdisc del dev w4 root 2>/dev/null
	in_router tc qdisc add dev w4 root handle 1: tbf rate "$1" burst 4000 limit 10000000 &&
		in_router tc qdisc add dev w4 parent 1:1 handle 10: weir
}

fresh() {
	policy del w4 >/dev/null
	policy set w4 hook=qdisc dscp=11 rule=dscp:10 "$@"
}

holds() { shown w4 | gojq -e "$1" >/dev/null; }

# xstats KEY: of the qdisc, by the plugin of tc(8) or from the module.
queue() { weir -n "$ns_prefix-router" -j trim queues dev w4 | gojq ".[0].\"$1\""; }

set_up() {
	local i
	star_create 4 1500 && ns_backlog 10000 || return
	# A GSO packet, which a sender would segment later, is one packet in the queue: here each is one.
	star_each ethtool -K eth0 tso off gso off >/dev/null || return
	for i in 1 2 3; do
		in_worker "$i" ping -c 1 -W 60 "$(worker_addr 4)" >/dev/null || return
	done
	in_worker 4 tc qdisc add dev eth0 clsact &&
		in_worker 4 tc filter add dev eth0 ingress prio 1 protocol ip u32 match ip protocol 6 0xff action ok &&
		in_worker 4 tc filter add dev eth0 ingress prio 2 protocol all matchall action ok
}

receiver() {
	rm -f "$out/ready"
	behind w4 "$out/log" "$here/tcp_flow.py" receive "$port" "$out/ready"
	poll 60 test -s "$out/ready"
}

# Of unmarked packets that come at once none is lost, however few may wait whole.
no_loss() {
	slow 1mbit && fresh limit=4 && in_worker 1 trim-traffic send "$(worker_addr 4)" --count 60 --dscp 0 >/dev/null &&
		poll 60 holds '.stats.other >= 60' && poll 60 drained &&
		holds '.stats."other-dropped" == 0 and .stats."other-max" > 12 and .stats."data-max" == 0 and .stats.trim == 0' && return
	shown w4
	return 1
}
drained() { holds '."data-depth" == 0 and ."header-depth" == 0 and ."other-depth" == 0'; }

# The limit is the policy's, or the qdisc's own, or that of the device.
limits() {
	slow 8bit && fresh other-limit=7 && fill && holds '."other-depth" == 7 and .stats."other-dropped" > 0' &&
		[[ $(queue other-max) == 7 && $(queue other-dropped) == $(shown w4 | gojq '.stats."other-dropped"') ]] &&
		in_router ip link set w4 txqueuelen 9 && policy set w4 other-limit=0 && fill && holds '."other-depth" == 9'
	local status=$?
	((status)) && { shown w4; in_router weir trim queues dev w4; }
	in_router ip link set w4 txqueuelen 1000
	return "$status"
}
fill() { in_worker 1 trim-traffic send "$(worker_addr 4)" --count 40 --dscp 20 >/dev/null; }

# Neither a full data band nor a full other band loses what keeps neighbors and links alive.
control() {
	local before
	slow 8bit && fresh other-limit=5 limit=2 && fill && in_worker 1 trim-traffic send "$(worker_addr 4)" --count 40 >/dev/null &&
		holds '."other-depth" == 5 and ."data-depth" == 2' || return
	before=$(queue other-dropped)
	in_router ping -c 1 -W 1 10.77.4.77 >/dev/null
	in_router ping -c 1 -W 1 fd77:4::77 >/dev/null
	in_router /usr/bin/python3 - <<-END || return
		import socket
		s = socket.socket(socket.AF_PACKET, socket.SOCK_RAW)
		s.bind(("w4", 0))
		own = bytes.fromhex("020000000001")
		for dest, kind in (("0180c2000000", 0x0026), ("0180c2000002", 0x8809)):
		    s.send(bytes.fromhex(dest) + own + kind.to_bytes(2, "big") + bytes(50))
		s.send(b"\xff" * 6 + own + b"\x81\x00\x00\x05\x08\x06" + bytes(46))
	END
	# One of each, at least: the kernel may ask for a neighbor again.
	holds '."other-depth" >= 10' && [[ $(queue other-dropped) == "$before" ]] && fill && holds '."other-depth" < 5 + 64' &&
		[[ $(queue other-dropped) == $((before + 40)) ]] && return
	shown w4
	in_router weir trim queues dev w4
	return 1
}

# Neighbor discovery is no traffic to be trimmed, whatever the rules.
discovery() {
	slow 100mbit && fresh rule=proto:58 && in_worker 4 ip -6 neigh flush dev eth0 &&
		in_worker 4 ping -c 1 -W 60 "$(router_addr6 4)" >/dev/null &&
		poll 60 holds '.stats.whole == 1 and .stats.other >= 1' && return
	shown w4
	return 1
}

# Two workers send more than the port can, of DSCP 10, each as fast as the port.
incast_on() {
	local i
	for i in 1 2; do
		in_worker "$i" tc qdisc replace dev eth0 root tbf rate 10mbit burst 4000 limit 100000000 || return
		behind "w$i" "$out/incast.$i" trim-traffic send "$(worker_addr 4)" --seconds 600
	done
}

incast_off() {
	local i
	end_all
	for i in 1 2; do
		in_worker "$i" tc qdisc del dev eth0 root
	done
}

# arrived: bytes of TCP, and of all, that have come to worker 4.
arrived() {
	in_worker 4 tc -s -j filter show dev eth0 ingress | gojq -r '[.[] | select(.options.actions) |
		{prio: .pref, bytes: .options.actions[0].stats.bytes}] |
		([.[] | select(.prio == 1) | .bytes] | add) as $tcp | "\($tcp) \([.[].bytes] | add)"'
}
arrived_more() {
	local tcp all
	read -r tcp all < <(arrived) && ((all >= ${first_all:=$all} + $1))
}

# flow_begins CONGESTION: one that does not end. flow_ends: prints its retransmissions.
flow_begins() {
	rm -f "$out/flow"
	behind w3 "$out/flow" "$here/tcp_flow.py" send "$(worker_addr 4)" "$port" "$1"
	flow=${pids[-1]}
}
flow_ends() {
	kill "$flow"
	poll 60 grep -q retransmits "$out/flow" && cut -d ' ' -f 2 "$out/flow"
}

# beside CONGESTION: a flow beside the incast: its part of what the port sends, in percent of half
# of that, in $of_half; its retransmissions, in $again, and bytes, in $carried, since it began.
beside() {
	local first_all='' tcp all tcp_before all_before tcp_first
	read -r tcp_first all < <(arrived)
	# In a queue that is full already it might not even be connected.
	flow_begins "$1" && first_all=$all && poll 60 arrived_more 100000 && incast_on && first_all='' &&
		poll 60 arrived_more 2000000 || return
	read -r tcp_before all_before < <(arrived)
	first_all=$all_before
	poll 60 arrived_more 4000000 || return
	read -r tcp all < <(arrived)
	again=$(flow_ends) || return
	carried=$((tcp - tcp_first))
	of_half=$(((tcp - tcp_before) * 200 / (all - all_before)))
	echo "$1: $again retransmissions of $carried bytes, $of_half percent of half of $((all - all_before)) bytes"
}

# tcp CONGESTION: beside the incast, without the policy and with it
tcp() {
	local of_half again carried again_without carried_without status
	modprobe -q "tcp_$1"
	grep -qw "$1" /proc/sys/net/ipv4/tcp_available_congestion_control || { echo "this kernel has no $1"; return 4; }
	slow 10mbit && policy del w4 >/dev/null
	receiver && beside "$1"
	status=$?
	incast_off
	((status == 0)) || return
	again_without=$again carried_without=$carried
	slow 10mbit && fresh limit=0 limit-bytes=18000 && receiver && beside "$1"
	status=$?
	incast_off
	((status == 0)) || { shown w4; return 1; }
	echo "$of_half $again $carried $again_without $carried_without" >>"$out/figures"
	holds '.stats."other-dropped" == 0 and .stats.trim > 100' &&
		((of_half >= 98 && again * carried_without <= again_without * carried)) && return
	shown w4
	return 1
}

# The worst of all flows.
keep_figures() {
	local half again
	read -r half again < <(awk '{ ratio = $4 ? $2 / $3 / ($4 / $5) : $2 }
		NR == 1 || $1 < half { half = $1 } NR == 1 || ratio > again { again = ratio }
		END { printf "%.2f %.3f\n", half / 100, again }' "$out/figures")
	figures_keep trim_other_goodput_over_without "$half" trim_other_retransmits "$again"
	echo "# figure trim_other_goodput_over_without $half"
	echo "# figure trim_other_retransmits $again"
}

ktap_header
set_up || ktap_fail "set up"
ktap_run "at a short limit no other packet is lost" no_loss
ktap_run "the other band has a limit" limits
ktap_run "ARP, neighbor discovery, STP and LACP find room" control
ktap_run "neighbors are found though all is trimmed" discovery
for congestion in cubic bbr dctcp; do
	ktap_run "$congestion beside incast that is trimmed" tcp "$congestion"
done
[[ ! -s $out/figures ]] || keep_figures
end_all
ktap_end
