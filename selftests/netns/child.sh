#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Another kind of qdisc as the child of weir's: whole packets wait there, packets that find no
# room are trimmed, and all qdiscs of a port agree on the packets that wait.
# To be run in the virtual machine.
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

tc_w4() {
	local object=$1 verb=$2
	in_router tc "$object" "$verb" dev w4 "${@:3}"
}

# qdiscs FILTER: of all qdiscs of the port.
qdiscs() { in_router tc -j -s qdisc show dev w4 | gojq "$1"; }

# of FILTER: of the port's policy.
of() { shown w4 | gojq -r "$1"; }

# slow RATE: weir's qdisc is 10:, and the only queue that fills, or its child is. So slow that
# senders on a debug kernel fill it.
slow() {
	tc_w4 qdisc del root 2>/dev/null
	tc_w4 qdisc add root handle 1: tbf rate "$1" burst 4000 limit 10000000 && tc_w4 qdisc add parent 1:1 handle 10: weir
}

# fast: what slow has kept back leaves.
fast() { tc_w4 qdisc change root handle 1: tbf rate 100mbit burst 4000 limit 10000000; }

# child KIND [OPTION...]: what is put there; all that a classful one has goes to one class.
child() {
	tc_w4 qdisc replace parent 10:1 handle 20: "$@" || return
	[[ $1 != htb ]] || tc_w4 class add parent 20: classid 20:1 htb rate 1gbit quantum 1514
}

# fresh WORD...: a new policy, nothing counted yet.
fresh() {
	policy del w4 >/dev/null
	policy set w4 hook=qdisc dscp=11 rule=dscp:10 header-time=0 headers=3000 "$@"
}

drained() { [[ $(of '."data-depth" + ."header-depth"') == 0 ]] && qdiscs 'all(.[]; .backlog == 0 and .qlen == 0)' | grep -q true; }

# Every packet that was sent has come, whole or trimmed, or the child has dropped it. A packet
# that the port does not look at, as it is idle, is in `direct`, with a few that no test sent.
adds_up() {
	local whole trimmed
	whole=$(seen arrived 10) trimmed=$(seen arrived 11)
	of . | gojq -e --argjson sent "$sent" --argjson whole "$whole" --argjson trimmed "$trimmed" '
		.direct as $direct | ."child-dropped" as $dropped | .stats |
		$whole + $trimmed + $dropped == $sent and .failed == 0 and
		.trim == ."tx-trim" and $trimmed == .trim and
		.whole <= $whole + $dropped and $whole + $dropped <= .whole + $direct' >/dev/null &&
		[[ $(gojq .twice "$out/arrived") == 0 ]]
}

settled() {
	poll 60 drained && poll 60 adds_up && return
	echo "sent $sent; box: $(shown w4)"
	echo "arrived: $(cat "$out/arrived")"
	tc_w4 qdisc show
	in_router tc -s qdisc show dev w4
	in_router weir trim queues dev w4
	return 1
}

incast() { from_workers 3 "$(worker_addr 4)" "$@"; }

# load FILTER WORD...: overload; all is accounted for, and the policy's JSON is so.
load() {
	local filter=$1
	receive w4 && incast "${@:2}" && settled || return
	[[ $(of "$filter") == true ]] || { echo "not $filter: $(shown w4)"; return 1; }
}

# one TEST [ARGUMENT...]: and an end to what it has started.
one() {
	local status
	"$@"
	status=$?
	end_all
	return "$status"
}

# below_weir KIND [OPTION...]: keeps the limit, and what it does not hold is trimmed. Nothing
# is trimmed that has room.
below_weir() {
	slow 300kbit && fresh && child "$@" &&
		load '.stats.trim > 100 and .stats.whole >= 12 and .stats."data-max" <= 12' --count 150
}

# A limit in bytes is one of the child's bytes.
bytes_count() {
	slow 300kbit && fresh limit=0 limit-bytes=9000 && child fq_codel &&
		load '.stats.trim > 100 and .stats."data-max" <= 6 and .stats."data-max" > 3' --count 150
}

merged() { slow 300kbit && fresh && child fq_codel && load '.stats.trim > 100' --count 150 --merge 30; }

# A packet that the child has no room for, though the policy has, is trimmed, too: none is lost.
child_is_full() {
	slow 300kbit && fresh limit=100 && child pfifo limit 3 &&
		load '.stats.trim > 100 and .stats."data-max" == 3 and ."child-dropped" == 0' --count 150 &&
		[[ $(qdiscs '.[] | select(.kind == "pfifo") | .drops') == $(of .stats.trim) ]]
}

# The very first packet that an idle port has: a child that takes none.
child_takes_nothing() {
	slow 100mbit && fresh && child tbf rate 1mbit burst 2000 limit 2000 && tc_w4 qdisc replace parent 20:1 pfifo limit 0 &&
		load '.stats.whole == 0 and .direct == 0 and ."child-dropped" < 20' --count 10 --merge 1
}

# A packet that it throws away later is lost, and counted as lost; doctor says so.
child_drops_later() {
	slow 300kbit && fresh limit=100 && child fq_codel limit 4 &&
		load '."child-dropped" > 50 and .stats.trim == 0' --count 100 && in_router weir -j doctor |
		gojq -e '.checks | any(.check == "losses" and .subject == "trim w4" and .status == "warn")' >/dev/null
}

# Below weir at the root a shaper keeps whole packets back, and no header waits for them: most
# are gone before the last one comes.
child_shapes() {
	tc_w4 qdisc del root && tc_w4 qdisc add root handle 10: weir && fresh limit=30 "$@" && child tbf rate 200kbit burst 3100 limit 1000000 &&
		load '.stats.trim > 100 and ."child-dropped" == 0 and 2 * .stats."header-max" < .stats.trim' --count 150
}

# Children come, are replaced and go while packets wait in them.
grafts() {
	local i
	for i in 1 2 3 4; do
		tc_w4 qdisc add parent 10:1 handle 20: fq_codel && tc_w4 qdisc replace parent 10:1 handle 21: pfifo limit 5 &&
			tc_w4 qdisc replace parent 10:1 handle 22: fq && tc_w4 qdisc change parent 10:1 handle 22: fq limit 2 &&
			tc_w4 qdisc del parent 10:1 || return
	done
}

# Next to nothing leaves meanwhile, so that there is always something to move or to throw away.
graft_under_load() {
	local load status
	slow 10kbit && fresh limit=50 headers=5000 && receive w4 || return
	incast --count 1500 &
	load=$!
	poll 60 something_waits && grafts
	status=$?
	wait "$load" || return
	((status)) && return "$status"
	sent=4500
	fast || return
	settled && [[ $(of '.stats.trim > 100 and ."child-dropped" > 5') == true ]] && return
	shown w4
	return 1
}

something_waits() { (($(of '."data-depth"') > 5)); }

# Packets that wait go along into a child that comes, in order.
moves_into_child() {
	slow 10kbit && fresh limit=50 && receive w4 && incast --count 10 && something_waits &&
		child pfifo limit 1000 && (($(qdiscs '.[] | select(.kind == "pfifo") | .qlen') > 5)) || return
	fast && settled && [[ $(of '.stats.trim == 0 and ."child-dropped" == 0') == true ]] &&
		[[ $(gojq '.disorder // 0' "$out/arrived") == 0 ]]
}

# The policy goes, and comes, while there is a child.
policy_goes() {
	slow 300kbit && policy del w4 && child pfifo limit 1000 && receive w4 && incast --count 50 && poll 60 arrived_all &&
		drained_plain && end_all && fresh && load '.stats.trim > 50' --count 100
}

arrived_all() { (($(seen arrived 10) == sent)); }
drained_plain() { [[ $(qdiscs 'all(.[]; .backlog == 0 and .qlen == 0)') == true ]]; }

# Filters of a child may take packets for themselves.
filter_takes() {
	slow 300kbit && fresh && child prio && tc_w4 filter add parent 20: protocol ip matchall action drop && receive w4 && incast --count 50 &&
		poll 60 drained_plain && [[ $(of '.stats.trim == 0 and .stats.failed == 0') == true ]] && (($(seen arrived 10) == 0))
}

one_class() {
	slow 300kbit && fresh &&
		tc_w4 class show | grep -q 'class weir 10:1 parent 10: $' &&
		refused 'class not found' tc_w4 qdisc add parent 10:2 pfifo &&
		refused 'noqueue' tc_w4 qdisc add parent 10:1 noqueue &&
		refused 'classless|not supported' tc_w4 class add parent 10: classid 10:3 weir &&
		refused 'not supported|support' tc_w4 class del classid 10:1 &&
		refused 'not supported|support' tc_w4 filter add parent 10: matchall action ok &&
		child fq_codel && tc_w4 class show | grep -q 'class weir 10:1 parent 10: leaf 20:' &&
		[[ $(in_router weir -j trim queues dev w4 | gojq -r '.[0].child') == 20: ]] &&
		tc_w4 qdisc del parent 10:1 && [[ $(in_router weir -j trim queues dev w4 | gojq -r '.[0].child') == null ]]
}

# Limits and victims that need weir to have the packets itself.
limits() {
	slow 300kbit && fresh && child pfifo &&
		refused 'EOPNOTSUPP .*not known: limit packets or bytes' policy set w4 limit-time=5000 &&
		refused 'EOPNOTSUPP .*victim must be arriving' policy set w4 victim=tail &&
		refused 'EOPNOTSUPP .*victim must be arriving' policy set w4 victim=coin &&
		tc_w4 qdisc del parent 10:1 && policy set w4 limit-time=5000 &&
		refused 'not known: limit packets or bytes' tc_w4 qdisc add parent 10:1 pfifo &&
		policy set w4 limit-time=0 victim=tail &&
		refused 'victim must be arriving' tc_w4 qdisc add parent 10:1 pfifo &&
		policy set w4 victim=arriving && child pfifo
}

# tc(8) with the plug-in shows the same as weir, as JSON and as text. The shaper above may have
# looked at a packet, which is in no band any more.
plugged() { TC_LIB_DIR=$root/build/tc in_router tc "$@"; }

tc_shows() {
	[[ -e $root/build/tc/q_weir.so ]] || { echo "there is no plug-in"; return 1; }
	local text
	slow 300kbit && fresh && child pfifo && load '.stats.trim > 50' --count 100 &&
		tc_w4 qdisc change root handle 1: tbf rate 80bit burst 4000 limit 10000000 && incast --count 20 || return
	if ! poll 60 tc_agrees; then
		plugged -j -s qdisc show dev w4
		in_router weir trim queues dev w4
		return 1
	fi
	text=$(plugged -s qdisc show dev w4)
	grep -qE '^  trim [0-9]+ tx-trim [0-9]+ dropped-trim 0 direct [0-9]+ child-dropped 0$' <<<"$text" &&
		grep -qE '^  data [0-9]+b 12p max 12p header [0-9]+b [0-9]+p max [0-9]+p$' <<<"$text" && return
	echo "$text"
	return 1
}

tc_agrees() {
	local queue
	queue=$(in_router weir -j trim queues dev w4 |
		gojq -c '.[0] | [.trim, ."tx-trim", ."dropped-trim", .direct, ."child-dropped", ."data-max", ."header-max"]')
	plugged -j -s qdisc show dev w4 | gojq -e --argjson queue "$queue" '.[] | select(.kind == "weir") |
		[.trim, .tx_trim, .dropped_trim, .direct, .child_dropped, .data_max, .header_max] == $queue and
		.data_packets == 12 and .data_bytes >= 12 * 1442 and .data_bytes < 12 * 1600 and
		.header_packets > 0 and .overlimits == .trim and
		(.qlen - .data_packets - .header_packets | . == 0 or . == 1)' >/dev/null
}

# Limits in all their forms, of which a change says all anew; and nothing else is taken away
# from tc.
tc_sets() {
	tc_w4 qdisc del root
	plugged qdisc add dev w4 root handle 10: weir && [[ $(says) == 'null null null null null' ]] &&
		plugged qdisc change dev w4 root handle 10: weir limit 12 limit 18kb limit 2ms headers 9 header-time 5ms &&
		[[ $(says) == '12 18432 2000 9 5000' ]] &&
		plugged qdisc show dev w4 | grep -q 'weir 10: root .*limit 12 limit 18k limit 2ms headers 9 header-time 5ms' &&
		plugged qdisc change dev w4 root handle 10: weir limit dynamic 3/4 headers 7 && [[ $(says) == 'null null null 7 null' ]] &&
		plugged qdisc show dev w4 | grep -q 'weir 10: root .*headers 7 limit dynamic 3/4' &&
		plugged -j qdisc show dev w4 | gojq -e 'any(.[]; .options."limit-dynamic" == 192)' >/dev/null &&
		plugged qdisc change dev w4 root handle 10: weir limit 5gb && [[ $(says) == 'null 5368709120 null null null' ]] &&
		plugged qdisc change dev w4 root handle 10: weir && [[ $(says) == 'null null null null null' ]] &&
		plugged qdisc add dev w4 parent 10:1 fq_codel limit 100 &&
		plugged class show dev w4 | grep -q 'class weir 10:1'
}
says() {
	plugged -j qdisc show dev w4 | gojq -r '.[] | select(.kind == "weir").options |
		"\(.limit) \(."limit-bytes") \(."limit-time") \(.headers) \(."header-time")"'
}

tc_refuses() {
	refused 'Usage: ... weir' plugged qdisc change dev w4 root handle 10: weir help &&
		refused 'what is "limits"' plugged qdisc change dev w4 root handle 10: weir limits 12 &&
		refused 'or its value is missing' plugged qdisc change dev w4 root handle 10: weir limit &&
		refused 'limit takes packets, a size, a time or dynamic' plugged qdisc change dev w4 root handle 10: weir limit 12x &&
		refused 'limit takes' plugged qdisc change dev w4 root handle 10: weir limit 4294967296 &&
		refused 'limit dynamic takes a number up to 256' plugged qdisc change dev w4 root handle 10: weir limit dynamic 1/3 &&
		refused 'headers takes packets' plugged qdisc change dev w4 root handle 10: weir headers 1kb &&
		refused 'header-time takes a time' plugged qdisc change dev w4 root handle 10: weir header-time 5 &&
		refused 'the data band needs a limit of packets, bytes or time' \
			plugged qdisc change dev w4 root handle 10: weir limit 0 &&
		refused 'integer out of range' plugged qdisc change dev w4 root handle 10: weir headers 0 &&
		refused 'not known: limit packets or bytes' plugged qdisc change dev w4 root handle 10: weir limit 2ms &&
		[[ $(says) == 'null null null null null' ]] && tc_w4 qdisc del parent 10:1 &&
		plugged qdisc change dev w4 root handle 10: weir limit 2ms &&
		refused 'not known: limit packets or bytes' tc_w4 qdisc add parent 10:1 pfifo &&
		refused 'always there' plugged class add dev w4 parent 10: weir
}

# Two classes of one port, of which one has limits of its own. Each queue shows the packets
# that it had; no header fits a band that is full of them.
of_queue() { in_router weir -j trim queues dev w4 | gojq -r ".[] | select(.handle == \"$1\") | $2"; }
into_class() {
	tc_w4 filter del parent 5: 2>/dev/null
	tc_w4 filter add parent 5: protocol all matchall classid "$1" && incast --count 60
}
# classes OPTION...: of the first one's qdisc.
classes() {
	slow 80bit && tc_w4 qdisc replace parent 1:1 handle 5: prio bands 2 priomap 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 &&
		plugged qdisc add dev w4 parent 5:1 handle 10: weir "$@" && plugged qdisc add dev w4 parent 5:2 handle 11: weir
}
limits_of_a_class() {
	classes limit 4 headers 3 header-time 1s && fresh headers=50 && into_class 5:1 && into_class 5:2 || return
	[[ $(of_queue 10: '[."data-max", ."header-max"] | @text') == '[4,3]' &&
		$(of_queue 11: '[."data-max", ."header-max"] | @text') == '[12,50]' ]] && own_limits_change && return
	in_router weir trim queues dev w4
	return 1
}
# The packets that wait in one class leave another no room, but for one packet.
limit_of_a_port() {
	classes && fresh limit=1000 port-limit=12000 && into_class 5:1 && into_class 5:2 || return
	[[ $(of_queue 10: '."data-max" > 4 and ."data-max" <= 8') == true && $(of_queue 11: '."data-max"') == 1 ]] && return
	in_router weir trim queues dev w4
	return 1
}
# While packets wait, and back to the policy's.
own_limits_change() {
	plugged qdisc change dev w4 parent 5:2 handle 11: weir limit 20 && into_class 5:2 && [[ $(of_queue 11: '."data-max"') == 20 ]] &&
		plugged qdisc change dev w4 parent 5:1 handle 10: weir && into_class 5:1 && [[ $(of_queue 10: '."data-max"') == 12 ]]
}

# All goes at once while packets wait, the module at last.
all_goes() {
	slow 80bit && fresh && child fq_codel && incast --count 100 && something_waits &&
		tc_w4 qdisc del root && policy del w4 && module_goes 60
}

set_up() {
	local i
	star_create 4 1500 && ns_backlog 10000 || return
	for i in 1 2 3; do
		in_worker "$i" ping -c 1 -W 60 "$(worker_addr 4)" >/dev/null || return
	done
}

ktap_header
set_up || ktap_fail "set up"
ktap_run "the qdisc has one class" one one_class
for kind in fq_codel fq prio "htb default 1" "tbf rate 100mbit burst 4000 limit 100000" pfifo_fast; do
	# shellcheck disable=SC2086 # options are words
	ktap_run "whole packets wait in ${kind%% *}" one below_weir $kind
done
ktap_run "a limit in bytes" one bytes_count
ktap_run "merged packets" one merged
ktap_run "what the child has no room for is trimmed" one child_is_full
ktap_run "a child that takes nothing" one child_takes_nothing
ktap_run "what the child drops later is known" one child_drops_later
ktap_run "a child that shapes" one child_shapes share-value=1
ktap_run "a child that shapes, bands share by bytes" one child_shapes share=bytes share-value=25
ktap_run "children come and go under load" one graft_under_load
ktap_run "what waits goes into a child that comes" one moves_into_child
ktap_run "the policy goes and comes" one policy_goes
ktap_run "a child's filter takes packets" one filter_takes
ktap_run "what cannot be with a child" one limits
ktap_run "tc shows what was trimmed and waits" one tc_shows
ktap_run "tc sets limits of a qdisc" one tc_sets
ktap_run "limits that tc refuses" one tc_refuses
ktap_run "a class has limits of its own" one limits_of_a_class
ktap_run "classes of a port share a limit" one limit_of_a_port
ktap_run "all goes while packets wait" one all_goes
star_delete
ktap_end
