#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Trimming policies on ports that change or that have no queue of their own, and what the tool
# says of them. To be run in the virtual machine.
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

# shows FILTER: of the policy of o1
shows() {
	box -j trim show dev o1 | gojq -e ".[0] | $1" >/dev/null && return
	box -j trim show dev o1
	return 1
}

# finds CHECK FILTER: what doctor has found about it
finds() {
	box -j doctor 2>/dev/null | gojq -e --arg check "$1" ".checks | map(select(.check == \$check)) | $2" >/dev/null && return
	box -j doctor 2>/dev/null | gojq -c '.checks[]'
	return 1
}

set_up() {
	ns_create box far && ns_ip box <<-END
		link add o1 numtxqueues 2 type veth peer name p1
		link add o2 type veth peer name p2
		link add br0 type bridge
		link add o3 index 77 type veth peer name p3 index 77 netns $ns_prefix-far
		link set o1 up
		link set o2 master br0
		link set p2 master br0
		link set br0 up
		link set o3 up
	END
}

fresh() { box flush all; box trim set dev o1 hook qdisc dscp 48 rule any "$@"; }

# A policy may come before its device's MTU, as in the order in which a machine boots, and stays
# when the MTU is lowered.
mtu() {
	local monitor status
	fresh size 4084 && shows '.idle == 1' && box trim set dev o1 limit 5 && finds size '.[0].status == "warn"' || return
	box monitor >"$work/events" 2>&1 &
	monitor=$!
	poll 60 hears && ip -n "$ns_prefix-box" link set o1 mtu 9000 && shows '.idle == null' && poll 60 grep -q ' size 4084' "$work/events" &&
		finds size 'length == 0' && ip -n "$ns_prefix-box" link set o1 mtu 1500 && shows '.idle == 1 and .limit == 5' &&
		poll 60 grep -q 'idle' "$work/events"
	status=$?
	((status)) && cat "$work/events"
	kill "$monitor"
	wait "$monitor" 2>/dev/null
	return "$status"
}
# The monitor listens once it has shown a change.
hears() {
	box trim set dev o1 headers "$((RANDOM + 1))" && [[ -s $work/events ]]
}

restored_before_mtu() {
	box flush all
	echo 'trim set dev o1 hook qdisc size 4084 dscp 48 rule any' >"$work/conf"
	box restore -f "$work/conf" && [[ $(saved) == "weir $(<"$work/conf")" ]] || return
	echo 'trim set dev o1 hook tc rate 1gbit profile ndp return-dscp 40' >"$work/conf"
	refused 'profile ndp sends headers back' restore -f "$work/conf"
}

# Queues of a bridge's members fill, and the bridge's own does not; unless it has a shaper.
no_queue() {
	box flush all
	refused 'at its members, (o2 p2|p2 o2)' trim set dev br0 hook qdisc dscp 48 rule any &&
		refused 'never wait at lo' trim set dev lo hook qdisc dscp 48 rule any &&
		tc_box qdisc add dev br0 root handle 1: tbf rate 1mbit burst 4000 limit 100000 &&
		tc_box qdisc add dev br0 parent 1:1 weir && box trim set dev br0 hook qdisc dscp 48 rule any
	local status=$?
	box trim del dev br0 2>/dev/null
	tc_box qdisc del dev br0 root 2>/dev/null
	return "$status"
}

zero() {
	box flush all
	refused 'dscp 0: DSCP 0 is that of packets without a mark' trim set dev o1 hook qdisc dscp 0 rule any &&
		refused 'control-dscp 0: DSCP 0' trim set dev o1 hook qdisc dscp 48 control-dscp 0 rule any
}

unset_words() {
	fresh priority 3 queue 1 && box trim set dev o1 priority none && shows '.priority == null and .queue == 1' &&
		box trim set dev o1 queue none && shows '.priority == null and .queue == null and .dscp == 48' &&
		[[ $(saved) == 'weir trim set dev o1 hook qdisc dscp 48 rule any' ]] &&
		[[ $(weir help trim) == *'queue NUMBER|dynamic|none]'* ]]
}

# Single rules come and go.
rules() {
	fresh && box trim set dev o1 add-disable-trim port=22 add-disable-trim proto=tcp,port=179 &&
		shows '.rule == [{}] and (."disable-trim" | length) == 2' &&
		box trim set dev o1 add-rule dscp=10-12,src=10.0.0.0/8 del-rule any del-disable-trim port=22 && shows '(.rule | length) == 1
			and .rule[0].dscp == 10 and ."disable-trim" == [{"proto": 6, "port": 179}]' &&
		refused 'o1 has no rule dscp=10' trim set dev o1 del-rule dscp=10 && refused 'write either' trim set dev o1 add-rule any rule any &&
		refused 'trim replace takes all rules' trim replace dev o1 add-rule any &&
		refused 'a rule is missing' trim set dev o1 del-rule dscp=10-12,src=10.0.0.0/8 &&
		box trim set dev o1 del-disable-trim proto=tcp,port=179 && refused 'would have no rule' trim set dev o1 del-rule dscp=10-12,src=10.0.0.0/8
}

profiles() {
	box flush all
	box trim set dev o1 hook tc rate 1gbit profile sonic && shows '.dscp == 48 and .hook == "tc"' && box trim set dev o1 profile uec &&
		shows '.dscp == 45' && refused 'profile ndp sends headers back' trim set dev o1 profile ndp return-dscp 40
}

# A qdisc of the same index in another namespace is not the device itself.
other_end() {
	box flush all
	in_ns far ethtool -K p3 tx off >/dev/null && in_ns box ethtool -K p1 tx off >/dev/null &&
		box trim set dev o1 hook xdp from o3 rate 1gbit dscp 48 rule any &&
		finds checksums 'length > 0 and all(.[]; .found | contains("o3") | not)'
}

# A qdisc that tc has put below a class would not be made again, so nothing is touched.
upgrade() {
	box flush all
	tc_box qdisc add dev o2 root handle 1: prio && tc_box qdisc add dev o2 parent 1:1 handle 10: weir &&
		box trim set dev o2 hook qdisc dscp 48 rule any || return
	refused 'weir qdisc at parent 1:1 of o2 .* tc .*qdisc del dev o2 parent 1:1' upgrade
	local status=$?
	tc_box qdisc del dev o2 root
	return "$status"
}

ktap_header
set_up || ktap_fail "set up"
ktap_run "a policy waits for an MTU that is large enough" mtu
ktap_run "a configuration is restored before the MTU is set" restored_before_mtu
ktap_run "a device without a queue of its own is refused" no_queue
ktap_run "the DSCP of packets without a mark is no mark" zero
ktap_run "priority and queue are taken back" unset_words
ktap_run "rules are added and taken one by one" rules
ktap_run "profiles fit the hook" profiles
ktap_run "the other end in another namespace is no device here" other_end
ktap_run "an upgrade names the qdisc that tc has put there" upgrade
ktap_end
