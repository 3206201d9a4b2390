#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Filters of devices: each condition and each action on frames that are made for them, changes while packets
# come, rules from files, and all that the tool says of them. To be run in the virtual machine: it unloads and
# loads the module.
set -u

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd) || exit 1
root=$(cd "$here/../.." && pwd) || exit 1
# shellcheck source=../lib/ktap.sh
. "$here/../lib/ktap.sh"
# shellcheck source=../lib/module.sh
. "$here/../lib/module.sh"
# shellcheck source=../lib/netns.sh
. "$here/../lib/netns.sh"
# shellcheck source=box.sh
. "$here/box.sh"
# shellcheck source=traffic.sh
. "$here/traffic.sh"

# of PRIO FIELD: of a rule on w1.
of() { box_stat ".[] | select(.prio == $1) | .$2" filter show dev w1; }
# The rules of a device: prio:action.
rules() { box_stat '[.[] | "\(.prio):\(.action)"] | join(" ")' filter show dev "$1"; }
are_rules() { [[ $(rules "$1") == "$2" ]] || { echo "the filter of $1 has: $(rules "$1")"; return 1; }; }
in_chain() { [[ $(box_stat '[.[] | "\(.prio):\(.part)"] | join(" ")' chain show dev "$1") == "$2" ]]; }
# send LINES...: frames from worker 1, as send-packets has them.
send() { printf '%s\n' "$@" | in_worker 1 "$here/send-packets" eth0 "$(in_router ip -j link show dev w1 | gojq -r '.[0].address')"; }
add() { weir filter add dev w1 "$@"; }
# refuses WORDS COMMAND...: it fails and says so, and the rules are as before.
refuses() {
	local before
	before=$(weir save)
	"${@:2}" 2>"$box_out/said" && { echo "this was taken: ${*:2}"; return 1; }
	grep -q -- "$1" "$box_out/said" || { cat "$box_out/said"; return 1; }
	[[ $(weir save) == "$before" ]]
}

set_up() { box_pings 1 2 100 && [[ -z $(weir filter show) ]]; }

# A rule about a VLAN is refused while either end of the link keeps tags beside the frames.
tags() {
	add prio 10 rule proto=1 action pass && refuses "device w1 hides VLAN tags" add rule vlan=7 action drop &&
		in_worker 1 ethtool -K eth0 txvlan off tx-vlan-stag-hw-insert off >/dev/null && refuses "device w1 hides VLAN tags" add rule vlan=7 action drop &&
		in_router ethtool -K w1 rxvlan off rx-vlan-stag-hw-parse off >/dev/null && add rule vlan=7 action drop &&
		in_worker 1 ethtool -K eth0 txvlan on >/dev/null && refuses "device w1 hides VLAN tags" weir filter replace dev w1 prio 10 rule vlan=8 action drop &&
		in_worker 1 ethtool -K eth0 txvlan off tx-vlan-stag-hw-insert off >/dev/null && weir filter flush
}

# matches RULE HITS... - MISSES...: of frames, one each, exactly the first ones are dropped.
matches() {
	local rule=$1 hits=0 line lines=()
	shift
	weir filter flush && add prio 10 rule "$rule" action drop || return
	for line; do
		if [[ $line == - ]]; then
			send "${lines[@]}" && hits=${#lines[@]} && (($(of 10 stats.dropped) == hits)) && lines=() && continue
			echo "rule $rule dropped $(of 10 stats.dropped) of $hits"
			return 1
		fi
		lines+=("$line")
	done
	send "${lines[@]}" && (($(of 10 stats.packets) == hits)) && return
	echo "rule $rule dropped $(of 10 stats.packets), and should have dropped $hits"
	return 1
}

prefixes() {
	matches src=10.1.0.0/16 src=10.1.2.3 "src=10.1.255.1 proto=tcp" "src=10.1.0.0 vlan=7" - src=10.2.0.1 src=10.0.255.255 src=fd00::1 &&
		matches dst=10.77.1.128/25 dst=10.77.1.254 dst=10.77.1.128 - dst=10.77.1.127 dst=fd00::1 &&
		matches src=fd00:1::/33 src=fd00:1::1 src=fd00:1:7fff::1 - src=fd00:1:8000::1 src=fd00:2::1 src=10.0.0.1 &&
		matches src=10.1.2.3,dst=10.9.9.9 "src=10.1.2.3 dst=10.9.9.9" - "src=10.1.2.3 dst=10.9.9.8" "src=10.1.2.4 dst=10.9.9.9"
}
fields() {
	matches proto=udp proto=udp "src=fd00::1 proto=udp" "proto=udp frag=64" - proto=tcp proto=132 &&
		matches port=53 "dport=53" "dport=53 proto=tcp" "dport=53 proto=132" "src=fd00::1 dport=53" "dport=53 frag=0" "src=fd00::1 dport=53 frag=0" - "dport=54" "sport=53" "dport=53 frag=64" "dport=53 proto=50" &&
		matches proto=udp,sport=53,port=1024 "sport=53 dport=1024" - "sport=1024 dport=53" "sport=53 dport=1024 proto=tcp" &&
		matches vlan=7 vlan=7 "vlan=7 src=fd00::1" - vlan=8 src=10.0.0.1 &&
		matches dscp=af11 dscp=10 "dscp=10 ecn=3" "src=fd00::1 dscp=10" - dscp=11 dscp=0 &&
		matches dscp=10-12 dscp=10 dscp=12 - dscp=9 dscp=13 "src=fd00::1 dscp=13"
}
flags() {
	matches tcp=+syn-ack "proto=tcp flags=2" "proto=tcp flags=3" "src=fd00::1 proto=tcp flags=2" "proto=tcp flags=2 frag=0" - "proto=tcp flags=18" "proto=tcp flags=16" "proto=udp" "proto=tcp flags=2 frag=64" &&
		matches tcp=-fin-syn-rst-psh-ack-urg-ece-cwr "proto=tcp flags=0" - "proto=tcp flags=1" "proto=tcp flags=128" proto=udp "proto=tcp flags=0 frag=64" &&
		matches frag=yes frag=0 frag=64 "src=fd00::1 frag=0" "src=fd00::1 frag=64" - src=10.0.0.1 src=fd00::1 &&
		matches frag=no,proto=udp src=10.0.0.1 src=fd00::1 - frag=0 "src=fd00::1 frag=64" &&
		matches options=yes options=1 "options=1 proto=tcp" - src=10.0.0.1 src=fd00::1 &&
		matches options=no,src=10.0.0.0/8 src=10.0.0.1 - "options=1 src=10.0.0.1" &&
		matches len=100-200 size=100 size=200 "size=150 src=fd00::1" - size=99 size=201 size=1400 &&
		matches len=777 size=777 - size=776 size=778
}

# Frames whose ports the parser does not reach have a word of their own, whatever is in them.
unparsed() {
	matches unparsed=yes ethertype=8847 ethertype=8848 ethertype=8864 tags=3 "vlan=8 tags=2" "src=fd00::1 extensions=7" - \
		src=10.0.0.1 tags=2 "src=fd00::1 extensions=6" ethertype=0806 frag=0 frag=64 "src=fd00::1 frag=64" proto=50 &&
		matches unparsed=no src=10.0.0.1 ethertype=0806 frag=0 tags=2 - ethertype=8847 tags=3 &&
		matches unparsed=yes,src=fd00::/16 "src=fd00::1 extensions=7" - "src=fd01::1 extensions=7" ethertype=8847
}
# drops COUNT LINE...: so many of the frames are dropped by rule 20.
drops() {
	local before
	before=$(of 20 stats.dropped) && send "${@:2}" && (($(of 20 stats.dropped) == before + $1)) && return
	echo "of ${*:2} $(($(of 20 stats.dropped) - before)) were dropped, and not $1"
	return 1
}
# A rule that drops by ports has them, too, unless another rule decides; one without ports has not.
unparsed_default() {
	weir filter flush && add prio 20 rule port=53 action drop && drops 1 dport=53 dport=54 &&
		drops 4 ethertype=8847 tags=3 "src=fd00::1 extensions=7" "dport=53 frag=0" "dport=54 frag=0" "dport=53 frag=64" ethertype=0806 &&
		add prio 10 rule unparsed=yes,src=fd00::/16 action pass && drops 1 ethertype=8847 "src=fd00::1 extensions=7" &&
		add prio 30 rule any action mark 3 && drops 1 ethertype=8847 && weir filter replace dev w1 prio 30 rule any action pass && drops 0 ethertype=8847 &&
		weir filter del dev w1 prio 30 && weir filter replace dev w1 prio 20 rule tcp=+syn action drop && drops 1 ethertype=8864 &&
		weir filter replace dev w1 prio 20 rule src=10.1.0.0/16 action drop && drops 0 ethertype=8847 tags=3 &&
		weir filter replace dev w1 prio 20 rule port=53 action police 1gbit && drops 0 ethertype=8847
}

# Of several rules the first one counts, wherever it was put; what passes goes no further.
order() {
	weir filter flush && add prio 20 rule src=10.1.0.0/16 action drop && add prio 10 rule src=10.1.2.0/24 action pass &&
		add prio 5 rule src=10.1.2.3 action drop && add rule any action pass && are_rules w1 "5:drop 10:pass 20:drop 30:pass" || return
	send src=10.1.2.3 src=10.1.2.4 "src=10.1.2.5 count=3" src=10.1.3.1 "src=10.2.0.1 count=2" || return
	[[ $(box_stat '[.[].stats.packets] | join(" ")' filter show dev w1) =~ ^1\ 4\ 1\ ([0-9]+)$ ]] && ((BASH_REMATCH[1] >= 2))
}

# Several matches of one rule are one rule; a frame that two of them have counts once.
several() {
	weir filter flush && add rule src=10.1.0.0/16 rule src=10.1.2.0/24 rule proto=tcp,port=80 action drop && (($(of 10 matches) == 3)) &&
		send src=10.1.2.3 "src=10.2.0.1 proto=tcp dport=80" src=10.1.9.9 src=10.2.0.1 && (($(of 10 stats.dropped) == 3 && $(of 10 '"stats"."dropped-bytes"') == 300))
}

# Traffic that no rule names is not touched: sums, pings, other devices.
bystanders() {
	weir filter flush && add rule src=10.1.0.0/16 action drop && in_chain w1 "50:filter" && box_pings 1 2 300 && box_pings 2 1 300 &&
		(($(of 10 stats.packets) == 0)) && weir port attach dev w1 mode xdp && in_chain w1 "50:filter 100:sum" && box_pings 1 2 100 &&
		weir port detach dev w1 && in_chain w1 "50:filter" && weir filter flush dev w1 && in_chain w1 ""
}

generic() {
	weir filter flush && weir filter add dev w3 rule proto=1 action drop mode generic && in_ns router ip -d link show w3 | grep -q xdpgeneric &&
		! in_worker 3 ping -c 1 -W 1 "$(worker_addr 2)" >"$box_out/ping" && weir filter del dev w3 prio 10 && in_chain w3 "" && box_pings 3 2 20
}

# Each frame of a jumbo MTU comes in fragments of memory.
large() {
	weir filter flush && add rule len=5000-9014 action drop && in_worker 1 trim-traffic send "$(worker_addr 2)" --size 8000 --count 20 >"$box_out/sent" &&
		(($(of 10 stats.dropped) == 20 && $(of 10 '"stats"."dropped-bytes"') == 20 * 8042))
}

has_got() { (($(seen arrived "$1") == $2)); }
marked() {
	receive w2 && add prio 10 rule port=5000 action mark 44 && add prio 20 rule dscp=44 action mark cs6 && add prio 30 rule dscp=44 action drop || return
	in_worker 1 trim-traffic send "$(worker_addr 2)" --count 50 --dscp 3 >"$box_out/sent" && poll 60 has_got 48 50 && (($(of 10 stats.packets) == 50 && $(of 20 stats.packets) == 50 && $(of 30 stats.packets) == 0))
}
marks() {
	weir filter flush || return
	marked
	set -- $?
	end_all
	return "$1"
}

# A bucket that lasts for the test: at a byte a second 65 frames of 1000 bytes are in it, and no more come.
polices() {
	local dropped
	weir filter flush && add rule proto=udp action police 8bit burst 64k && send "count=60 size=1000" "src=10.1.1.1 count=60 size=1000" &&
		(($(of 10 stats.packets) == 120 && $(of 10 stats.dropped) == 55 && $(of 10 '"stats"."dropped-bytes"') == 55000)) || return
	SECONDS=0
	weir filter replace dev w1 prio 10 rule proto=udp action police 1pps burst 25 && send "count=90" && dropped=$(($(of 10 stats.dropped) - 55)) || return
	((dropped <= 65 && dropped >= 64 - SECONDS)) || { echo "$dropped of 90 were dropped in $SECONDS s"; return 1; }
}

each_source() {
	weir filter flush && add rule proto=udp action police 8bit burst 64k each && send "src=10.1.0.0 sources=5 count=500 size=1000" || return
	(($(of 10 stats.packets) == 500 && $(of 10 stats.dropped) == 175 && $(of 10 stats.crowded) == 0)) && poll 60 knows 5 || return
	# Of IPv6 the first 64 bits are the source.
	weir filter replace dev w1 prio 10 rule proto=udp action police 8bit burst 64k each && send "src=fd00:0:0:5::1 sources=50 count=100 size=1000" && (($(of 10 stats.dropped) == 175 + 35))
}
knows() { (($(of 10 known) == $1)); }

# Forged addresses fill the table; all that find no room have one rate together, and known sources theirs.
full_table() {
	weir filter flush && add rule proto=udp action police 8bit burst 64k each sources 8 && send "src=10.1.0.0 sources=4 count=4" "src=10.2.0.0 sources=1000 count=1000" || return
	(($(of 10 stats.crowded) == 996 && $(of 10 stats.dropped) == 341)) || { weir filter show; return 1; }
	send "src=10.1.0.0 sources=4 count=16" && (($(of 10 stats.crowded) == 996 && $(of 10 stats.dropped) == 341)) && weir doctor | grep -q "filter w1.*found no room"
}

# It is blocked, and heard of, and its time ends; others are not touched.
is_blocked() { [[ $(box_stat 'map(select(.state == "blocked").address) | join(" ")' filter sources dev w1 prio 1) == "$1" ]]; }
is_guarded() {
	weir filter guard dev w1 rule proto=udp rate 8bit burst 64k each for 4000s && are_rules w1 "1:guard" && send "src=10.1.0.0 sources=2 count=100 size=1000" && (($(of 1 stats.dropped) == 0)) || return
	send "src=10.1.0.1 count=50 size=1000" "src=10.1.0.0 count=10" && (($(of 1 stats.dropped) == 35 && $(of 1 stats.blocks) == 1)) && is_blocked 10.1.0.1 && poll 60 is_told_of blocked 10.1.0.1 && poll 60 blocks 1 || return
	# Of many at once only some are named.
	weir filter replace dev w1 prio 1 rule proto=udp action guard 1pps burst 1 each sources 2048 for 1ms && send "src=10.2.0.0 sources=300 count=900" && poll 60 is_told_of free "10.2.0.[0-9]*" && poll 60 blocks 0
}
is_told_of() { grep -q " filter-source filter w1 prio 1 source $2 state $1" "$box_out/events"; }
blocks() { (($(of 1 blocked) == $1)); }
guards() {
	weir filter flush && monitored is_guarded
}

# A source is an address of one VLAN; of neighbours on the link each is one; and no guard blocks what the link
# needs: ARP, neighbour discovery, STP and LACP.
is_blocked_as() { [[ $(box_stat 'map(select(.state == "blocked") | "\(.address) \(.vlan // 0)") | join(" ")' filter sources dev w1 prio 1) == "$1" ]]; }
guards_apart() {
	weir filter flush && weir filter guard dev w1 rate 8bit burst 64k each for 4000s || return
	send "vlan=10 src=10.1.0.1 count=80 size=1000" "vlan=20 src=10.1.0.1 count=10 size=1000" && (($(of 1 stats.dropped) == 15)) && is_blocked_as "10.1.0.1 10" || return
	weir filter flush && weir filter guard dev w1 rate 8bit burst 64k each for 4000s &&
		send "src=fe80::1 count=80 size=1000" "src=fe80::2 count=10 size=1000" && (($(of 1 stats.dropped) == 15)) && is_blocked_as "fe80::1 0" || return
	weir filter flush && weir filter guard dev w1 rate 8bit burst 64k each for 4000s &&
		send "ethertype=8847 count=80 size=1000" "ethertype=8847 from=02:00:00:00:00:0a count=10 size=1000" && (($(of 1 stats.dropped) == 15)) && is_blocked_as "02:00:00:00:00:09 0" || return
	send "ethertype=0806 count=80 size=1000" "ethertype=888e count=80 size=1000" "ethertype=0026 to=01:80:c2:00:00:00 count=80 size=1000" "ethertype=8809 to=01:80:c2:00:00:02 count=80 size=1000" \
		"proto=2 src=10.1.0.1 count=80 size=1000" && (($(of 1 stats.dropped) == 15)) && box_pings 1 2 20
}
# Neighbour solicitations of a source that is blocked.
guards_discovery() {
	weir filter flush && weir filter guard dev w1 rule src=fd77:1::1 rule src=fe80::/10 rate 8bit burst 64k each for 4000s &&
		send "src=fd77:1::1 count=80 size=1000" && (($(of 1 stats.dropped) == 15)) && ip -n "$(ns_name router)" neigh flush dev w1 &&
		{ in_router ping -6 -c 1 -W 1 "$(worker_addr6 1)" >"$box_out/ping" || true; } &&
		poll 60 eval '[[ $(ip -n "$(ns_name router)" -6 neigh show dev w1 "$(worker_addr6 1)") == *lladdr* ]]'
}

has_heard() { (($(wc -l <"$box_out/samples") >= $1)); }
# group, rate, device, length and bytes of what was heard, how many of each; then those whose Ethernet and IP
# headers are not those of the packet: the destination is 16 bytes into the latter.
heard() { sed 1d "$box_out/samples" | cut -d ' ' -f 1-5 | sort | uniq -c | tr -s ' ' | sort; }
heard_others() { sed 1d "$box_out/samples" | cut -d ' ' -f 6 | grep -v '^.\{24\}080045.\{30\}0a4d0101'; }
hears_all() {
	local index
	poll 60 grep -q listens "$box_out/samples" && add prio 10 rule dst=10.77.1.1 action sample 1 group 7 && add prio 20 rule dst=10.77.1.1 action drop &&
		send "dst=10.77.1.1 size=1000 count=20" "dst=10.77.1.1 size=60" && poll 60 has_heard 22 || return
	index=$(in_router ip -j link show dev w1 | gojq ".[0].ifindex") && [[ $(heard) == " 1 7 1 $index 60 60
 20 7 1 $index 1000 128" && -z $(heard_others) ]] && (($(of 10 stats.sampled) == 21 && $(of 10 stats.dropped) == 0 && $(of 20 stats.dropped) == 21))
}
# One in ten of 2000: at random, 200 within far more than six times the deviation of such a sum.
hears_some() {
	local some
	weir filter replace dev w1 prio 10 rule dst=10.77.1.1 action sample 10 group 4294967295 && send "dst=10.77.1.1 count=2000" || return
	some=$(($(of 10 stats.sampled) - 21))
	poll 60 has_heard $((22 + some)) && ((some > 100 && some < 300 && some == $(grep -c '^4294967295 10 ' "$box_out/samples"))) || return
	weir filter add dev w1 prio 30 rule any action sample 5 && [[ $(of 30 group) == 1 ]] && weir filter show dev w1 prio 10 | grep -q "action sample 10 group 4294967295"
}
samples() {
	weir filter flush || return
	behind router "$box_out/samples" sample-listen
	hears_all && hears_some
	set -- $?
	(($1 == 0)) || cut -c 1-200 "$box_out/samples"
	end_all
	return "$1"
}

refusals() {
	weir filter flush && add prio 10 rule proto=tcp action drop || return
	refuses "has a rule with prio 10 already" add prio 10 rule any action drop && refuses "no rule of a filter has prio 11" weir filter del dev w1 prio 11 &&
		refuses "no rule of a filter has prio 11" weir filter replace dev w1 prio 11 rule any action pass && refuses "has no filter" weir filter flush dev w2 &&
		refuses "say which packets" add action drop && refuses "lacks the key action" add rule any && refuses "there is no action .bounce" add rule any action bounce &&
		refuses "lacks its rate" add rule any action police && refuses "lacks its rate" add rule any action police each && refuses "has the unknown unit" add rule any action police 20foo &&
		refuses "sources takes a number" add rule any action police 20mbit each sources && refuses "takes a DSCP" add rule any action mark 64 && refuses "sample takes a number" add rule any action sample &&
		refuses "one packet in 1073741824" add rule any action sample 1073741825 && refuses "group takes a number" add rule any action sample 5 group one && refuses "does not know the word" add rule any action drop each &&
		refuses "does not understand" add rule from=w2 action drop && refuses "tcp has flags" add rule tcp=syn action drop && refuses "tcp has flags" add rule tcp=+syn-syn action drop &&
		refuses "a length is" add rule len=200-100 action drop && refuses "yes or no" add rule frag=maybe action drop && refuses "burst below 65535" add rule any action police 20mbit burst 1k &&
		refuses "cannot open" add set /none action drop && refuses "no such\|there is no device\|cannot find" weir filter add dev none rule any action drop
}

# A set of prefixes, with conditions in common, and lines that are rules themselves.
sets() {
	printf '%s\n' '# a feed' 10.1.0.0/16 '10.2.3.4  # one' '' fd00:9::/32 >"$box_out/bad" && weir filter flush && add rule proto=udp set "$box_out/bad" action drop &&
		(($(of 10 matches) == 3)) && [[ $(of 10 set) == "$box_out/bad" && $(of 10 'rule[0].proto') == 17 ]] || return
	send src=10.1.2.3 src=10.2.3.4 src=fd00:9::1 "src=10.1.2.3 proto=tcp" src=10.2.3.5 && (($(of 10 stats.dropped) == 3)) || return
	printf '%s\n' src=10.3.0.0/16,port=80 dst=10.9.9.9 >"$box_out/bad" && weir filter replace dev w1 prio 10 set "$box_out/bad" action drop &&
		send "src=10.3.1.1 dport=80" "dst=10.9.9.9 proto=tcp" src=10.1.2.3 "src=10.3.1.1 dport=81" && (($(of 10 stats.dropped) == 5)) || return
	echo nonsense >>"$box_out/bad" && refuses "bad line 3: 'nonsense' is not understood" weir filter replace dev w1 prio 10 set "$box_out/bad" action drop &&
		echo 10.1.2.3/16 >"$box_out/bad" && refuses "bits behind its prefix" add set "$box_out/bad" action drop && : >"$box_out/bad" && refuses "has no prefixes" add set "$box_out/bad" action drop
}

# 5,000 prefixes of one rule, and 5,000 rules, all at once.
many() {
	local i
	for ((i = 0; i < 5000; i++)); do
		echo "10.$((100 + i / 256)).$((i % 256)).0/$((24 + i % 9))"
	done >"$box_out/many"
	weir filter flush && add prio 1 set "$box_out/many" action drop && (($(of 1 matches) == 5000)) || return
	sed 's/^10/rule src=11/; s/$/ action drop/' "$box_out/many" >"$box_out/rules" && weir filter load dev w1 file "$box_out/rules" || return
	(($(box_stat length filter show dev w1) == 5001)) && [[ $(box_stat 'map(select(.pending)) | length' filter show dev w1) == 0 ]] || return
	send src=10.100.0.1 src=10.119.135.0 src=11.119.134.0 src=12.100.0.1 && (($(of 1 stats.dropped) == 2)) &&
		[[ $(box_stat 'map(select(.stats.dropped > 0).prio) | join(" ")' filter show dev w1) == "1 49990" ]]
}

# A file of which a line is no good adds nothing, not even for a moment.
loads_all_or_none() {
	weir filter flush && add prio 7 rule proto=tcp action drop && printf 'prio 5 rule any action drop\nprio 6 rule any action pass\nprio 7 rule any action pass\n' >"$box_out/rules" || return
	refuses "rules line 3: filter add dev w1: prio 7: the filter has a rule with prio 7 already" weir filter load dev w1 file "$box_out/rules" && box_pings 1 2 100 || return
	weir filter flush && printf 'prio 5 rule any action drop\nprio 6 rule nonsense action pass\n' >"$box_out/rules" && refuses "rules line 2: rule does not understand" weir filter load dev w1 file "$box_out/rules" &&
		in_chain w1 "" && box_pings 1 2 100 || return
	printf '# all that is no ping\nrule proto=1 action pass\nrule vlan=7 action drop\n' | weir filter load dev w1 file - && are_rules w1 "10:pass 20:drop" && box_pings 1 2 100
}

comes_and_goes() {
	add prio 3 rule src=10.1.0.0/16 action drop && weir filter replace dev w1 prio 3 rule src=10.2.0.0/16 action police 1mbit each &&
		add prio 2 rule proto=132 action mark 1 && weir filter del dev w1 prio 2 && weir filter del dev w1 prio 3
}
under_load() {
	local pid i
	weir filter flush && add prio 1 rule proto=1 action pass && add prio 100 rule proto=1 action drop || return
	box_pings 1 2 3000 & pid=$!
	for ((i = 0; i < 10; i++)); do
		comes_and_goes || break
	done
	((i == 10)) && wait "$pid" && (($(of 100 stats.packets) == 0)) && return
	cat "$box_out/ping"
	return 1
}

kept() {
	echo 10.1.0.0/16 >"$box_out/bad"
	weir filter flush && add prio 10 rule src=10.1.0.0/16,tcp=+syn-ack,len=60-100 rule frag=yes action police 20mbit burst 128k each && add prio 20 rule proto=udp set "$box_out/bad" action drop &&
		add prio 30 rule any action mark cs1 && add prio 40 rule proto=tcp action sample 100 group 9 && weir save >"$box_out/kept" && cat "$box_out/kept" && weir flush all && [[ $(weir save) == *"end of 0 commands" ]] && in_chain w1 "" || return
	weir restore "$box_out/kept" && are_rules w1 "10:police 20:drop 30:mark 40:sample" && [[ $(weir save) == "$(<"$box_out/kept")" && -z $(weir restore --diff "$box_out/kept") ]] && in_chain w1 "50:filter" || return
	[[ $(box_stat 'map(select(.pending)) | length' filter show dev w1) == 0 ]] && send "src=10.1.0.1" && (($(of 20 stats.dropped) == 1)) || return
	sed 's/mark 8/mark 9/; /prio 20/d; /^#/d' "$box_out/kept" >"$box_out/other" && [[ $(weir restore --diff "$box_out/other") == "weir filter del dev w1 prio 20
weir filter replace dev w1 prio 30 rule any action mark 9" ]] && weir restore "$box_out/other" && are_rules w1 "10:police 30:mark 40:sample" || return
	refuses "says its prio" weir restore - <<<"filter add dev w1 rule any action pass"
}

upgraded() {
	command weir upgrade "$root/build/kmod-$(uname -r)/weir_xdp.ko" && are_rules w1 "10:police 30:mark 40:sample" && in_chain w1 "50:filter" && box_pings 1 2 100 && (($(of 30 stats.packets) >= 100))
}

hears() {
	add prio 99 rule any action drop && weir filter del dev w1 prio 99 && poll 2 grep -q ' filter-del filter w1 prio 99 rule any action drop' "$box_out/events"
}
watched() {
	monitored poll 60 hears && weir doctor | grep -q "ok *filter w1.*hands packets to its rules" && weir metrics >"$box_out/metrics" && grep -q '^weir_filter_packets_total{port="w1",prio="30",action="mark"} [1-9]' "$box_out/metrics"
}

# A chain that nobody may flush, and a program that somebody took off.
cut_off() {
	weir chain flush && in_chain w1 "50:filter" && in_router ip link set dev w1 xdp off && weir doctor | grep -q "fail *chain w1.*none of its programs is run" &&
		weir doctor | grep -q "weir filter replace dev w1" && weir filter replace dev w1 prio 30 rule any action mark 9 && weir doctor | grep -q "ok *chain w1.*are run by"
}

device_goes() {
	weir filter add dev w4 rule any action police 1mbit each && ip -n "$(ns_name w4)" link del eth0 && [[ $(box_stat 'map(select(.dev == "w4")) | length' filter show) == 0 ]]
}

no_program_left() { ! bpftool prog show | grep -q 'weir_'; }

ktap_header
star_create 4 9000
ktap_run "set up" set_up
ktap_run "a VLAN whose tags are hidden is refused" tags
ktap_run "prefixes" prefixes
ktap_run "ports, protocols, VLANs and DSCPs" fields
ktap_run "TCP's flags, fragments, options and lengths" flags
ktap_run "frames whose ports are not found" unparsed
ktap_run "a rule that drops by ports has them, too" unparsed_default
ktap_run "rules come by their prio" order
ktap_run "several matches of a rule" several
ktap_run "bystanders pass, and the filter joins and leaves the chain" bystanders
ktap_run "on socket buffers" generic
ktap_run "frames with fragments" large
ktap_run "packets are marked, and go on" marks
ktap_run "packets are policed" polices
ktap_run "listeners of psample are told of some packets" samples
ktap_run "each source is policed" each_source
ktap_run "a table that forged addresses fill" full_table
ktap_run "sources above a rate are blocked, and told of" guards
ktap_run "a guard tells VLANs and neighbours apart, and leaves the link's own protocols" guards_apart
ktap_run "a guard leaves neighbour discovery to a blocked source" guards_discovery
ktap_run "what cannot be is refused, and changes nothing" refusals
ktap_run "sets of prefixes" sets
ktap_run "thousands of rules" many
ktap_run "rules are loaded all or none" loads_all_or_none
ktap_run "rules come, change and go under load" under_load
ktap_run "a filter is saved and restored" kept
ktap_run "another module under a filter" upgraded
ktap_run "monitor, doctor and metrics know it" watched
ktap_run "somebody takes the chain off the device" cut_off
ktap_run "a device goes, and its filter with it" device_goes
star_delete
ktap_run "no program is left when the namespace is gone" poll 60 no_program_left
ktap_run "the module goes and comes" module_goes 20
ktap_end
