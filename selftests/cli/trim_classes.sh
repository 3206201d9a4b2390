#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# `class` of `weir trim set`: weir's qdiscs at classes of qdiscs of several kinds come, go, and are
# saved and restored. To be run in the virtual machine.
set -u

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd) || exit 1
# shellcheck source=../lib/ktap.sh
. "$here/../lib/ktap.sh"
# shellcheck source=../lib/netns.sh
. "$here/../lib/netns.sh"
# shellcheck source=box.sh
. "$here/box.sh"

work=$(mktemp -d) || exit 1
at_exit rm -rf "$work"

# The places of weir's qdiscs.
places() { box -j trim queues dev o1 | gojq -r 'map(.parent) | sort | join(" ")'; }

set_up() {
	ns_create box far && ns_ip box <<-END && in_ns far ip address add 10.0.0.2/24 dev p1 && in_ns far ip link set p1 up &&
		link add o1 numtxqueues 4 type veth peer name p1 numrxqueues 4 netns $ns_prefix-far
		address add 10.0.0.1/24 dev o1
		link set o1 up
	END
		in_ns box ping -q -c 1 -W 60 10.0.0.2 >/dev/null
}

# root KIND: the device's qdisc 1:, with its classes
root() {
	box flush all
	tc_box qdisc del dev o1 root 2>/dev/null
	case $1 in
	htb)
		tc_box qdisc add dev o1 root handle 1: htb default 20 &&
			tc_box class add dev o1 parent 1: classid 1:10 htb rate 800bit quantum 1514 &&
			tc_box class add dev o1 parent 1: classid 1:20 htb rate 1gbit quantum 1514
		;;
	ets) tc_box qdisc add dev o1 root handle 1: ets bands 16 ;;
	prio) tc_box qdisc add dev o1 root handle 1: prio bands 16 priomap 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 ;;
	mq) tc_box qdisc add dev o1 root handle 1: mq ;;
	mqprio) tc_box qdisc add dev o1 root handle 1: mqprio num_tc 2 map 0 1 queues 2@0 2@2 hw 0 ;;
	esac
}

# Classes come and go in place, and are made again from what was saved.
keeps() {
	local kind=$1 one=$2 other=$3 line
	root "$kind" && box trim set dev o1 hook qdisc dscp 48 rule any class "$one" && [[ $(places) == "$one" ]] || return
	box trim set dev o1 class "$one" class "$other",limit=20kb,limit=30,headers=100,header-time=5ms,other-limit=7 || return
	line="weir trim set dev o1 hook qdisc dscp 48 rule any class $one class $other,limit=30,limit=20k,headers=100,header-time=5ms,other-limit=7"
	[[ $(places) == "$one $other" && $(saved) == "$line" ]] || { saved; return 1; }
	box save >"$work/both" && box trim set dev o1 class "$other",headers=9 && [[ $(places) == "$other" && $(saved) == *"any class $other,headers=9" ]] &&
		box restore --diff "$work/both" | grep -q '^weir trim replace dev o1 ' && box restore "$work/both" &&
		[[ $(saved) == "$line" && -z $(box restore --diff "$work/both") ]] &&
		box flush all && [[ -z $(saved) && -z $(places) ]] && box restore "$work/both" && [[ $(saved) == "$line" ]] &&
		box trim set dev o1 hook qdisc size 200 && [[ $(places) == "$one $other" ]] && return
	saved
	return 1
}

# The qdisc that is at a class afterwards sends packets, and the next policy may have it.
leaves() {
	local classes="class 1:1 class 1:2 class 1:3 class 1:4" i
	# shellcheck disable=SC2086 # classes are words
	root "$1" && box trim set dev o1 hook qdisc dscp 48 rule any $classes && box trim del dev o1 &&
		[[ -z $(places) ]] && for ((i = 0; i < 4; i++)); do
			in_ns box ping -q -c 1 -W 60 -Q $((i * 32)) 10.0.0.2 >/dev/null || return
		done && box trim set dev o1 hook qdisc dscp 48 rule any $classes && [[ $(places) == "1:1 1:2 1:3 1:4" ]]
}

# The qdisc that somebody has put at a class stays below weir's, and comes back.
child() {
	local before
	root htb && tc_box qdisc add dev o1 parent 1:10 handle 10: fq_codel limit 500 && before=$(tc_box qdisc show dev o1) &&
		refused 'fq_codel 10: at parent 1:10 of o1 .* add .child keep' trim set dev o1 hook qdisc dscp 48 rule any class 1:10 &&
		box trim set dev o1 hook qdisc dscp 48 rule any child keep class 1:10,headers=50 class 1:20 || return
	[[ $(tc_box qdisc show dev o1) == *"fq_codel 10: parent 7780:1 "* && $(places) == "1:10 1:20" &&
		$(saved) == "weir trim set dev o1 hook qdisc dscp 48 rule any child keep class 1:10,headers=50 class 1:20" ]] &&
		box save >"$work/child" && box flush all && [[ $(tc_box qdisc show dev o1) == "$before" ]] &&
		box restore "$work/child" && box trim del dev o1 && [[ $(tc_box qdisc show dev o1) == "$before" ]] && return
	diff <(echo "$before") <(tc_box qdisc show dev o1)
	saved
	return 1
}

# The class has room for four packets and sends none for a while; other classes do not trim.
trims() {
	local i
	root htb && tc_box filter add dev o1 parent 1: protocol ip prio 1 u32 match ip dport 4000 0xffff classid 1:10 &&
		box trim set dev o1 hook qdisc dscp 48 rule any class 1:10,limit=4 limit 12 || return
	for ((i = 0; i < 40; i++)); do
		in_ns box bash -c "head -c 1400 /dev/zero >/dev/udp/10.0.0.2/$((i % 2 ? 4000 : 4001))" || return
	done
	box -j trim queues dev o1 | gojq -e 'length == 1 and .[0].parent == "1:10" and .[0]."data-max" == 4 and .[0].trim >= 10 and .[0].trim < 20' >/dev/null &&
		return
	box trim queues
	return 1
}

refuses() {
	local dev="trim set dev o1 dscp 48 rule any"
	root prio || return
	# shellcheck disable=SC2086 # words
	refused 'given twice' $dev hook qdisc class 1:1 class 1:01,limit=3 && refused 'no qdisc 5: with classes' $dev hook qdisc class 5:1 &&
		refused 'class belongs to the hooks' $dev hook tc rate 1gbit class 1:1 &&
		refused 'class takes a class' $dev hook qdisc class 10 && refused 'not .foo.' $dev hook qdisc class 1:1,foo=2 &&
		refused 'of one kind twice' $dev hook qdisc class 1:1,limit=2,limit=3 &&
		refused 'headers 0 is out of range' $dev hook qdisc class 1:1,headers=0 &&
		refused 'cannot put the weir qdisc at class 1:99 of o1' $dev hook qdisc class 1:1 class 1:99 &&
		refused 'add .class 1:CLASS' $dev hook qdisc &&
		tc_box qdisc add dev o1 parent 1:3 handle 30: weir && refused 'parent 1:3 of o1 was put there with tc' $dev hook qdisc class 1:3 &&
		tc_box qdisc del dev o1 root && box $dev hook qdisc && refused 'no qdisc 1: with classes' $dev class 1:1 &&
		refused 'has weir.s qdisc at the root' $dev class 7765:1
}

ktap_header
set_up || ktap_fail "set up"
ktap_run "classes of htb" keeps htb 1:10 1:20
for kind in prio ets mq mqprio; do
	ktap_run "classes of $kind" keeps "$kind" 1:1 1:3
done
for kind in prio ets mq mqprio; do
	ktap_run "weir leaves classes of $kind" leaves "$kind"
done
ktap_run "a class's qdisc stays below weir's" child
ktap_run "packets of a class are trimmed" trims
ktap_run "what cannot be a class is refused" refuses
ktap_end
