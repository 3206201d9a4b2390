#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Trimming policies and the weir qdisc: nothing vanishes. A packet that workers send to
# one of them arrives whole, or as a header, or comes back, or is counted.
# To be run in the virtual machine: it unloads and loads the module.
set -u

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd) || exit 1
# shellcheck source=../lib/ktap.sh
. "$here/../lib/ktap.sh"
# shellcheck source=../lib/module.sh
. "$here/../lib/module.sh"
# shellcheck source=../lib/netns.sh
. "$here/../lib/netns.sh"
# shellcheck source=../lib/bpftrace.sh
. "$here/../lib/bpftrace.sh"
# shellcheck source=traffic.sh
. "$here/traffic.sh"

# refused PATTERN KEY=VALUE...: on the device of worker 2.
refused() {
	local pattern=$1 said
	shift
	if said=$(policy set w2 "$@"); then
		echo "$*: was not refused"
		return 1
	fi
	grep -qE -e "$pattern" <<<"$said" || { echo "$*: $said"; return 1; }
}

# trim DEV FILTER: of the policy, as JSON.
trim() { shown "$1" | gojq -c "$2"; }

# holds DEV FILTER; has DEV FILTER: the same of the very attributes
holds() { of shown "$@"; }
has() { of got "$@"; }
got() { policy get "$1"; }

of() {
	local json
	json=$("$1" "$2") || return
	gojq -e "$3" <<<"$json" >/dev/null || { echo "$3: $json"; return 1; }
}

# send FROM TO WORD...: prints how many.
send() { in_worker "$1" trim-traffic send "$(worker_addr "$2")" "${@:3}"; }

# incast N WORD...: the first N workers send to worker 4 at once; the sum is in $sent.
incast() { from_workers "$1" "$(worker_addr 4)" "${@:2}"; }

# limited DEV RATE [LIMIT]: a root that sends no faster, with a queue of so many bytes.
limited() {
	in_router tc qdisc del dev "$1" root 2>/dev/null
	in_router tc qdisc add dev "$1" root handle 1: tbf rate "$2" burst 4000 limit "${3:-10000000}"
}

# slow DEV RATE: weir's is the only queue that fills.
slow() { limited "$1" "$2" && in_router tc qdisc add dev "$1" parent 1:1 handle 10: weir; }

# faster DEV RATE: with all that waits.
faster() { in_router tc qdisc change dev "$1" root handle 1: tbf rate "$2" burst 4000 limit 10000000; }

drained() { holds w4 '."data-depth" == 0 and ."header-depth" == 0 and ."other-depth" == 0' >/dev/null; }

# The box's counters agree with the packets that arrived: 10 is whole, 11 is trimmed.
# Whole packets that found the port idle are counted as direct, with other packets that did. Rules
# have all others.
adds_up() {
	local whole trimmed
	whole=$(seen arrived 10) trimmed=$(seen arrived 11)
	trim w4 . | gojq -e --argjson sent "$sent" --argjson whole "$whole" --argjson trimmed "$trimmed" '
		.direct as $direct | (.rule | map(.packets) | add) as $ruled | .stats | $whole + .trim == $sent and .failed == 0 and
		.trim == ."tx-trim" + ."dropped-trim" + .returned and
		.whole <= $whole and $whole <= .whole + $direct and ."tx-trim" == $trimmed and
		.whole + .trim == $ruled' >/dev/null &&
		[[ $(gojq .twice "$out/arrived") == 0 ]]
}

settled() {
	poll 60 drained && poll 60 adds_up && return
	echo "sent $sent; box: $(shown w4)"
	echo "arrived: $(cat "$out/arrived")"
	in_router tc -s qdisc show dev w4
	return 1
}

# queues_empty DEV: all of its qdiscs agree that nothing is left.
queues_empty() {
	in_router tc -j -s qdisc show dev "$1" | gojq -e 'all(.[]; .backlog == 0 and .qlen == 0)' >/dev/null
}

# fresh KEY=VALUE...: a new policy of worker 4's device, nothing counted yet.
base=(hook=qdisc dscp=11 rule=dscp:10)
fresh() {
	policy del w4 >/dev/null
	policy set w4 "${base[@]}" "$@"
}

# Neighbours are known, and what is sent at once finds room on its way to the box.
set_up() {
	local i
	star_create 4 1500 && ns_backlog 10000 || return
	for i in 1 2 3; do
		in_worker "$i" ping -c 1 -W 60 "$(worker_addr 4)" >/dev/null || return
	done
	in_worker 1 ping -c 1 -W 60 "$(worker_addr6 4)" >/dev/null
}

policy_comes_and_goes() {
	policy set w2 "${base[@]}" rule=proto:17,port:5000,disable rate=125000000 &&
		has w2 '.hook == "qdisc" and .size == 128 and .dscp == 11 and .limit == 12 and .share == "ratio"
			and ."share-value" == 10 and .rate == 125000000 and (.rule | length) == 2
			and .rule[0] == {"dscp": 10, "dscp-last": 10, "packets": 0, "bytes": 0} and .rule[1].disable
			and .stats.whole == 0 and .ifname == "w2"' &&
		policy set w2 size=200 share=bytes tc=1 &&
		has w2 '.size == 200 and ."share-value" == 25 and .tc == 1 and ."tc-dscp"[1] == 8
			and .limit == 12 and (.rule | length) == 2' &&
		policy set w2 tc=15 tc-dscp=hex:00081018202830380000000000000007 && has w2 '.tc == 15 and ."tc-dscp"[15] == 7' &&
		policy set w2 dscp=9 rule=dscp:20,dscp-last:30 && has w2 '.dscp == 9 and .tc == null
			and .rule == [{"dscp": 20, "dscp-last": 30, "packets": 0, "bytes": 0}]' &&
		policy del w2 && [[ $(policy get w2) == 'ENOENT device w2 has no trimming policy' ]]
}

sentences() {
	local rules=() i
	for ((i = 0; i < 17; i++)); do rules+=("rule=dscp:$i"); done
	refused 'EINVAL .*hook is missing' dscp=11 &&
		refused 'EINVAL .*dscp or tc is missing' hook=qdisc rule=dscp:10 &&
		refused 'EINVAL .*a rule is missing' hook=qdisc dscp=11 &&
		refused 'EINVAL .*a rule is missing' hook=qdisc dscp=11 rule=dscp:3,disable &&
		refused 'EINVAL .*cannot be trimmed' hook=qdisc dscp=11 rule=dscp:10,dscp-last:12 &&
		refused 'EINVAL .*cannot be trimmed' "${base[@]}" return-dscp=10 &&
		refused 'EINVAL .*another DSCP' "${base[@]}" return-dscp=11 &&
		refused 'EINVAL .*limit of packets' "${base[@]}" limit=0 &&
		refused 'EINVAL .*return-dscp is missing' "${base[@]}" full=return &&
		refused 'EOPNOTSUPP .*go back' hook=tc dscp=11 rule=dscp:10 rate=1000000 full=return return-dscp=12 &&
		refused 'EOPNOTSUPP .*only the xdp hook' hook=tc dscp=11 rule=dscp:10 meter=backlog &&
		refused 'EINVAL .*rate is missing' hook=tc dscp=11 rule=dscp:10 &&
		refused 'EINVAL .*1000 bytes a second' hook=xdp dscp=11 rule=dscp:10 rate=999 &&
		refused 'EINVAL .*too slow' hook=xdp dscp=11 rule=dscp:10 rate=1000 meter=percpu pessimistic=1 &&
		refused 'EINVAL .*t1 cannot' hook=xdp dscp=11 rule=dscp:10 rate=1000000 t0=7 t1=6 &&
		refused 'EINVAL .*must fall' hook=xdp dscp=11 rule=dscp:10 rate=1000000 half=20 pessimistic=25 &&
		refused 'EINVAL .*99 percent' "${base[@]}" share=bytes share-value=100 &&
		refused 'EINVAL .*lower than dscp' hook=qdisc dscp=11 rule=dscp:10,dscp-last:9 &&
		refused 'EINVAL .*needs dscp' hook=qdisc dscp=11 rule=dscp-last:9 &&
		refused 'EINVAL .*only UDP and TCP' hook=qdisc dscp=11 rule=proto:1,port:9 &&
		refused 'EINVAL .*16 rules' hook=qdisc dscp=63 "${rules[@]}" &&
		refused 'EINVAL .*transmit queues' "${base[@]}" queue=4000 &&
		refused 'EOPNOTSUPP .*no priority' hook=xdp dscp=11 rule=dscp:10 rate=1000000 priority=1 &&
		refused 'EOPNOTSUPP .*packets that wait' hook=tc dscp=11 rule=dscp:10 rate=1000000 victim=tail &&
		refused 'EINVAL the class has DSCP 0' hook=qdisc rule=dscp:10 tc=15 &&
		refused 'EINVAL .*16 traffic classes' "${base[@]}" tc-dscp=hex:0001020304050607000102030405060700 &&
		refused 'EINVAL .*63 at most' "${base[@]}" tc-dscp=hex:0001020304050640 &&
		refused 'ERANGE' "${base[@]}" size=63 &&
		[[ $(policy set 999 hook=none) == 'ENODEV there is no device 999 in this network namespace' ]] &&
		policy set w2 "${base[@]}" &&
		refused 'EINVAL .*hook cannot be changed' hook=tc &&
		policy set w3 "${base[@]}" full=return return-dscp=13 &&
		refused 'EINVAL another port sends packets back' full=return return-dscp=12 &&
		policy set w2 full=return return-dscp=13 && policy flush &&
		[[ $(policy get w2) == ENOENT* ]]
}

qdisc_has_no_options() {
	in_router tc qdisc add dev w3 root weir && in_router tc qdisc del dev w3 root
}

# Without a policy it is a FIFO: in order, and as long as the device says.
plain_fifo() {
	receive w4 && incast 1 --count 300 && poll 60 arrived_are "$sent" &&
		queues_empty w4
	local status=$?
	end_all
	return "$status"
}

# As long as the device says: what is more is dropped, and counted by the qdisc.
short_fifo() {
	in_router ip link set w4 txqueuelen 5 && receive w4 && incast 1 --count 100 && poll 60 rest_is_dropped
	local status=$?
	end_all
	# Its drops are forgotten, too.
	in_router ip link set w4 txqueuelen 1000 && slow w4 1mbit || status=1
	return "$status"
}

overlimits() { in_router tc -j -s qdisc show dev w4 | gojq '.[] | select(.kind == "weir") | .overlimits'; }

# Packets that the weir qdisc of worker 4's device has dropped.
drops() { in_router tc -j -s qdisc show dev w4 | gojq '.[] | select(.kind == "weir") | .drops'; }

rest_is_dropped() {
	local dropped
	dropped=$(drops)
	((dropped > 0)) && arrived_are $((sent - dropped))
}

arrived_are() { (($(seen arrived 10) + $(seen arrived 11) == $1)); }

# fan_in N WORD... -- KEY=VALUE...: overload, and exact accounts.
fan_in() {
	local n=$1 words=()
	shift
	while [[ $1 != -- ]]; do
		words+=("$1")
		shift
	done
	shift
	fresh "$@" || return
	receive w4 && incast "$n" "${words[@]}" && settled && holds w4 '.stats.trim > 0 and .stats.whole > 0' &&
		queues_empty w4
	local status=$?
	end_all
	return "$status"
}

lengths_are() {
	[[ $(gojq -c ".\"$1\".lengths" "$out/arrived") == "$2" ]] || { cat "$out/arrived"; return 1; }
}

# 128 bytes of frame are 86 of payload.
many_to_one() { fan_in 3 --count 300 -- headers=1000 && lengths_are 11 '[86]'; }

deepest() {
	holds w4 '.stats."data-max" == 12 and .stats."header-max" > 0 and .stats."header-max" <= 1000'
}

# Each drop of a whole packet is one of the qdisc's.
drops_are_trims() { [[ $(drops) == "$(trim w4 .stats.trim)" && $(overlimits) == "$(drops)" ]]; }

few_headers() {
	fan_in 3 --count 300 -- headers=5 header-time=0 &&
		holds w4 '.stats."dropped-trim" > 0 and .stats."header-max" <= 5'
}

tail_victim() { fan_in 3 --count 300 -- victim=tail; }
coin_victim() { fan_in 3 --count 300 -- victim=coin; }
strict() { fan_in 3 --count 300 -- share=strict; }
by_bytes() { fan_in 3 --count 300 -- share=bytes limit=0 limit-bytes=20000; }
by_time() { fan_in 3 --count 300 -- limit=0 limit-time=3000; }
merged() { fan_in 3 --count 300 --merge 30 -- limit=12 && lengths_are 11 '[86]'; }

# Checksums that senders have added up themselves, from an odd place on.
whole_checksums() {
	star_each ethtool -K eth0 tx off >/dev/null &&
		fan_in 3 --count 300 -- size=129 headers=1000 && lengths_are 11 '[87]'
	local status=$?
	star_each ethtool -K eth0 tx on >/dev/null && return "$status"
}

# A packet that is not longer than the size keeps all and gets the mark.
short_ones() {
	faster w4 100kbit && fan_in 3 --count 300 --size 60 -- && faster w4 1mbit && lengths_are 11 '[60]' && holds w4 '.stats.short == .stats.trim'
}

# With the length kept the receiver's kernel finds it cut off, but others do not.
kept_length() {
	local pid
	fresh length=keep || return
	behind w4 "$out/capture" tcpdump -i eth0 -n -vv -c 5 'udp and ip[1] = 44'
	pid=${pids[0]}
	poll 60 grep -q 'listening on' "$out/capture.errors" && incast 3 --count 100 && poll 60 drained &&
		poll 60 process_is_gone "$pid" && grep -q 'length 1428' "$out/capture" &&
		holds w4 ".stats.whole + .stats.trim == $sent and .stats.trim == .stats.\"tx-trim\" + .stats.\"dropped-trim\""
	local status=$?
	end_all
	return "$status"
}

# Others pass as they are, and are dropped as in any queue.
others() {
	fresh other-limit=12 || return
	receive w4 && incast 3 --count 200 --dscp 20 && poll 60 drained && poll 60 others_add_up
	local status=$?
	end_all
	return "$status"
}

others_add_up() {
	local arrived
	arrived=$(seen arrived 20)
	holds w4 ".stats.other >= $sent and .stats.trim == 0 and .stats.\"other-dropped\" > 0" >/dev/null &&
		((arrived + $(trim w4 '.stats."other-dropped"') == sent))
}

# Headers from upstream go ahead and are not trimmed; through an edge they are nothing.
# Such are packets that another box has trimmed, with a mark of its own, and control packets.
marks_of_others() {
	fresh trimmed-dscps=$((1 << 13)) control-dscps=$((1 << 14)) || return
	receive w4 && incast 1 --count 30 --dscp 14 --size 60 && poll 60 others_are 14 30 &&
		holds w4 '.stats.headers == 30 and .stats."header-max" >= 1' &&
		incast 1 --count 50 --dscp 13 --size 60 && poll 60 others_are 13 50 &&
		holds w4 '.stats.headers == 80 and .stats.other == 0' &&
		policy set w1 hook=none edge=1 && incast 1 --count 50 --dscp 13 --size 60 &&
		incast 1 --count 20 --dscp 14 --size 60 && poll 60 zeroes_are 50 && poll 60 others_are 14 50 &&
		holds w4 '.stats.headers == 80 and .stats.untrusted == 50'
	local status=$?
	policy del w1
	end_all
	return "$status"
}
others_are() { (($(seen arrived "$1") == $2)); }

from_upstream() {
	fresh || return
	receive w4 && incast 1 --count 50 --dscp 11 --size 60 && poll 60 arrived_are 50 &&
		holds w4 '.stats.headers == 50 and .stats.untrusted == 0' &&
		policy set w1 hook=none edge=1 && incast 1 --count 50 --dscp 11 --size 60 &&
		poll 60 zeroes_are 50 && holds w4 '.stats.headers == 50 and .stats.untrusted == 50'
	local status=$?
	policy del w1
	end_all
	return "$status"
}

zeroes_are() { (($(seen arrived 0) == $1)); }

ipv6() {
	fresh || return
	receive w4 && sent=$(in_worker 1 trim-traffic send "$(worker_addr6 4)" --count 300) &&
		settled && lengths_are 11 '[66]'
	local status=$?
	end_all
	return "$status"
}

# A tag counts, whether it stands in the frame or beside it.
vlan_up() {
	ns_ip router <<-END || return
		addr flush dev w4
		link add link w4 name v4 type vlan id 100
		addr add 10.77.4.254/24 dev v4
		link set v4 up
	END
	ns_ip w4 <<-END || return
		addr flush dev eth0
		link add link eth0 name v0 type vlan id 100
		addr add 10.77.4.1/24 dev v0
		link set v0 up
		route add default via 10.77.4.254
	END
	in_worker 1 ping -c 1 -W 60 "$(worker_addr 4)" >/dev/null
}

tagged() { fan_in 3 --count 300 -- rule=vlan:100 && lengths_are 11 '[82]'; }
tag_in_frame() { in_router ethtool -K w4 txvlan off >/dev/null && tagged; }

# Trimmed packets have a priority of their own, which the VLAN device writes into the tag.
priority() {
	policy del w4 >/dev/null
	in_router tc qdisc del dev w4 root
	in_router ip link set v4 type vlan egress-qos-map 6:5 && slow v4 1mbit && policy set v4 "${base[@]}" priority=6 &&
		in_worker 4 tc qdisc add dev eth0 clsact &&
		in_worker 4 tc filter add dev eth0 ingress protocol 802.1q flower vlan_prio 5 action pass &&
		receive w4 && incast 3 --count 100 && poll 60 trimmed_have_priority
	local status=$?
	end_all
	policy del v4 && in_router tc qdisc del dev v4 root && slow w4 1mbit || status=1
	return "$status"
}

trimmed_have_priority() {
	local so
	so=$(in_worker 4 tc -s -j filter show dev eth0 ingress | gojq '[.. | objects | .packets? // empty] | max')
	holds v4 ".stats.trim > 50 and .stats.trim == .stats.\"dropped-trim\" + $so" >/dev/null
}

# Anything above and below: the counts of those above agree in the end.
below() {
	local kind=$1
	in_router tc qdisc del dev w4 root
	case $kind in
	htb)
		in_router tc qdisc add dev w4 root handle 1: htb default 1 &&
			in_router tc class add dev w4 parent 1: classid 1:1 htb rate 1mbit quantum 1500
		;;
	prio)
		in_router tc qdisc add dev w4 root handle 2: tbf rate 1mbit burst 4000 limit 10000000 &&
			in_router tc qdisc add dev w4 parent 2:1 handle 1: prio priomap 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0
		;;
	esac || return
	in_router tc qdisc add dev w4 parent 1:1 handle 10: weir && fan_in 3 --count 300 --merge "$2" -- victim=coin
}

at_the_root() {
	in_router tc qdisc del dev w4 root
	in_router tc qdisc add dev w4 root weir || return
	fresh || return
	receive w4 && incast 3 --count 300 && settled
	local status=$?
	end_all
	return "$status"
}

under_mq() {
	local i
	in_router ip link add mq0 numtxqueues 4 type dummy && in_router ip link set mq0 up &&
		in_router tc qdisc add dev mq0 root handle 1: mq || return
	for i in 1 2 3 4; do
		in_router tc qdisc add dev mq0 parent "1:$i" weir || return
	done
	in_router ip addr add 10.99.0.1/24 dev mq0 && in_router ip neigh add 10.99.0.2 lladdr 02:00:00:00:00:02 dev mq0 &&
		policy set mq0 hook=qdisc dscp=11 rule=dscp:10 priority=7 &&
		in_worker 1 trim-traffic send 10.99.0.2 --count 100 >/dev/null &&
		poll 60 whole_are mq0 100 && mq_queues && in_router ip link del mq0 &&
		[[ $(policy get mq0 2>&1) == *'no interface with this name'* ]]
}

# queues WORD...: the router's weir qdiscs, as JSON.
queues() { in_router weir -j trim queues "$@"; }

# A packet waits for another's CPU where that one sends to the same queue just then.
mq_queues() {
	queues dev mq0 | gojq -e 'map(.parent) == ["1:1", "1:2", "1:3", "1:4"] and map(."tx-queue") == [0, 1, 2, 3]
		and (map(.direct) | add) >= 50 and (map(.trim) | add) == 0' >/dev/null || { queues dev mq0; return 1; }
}

# One queue is all of its port: each counts what the other does.
one_queue() {
	local port
	slow w4 1mbit && fresh headers=2 header-time=0 && receive w4 && incast 3 --count 100 && settled &&
		port=$(trim w4 '{direct} + (.stats | {trim, "tx-trim", "dropped-trim", "data-max", "header-max"})') &&
		queues dev w4 | gojq -e --argjson port "$port" 'length == 1 and (.[0] | .dev == "w4" and .parent == "1:1"
			and .handle == "10:" and ."tx-queue" == 0 and ."data-depth" == 0 and ."header-depth" == 0
			and ."dropped-trim" > 0 and ."tx-trim" > 0 and .trim == ."tx-trim" + ."dropped-trim"
			and . == . + $port)' >/dev/null &&
		[[ $(queues dev w3) == '[]' ]]
	local status=$?
	((status)) && { shown w4; queues dev w4; }
	end_all
	return "$status"
}

# Counters are zero, and what waits stays and is counted when it leaves.
counters_clear() {
	local waited before
	slow w4 10kbit && fresh headers=1000 header-time=0 && receive w4 && incast 3 --count 100 &&
		holds w4 '."header-depth" > 1 and .stats.trim > 0 and .stats."data-max" == 12' || return
	before=$(trim w4 'del(.stats, .direct, .rule, ."data-depth", ."header-depth", ."other-depth")')
	in_router weir trim clear dev w4 && holds w4 '."header-depth" > 1 and .direct == 0 and .stats.trim == 0
		and .stats."trim-bytes" == 0 and .stats."data-max" == 0 and .stats."header-max" == 0' &&
		queues dev w4 | gojq -e '.[0] | ."header-depth" > 1 and .trim == 0 and .direct == 0 and ."data-max" == 0
			and ."header-max" == 0 and ."other-dropped" == 0' >/dev/null &&
		[[ $(trim w4 'del(.stats, .direct, .rule, ."data-depth", ."header-depth", ."other-depth")') == "$before" ]] &&
		waited=$(trim w4 '."header-depth" + .stats."tx-trim"') && faster w4 3mbit && poll 60 drained &&
		holds w4 ".stats.trim == 0 and .stats.\"tx-trim\" == $waited and .stats.\"dropped-trim\" == 0" &&
		poll 60 arrived_are 300 && in_router weir trim clear && holds w4 '.stats."tx-trim" == 0 and .stats.whole == 0' &&
		slow w4 1mbit && incast 3 --count 100 && poll 60 drained &&
		holds w4 '.stats.trim > 0 and .stats.trim == .stats."tx-trim" and .stats."data-max" == 12'
	local status=$?
	((status)) && { shown w4; queues dev w4; }
	end_all
	return "$status"
}

# Each rule has the packets that it decided about, and keeps them while others come and go.
rule_counters() {
	local other=rule=proto:17,port:9,disable first was
	slow w4 100kbit && fresh headers=1000 header-time=0 rule=dscp:12 "$other" && receive w4 && incast 3 --count 100 &&
		holds w4 '.rule[0].packets > 250 and .rule[0].packets == .stats.whole + .stats.trim + ."data-depth"
			and .rule[0].bytes == 1442 * .rule[0].packets and .rule[1].packets == 0' &&
		incast 3 --count 100 --port 9 && holds w4 '."disable-trim"[0] | .packets > 250 and .bytes == 1442 * .packets' &&
		first=$(trim w4 '.rule[0]') && was=$(trim w4 '."disable-trim"[0]') &&
		policy set w4 "$other" rule=dscp:14 rule=dscp:10 && [[ $(trim w4 '.rule[1]') == "$first" ]] &&
		[[ $(trim w4 '."disable-trim"[0]') == "$was" ]] && holds w4 '.rule[0].packets == 0' &&
		policy set w4 rule=dscp:14 rule=dscp:12,dscp-last:13 && holds w4 '[.rule[].packets] == [0, 0]' &&
		incast 1 --count 10 --dscp 12 && holds w4 '[.rule[].packets] == [0, 10]' && in_router weir -s trim show dev w4 |
		grep -qx '    rule dscp=12-13 packets 10 bytes 14420' && in_router weir trim clear dev w4 &&
		holds w4 '[.rule[].packets, .rule[].bytes] == [0, 0, 0, 0]'
	local status=$?
	((status)) && { shown w4; in_router weir -s trim show dev w4; }
	faster w4 3mbit && poll 60 drained
	end_all
	return "$status"
}

# The tc program looks at each packet.
rule_counters_of_tc() {
	policy del w4 >/dev/null
	in_router weir trim set dev w4 hook tc rule dscp=af11 disable-trim port=9 dscp 11 rate 100kbit &&
		incast 3 --count 100 && incast 1 --count 50 --port 9 &&
		holds w4 '.rule[0].packets == 300 and ."disable-trim"[0].packets == 50 and .rule[0].bytes == 300 * 1442' &&
		in_router weir trim del dev w4
}

# Packets that the tc program has trimmed are in a queue of each traffic class, by dscp-tc or by the DSCP.
class_counters() {
	policy del w4 >/dev/null
	in_router weir trim set dev w4 hook tc rule dscp=af11 rule dscp=12 dscp 11 dscp-tc 12:5 rate 100kbit header-time 50ms &&
		incast 3 --count 100 && incast 3 --count 100 --dscp 12 && queues dev w4 | gojq -e --argjson port "$(trim w4 .stats)" '
		map(select(."traffic-class")) | map(."traffic-class") == [1, 5] and all(.[]; .trim > 0 and .trim == ."tx-trim" + ."dropped-trim")
		and (map(.trim) | add) == $port.trim and (map(."tx-trim") | add) == $port."tx-trim"' >/dev/null &&
		in_router weir trim queues dev w4 | grep -q '^queue dev w4 traffic-class 5$' && in_router weir trim clear dev w4 &&
		queues dev w4 | gojq -e 'all(.[]; ."traffic-class" == null)' >/dev/null && in_router weir trim del dev w4 && return
	shown w4
	in_router weir trim queues dev w4
	return 1
}

totals() { in_router weir -j stats | gojq -c '[.trim, ."tx-trim", ."dropped-trim"]'; }
metrics() { in_router weir metrics | awk '/^weir_(tx_|dropped_)?trim_packets_total / { n = n " " $2 } END { print n }'; }

# The totals have what all ports have trimmed, also those whose policies or devices are gone.
totals_stay() {
	local port='' before=''
	in_router weir trim clear && [[ $(totals) == '[0,0,0]' ]] && slow w4 1mbit && fresh headers=2 header-time=0 &&
		receive w4 && incast 3 --count 100 && settled && port=$(trim w4 '.stats | [.trim, ."tx-trim", ."dropped-trim"]') &&
		holds w4 '.stats."tx-trim" > 0 and .stats."dropped-trim" > 0' && [[ $(totals) == "$port" ]] && in_router weir trim clear dev w4 && [[ $(totals) == "$port" ]] &&
		holds w4 '.stats.trim == 0' && end_all && receive w4 && incast 3 --count 100 && settled && before=$(totals) &&
		gojq -en --argjson a "$port" --argjson b "$before" '[range(3)] | all(.[]; $a[.] < $b[.])' >/dev/null &&
		policy del w4 && [[ $(totals) == "$before" ]] && fresh && [[ $(totals) == "$before" ]] &&
		[[ $(metrics) == "$(gojq -nr --argjson b "$before" '$b | " \(.[0]) \(.[1]) \(.[2])"')" ]] &&
		in_router weir trim clear && [[ $(totals) == '[0,0,0]' ]]
	local status=$?
	((status)) && { echo "$port, $before, $(totals), $(metrics)"; shown w4; }
	end_all
	return "$status"
}

whole_are() { holds "$1" ".direct + .stats.whole + .stats.\"tx-trim\" >= $2"; }

# comes_back KEY=VALUE...: headers come back to their senders, and are known as such.
comes_back() {
	local i
	fresh return-dscp=12 "$@" || return
	policy set w1 hook=qdisc dscp=11 rule=dscp:10 full=return return-dscp=12 || return
	slow w1 100mbit || return
	receive w4 || return
	for i in 1 2 3; do
		behind "w$i" "$out/sent.$i" trim-traffic send "$(worker_addr 4)" --count 200 --returned "$out/back.$i"
	done
	poll 60 all_have_sent && sent=600 && poll 60 drained && poll 60 adds_up && poll 60 back_adds_up && came_back
	local status=$?
	((status)) && { shown w4; cat "$out/arrived" "$out"/back.*; }
	end_all
	rm -f "$out"/back.* "$out"/sent.*
	policy del w1
	in_router tc qdisc del dev w1 root
	return "$status"
}

all_have_sent() { (($(cat "$out"/sent.[123] | grep -c 200) == 3)); }
back_adds_up() { (($(seen back.1 12) + $(seen back.2 12) + $(seen back.3 12) == $(trim w4 .stats.returned))); }
came_back() { holds w4 '.stats.returned > 0 and .stats."dropped-trim" == 0' && headers_at_w1; }

comes_back_if_full() { comes_back headers=2 header-time=0 full=return; }

# None of them waits, though there is room.
comes_back_always() {
	comes_back headers=1000 header-time=0 full=return-always &&
		holds w4 '.stats."tx-trim" == 0 and .stats."header-max" == 0 and .full == "return-always"' &&
		in_router weir trim show dev w4 | grep -q ' full return always return-dscp 12'
}

# The first worker's device has a weir qdisc, too, which took them for what they are.
headers_at_w1() { (($(seen back.1 12) == $(trim w1 .stats.headers))); }

# The receiver's port is an edge: what this box sends back comes in by it, and keeps its mark,
# and what the receiver marks as returned itself does not.
comes_back_by_edge() {
	fresh headers=2 header-time=0 full=return return-dscp=12 edge=1 &&
		policy set w1 hook=qdisc dscp=11 rule=dscp:10 full=return return-dscp=12 && slow w1 100mbit && receive w4 || return
	behind w1 "$out/sent.1" trim-traffic send "$(worker_addr 4)" --count 300 --returned "$out/back.1"
	poll 60 grep -qs 300 "$out/sent.1" && sent=300 && settled && poll 60 one_back_adds_up && holds w4 '.stats.returned > 0' &&
		holds w1 '.stats.untrusted == 0' && end_all && receive w1 && send 4 1 --count 50 --dscp 12 --size 60 >/dev/null &&
		poll 60 zeroes_are 50 && holds w1 '.stats.untrusted == 50'
	local status=$?
	((status)) && { shown w4; shown w1; cat "$out/arrived" "$out"/back.1; }
	end_all
	rm -f "$out"/back.* "$out"/sent.*
	policy del w1
	in_router tc qdisc del dev w1 root
	return "$status"
}
one_back_adds_up() { [[ $(seen back.1 12) == "$(trim w4 .stats.returned)" ]] && holds w1 ".stats.headers == $(seen back.1 12)" >/dev/null; }

# Packets that wait stay when a policy comes and goes.
policy_goes_under_load() {
	slow w4 10kbit && fresh headers=1000 header-time=0 && receive w4 && incast 3 --count 100 &&
		holds w4 '."data-depth" > 1 and ."header-depth" > 1' && policy del w4 && faster w4 3mbit &&
		poll 60 arrived_are 300
	local status=$?
	((status)) && cat "$out/arrived"
	end_all
	return "$status"
}

policy_comes_under_load() {
	policy del w4 >/dev/null
	slow w4 10kbit && receive w4 && incast 3 --count 100 && fresh && holds w4 '."other-depth" > 12' &&
		faster w4 3mbit && poll 60 arrived_are 300
	local status=$?
	end_all
	return "$status"
}

qdisc_goes_under_load() {
	local i senders=()
	fresh || return
	for i in 1 2 3; do
		send "$i" 4 --count 1 --seconds 4 >/dev/null &
		senders+=($!)
	done
	for i in 1 2 3 4 5; do
		in_router tc qdisc replace dev w4 root pfifo && slow w4 1mbit && policy set w4 "victim=$((1 + i % 3))" || return
	done
	wait "${senders[@]}"
	poll 60 drained && holds w4 '.stats.trim == .stats."tx-trim" + .stats."dropped-trim" and .stats.failed == 0'
}

# Drops behind meters of a CPU each are overflows.
overflows() {
	policy del w4 >/dev/null
	limited w4 1mbit 10000 || return
	policy set w4 hook=tc dscp=11 rule=dscp:10 meter=percpu rate=375000 t0=1000 t1=2000 || return
	incast 3 --count 100 || return
	poll 60 overflows_are_drops && holds w4 '.stats.overflows > 0 and .stats."pessimistic-time" >= 1000000' &&
		policy del w4
}

overflows_are_drops() {
	(($(trim w4 .stats.overflows) == $(in_router tc -j -s qdisc show dev w4 | gojq '.[0].drops')))
}

mtu_changes() {
	policy set w3 hook=xdp dscp=11 rule=dscp:10 rate=1000000 && ip -n "$(ns_name router)" link set w3 mtu 1400 &&
		holds w3 '.rate == 1000000' && policy del w3 &&
		ip -n "$(ns_name router)" link set w3 mtu 1500
}

# The bridge learns nothing wrong from what comes back.
bridge_up() {
	local i
	ns_create switch || return
	ns_ip switch <<-END || return
		link add br0 type bridge vlan_filtering 1
		link set br0 up
	END
	for i in 1 2 3 4; do
		ns_create "h$i" && ns_link switch "p$i" "h$i" eth0 || return
		ip -n "$(ns_name switch)" link set "p$i" master br0 || return
		ip -n "$(ns_name "h$i")" addr add "10.78.0.$i/24" dev eth0 || return
	done
	# The receiver's port is untagged, the senders' are trunks.
	in_ns switch bridge vlan add dev p4 vid 5 pvid untagged || return
	for i in 1 2 3; do
		in_ns switch bridge vlan add dev "p$i" vid 5 || return
		ns_ip "h$i" <<-END || return
			addr flush dev eth0
			link add link eth0 name v5 type vlan id 5
			addr add 10.78.0.$i/24 dev v5
			link set v5 up
		END
	done
	for i in 1 2 3; do
		in_ns "h$i" ping -c 1 -W 60 10.78.0.4 >/dev/null || return
	done
}

# All ports are edges, as those of guests are.
comes_back_bridged() {
	local i
	for i in 1 2 3; do
		in_ns switch tc qdisc add dev "p$i" root weir &&
			in_ns switch trim-policy set "p$i" hook=qdisc dscp=11 rule=dscp:10 full=return return-dscp=12 edge=1 || return
	done
	in_ns switch tc qdisc add dev p4 root handle 1: tbf rate 1mbit burst 4000 limit 10000000 &&
		in_ns switch tc qdisc add dev p4 parent 1:1 weir &&
		in_ns switch trim-policy set p4 hook=qdisc dscp=11 rule=dscp:10 headers=2 header-time=0 \
			full=return return-dscp=12 edge=1 || return
	receive h4 || return
	for i in 1 2 3; do
		behind "h$i" "$out/sent.$i" trim-traffic send 10.78.0.4 --count 200 --returned "$out/back.$i"
	done
	poll 60 all_have_sent && poll 60 bridged_adds_up
	local status=$?
	((status)) && { in_ns switch trim-policy get p4; cat "$out/arrived" "$out"/back.*; }
	end_all
	return "$status"
}

bridged_adds_up() {
	local stats
	stats=$(in_ns switch trim-policy get p4) || return
	gojq -e --argjson whole "$(seen arrived 10)" --argjson trimmed "$(seen arrived 11)" \
		--argjson back "$(($(seen back.1 12) + $(seen back.2 12) + $(seen back.3 12)))" '.stats |
		.whole + .trim == 600 and .whole == $whole and ."tx-trim" == $trimmed and
		.returned == $back and .returned > 0 and .trim == ."tx-trim" + .returned' <<<"$stats" >/dev/null
}

# The script counts the same as the policy.
depth_is_traced() {
	local depth=$out/depth counted status
	bpftrace_start "$depth" weir-trim-depth.bt w4 && slow w4 1mbit && fresh headers=2 header-time=0 &&
		receive w4 && incast 3 --count 100 && settled
	status=$?
	bpftrace_end || status=1
	counted=$(sed -n '/^@waiting_packets\[w4\]:/,/^$/s/ |.*//p' "$depth" | awk '{ n += $NF } END { print n + 0 }')
	((status == 0)) && holds w4 ".stats.trim > 0 and .stats.trim == $counted" &&
		grep -qE '^@cut_bytes\[w4\]:' "$depth" && grep -qE '^@dropped\[w4\]: [1-9]' "$depth"
	status=$?
	((status)) && cat "$depth"
	end_all
	return "$status"
}

# Everything waits when it goes.
# A shaper takes the next header out ahead of its time. The one that it has when the link goes down was
# not sent.
link_goes_down() {
	local status
	slow w4 80bit && fresh share=strict headers=1000 header-time=0 && receive w4 && incast 3 --count 100 && holds w4 '."header-depth" > 200' &&
		faster w4 50kbit && nudge w4 && poll 60 holds w4 '.stats."tx-trim" > 5' &&
		in_router ip link set w4 down && holds w4 '.stats."dropped-trim" > 5 and .stats.trim == .stats."tx-trim" + .stats."dropped-trim"' && poll 60 sent_arrived &&
		queues dev w4 | gojq -e --argjson port "$(trim w4 '.stats | {"tx-trim", "dropped-trim"}')" '.[0] | . == . + $port' >/dev/null
	status=$?
	((status)) && { shown w4; queues dev w4; cat "$out/arrived"; }
	in_router ip link set w4 up
	end_all
	return "$status"
}
# A packet makes tbf look at its new rate; no answer comes while headers go first.
nudge() { in_router ping -c 1 -W 1 "$(worker_addr "${1#w}")" >/dev/null || true; }
sent_arrived() { holds w4 ".stats.\"tx-trim\" == $(seen arrived 11)" >/dev/null; }

device_goes() {
	slow w4 10kbit && fresh && incast 3 --count 50 && holds w4 '."data-depth" > 0' &&
		ip -n "$(ns_name w4)" link del eth0 && [[ $(policy get w4 2>&1) == *'no interface with this name'* ]]
}

# They are removed while this waits in them: what holds the module goes with them.
namespace_is_loaded() {
	slow w3 10kbit && policy set w3 "${base[@]}" meter=percpu &&
		send 1 3 --count 50 >/dev/null && send 2 3 --count 50 >/dev/null &&
		holds w3 '."data-depth" > 0'
}

ktap_header
set_up || ktap_fail "set up"
ktap_run "a policy comes, changes and goes" policy_comes_and_goes
ktap_run "what makes no sense is refused in words" sentences
ktap_run "a policy outlives a change of the MTU" mtu_changes
ktap_run "the qdisc comes and goes" qdisc_has_no_options
slow w4 1mbit || ktap_fail "slow down"
ktap_run "without a policy the qdisc is a FIFO" plain_fifo
ktap_run "that FIFO may be short" short_fifo
ktap_run "many to one: whole and trimmed add up" many_to_one
ktap_run "the data band is as deep as it may be" deepest
ktap_run "a trim is a drop of the qdisc" drops_are_trims
ktap_run "headers without room are dropped and counted" few_headers
ktap_run "the tail is trimmed" tail_victim
ktap_run "a coin is tossed" coin_victim
ktap_run "headers go first" strict
ktap_run "bytes are shared" by_bytes
ktap_run "the head may wait for so long" by_time
ktap_run "merged datagrams are cut up" merged
ktap_run "checksums that came whole stay true" whole_checksums
ktap_run "short packets are marked" short_ones
ktap_run "the length is kept" kept_length
ktap_run "others are left alone" others
ktap_run "headers from upstream, and through an edge" from_upstream
ktap_run "marks of other boxes, and control" marks_of_others
ktap_run "IPv6" ipv6
ktap_run "headers come back through a router" comes_back_if_full
ktap_run "headers always come back" comes_back_always
ktap_run "headers come back by an edge" comes_back_by_edge
ktap_run "a policy goes under load" policy_goes_under_load
ktap_run "a policy comes under load" policy_comes_under_load
ktap_run "qdiscs come and go under load" qdisc_goes_under_load
ktap_run "drops behind meters are overflows" overflows
ktap_run "below htb" below htb 1
ktap_run "below htb, merged" below htb 20
ktap_run "below prio and tbf, merged" below prio 20
ktap_run "below mq" under_mq
ktap_run "a queue's counters are its port's" one_queue
ktap_run "counters are set to zero" counters_clear
ktap_run "rules count their packets" rule_counters
ktap_run "rules count their packets at hook tc" rule_counters_of_tc
ktap_run "traffic classes count their packets at hook tc" class_counters
ktap_run "totals stay when a port goes" totals_stay
ktap_run "a script shows the queue" depth_is_traced
ktap_run "at the root" at_the_root
slow w4 1mbit
vlan_up || ktap_fail "VLAN"
ktap_run "VLAN tags beside the frame" tagged
ktap_run "VLAN tags in the frame" tag_in_frame
ktap_run "trimmed packets have a priority" priority
bridge_up || ktap_fail "bridge"
ktap_run "headers come back through a bridge with VLANs" comes_back_bridged
ktap_run "what a shaper has when its link goes down was not sent" link_goes_down
ktap_run "a device goes with all that waits" device_goes
ktap_run "a namespace is loaded" namespace_is_loaded
star_delete
for label in switch h1 h2 h3 h4; do
	ns_delete "$label"
done
ktap_run "it goes with all that waits, and the module goes and comes" module_goes 30
ktap_end
