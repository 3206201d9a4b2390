#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Forwarding by XDP, routed and bridged, and trimming at clsact egress: what is sent
# arrives whole, or as a header, or comes back, or is counted.
set -u

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd) || exit 1
# shellcheck source=../lib/ktap.sh
. "$here/../lib/ktap.sh"
# shellcheck source=../lib/netns.sh
. "$here/../lib/netns.sh"
# shellcheck source=traffic.sh
. "$here/traffic.sh"

pins=/sys/fs/bpf/forward_$$
at_exit rm -rf "$pins"

# trim FILTER: of worker 3's port, as JSON.
trim() { shown w3 | gojq -c "$1"; }

# send ADDRESS WORD...: workers 1 and 2 send to worker 3 at once; the sum is in $sent.
send() { from_workers 2 "$@"; }

# one TEST: and an end to what it has started.
one() {
	local status
	"$1"
	status=$?
	end_all
	rm -f "$out"/*
	return "$status"
}

# The box's own counters agree with the packets that arrived: 10 is whole, 11 is trimmed. A
# trimmed packet that was neither dropped nor returned was sent on.
adds_up() {
	local whole trimmed
	whole=$(seen arrived 10) trimmed=$(seen arrived 11)
	trim . | gojq -e --argjson sent "$sent" --argjson whole "$whole" \
		--argjson trimmed "$trimmed" '
		(.rule | map(.packets) | add) as $ruled | .stats |
		.whole + .trim == $sent and .whole + .trim == $ruled and .failed == 0 and
		.trim == ."tx-trim" + ."dropped-trim" + .returned and
		.whole == $whole and ."tx-trim" == $trimmed' >/dev/null
}

settled() {
	poll 60 adds_up && return
	echo "sent $sent; box: $(shown w3)"
	echo "arrived: $(cat "$out/arrived")"
	return 1
}

# holds FILTER...: all hold of worker 3's port.
holds() {
	local filter
	for filter; do
		trim "$filter" | grep -qx true || { echo "$filter: $(shown w3)"; return 1; }
	done
}

# Redirected frames are taken where the peer polls; and a checksum that the sender has
# left to its device would arrive unfinished.
star_offloads() {
	local i
	for i in 1 2 3; do
		in_worker "$i" ethtool -K eth0 gro on tx off >/dev/null &&
			in_router ethtool -K "w$i" gro on tx off >/dev/null || return
	done
}

load() {
	mkdir -p "$pins" && bpftool prog load build/bpf/weir_forward.bpf.o "$pins/forward"
}

# A veth end that a program sends back by has a program on its peer, too: else frames are lost
# and no counter tells. The peer's program forwards nothing.
attach() {
	local i
	for i in 1 2 3; do
		in_router ip link set "w$i" xdpdrv pinned "$pins/forward" || return
	done
	in_worker 1 ip link set eth0 xdpdrv pinned "$pins/forward"
}

neighbours() {
	local i
	for i in 1 2; do
		in_worker "$i" ping -q -c 1 -W 60 "$1" >/dev/null || return
	done
}

# fresh KEY=VALUE...: a new policy of worker 3's port, nothing counted yet. At its rate
# no test is so slow that the queue drains: about twenty packets are whole.
fresh() {
	policy del w3 >/dev/null
	policy set w3 hook=xdp dscp=11 rule=dscp:10 rate=1000 limit=0 limit-bytes=30000 \
		header-time=1000000000 "$@"
}

# trims ADDRESS KEY=VALUE...: some of it, and no less arrives than was sent.
trims() {
	local to=$1
	shift
	fresh "$@" && receive w3 && send "$to" --count 300 && settled &&
		holds '.stats.whole >= 10' '.stats.trim > 100'
}

# Where the receiver does not poll, redirected frames would be lost: the stack has them.
not_redirected() {
	in_worker 3 ethtool -K eth0 gro off >/dev/null && fresh && receive w3 && send "$(worker_addr 3)" --count 100 &&
		poll 60 all_came && holds '.sends == 0' '.stats.whole == 0' '.stats.trim == 0' &&
		in_router weir -j doctor | gojq -e '.checks | any(.check == "redirect" and .status == "fail")' >/dev/null
	local status=$?
	in_worker 3 ethtool -K eth0 gro on >/dev/null
	return "$status"
}

all_came() { (($(seen arrived 10) == sent)); }

# There are devices that XDP can send nothing by.
not_by_vlan() {
	local said
	in_router ip link add link w3 name v3 type vlan id 9 || return
	said=$(policy set v3 hook=xdp dscp=11 rule=dscp:10 rate=1000)
	in_router ip link del v3
	[[ $said == *'cannot send what XDP redirects'* ]] || { echo "$said"; return 1; }
}

# A trimmed packet is as long as the policy says: 128 bytes without 42 of headers.
is_short() {
	[[ $(gojq -c '."11".lengths' "$out/arrived") == "[$1]" ]] || { cat "$out/arrived"; return 1; }
}

routed() { trims "$(worker_addr 3)" && is_short 86 && by_class; }

# The packets have AF11, and are of class 1.
by_class() {
	in_router weir -j trim queues dev w3 | gojq -e --argjson port "$(trim .stats)" 'map(select(."traffic-class")) |
		length == 1 and .[0]."traffic-class" == 1 and (.[0] | [.trim, ."tx-trim", ."dropped-trim"]) ==
		($port | [.trim, ."tx-trim", ."dropped-trim"])' >/dev/null && return
	in_router weir trim queues dev w3
	return 1
}
routed6() { trims "$(worker_addr6 3)" && is_short 66; }
percpu() { trims "$(worker_addr 3)" meter=percpu && holds '.stats.optimistic > 0'; }

# Frames of several pages, cut within the first and within a later one.
jumbo() {
	fresh limit-bytes=120000 size="$1" && receive w3 && send "$(worker_addr 3)" --count 300 --size 8900 &&
		settled && holds '.stats.whole >= 10' '.stats.trim > 100' && is_short $(($1 - 42))
}
jumbo_to_its_head() { jumbo 128; }
jumbo_to_a_page() { jumbo 4000; }

whole_where_there_is_room() {
	fresh rate=1250000000 limit-bytes=10000000 && receive w3 &&
		send "$(worker_addr 3)" --count 200 && settled && holds '.stats.trim == 0'
}

# By the stack and by nothing else: the program's counters stand still.
passes() {
	local before after
	fresh && before=$(trim .stats) && receive w3 && in_worker 1 "$@" >/dev/null
	after=$(trim .stats)
	[[ $before == "$after" ]] || { echo "$before, then $after"; return 1; }
}

# Two ways to one network, of which the stack chooses by ports: flows take both.
two_ways() {
	local to=$1 dev n
	fresh rate=1250000000 limit-bytes=10000000 && policy del w2 >/dev/null
	policy set w2 hook=xdp dscp=11 rule=dscp:10 rate=1250000000 limit-bytes=10000000 &&
		in_worker 1 trim-traffic send "$to" --count 256 --size 100 --flows >/dev/null || return
	poll 60 ways_add_up 256 || { shown w2; shown w3; return 1; }
	for dev in w2 w3; do
		n=$(shown "$dev" | gojq .stats.whole)
		((n >= 80)) || { echo "$n by $dev"; return 1; }
	done
	policy del w2 >/dev/null
}
ways_add_up() { (($(shown w2 | gojq .stats.whole) + $(shown w3 | gojq .stats.whole) == $1)); }
two_ways_ipv4() {
	ns_sysctl router ipv4/fib_multipath_hash_policy=1 && neighbours "$(worker_addr 2)" &&
		in_router ip route add 10.90.0.0/24 nexthop via "$(worker_addr 2)" dev w2 \
			nexthop via "$(worker_addr 3)" dev w3 && two_ways 10.90.0.1
}
two_ways_ipv6() {
	ns_sysctl router ipv6/fib_multipath_hash_policy=1 && neighbours "$(worker_addr6 2)" &&
		in_router ip route add fd90::/64 nexthop via "$(worker_addr6 2)" dev w2 \
			nexthop via "$(worker_addr6 3)" dev w3 && two_ways fd90::1
}

# The stack says what has become of it, which the program could not.
ttl_ends() { passes bash -c "! ping -q -c 1 -W 1 -t 1 $(worker_addr 3) | grep -q ' 0% '"; }

# A routed packet has one hop less, and a right IP checksum, or it would not be answered.
hops() {
	fresh && in_worker 1 ping -c 1 -W 60 "$(worker_addr 3)" | grep -q 'ttl=63' &&
		holds '.stats.other >= 1'
}

comes_back() { goes_back full=return header-time=1; }
# Though there is room for headers.
comes_back_always() { goes_back full=return-always && holds '.stats."tx-trim" == 0'; }
goes_back() {
	fresh return-dscp=12 "$@" && receive w3 || return
	sent=300
	behind w1 "$out/sender" trim-traffic send "$(worker_addr 3)" --count "$sent" \
		--returned "$out/back"
	poll 60 test -s "$out/back" && settled && poll 60 all_back && holds '.stats.returned > 100'
}
all_back() { [[ $(seen back 12) == "$(trim .stats.returned)" ]]; }

# Packets that the qdisc has trimmed itself, as it had no room, were not trimmed before it.
trims_early() {
	local late
	late=$(in_router weir -j trim queues dev w3 | gojq 'map(select(.handle).trim) | add')
	holds ".stats.trim - $late > 100"
}

# So slow that no sender is slower.
backlog() {
	in_router tc qdisc replace dev w3 root handle 1: tbf rate 200kbit burst 4000 limit 10000000 &&
		in_router tc qdisc add dev w3 parent 1:1 handle 10: weir || return
	policy del w3 >/dev/null
	policy set w3 hook=xdp meter=backlog dscp=11 rule=dscp:10 "$@" \
		header-time=100000000 headers=10000 &&
		receive w3 && send "$(worker_addr 3)" --count 150 &&
		settled && trims_early
	local status=$?
	in_router tc qdisc del dev w3 root
	return "$status"
}

backlog_of_packets() { backlog limit=12; }
backlog_of_port() { backlog limit=1000 port-limit=18000; }
backlog_of_bytes() { backlog limit=0 limit-bytes=18000; }

# A frame that its device does not take is an overflow of the port: here a link whose other end
# has a smaller MTU. It has no queue that could hold a frame, so such a frame is lost, and not
# counted as sent. Frames that are trimmed then are short enough.
device_refuses() {
	ip -n "$(ns_name w3)" link set eth0 mtu 1280 && fresh meter=percpu t0=1000 t1=2000 &&
		receive w3 && send "$(worker_addr 3)" --count 100 &&
		poll 60 holds '.stats.lost > 0 and .stats.lost == .stats.overflows and .stats.whole == 0' \
			'.stats."pessimistic-time" > 0 and .stats."whole-bytes" == 0' ".stats.lost + .stats.trim == $sent" &&
		in_router weir -j doctor | gojq -e '.checks | any(.check == "losses" and .subject == "trim w3")' >/dev/null &&
		poll 60 only_trimmed
	local status=$?
	((status)) && { shown w3; cat "$out/arrived"; }
	ip -n "$(ns_name w3)" link set eth0 mtu 9000
	return "$status"
}
only_trimmed() { (($(seen arrived 10) == 0 && $(seen arrived 11) == $(trim '.stats."tx-trim"'))); }

# A link that is gone has a qdisc that takes everything, and keeps nothing.
link_is_gone() {
	in_router ip neigh replace "$(worker_addr 3)" lladdr 02:00:00:00:00:03 dev w3 nud permanent &&
		ip -n "$(ns_name w3)" link set eth0 down && poll 60 no_carrier && fresh rate=1250000000 limit-bytes=10000000 &&
		send "$(worker_addr 3)" --count 50 && poll 60 holds ".stats.lost == $sent and .stats.whole == 0 and .stats.deflected == 0"
	local status=$?
	((status)) && in_router ip link show dev w3
	ip -n "$(ns_name w3)" link set eth0 up && in_router ip neigh del "$(worker_addr 3)" dev w3
	return "$status"
}
no_carrier() { in_router ip link show dev w3 | grep -q 'NO-CARRIER.* state \(DOWN\|LOWERLAYERDOWN\) '; }

# A tag that the driver has taken off is not overlooked: what is in a VLAN is not routed as
# if it were in none, but by the stack, which knows what device it is for, or of none.
hidden_tag() {
	local mac at
	mac=$(in_router ip -j link show w1 | gojq -r '.[].address')
	policy del w3 >/dev/null
	in_router ip link set w1 xdpdrv off && in_worker 1 ethtool -K eth0 txvlan on >/dev/null &&
		in_router ethtool -K w1 rxvlan on >/dev/null &&
		in_router weir trim set dev w3 hook xdp from w1 rule dscp=af11 dscp 11 rate 10gbit limit 10mb &&
		in_router tc qdisc del dev w3 root && receive w3 && ns_ip w1 <<-END || return
			link add link eth0 name v9 type vlan id 9
			link set v9 up
			addr add 10.80.0.1/24 dev v9
			neigh add 10.80.0.254 lladdr $mac dev v9 nud permanent
			route add $(worker_addr 3)/32 via 10.80.0.254 dev v9
		END
	# The router has no device in that VLAN.
	at=$(looked w1) && in_worker 1 trim-traffic send "$(worker_addr 3)" --count 20 >/dev/null &&
		poll 60 looked_at w1 $((at + 20)) && holds '.stats.whole == 0' '.stats.trim == 0' || return
	in_router ip link add link w1 name w1.9 type vlan id 9 && in_router ip link set w1.9 up && ns_sysctl router ipv4/conf/all/rp_filter=0 \
		ipv4/conf/w1.9/rp_filter=0 && in_worker 1 trim-traffic send "$(worker_addr 3)" --count 20 >/dev/null && sent=20 &&
		poll 60 all_came && holds '.stats.whole == 0' || return
	in_worker 1 ip link del v9 && in_worker 1 trim-traffic send "$(worker_addr 3)" --count 20 >/dev/null && sent=40 &&
		poll 60 all_came && holds '.stats.whole == 20'
	local status=$?
	in_router ip link del w1.9
	in_router weir trim del dev w3 && attach
	return "$status"
}
# The same box as a bridge. The senders are static entries of it, so that it does not have
# to hear of them again: all that is sent goes by XDP.
station() {
	in_router bridge fdb replace "$(in_worker "${1#w}" ip -j link show eth0 | gojq -r '.[].address')" \
		dev "$1" master static
}
bridge() {
	local i
	ns_sysctl router ipv4/ip_forward=0 &&
		in_router ip link add br0 type bridge forward_delay 0 && in_router ip link set br0 up || return
	for i in 1 2 3; do
		in_router ip addr flush dev "w$i" && in_router ip link set "w$i" master br0 &&
			in_worker "$i" ip addr add "10.78.0.$i/24" dev eth0 || return
	done
	station w1 && station w2 && station w3 && neighbours 10.78.0.3 && poll 60 crosses
}
# A bridge says a moment later that its ports forward.
crosses() {
	end_all
	fresh rate=1250000000 limit-bytes=10000000 && receive w3 && send 10.78.0.3 --count 1 &&
		poll 60 all_came && holds '.stats.whole == 2'
}
bridged() { trims 10.78.0.3 && is_short 86; }

# A bridge that is not told where to, and a router that is not meant, leave it alone.
other_stations() {
	fresh && in_worker 1 ping -q -c 1 -W 60 10.78.0.2 >/dev/null && holds '.stats.other == 0'
}

# The stack's own half-finished checksums, at clsact egress: the sender is the box.
egress() {
	in_router tc qdisc add dev w3 clsact &&
		in_router tc filter add dev w3 egress bpf da object-file build/bpf/weir_trim.bpf.o section tc &&
		in_router ethtool -K w3 tx on >/dev/null && in_router ip addr add 10.78.0.254/24 dev br0
}
from_here() {
	policy del w3 >/dev/null
	policy set w3 hook=tc dscp=11 rule=dscp:10 rate=1000 limit=0 limit-bytes=30000 \
		header-time=1000000000 && receive w3 || return
	sent=$(in_router trim-traffic send 10.78.0.3 --count 300) && settled &&
		holds '.stats.trim > 100' && is_short 86
}
# A datagram that is cut and says that it is not is no socket's: it is seen on the wire.
from_here_keep() {
	policy del w3 >/dev/null
	policy set w3 hook=tc length=keep dscp=11 rule=dscp:10 rate=1000 limit=0 limit-bytes=1 \
		header-time=1000000000 || return
	behind w3 "$out/capture" tcpdump -n -i eth0 -c 1 -U -w "$out/pcap" \
		'udp port 5000 and ip[1] & 0xfc = 44'
	poll 60 grep -q listening "$out/capture.errors" || return
	in_router trim-traffic send 10.78.0.3 --count 5 --size 1000 >/dev/null &&
		wait "${pids[-1]}" || return
	tshark -n -r "$out/pcap" -T fields -e frame.len -e ip.len -e udp.length 2>/dev/null |
		grep -qx $'128\t1028\t1008'
}

# Trimmed packets go by the queue that the policy names; the others by that of the
# processor that sends them.
steered() {
	local queues=/sys/class/net/many/queues/tx-0/xps_cpus
	in_router ip link add many numtxqueues 4 type dummy || return
	# IPv6 would send packets of its own.
	ns_sysctl router ipv6/conf/many/disable_ipv6=1 || return
	ns_ip router <<-END || return
		link set many up
		addr add 10.79.0.254/24 dev many
		neigh add 10.79.0.1 lladdr 02:00:00:00:00:01 dev many
	END
	ip netns exec "$(ns_name router)" sh -c "echo 1 >$queues" &&
		in_router tc qdisc add dev many root handle 1: mq && in_router tc qdisc add dev many clsact &&
		in_router tc filter add dev many egress bpf da object-file build/bpf/weir_trim.bpf.o section tc &&
		policy set many hook=tc dscp=11 rule=dscp:10 queue=2 rate=1000 limit=0 limit-bytes=30000 \
			header-time=1000000000 || return
	in_router taskset 1 trim-traffic send 10.79.0.1 --count 100 >/dev/null || return
	in_router tc -s -j qdisc show dev many | gojq -e --argjson box "$(shown many)" '
		def sent($parent): [.[] | select(.parent == $parent) | .packets] | add;
		$box.stats.trim > 50 and sent("1:3") == $box.stats.trim and sent("1:2") + sent("1:4") == 0' >/dev/null ||
		{ shown many; in_router tc -s qdisc show dev many; return 1; }
}

ktap_header
# Not in ktap_run: what is made must be known, to be removed.
star_create 3 9000 || exit 1
ktap_run "senders fill in their checksums" star_offloads
ktap_run "the program is loaded" load
ktap_run "and attached" attach
ktap_run "neighbours are known" neighbours "$(worker_addr 3)"
ktap_run "neighbours are known, IPv6" neighbours "$(worker_addr6 3)"
for test in whole_where_there_is_room routed routed6 percpu jumbo_to_its_head jumbo_to_a_page two_ways_ipv4 two_ways_ipv6 hops ttl_ends comes_back comes_back_always backlog_of_packets backlog_of_bytes backlog_of_port device_refuses not_redirected not_by_vlan hidden_tag link_is_gone bridge \
	bridged other_stations egress from_here from_here_keep steered; do
	ktap_run "${test//_/ }" one "$test"
done
star_delete
ktap_run "all namespaces are gone" ns_cleanup
ktap_end
