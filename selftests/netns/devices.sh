#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Trimming on devices that are not like the others: with several transmit queues, below
# a shaper, and with readers that are slow, or not there.
# To be run in the virtual machine: it loads a driver of its own.
set -u

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd) || exit 1
root=$(cd "$here/../.." && pwd) || exit 1
# shellcheck source=../lib/ktap.sh
. "$here/../lib/ktap.sh"
# shellcheck source=../lib/module.sh
. "$here/../lib/module.sh"
# shellcheck source=../lib/netns.sh
. "$here/../lib/netns.sh"
# shellcheck source=traffic.sh
. "$here/traffic.sh"

slow_port=${WEIR_MODULE%/*}
slow_port=$root/build/slow-port-${slow_port##*/kmod-}/slow_port.ko
# The counters of the test's own driver.
slow=/sys/module/slow_port/parameters

pins=/sys/fs/bpf/devices_$$
at_exit rm -rf "$pins"

# of DEV FILTER: what the policy's JSON says.
of() { shown "$1" | gojq -r "$2"; }

# one TEST [ARGUMENT...]: and an end to what it has started.
one() {
	local status
	"$@"
	status=$?
	end_all
	rm -f "$out"/*
	return "$status"
}

# A port of the router with four queues, each of which sends a frame a jiffy.
slow_up() {
	[[ -e $slow_port ]] || { echo "there is no $slow_port"; return 4; }
	insmod "$slow_port" queues=4 && ip link set slow0 netns "$(ns_name router)" && ns_ip router <<-END
			addr add 10.99.0.254/24 dev slow0
			link set slow0 up
			neigh add 10.99.0.2 lladdr 02:00:00:00:00:02 dev slow0 nud permanent
		END
}

slow_down() { [[ ! -e $slow ]] || rmmod slow_port; }

slow_sent() {
	local counts
	IFS=, read -r -a counts <"$slow/sent"
	echo "${counts[$1]}"
}

slow_is_empty() { [[ $(of slow0 '."data-depth" + ."header-depth"') == 0 ]]; }

# on_slow TEST: where there is the port.
on_slow() {
	[[ -e $slow ]] || { echo "there is no slow port"; return 4; }
	"$@"
}

# fresh WORD...: a new policy of the slow port, nothing counted yet.
fresh() {
	policy del slow0 >/dev/null
	policy set slow0 hook=qdisc dscp=11 rule=dscp:10 header-time=0 "$@"
}

# flood_slow: more than it can send; all of it is sent, or trimmed and sent, under the lock
# of the queue, and no queue is forgotten.
flood_slow() {
	from_workers 3 10.99.0.2 --count 300 --merge 30 && poll 60 slow_is_empty &&
		[[ $(<"$slow/unlocked") == 0 && $(<"$slow/unasked") == 0 ]] &&
		(($(of slow0 .stats.trim) > 100)) &&
		[[ $(of slow0 '.stats | .trim == ."tx-trim" and .failed == 0') == true ]] && return
	echo "unlocked $(<"$slow/unlocked") unasked $(<"$slow/unasked") sent $(<"$slow/sent")"
	shown slow0
	in_router tc -s qdisc show dev slow0
	return 1
}

in_mq() {
	local i
	in_router tc qdisc replace dev slow0 root handle 1: mq || return
	for i in 1 2 3 4; do
		in_router tc qdisc replace dev slow0 parent "1:$i" weir || return
	done
}

# Below mq each weir qdisc may have a child.
children_below_mq() {
	local i
	in_router tc qdisc replace dev slow0 root handle 1: mq || return
	for i in 1 2 3 4; do
		in_router tc qdisc replace dev slow0 parent "1:$i" handle "1$i:" weir &&
			in_router tc qdisc add dev slow0 parent "1$i:1" fq_codel || return
	done
	fresh && flood_slow && [[ $(in_router tc -j -s qdisc show dev slow0 | gojq 'all(.[]; .qlen == 0 and .backlog == 0)') == true ]]
}

# A packet's queue is chosen before a qdisc below mq sees the packet.
queue_below_mq() {
	in_mq && refused 'EOPNOTSUPP below mq' policy set slow0 hook=qdisc dscp=11 rule=dscp:10 queue=3 &&
		fresh && flood_slow &&
		in_router tc qdisc replace dev slow0 root weir && fresh queue=3 && in_router tc qdisc replace dev slow0 root handle 1: mq &&
		refused 'before a qdisc below mq' in_router tc qdisc add dev slow0 parent 1:2 weir
}

queue_at_the_root() {
	local before
	in_router tc qdisc replace dev slow0 root weir && fresh queue=3 || return
	before=$(slow_sent 3)
	flood_slow && (($(slow_sent 3) - before >= $(of slow0 .stats.trim)))
}

# The kernel's own mq gives weir qdiscs to a policy that was made for one at the root.
queue_comes_below_mq() {
	local default
	default=$(</proc/sys/net/core/default_qdisc)
	in_router tc qdisc replace dev slow0 root weir && fresh queue=3 && echo weir >/proc/sys/net/core/default_qdisc &&
		in_router tc qdisc replace dev slow0 root handle 2: mq
	local status=$?
	echo "$default" >/proc/sys/net/core/default_qdisc
	((status)) && return "$status"
	in_router tc qdisc show dev slow0 | grep -q 'weir .* parent 2:4' && flood_slow
}

# Of the queues one is full, and the others are not: which a packet will have XDP cannot know,
# so it is the full one's to trim.
one_queue_is_full() {
	policy del slow0 >/dev/null
	in_mq && in_router weir trim set dev slow0 hook xdp meter backlog from w1 rule dscp=af11 dscp 11 header-time 0 &&
		from_workers 1 10.99.0.2 --count 300 && poll 60 slow_is_empty && late_trims_are_all
	local status=$?
	((status)) && { shown slow0; in_router weir trim queues dev slow0; }
	in_router weir trim del dev slow0
	return "$status"
}

late_trims_are_all() {
	local late
	late=$(in_router weir -j trim queues dev slow0 | gojq 'map(select(.handle).trim) | add')
	((late > 50)) && [[ $(of slow0 .stats.trim) == "$late" ]]
}

# Programs stay at the workers' devices as long as another port's policy needs them: to verify one
# takes an emulated machine many seconds.
programs_stay() {
	ns_ip router <<-END && in_router weir trim set dev other0 hook xdp from w1 from w2 from w3 \
			rule dscp=af12 dscp 11 rate 1gbit
		link add other0 type veth peer name other1
		link set other0 up
		link set other1 up
	END
}
programs_go() { in_router weir trim del dev other0 && in_router ip link del other0; }

# A frame that XDP redirects, and a device's ring has no room for, goes to its qdisc, is trimmed
# there, and tells all CPUs. The driver has moved the beginning of some frames before.
deflect() {
	local before refused
	policy del slow0 >/dev/null
	# Headers are short: its queues send many of them a jiffy.
	echo 16 >"$slow/batch" && before=$(slow_all) && refused=$(<"$slow/xdp_refused") &&
		in_router weir trim set dev slow0 hook xdp from w1 from w2 from w3 rule dscp=af11 dscp 11 limit 12 \
			header-time 0 "$@" && from_workers 3 10.99.0.2 --count 300 &&
		poll 60 deflected_all "$before" "$refused" && queues_add_up
	local status=$?
	((status)) && echo "before $before, sent $sent, device $(slow_all)" && shown slow0 && in_router weir trim queues dev slow0
	echo "# $(of slow0 '.stats | "deflected \(.deflected), at most \(."deflected-max") waited, lost \(.lost)"')"
	in_router weir trim del dev slow0
	echo 1 >"$slow/batch"
	return "$status"
}

# All that the port has ever sent, by its queues or for XDP.
slow_all() {
	local counts
	IFS=, read -r -a counts <"$slow/sent"
	echo $((counts[0] + counts[1] + counts[2] + counts[3] + $(<"$slow/xdp_sent")))
}

# Senders that are fast enough fill what there is for deflected packets: only then, and no
# other frame, is any not sent. A few frames are not the senders'.
deflected_all() {
	of slow0 '.stats' | gojq -e --argjson sent "$sent" --argjson refused "$(($(<"$slow/xdp_refused") - $2))" \
		--argjson left "$(($(slow_all) - $1))" '
		.whole + .trim == $sent and .trim == ."tx-trim" + ."dropped-trim" and .lost == 0 and .failed == 0 and
		$left >= .whole + ."tx-trim" and $left <= .whole + ."tx-trim" + 20 and
		.deflected == $refused and .deflected > 50 and
		(."deflected-max" == 250 or ."deflected-max" < 250 and ."dropped-trim" == 0)' >/dev/null
}

# Packets trimmed by programs are in queues of traffic classes, and those that waited in queues of qdiscs.
queues_add_up() {
	local queues
	queues=$(in_router weir -j trim queues dev slow0) && of slow0 '.stats' | gojq -e --argjson queues "$queues" '
		. as $all | ["trim", "tx-trim", "dropped-trim"] | all(.[]; . as $key | $all[$key] == ($queues | map(.[$key]) | add))
		and ($queues | any(.[]; ."traffic-class" == 1))' >/dev/null
}

# The meters think the port faster than it is; with meters a CPU each of them does.
deflect_shared() { in_router tc qdisc replace dev slow0 root weir && deflect rate 14mbit; }
# Here the qdiscs come with the policy, and go with it.
deflect_percpu() {
	in_router tc qdisc del dev slow0 root && deflect_to_its_own && [[ $(of_root) == "mq 0:" ]] && return
	echo "then $(of_root)"
	return 1
}
of_root() { in_router tc -j qdisc show dev slow0 | gojq -r '.[] | select(.root) | "\(.kind) \(.handle)"'; }
# All that is sent has room in one CPU's meter, which all of it may come to.
deflect_to_its_own() {
	deflect rate 12mbit meter percpu optimistic 100 half 50 pessimistic 25 t0 50ms t1 100ms headers 4000
}

# A frame that finds no room in the ring, nor in the qdisc, has overflowed once. Headers
# leave as slowly as frames here, so that they find none.
told_once() {
	local refused
	policy del slow0 >/dev/null
	in_router tc qdisc replace dev slow0 root weir && refused=$(<"$slow/xdp_refused") &&
		in_router weir trim set dev slow0 hook xdp from w1 from w2 from w3 rule dscp=af11 dscp 11 limit 12 headers 1 \
			header-time 0 rate 12mbit meter percpu optimistic 100 half 50 pessimistic 25 t0 50ms t1 100ms &&
		poll 60 queue_drops && poll 60 told_all "$refused"
	local status=$?
	((status)) && shown slow0 && in_router weir trim queues dev slow0 && echo "refused $refused, then $(<"$slow/xdp_refused")"
	in_router weir trim del dev slow0
	return "$status"
}
# Of senders that are slow nearly all finds room: they send again.
queue_drops() {
	from_workers 3 10.99.0.2 --count 300 &&
		in_router weir -j trim queues dev slow0 | gojq -e 'map(."dropped-trim") | add > 5' >/dev/null
}
told_all() { [[ $(of slow0 .stats.overflows) == $(($(<"$slow/xdp_refused") - $1)) ]]; }

# A port that has room for all; its frames leave by XDP, or by the stack.
xdp_up() {
	policy del slow0 >/dev/null
	in_router tc qdisc replace dev slow0 root weir && in_router weir trim set dev slow0 hook xdp from w1 \
		rule dscp=af11 dscp 11 limit 100000 rate 1gbit
}
by_xdp() {
	local before
	before=$(<"$slow/xdp_sent") && from_workers 1 10.99.0.2 --count 20 &&
		poll 60 eval "((\$(<$slow/xdp_sent) - before == 20))"
}
by_stack() {
	local xdp before
	xdp=$(<"$slow/xdp_sent") before=$(slow_all) && from_workers 1 10.99.0.2 --count 20 &&
		poll 60 eval "((\$(slow_all) - before >= 20))" && [[ $(<"$slow/xdp_sent") == "$xdp" ]]
}

# The device that programs redirect to is set down by hand: the stack forwards meanwhile, a
# new rate of the policy does not change that, and doctor says what is wrong.
set_down() {
	local dev
	xdp_up && by_xdp || return
	dev=$(in_router ip -j link show type weir | gojq -r '.[] | select(.link == "slow0") | .ifname') &&
		in_router ip link set dev "$dev" down && by_stack && [[ $(of slow0 .sends) == 0 ]] &&
		in_router weir trim set dev slow0 rate 2gbit && by_stack &&
		in_router weir -j doctor | gojq -e --arg fix "run \`ip link set dev $dev up\`" \
			'.checks | any(.check == "redirect" and .status == "fail" and .fix == $fix)' >/dev/null &&
		in_router ip link set dev "$dev" up && by_xdp && [[ $(of slow0 .stats.lost) == 0 ]]
	local status=$?
	((status)) && shown slow0 && in_router ip link show type weir
	in_router weir trim del dev slow0
	return "$status"
}

# By generic XDP no driver is asked: all goes to the qdisc, and is counted as what becomes of
# it there.
generic() {
	local before
	mkdir -p "$pins" && bpftool prog load build/bpf/weir_forward.bpf.o "$pins/forward" || return
	policy del slow0 >/dev/null
	in_router tc qdisc replace dev slow0 root weir &&
		policy set slow0 hook=xdp dscp=11 rule=dscp:10 rate=1250000000 limit=12 header-time=0 &&
		before=$(slow_all) && in_router ip link set w1 xdpgeneric pinned "$pins/forward" &&
		from_workers 1 10.99.0.2 --count 400 && poll 60 all_deflected "$before"
	local status=$?
	((status)) && echo "before $before, sent $sent, device $(slow_all)" && shown slow0
	in_router ip link set w1 xdpgeneric off
	rm -rf "$pins"
	policy del slow0 >/dev/null
	return "$status"
}
all_deflected() {
	of slow0 '.stats' | gojq -e --argjson sent "$sent" --argjson left "$(($(slow_all) - $1))" '
		.whole + .trim == $sent and .trim == ."tx-trim" + ."dropped-trim" and .trim > 50 and
		.lost == 0 and .failed == 0 and .deflected == $sent and ."deflected-max" > 0 and
		$left >= .whole + ."tx-trim" and $left <= .whole + ."tx-trim" + 20' >/dev/null
}

# The same, and the qdisc that the port has stays as the child of weir's.
deflect_child() {
	in_router tc qdisc replace dev slow0 root handle 30: pfifo && deflect rate 14mbit child keep &&
		in_router tc qdisc show dev slow0 | grep -q '^qdisc pfifo 30: root'
}

# Above the qdisc clsact has the packet, which may still choose. The queue that is chosen
# drops none for having waited.
queue_at_tc() {
	local before
	in_router tc qdisc replace dev slow0 root handle 1: mq && in_router tc qdisc add dev slow0 parent 1:3 pfifo || return
	policy del slow0 >/dev/null
	in_router weir trim set dev slow0 hook tc rule dscp=af11 dscp 11 rate 100kbit header-time 0 queue 2 || return
	before=$(slow_sent 2)
	from_workers 3 10.99.0.2 --count 60 || return
	poll 60 tc_trims_left "$before" && [[ $(<"$slow/unlocked") == 0 ]] && in_router weir trim del dev slow0 && return
	echo "before $before, sent $(<"$slow/sent"), unlocked $(<"$slow/unlocked")"
	shown slow0
	return 1
}

# mqprio's classes have queues; the device's two last ones are the second class's.
queue_of_class() {
	local before others
	in_router tc qdisc replace dev slow0 root handle 2: mqprio num_tc 2 map 0 1 queues 2@0 2@2 hw 0 || return
	policy del slow0 >/dev/null
	in_router weir trim set dev slow0 hook tc rule dscp=af11 tc 1 rate 100kbit header-time 0 queue dynamic &&
		[[ $(of slow0 .queue) == dynamic ]] || return
	before=$(($(slow_sent 2) + $(slow_sent 3))) others=$(($(slow_sent 0) + $(slow_sent 1)))
	from_workers 3 10.99.0.2 --count 60 && poll 60 class_trims_left "$before" "$others" && in_router weir trim del dev slow0 && return
	echo "before $before, $others, sent $(<"$slow/sent")"
	in_router tc -s qdisc show dev slow0
	shown slow0
	return 1
}

# The class is that of the DSCP of trimmed packets; headers of others have that of theirs.
queue_of_dscp() {
	local before
	# One mqprio that replaces another takes the classes away as it goes.
	in_router tc qdisc replace dev slow0 root pfifo
	in_router tc qdisc replace dev slow0 root handle 3: mqprio num_tc 2 map 0 1 queues 2@0 2@2 hw 0 || return
	policy del slow0 >/dev/null
	in_router weir trim set dev slow0 hook tc rule dscp=af11 dscp 11 trimmed-dscp 13 dscp-tc 11:1,13:1 rate 100kbit header-time 0 queue dynamic &&
		[[ $(of slow0 '."dscp-tc"[11, 12, 13]' | paste -sd ' ') == '1 -1 1' ]] || return
	before=$(($(slow_sent 2) + $(slow_sent 3)))
	from_workers 3 10.99.0.2 --count 60 && poll 60 class_got "$before" 50 &&
		before=$(($(slow_sent 2) + $(slow_sent 3))) && from_workers 1 10.99.0.2 --count 30 --dscp 13 --size 60 &&
		poll 60 class_got "$before" 15 && in_router weir trim del dev slow0 && return
	echo "before $before, sent $(<"$slow/sent")"
	shown slow0
	return 1
}
class_got() { (($(slow_sent 2) + $(slow_sent 3) - $1 > $2)); }

# A device without classes has a queue for each, also for the qdisc at its root.
queue_of_class_at_root() {
	local before
	in_router tc qdisc replace dev slow0 root handle 1: tbf rate 1mbit burst 4000 limit 10000000 &&
		in_router tc qdisc add dev slow0 parent 1:1 handle 10: weir || return
	policy del slow0 >/dev/null
	in_router weir trim set dev slow0 hook qdisc rule dscp=af11 dscp 11 dscp-tc 11:3 queue dynamic headers 1000 header-time 0 || return
	before=$(slow_sent 3)
	from_workers 3 10.99.0.2 --count 60 && poll 60 trims_left_by 3 "$before" && in_router weir trim del dev slow0 && return
	echo "before $before, sent $(<"$slow/sent")"
	shown slow0
	return 1
}
trims_left_by() { (($(of slow0 '.stats.trim') > 50 && $(slow_sent "$1") - $2 >= $(of slow0 '.stats.trim'))); }

# Whole packets have the first class's, and nothing else goes there.
class_trims_left() {
	(($(slow_sent 2) + $(slow_sent 3) - $1 > 50 &&
		$(slow_sent 0) + $(slow_sent 1) - $2 <= $(of slow0 '.stats | .whole + .other')))
}

tc_trims_left() {
	local trims
	trims=$(of slow0 '.stats."tx-trim"')
	((trims > 50 && $(slow_sent 2) - $1 >= trims))
}

# Packets that tc has cut are short to the qdisc below, which has room for so many bytes: as long
# as they were it would have room for twenty-seven.
shaper_below_tc() {
	in_router tc qdisc add dev w4 root handle 1: tbf rate 1200kbit burst 4000 limit 40000 &&
		in_router weir trim set dev w4 hook tc rule dscp=af11 dscp 11 rate 1mbit limit 12 header-time 0 &&
		receive w4 && from_workers 3 "$(worker_addr 4)" --count 40 && poll 60 tc_adds_up
	local status=$?
	((status)) && { echo "sent $sent arrived $(<"$out/arrived")"; shown w4; in_router tc -s qdisc show dev w4; }
	in_router weir trim del dev w4
	in_router tc qdisc del dev w4 root
	return "$status"
}

tc_adds_up() {
	(($(seen arrived 10) + $(seen arrived 11) == sent)) && (($(of w4 .stats.trim) > 60)) &&
		in_router tc -j -s qdisc show dev w4 | gojq -e '.[0].drops == 0' >/dev/null
}

# A size table adds the same to a packet and to the header that is left of it: the shaper above
# is told of the same bytes as were queued.
size_table() {
	in_router tc qdisc add dev w4 root handle 1: stab overhead 100 linklayer ethernet tbf rate 1mbit burst 5000 limit 10000000 &&
		in_router tc qdisc add dev w4 parent 1:1 weir && policy set w4 hook=qdisc dscp=11 rule=dscp:10 header-time=0 &&
		receive w4 && from_workers 3 "$(worker_addr 4)" --count 100 && poll 60 sized
	local status=$?
	((status)) && { echo "sent $sent arrived $(<"$out/arrived")"; shown w4; in_router tc -s qdisc show dev w4; }
	policy del w4
	in_router tc qdisc del dev w4 root
	return "$status"
}

# A whole frame is 1442 bytes, a trimmed one 128; others are few and short.
sized() {
	local whole trimmed bytes
	whole=$(seen arrived 10) trimmed=$(seen arrived 11)
	((trimmed > 100 && whole + trimmed == sent)) || return
	bytes=$(in_router tc -j -s qdisc show dev w4 | gojq '.[] | select(.kind == "tbf") | .bytes')
	((bytes >= whole * 1542 + trimmed * 228 && bytes < whole * 1542 + trimmed * 228 + 2000))
}

# with_guest TEST: there is a guest whose device is to cut up what it sends.
with_guest() {
	local status
	modprobe tun
	[[ -e /dev/net/tun ]] || { echo "the kernel has no taps"; return 4; }
	in_router ip tuntap add dev tap9 mode tap vnet_hdr && ns_ip router <<-END && "$1"
		link set tap9 address 02:00:00:00:00:fe up
		addr add 10.66.0.254/24 dev tap9
		neigh add 10.66.0.1 lladdr 02:00:00:00:00:66 dev tap9 nud permanent
	END
	status=$?
	in_router ip link del tap9
	return "$status"
}

# guest_sends KIND FILTER: forty times three pieces to worker 4; the filter is of the policy's
# counters, and of the packets that arrive.
guest_sends() {
	receive w4 && in_router "$here/send-offload" tap9 02:00:00:00:00:fe 10.66.0.1 "$(worker_addr 4)" "$1" --dscp 10 --count 40 &&
		poll 60 w4_is "$2" && end_all && return
	echo "$1: arrived $(<"$out/arrived")"
	shown w4
	return 1
}
w4_is() {
	shown w4 | gojq -e --argjson whole "$(seen arrived 10)" --argjson trimmed "$(seen arrived 11)" ".stats | $1" >/dev/null
}

# A packet that stands for three datagrams is cut up and trimmed. One datagram that only looks
# like it goes in four fragments, which are left alone, or have no room.
offloads() {
	in_router tc qdisc add dev w4 root handle 1: tbf rate 1mbit burst 5000 limit 10000000 &&
		in_router tc qdisc add dev w4 parent 1:1 weir && policy set w4 hook=qdisc dscp=11 rule=dscp:10 header-time=0 &&
		guest_sends merged '.trim > 60 and .other < 20 and $whole + $trimmed == 120' &&
		policy del w4 && policy set w4 hook=qdisc dscp=11 rule=dscp:10 header-time=0 other-limit=12 &&
		guest_sends fragments '.trim == 0 and .failed == 0 and .whole == 0 and .other >= 130 and ."other-dropped" > 60 and
			$whole > 0 and $trimmed == 0'
	local status=$?
	policy del w4
	in_router tc qdisc del dev w4 root
	return "$status"
}

# At tc either goes on as it is, however little room there is.
offloads_at_tc() {
	in_router weir trim set dev w4 hook tc rule dscp=af11 dscp 11 rate 1mbit limit 1 &&
		guest_sends merged '.merged == 40 and .trim == 0 and $whole == 120' &&
		guest_sends fragments '.merged == 80 and .trim == 0 and $whole == 40'
	local status=$?
	in_router weir trim del dev w4
	return "$status"
}
# A frame takes more of the link than its own bytes. A meter that knows of it lets no more
# through than the shaper below sends, which has room for little more than the meter; behind a
# meter that does not the shaper drops.
# on_the_wire OVERHEAD LEAST MOST: packets that the shaper may drop. It holds a third of a second of
# what such a meter lets through too much.
on_the_wire() {
	local drops
	in_router tc qdisc add dev w4 root handle 1: stab overhead 100 linklayer ethernet tbf rate 400kbit burst 3000 limit 8000 &&
		in_router weir trim set dev w4 hook tc rule dscp=af11 dscp 11 rate 400kbit overhead "$1" limit 3000b header-time 20ms &&
		receive w4 && from_workers 3 "$(worker_addr 4)" --seconds 2 --count 1500 --size 100 &&
		[[ $(of w4 '.stats.whole + .stats.trim') == "$sent" && $(of w4 .stats.trim) -gt 100 ]]
	local status=$?
	((status)) && shown w4
	drops=$(in_router tc -j -s qdisc show dev w4 | gojq '.[] | select(.kind == "tbf") | .drops')
	in_router weir trim del dev w4
	in_router tc qdisc del dev w4 root
	end_all
	echo "# overhead $1: $drops dropped"
	((status == 0 && drops >= $2 && drops <= $3))
}
overhead_counts() { on_the_wire 100 0 0 && on_the_wire 0 10 9000; }

# A tap that is a port of a bridge; the test reads it. The bridge has the address.
tap_up() {
	modprobe tun
	modprobe -q vhost_net
	[[ -e /dev/net/tun ]] || return
	ns_ip router <<-END
		link add br0 address 02:00:00:00:00:fe type bridge
		addr add 10.98.0.254/24 dev br0
		link set br0 up
		neigh add 10.98.0.2 lladdr 02:00:00:00:00:02 dev br0 nud permanent
	END
}

# tap WORD...: it is there, and read when it is told; its ring holds 500 frames.
tap() {
	rm -f "$out/arrived"
	behind router "$out/log" "$here/trim-tap" tap0 "$out/arrived" "$@"
	poll 60 test -s "$out/arrived" && ns_sysctl router ipv6/conf/tap0/disable_ipv6=1 && ns_ip router <<-END
		link set tap0 txqueuelen 500 master br0
		link set tap0 up
	END
}

tap_is_read() { kill -USR1 "${pids[0]}"; }

# trims_tap WORD...: as README has it.
trims_tap() {
	in_router weir trim set dev tap0 hook qdisc rule dscp=af11 dscp 11 limit 18kb share 10:1 header-time 0 "$@"
}

tap_has_all() {
	local whole trimmed
	whole=$(seen arrived 10) trimmed=$(seen arrived 11)
	((whole + trimmed == sent)) && tap_holds ".stats.whole == $whole and .stats.trim == $trimmed"
}

# tap_holds FILTER: of its policy.
tap_holds() { [[ $(of tap0 "$1") == true ]]; }

# All comes, whole or trimmed, and the tap itself has lost none. Before the flood it may have dropped a packet
# that the stack sends to a bridge's new port.
tap_settled() {
	poll 120 tap_has_all && tap_holds ".stats.\"device-dropped\" == $dropped and .stats.trim > 100" && return
	echo "sent $sent, arrived $(<"$out/arrived") $(<"$out/log.errors")"
	shown tap0
	return 1
}

by_vhost() {
	[[ -e /dev/vhost-net ]] || { echo "the kernel has no vhost-net"; return 4; }
	slow_reader --pace 0.002 --vhost
}

slow_reader() {
	tap "$@" && trims_tap headers 3000 && tap_is_read && flood_tap && tap_settled
}

flood_tap() {
	dropped=$(of tap0 '.stats."device-dropped"') && from_workers 3 10.98.0.2 --count 600 --merge 30
}

# The tap's qdisc has a child: packets wait there.
reader_and_child() {
	tap --pace 0.002 && trims_tap headers 3000 && in_router tc qdisc add dev tap0 parent 7765:1 fq && tap_is_read && flood_tap && tap_settled
}

# A frame that is not read waits, or is trimmed and waits, until a reader comes.
late_reader() {
	tap && trims_tap headers 3000 && flood_tap &&
		poll 60 tap_holds '."data-depth" > 5 and ."header-depth" > 1000' && tap_is_read && tap_settled
}

# Of frames that are never read, headers without room are dropped and counted, and nothing else.
# Packets that the stack itself sends to a device that comes up wait with the rest.
no_reader() {
	tap && trims_tap headers 10 && flood_tap && poll 60 tap_holds ".\"header-depth\" == 10 and
		(.stats.other as \$other | .stats.whole + .stats.trim + .\"data-depth\" - $sent | 0 <= . and . <= \$other) and .stats.whole < 40 and
		.stats.trim == .stats.\"dropped-trim\" + .stats.\"tx-trim\" + 10 and .stats.\"device-dropped\" == 0" && return
	echo "sent $sent"
	shown tap0
	return 1
}

# The policy, the qdisc and the module go while frames that were not read are in the ring.
reader_outlives() {
	tap && trims_tap && flood_tap && poll 60 tap_holds '."data-depth" > 5' &&
		in_router weir trim del dev tap0 && no_qdisc_is_left && policy flush &&
		module_goes 60 && tap_is_read && poll 60 ring_has_come
}

no_qdisc_is_left() { [[ ! -e $slow ]] || in_router tc qdisc replace dev slow0 root pfifo; }

ring_has_come() { (($(seen arrived 10) >= 20)); }

# The drops of a device are counted, and doctor tells of them.
losses_are_seen() {
	tap && in_router weir trim set dev tap0 hook tc rule dscp=af11 dscp 11 rate 10gbit &&
		from_workers 3 10.98.0.2 --count 600 && poll 60 tap_drops &&
		in_router weir -j doctor | gojq -e '.checks | any(.check == "losses" and .subject == "trim tap0")' >/dev/null &&
		in_router weir trim del dev tap0
}

tap_drops() {
	local dropped
	dropped=$(in_router ip -j -s link show dev tap0 | gojq '.[0].stats64.tx.dropped')
	((dropped > 1000)) && tap_holds ".stats.\"device-dropped\" == $dropped"
}

# marks_arrive I DSCP STATS: what worker I sends by whichever device to worker 4, marked by
# itself, arrives there with DSCP, and the port's counters are as STATS says.
marks_arrive() {
	receive w4 && in_worker "$1" trim-traffic send "$(worker_addr 4)" --count 50 --dscp 11 --size 60 &&
		poll 60 arrived_as "$2" 50 && [[ $(of w4 ".stats | $3") == true ]] && return
	cat "$out/arrived"
	shown w4
	return 1
}

# edge_holds I: its mark is taken away.
edge_holds() { marks_arrive "$1" 0 '.untrusted >= 50 and .headers == 0'; }

# believed I: where no edge is on its way, its mark stands.
believed() { marks_arrive "$1" 11 '.untrusted == 0 and .headers == 50'; }

arrived_as() { (($(seen arrived "$1") == $2)); }

# edge DEV: of the router; the receiver's port trims.
edge() {
	policy flush && in_router weir trim set dev w4 hook qdisc rule dscp=af11 dscp 11 && policy set "$1" hook=none edge=1
}

edge_below_vlan() {
	ns_ip router <<-END && ns_ip w1 <<-END2 && edge w1 && edge_holds 1
		link add link w1 name v1 type vlan id 100
		addr add 10.79.1.254/24 dev v1
		link set v1 up
	END
		link add link eth0 name v0 type vlan id 100
		addr add 10.79.1.1/24 dev v0
		link set v0 up
		route add 10.77.4.1/32 via 10.79.1.254
	END2
}

# The bridge has the address now, and its port's Ethernet address.
edge_below_bridge() {
	ns_ip router <<-END && edge w2 && edge_holds 2
		addr flush dev w2
		link add br1 type bridge
		link set w2 master br1
		addr add 10.77.2.254/24 dev br1
		link set br1 up
	END
}

# edge_about DEV: worker 2's packets seem to come in by DEV. It may be an edge, or what is
# below it; where another port is one, they are believed.
edge_about() {
	edge w3 && believed 2 && end_all && edge w2 && edge_holds 2 && end_all && edge "$1" && edge_holds 2
}

# with_bond TEST: worker 2's port is one of a bond.
with_bond() {
	local status
	modprobe -q bonding || { echo "the kernel has no bonding"; return 4; }
	ns_ip router <<-END && "$@"
		link add bond2 type bond mode active-backup
		link set w2 down
		link set w2 master bond2
		addr flush dev w2
		addr add 10.77.2.254/24 dev bond2
		link set bond2 up
	END
	status=$?
	policy flush
	ns_ip router <<-END && return "$status"
		link del bond2
		link set w2 up
		addr add 10.77.2.254/24 dev w2
	END
}

# with_vrf DEV TEST: worker 2's port is in a VRF, and so is DEV, by which its packets leave.
with_vrf() {
	local status
	modprobe -q vrf || { echo "the kernel has no VRFs"; return 4; }
	ns_ip router <<-END && "${@:2}"
		link add red type vrf table 77
		link set red up
		link set w2 master red
		link set $1 master red
	END
	status=$?
	policy flush
	in_router ip link del red && return "$status"
}

# xdp_edge DEV COUNT: so many of twenty packets of worker 2 that go by XDP are not believed
# where DEV is an edge.
xdp_edge() {
	local before untrusted
	before=$(<"$slow/xdp_sent") untrusted=$(of slow0 .stats.untrusted) && policy set "$1" hook=none edge=1 &&
		in_worker 2 trim-traffic send 10.99.0.2 --count 20 --dscp 11 --size 60 >/dev/null &&
		poll 60 eval "((\$(<$slow/xdp_sent) - before == 20))" && policy del "$1" &&
		[[ $(of slow0 .stats.untrusted) == $((untrusted + $2)) ]] && return
	echo "$1: by XDP $before, then $(<"$slow/xdp_sent"), untrusted $untrusted before"
	shown slow0
	return 1
}

# XDP knows the port itself, and asks those above it, one of which the stack would name.
xdp_edges() {
	policy flush && in_router tc qdisc replace dev slow0 root weir &&
		in_router ip neigh replace 10.99.0.2 lladdr 02:00:00:00:00:02 dev slow0 nud permanent &&
		in_router weir trim set dev slow0 hook xdp from w2 rule dscp=af11 dscp 11 rate 1gbit limit 1000 &&
		xdp_edge w3 0 && xdp_edge w2 20 && xdp_edge "$1" 20
	local status=$?
	in_router weir trim del dev slow0
	return "$status"
}

# edge_below_tunnel KIND OPTION...: of both ends. The sender of a packet from it is
# unknown, unless the tunnel's policy vouches for it.
edge_below_tunnel() {
	ns_ip router <<-END && ns_ip w3 <<-END2 && edge w1 && edge_holds 3 && end_all && tunnel_is_believed
		link add tn0 type $* local 10.77.3.254 remote 10.77.3.1
		addr add 10.79.3.254/24 dev tn0
		link set tn0 up
	END
		link add tn0 type $* local 10.77.3.1 remote 10.77.3.254
		addr add 10.79.3.1/24 dev tn0
		link set tn0 up
		route add 10.77.4.1/32 via 10.79.3.254
	END2
	local status=$?
	policy flush
	in_router ip link del tn0 && in_worker 3 ip link del tn0 && return "$status"
}

tunnel_is_believed() {
	policy flush && policy set w1 hook=none edge=1 && policy set tn0 hook=none edge=0 &&
		in_router weir trim set dev w4 hook qdisc rule dscp=af11 dscp 11 && believed 3
}

# The tc program asks the same.
edge_at_tc() {
	policy flush && in_router weir trim set dev w4 hook tc rule dscp=af11 dscp 11 rate 1gbit &&
		policy set w1 hook=none edge=1 && edge_holds 1 && in_router weir trim del dev w4
}

# rule_means MATCH: of what workers 1 and 2 send, what worker 1 does, at each hook. An edge
# anywhere has the qdisc asked about each packet.
rule_means() {
	local hook
	for hook in "qdisc limit 1000" "tc rate 1gbit limit 1000"; do
		# shellcheck disable=SC2086 # words
		policy flush && policy set w3 hook=none edge=1 &&
			in_router weir trim set dev w4 hook $hook rule dscp=af11,"$1" dscp 11 || return
		receive w4 && by_rule 1 && by_rule 2 && poll 60 arrived_as 10 100 &&
			[[ $(of w4 '.stats | .whole == 50 and .other >= 50') == true ]] || return
		end_all
		in_router weir trim del dev w4 || return
	done
}
by_rule() { in_worker "$1" trim-traffic send "$(worker_addr 4)" --count 50 --dscp 10 --size 60; }
rules_by_ends() {
	rule_means "src=$(worker_addr 1)" && rule_means "from=w1" && rule_means "from=w1,dst=$(worker_addr 4),proto=udp"
}

# Routing protocols may have the mark for themselves: an edge takes it off what a rule trims.
edge_keeps_others() {
	policy flush && policy set w1 hook=none edge=1 &&
		in_router weir trim set dev w4 hook qdisc rule dscp=af11,src=192.0.2.1 dscp 11 || return
	receive w4 && in_worker 1 trim-traffic send "$(worker_addr 4)" --count 50 --dscp 11 --size 60 &&
		poll 60 arrived_as 11 50 && [[ $(of w4 '.stats | .untrusted == 0 and .headers == 0 and .other >= 50') == true ]]
}

set_up() {
	local i
	star_create 4 1500 && star_each ethtool -K eth0 tx off >/dev/null && tap_up || return
	for i in 1 2 3; do
		in_worker "$i" ping -c 1 -W 60 "$(worker_addr 4)" >/dev/null || return
	done
}

ktap_header
set_up || ktap_fail "set up"
at_exit slow_down
ktap_run "there is a slow port with several queues" slow_up
ktap_run "no queue can be chosen below mq" one on_slow queue_below_mq
ktap_run "a queue can be chosen at the root" one on_slow queue_at_the_root
ktap_run "a queue is not chosen where mq comes later" one on_slow queue_comes_below_mq
[[ ! -e $slow ]] || programs_stay || ktap_fail "programs stay"
ktap_run "one of several queues is full" one on_slow one_queue_is_full
ktap_run "what a ring has no room for is deflected" one on_slow deflect_shared
ktap_run "what a ring has no room for is deflected, meters a CPU" one on_slow deflect_percpu
ktap_run "what is deflected and dropped has overflowed once" one on_slow told_once
ktap_run "the device before a port is set down" one on_slow set_down
ktap_run "what a ring has no room for goes to a child" one on_slow deflect_child
[[ ! -e $slow ]] || programs_go || ktap_fail "programs go"
ktap_run "generic XDP goes to the qdisc" one on_slow generic
ktap_run "children below mq" one on_slow children_below_mq
ktap_run "a queue can be chosen at tc" one on_slow queue_at_tc
ktap_run "a queue of the traffic class, at tc" one on_slow queue_of_class
ktap_run "a queue of the traffic class by DSCP, at tc" one on_slow queue_of_dscp
ktap_run "a queue of the traffic class, at the root" one on_slow queue_of_class_at_root
ktap_run "what tc has cut is short to a shaper below" one shaper_below_tc
ktap_run "a size table counts what is left" one size_table
ktap_run "what frames take of the wire is metered" one overhead_counts
ktap_run "fragments of a guest are left alone, and merged datagrams are not" one with_guest offloads
ktap_run "at tc either goes on as it is" one with_guest offloads_at_tc
ktap_run "a slow reader of a tap gets all, whole or trimmed" one slow_reader --pace 0.002
ktap_run "a guest does, by vhost-net" one by_vhost
ktap_run "a slow reader of a tap gets all by way of a child" one reader_and_child
ktap_run "what nobody reads waits until somebody does" one late_reader
ktap_run "what nobody ever reads is accounted for" one no_reader
ktap_run "what a device drops is seen" one losses_are_seen
ktap_run "an edge leaves alone what no rule trims" one edge_keeps_others
ktap_run "rules by addresses and by device" one rules_by_ends
ktap_run "an edge below a bond" one with_bond edge_about bond2
ktap_run "an edge below a bond, at XDP" one on_slow with_bond xdp_edges bond2
ktap_run "an edge below a VRF" one with_vrf w4 edge_about red
ktap_run "an edge below a VRF, at XDP" one on_slow with_vrf slow0 xdp_edges red
ktap_run "an edge below a VLAN" one edge_below_vlan
ktap_run "an edge below a bridge that routes" one edge_below_bridge
for kind in "vxlan id 7 dstport 4789" ipip gre gretap; do
	# shellcheck disable=SC2086 # options are words
	ktap_run "an edge, and a tunnel: ${kind%% *}" one edge_below_tunnel $kind
done
ktap_run "an edge below a VLAN, at tc" one edge_at_tc
ktap_run "the module goes before its packets are read" one reader_outlives
star_delete
ktap_end
