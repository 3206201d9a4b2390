#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# XDP forwards between the ports of a bridge what the bridge itself would forward there,
# and nothing else: each setting of a bridge that stops frames stops them here, too, and
# what the bridge has to learn from it gets to see.
#
#	w1, w2, w3: ports of br0; frames from w1 to w3 are looked at
set -u

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd) || exit 1
# shellcheck source=../lib/ktap.sh
. "$here/../lib/ktap.sh"
# shellcheck source=../lib/netns.sh
. "$here/../lib/netns.sh"
# shellcheck source=traffic.sh
. "$here/traffic.sh"
# shellcheck source=../lib/module.sh
. "$here/../lib/module.sh"

pins=/sys/fs/bpf/bridge_$$
at_exit rm -rf "$pins"

mac() { in_worker "$1" ip -j link show eth0 | gojq -r '.[].address'; }
port() { in_router bridge link set dev "$@"; }
bridge_set() { in_router ip link set br0 type bridge "$@"; }
# static I [WORD...]: worker I is an entry of its port that does not age.
static() { in_router bridge fdb replace "${macs[$1]}" dev "w$1" master static "${@:2}"; }
dynamic() { in_router bridge fdb replace "${macs[$1]}" dev "w$1" master dynamic "${@:2}"; }
forget() { in_router bridge fdb del "${macs[$1]}" dev "${2:-w$1}" master; }
knows() { in_router bridge fdb show br br0 | grep -q "^${macs[$1]} dev $2 "; }

# Frames that XDP has sent to worker 3.
sent_on() { policies dev w3 | gojq '.[0].stats.whole'; }

# redirects FROM TO N: how many of N datagrams from one worker to another it has sent by
# XDP; what is said of them was decided by when they were looked at.
redirects() {
	local before at
	before=$(sent_on) at=$(looked "w$1")
	in_worker "$1" trim-traffic send "10.78.0.$2" --count "$3" --size 200 >/dev/null || return
	poll 60 looked_at "w$1" $((at + $3)) || return
	echo $(($(sent_on) - before))
}
by_xdp() { [[ $(redirects 1 3 4) == 4 ]]; }
by_stack() { [[ $(redirects 1 3 4) == 0 ]]; }

load() {
	local i
	mkdir -p "$pins" && bpftool prog load build/bpf/weir_forward.bpf.o "$pins/forward" || return
	for i in 1 2 3; do
		in_worker "$i" ethtool -K eth0 gro on tx off txvlan off tx-vlan-stag-hw-insert off >/dev/null &&
			in_router ethtool -K "w$i" rxvlan off rx-vlan-stag-hw-parse off >/dev/null &&
			in_router ip link set "w$i" xdpdrv pinned "$pins/forward" || return
	done
}

policy_up() {
	policy set w3 hook=xdp dscp=11 rule=dscp:10 rate=1250000000 limit=0 limit-bytes=100000000 \
		header-time=1000000000
}

# The workers know each other's MAC addresses, so that they send no ARP requests.
bridge_up() {
	local i j
	ns_sysctl router ipv4/ip_forward=0 &&
		in_router ip link add br0 type bridge forward_delay 0 mcast_snooping 0 &&
		in_router ip link set br0 up || return
	for i in 1 2 3; do
		in_router ip addr flush dev "w$i" && in_router ip link set "w$i" master br0 &&
			in_worker "$i" ip addr add "10.78.0.$i/24" dev eth0 || return
		for j in 1 2 3; do
			((i == j)) || in_worker "$i" ip neigh replace "10.78.0.$j" lladdr "${macs[j]}" dev eth0 nud permanent || return
		done
	done
}
all_static() { static 1 && static 2 && static 3; }

ports_of_a_bridge() { bridge_up && policy_up && all_static && poll 60 by_xdp; }

# Each of these stops it and, taken back, lets it go on.
stops() {
	local set=$1 back=$2
	poll 60 by_xdp || { echo "not before"; return 1; }
	eval "$set" || return
	poll 60 by_stack || { echo "not stopped"; eval "$back"; return 1; }
	# And for good, not by chance.
	by_stack || { echo "forwarded again"; eval "$back"; return 1; }
	eval "$back" || return
	poll 60 by_xdp || { echo "not back"; return 1; }
}
isolated_ports() { stops "port w1 isolated on; port w3 isolated on" "port w1 isolated off; port w3 isolated off"; }
one_isolated_port() {
	port w1 isolated on && by_xdp
	local status=$?
	port w1 isolated off
	return "$status"
}
disabled_ingress() { stops "port w1 state 0" "port w1 state 3"; }
disabled_egress() { stops "port w3 state 0" "port w3 state 3"; }

# With a spanning tree a port whose link has come up listens first, here for half a minute;
# without one it forwards at once.
link_again() {
	ip -n "$(ns_name "$1")" link set eth0 down && poll 60 state_is "$1" disabled &&
		ip -n "$(ns_name "$1")" link set eth0 up && poll 60 state_is "$1" "$2"
}
state_is() { in_router bridge link show dev "$1" | grep -q "state $2 "; }
neighbours_again() {
	local j n=${1#w}
	for j in 1 2 3; do
		((j == n)) || in_worker "$n" ip neigh replace "10.78.0.$j" lladdr "${macs[j]}" dev eth0 nud permanent || return
	done
}
listens() {
	stops "bridge_set forward_delay 3000 stp_state 1 && link_again $1 listening && neighbours_again $1" \
		"bridge_set stp_state 0 && bridge_set forward_delay 0 && link_again $1 forwarding && neighbours_again $1"
}
spanning_tree_at_ingress() { listens w1; }
spanning_tree_at_egress() { listens w3; }
bridge_down() { stops "in_router ip link set br0 down" "in_router ip link set br0 up"; }
port_down() { stops "ip -n $(ns_name w3) link set eth0 down" "ip -n $(ns_name w3) link set eth0 up"; }
out_of_the_bridge() { stops "in_router ip link set w1 nomaster" "in_router ip link set w1 master br0; all_static"; }
neighbour_suppression() { stops "port w1 neigh_suppress on" "port w1 neigh_suppress off"; }
answers() { in_router ip link set "$1" type bridge_slave "$2" "$3"; }
proxy_arp() { stops "answers w1 proxy_arp on" "answers w1 proxy_arp off"; }
proxy_arp_at_egress() { stops "answers w3 proxy_arp on" "answers w3 proxy_arp off"; }
proxy_arp_wifi() { stops "answers w1 proxy_arp_wifi on" "answers w1 proxy_arp_wifi off"; }
vlan_tunnels() { stops "port w1 vlan_tunnel on" "port w1 vlan_tunnel off"; }

# 802.1X: a station that the bridge does not let in is not let in by XDP.
locked() { port w1 locked "$1" learning "$2"; }
locked_port() { stops "locked on off; forget 1" "locked off on; static 1"; }
locked_port_lets_in() { locked on off && by_xdp && locked off on && by_xdp; }
# The bridge notes such a station at its port, so that the station may be asked to identify itself.
noted() { in_router "$here/bridge-set" mab w1 "$1"; }
locked_port_notes() { stops "locked on on; noted on; forget 1" "noted off; locked off on; static 1"; }
locked_elsewhere() { stops "locked on off; forget 1; in_router bridge fdb replace ${macs[1]} dev w2 master static" "locked off on; forget 1 w2; static 1"; }

# Where nothing is learned nothing has to be seen.
learning_off() {
	port w1 learning off && forget 1 && by_xdp
	local status=$?
	port w1 learning on && static 1
	return "$status"
}
no_ageing() {
	bridge_set ageing_time 0 && forget 1 && by_xdp
	local status=$?
	bridge_set ageing_time 30000 && static 1
	return "$status"
}
flood_off() {
	port w3 flood off && by_xdp && port w3 flood on
}

# The bridge sees the first frame of a station, and learns where it is; then XDP has them.
learns() {
	forget 1 && poll 60 by_xdp && knows 1 w1 && static 1
}

# One that has moved is seen by the bridge at once: for the bridge worker 1 is behind w2 here,
# and then a frame of it comes in by w1.
moves() {
	local sent status
	forget 1 && in_router bridge fdb add "${macs[1]}" dev w2 master dynamic || return
	sent=$(redirects 1 3 1)
	[[ $sent == 0 ]] && poll 60 knows 1 w1 && poll 60 by_xdp
	status=$?
	((status)) && { echo "sent by XDP: $sent"; in_router bridge fdb show br br0; }
	static 1
	return "$status"
}

# The bridge floods a frame to a station that it does not know; a frame to one that it knows at
# another port goes there.
unknown_station() { stops "port w3 learning off; forget 3" "port w3 learning on; static 3"; }
moved_station() {
	stops "port w3 learning off; forget 3; in_router bridge fdb replace ${macs[3]} dev w2 master static" \
		"forget 3 w2; port w3 learning on; static 3"
}
own_address() { stops "in_router bridge fdb replace ${macs[3]} dev w3 master permanent" "forget 3; static 3"; }

# A station that only talks by XDP does not age: the bridge hears of it in time. Were it
# forgotten, frames to it would be flooded. Where the machine is slow the first frame of each
# few is for the bridge to hear.
updated() {
	in_router bridge -s -j fdb show br br0 | gojq --arg mac "${macs[1]}" '.[] | select(.mac == $mac) | .updated'
}
refreshed() {
	local now
	by_xdp_some || return
	now=$(updated)
	((now < oldest)) && { ((rounds++)); oldest=0; }
	((now > oldest)) && oldest=$now
	((rounds >= 2))
}
by_xdp_some() { (($(redirects 1 3 4) > 0)); }
talks_by_xdp() {
	bridge_set ageing_time 3000 && forget 1 && poll 60 by_xdp_some || return
	behind router "$out/monitor" bridge monitor fdb
	poll 180 refreshed
}
does_not_age() {
	local rounds=0 oldest=0 status
	talks_by_xdp
	status=$?
	end_all
	bridge_set ageing_time 30000 && static 1
	((status)) && { echo "$rounds times, oldest $oldest"; return 1; }
	! grep "Deleted ${macs[1]}" "$out/monitor"
}

# And one that is silent, as this one is that is not there at all, is forgotten as ever: what
# is for it goes to the bridge.
silent=02:00:00:00:00:99
forgotten() { ! in_router bridge fdb show br br0 | grep -q "^$silent"; }
ages() {
	local status
	in_worker 1 ip neigh replace 10.78.0.9 lladdr "$silent" dev eth0 nud permanent &&
		in_router bridge fdb add "$silent" dev w3 master dynamic || return
	[[ $(redirects 1 9 4) == 4 ]] || { echo "not by XDP"; return 1; }
	bridge_set ageing_time 100 && poll 60 forgotten && [[ $(redirects 1 9 4) == 0 ]]
	status=$?
	bridge_set ageing_time 30000
	return "$status"
}

# More than a table had that was of our own.
many_stations() {
	local n=33000
	seq "$n" | awk '{ printf "fdb add 02:01:00:%02x:%02x:%02x dev w2 master static\n",
		int($1 / 65536), int($1 / 256) % 256, $1 % 256 }' >"$out/batch" &&
		in_router bridge -batch "$out/batch" || return
	# Each is there for frames without a VLAN and for VLAN 1.
	(($(in_router bridge fdb show br br0 | grep -c "^02:01:") == 2 * n)) && by_xdp
	local status=$?
	in_router bridge fdb flush dev br0 brport w2 static && static 2
	return "$status"
}

# VLANs: as they come and go, or the bridge changes them.
vlan() { in_router bridge vlan "$1" dev "$2" vid "${@:3}"; }
vlans_up() {
	bridge_set vlan_filtering 1 && static 1 vlan 1 && static 3 vlan 1 && poll 60 by_xdp
}
# Where the driver takes tags off, XDP does not see which VLAN a frame is of.
tag_is_hidden() { stops "in_router ethtool -K w1 rxvlan on" "in_router ethtool -K w1 rxvlan off"; }
service_tag_is_hidden() {
	stops "in_router ethtool -K w1 rx-vlan-stag-hw-parse on" "in_router ethtool -K w1 rx-vlan-stag-hw-parse off"
}
vlan_of_the_egress_port() { stops "vlan del w3 1" "vlan add w3 1 pvid untagged; static 3 vlan 1"; }
vlan_tagged_at_egress() { stops "vlan add w3 1 pvid" "vlan add w3 1 pvid untagged"; }
vlan_of_the_ingress_port() { stops "vlan add w1 2 pvid untagged" "vlan del w1 2; vlan add w1 1 pvid untagged"; }
vlan_protocol() { stops "bridge_set vlan_protocol 802.1ad" "bridge_set vlan_protocol 802.1Q"; }
# No event tells of the spanning tree state of a VLAN. The bridge takes the mode only without VLANs.
trees_of_vlans() {
	local i
	for i in 1 2 3; do vlan del "w$i" 1 || return; done
	in_router "$here/bridge-set" mst br0 "$1" || return
	for i in 1 2 3; do vlan add "w$i" 1 pvid untagged && static "$i" vlan 1 || return; done
}
spanning_tree_of_vlans() { stops "trees_of_vlans on" "trees_of_vlans off"; }
# Worker 1 and 3 in VLAN 5, tagged.
tagged_up() {
	local i
	for i in 1 3; do
		ns_ip "w$i" <<-END || return
			link add link eth0 name v5 type vlan id 5
			link set v5 up
			addr add 10.79.0.$i/24 dev v5
			neigh replace 10.79.0.$((4 - i)) lladdr ${macs[4 - i]} dev v5 nud permanent
		END
		vlan add "w$i" 5 && static "$i" vlan 5 || return
	done
}
tagged_redirects() {
	local before at
	before=$(sent_on) at=$(looked w1)
	in_worker 1 trim-traffic send 10.79.0.3 --count 4 --size 200 >/dev/null || return
	poll 60 looked_at w1 $((at + 4)) || return
	echo $(($(sent_on) - before))
}
tagged_by_xdp() { [[ $(tagged_redirects) == 4 ]]; }
tagged_by_stack() { [[ $(tagged_redirects) == 0 ]]; }
tagged() { tagged_up && poll 60 tagged_by_xdp; }
tagged_untagged_at_egress() {
	vlan add w3 5 untagged && tagged_by_stack && vlan add w3 5 && tagged_by_xdp
}
tagged_for_a_vlan_device() {
	in_router ip link add link w1 name w1.5 type vlan id 5 && in_router ip link set w1.5 up &&
		tagged_by_stack && in_router ip link del w1.5 && tagged_by_xdp
}
# A VLAN device of the bridge takes nothing from its ports.
vlan_device_of_the_bridge() {
	in_router ip link add link br0 name br0.5 type vlan id 5 && tagged_by_xdp && in_router ip link del br0.5
}
vlans_down() { bridge_set vlan_filtering 0 && all_static && poll 60 by_xdp && tagged_by_xdp; }

# A driver that takes tags off is asked for them by a program that was loaded for its device:
# as the tool loads it. Only frames that it sends are counted: there is no qdisc that counts, too.
asking_up() {
	local i
	for i in 1 2 3; do in_router ip link set "w$i" xdpdrv off || return; done
	policy del w3 >/dev/null
	in_router weir trim set dev w3 hook xdp from w1 from w2 "$@" dscp 11 rate 10gbit limit 100mb &&
		in_router tc qdisc del dev w3 root && in_router ip link set w3 xdpdrv pinned "$pins/forward" || return
	for i in 1 2 3; do in_worker "$i" ethtool -K eth0 txvlan on >/dev/null && in_router ethtool -K "w$i" rxvlan on >/dev/null || return; done
}
asking_down() {
	local i
	in_router weir trim del dev w3 || return
	for i in 1 2 3; do
		in_router ip link set "w$i" xdpdrv off
		in_worker "$i" ethtool -K eth0 txvlan off tx-vlan-stag-hw-insert off >/dev/null && in_router ethtool -K "w$i" rxvlan off >/dev/null &&
			in_router ip link set "w$i" xdpdrv pinned "$pins/forward" || return
	done
	policy_up
}
in_vlan() { in_worker 3 ip -s -j link show v5 | gojq '.[0].stats64.rx.packets'; }
came_in_vlan() { (($(in_vlan) >= $1)); }

# With the tag it came with it comes to worker 3.
keeps_its_tag() {
	local before
	before=$(in_vlan)
	poll 60 tagged_by_xdp && poll 60 came_in_vlan $((before + 4)) && return
	echo "$before, then $(in_vlan)"
	return 1
}
hidden_tag_is_kept() { asking_up rule dscp=af11 && poll 60 by_xdp && keeps_its_tag; }

# A rule that says the VLAN has those that are in it, and they are trimmed with their tags.
rule_names_hidden_tag() {
	local before
	policy del w3 >/dev/null
	policy set w3 hook=xdp dscp=11 rule=vlan:5 rate=1000 limit=0 limit-bytes=1000 header-time=0 && before=$(in_vlan) &&
		in_worker 1 trim-traffic send 10.79.0.3 --count 20 --size 200 >/dev/null && poll 60 some_trimmed 20 &&
		poll 60 came_in_vlan $((before + 20)) && return
	shown w3
	echo "$before, then $(in_vlan)"
	return 1
}
some_trimmed() { shown w3 | gojq -e --argjson n "$1" '.stats | .trim > 10 and ."tx-trim" == .trim and .whole + .trim >= $n' >/dev/null; }

# A frame that goes to the stack has its tag beside it as before, and once: else the stack would
# not know which header follows.
hidden_tag_to_the_stack() {
	policy del w3 >/dev/null
	policy_up && receive w3 && tagged_by_xdp && port w1 neigh_suppress on && tagged_by_stack && poll 60 all_heard 8
	local status=$?
	((status)) && cat "$out/arrived"
	port w1 neigh_suppress off
	end_all
	return "$status"
}
all_heard() { (($(seen arrived 10) == $1)); }

# And a bridge with VLANs is told of it: frames that have none go on, and those of a VLAN
# that the port is not in do not.
hidden_tag_in_vlans() {
	bridge_set vlan_filtering 1 && static 1 vlan 1 && static 3 vlan 1 && poll 60 by_xdp && keeps_its_tag &&
		vlan del w1 5 && tagged_by_stack && vlan add w1 5 && poll 60 tagged_by_xdp && bridge_set vlan_filtering 0 && all_static
}
no_hidden_tags() { asking_down && poll 60 by_xdp && tagged_by_xdp; }

# A module that comes later finds the ports that are there; and bridges go, with what was
# known of them.
module_again() {
	local i
	for i in 1 2 3; do in_router ip link set "w$i" xdpdrv off || return; done
	rm -rf "$pins"
	module_goes 60 && load && policy_up && by_xdp
}
bridge_goes() {
	stops "in_router ip link del br0" "bridge_again"
}
bridge_again() {
	in_router ip link add br0 type bridge forward_delay 0 mcast_snooping 0 && in_router ip link set br0 up &&
		in_router ip link set w1 master br0 && in_router ip link set w2 master br0 &&
		in_router ip link set w3 master br0 && all_static
}

ktap_header
star_create 3 9000 || exit 1
macs=(none)
for i in 1 2 3; do macs[i]=$(mac "$i") || exit 1; done
ktap_run "the program is attached" load
for test in ports_of_a_bridge isolated_ports one_isolated_port disabled_ingress disabled_egress spanning_tree_at_ingress spanning_tree_at_egress \
	bridge_down port_down out_of_the_bridge neighbour_suppression proxy_arp proxy_arp_at_egress proxy_arp_wifi vlan_tunnels locked_port locked_port_notes \
	locked_port_lets_in locked_elsewhere learning_off no_ageing flood_off learns moves \
	unknown_station moved_station own_address does_not_age ages many_stations vlans_up tag_is_hidden service_tag_is_hidden \
	vlan_of_the_egress_port vlan_tagged_at_egress vlan_of_the_ingress_port vlan_protocol spanning_tree_of_vlans tagged \
	tagged_untagged_at_egress tagged_for_a_vlan_device vlan_device_of_the_bridge vlans_down hidden_tag_is_kept \
	rule_names_hidden_tag hidden_tag_to_the_stack hidden_tag_in_vlans no_hidden_tags module_again \
	bridge_goes; do
	ktap_run "${test//_/ }" "$test"
done
star_delete
ktap_run "all namespaces are gone" ns_cleanup
ktap_end
