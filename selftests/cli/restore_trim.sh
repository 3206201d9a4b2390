#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# `weir restore` between trimming policies: from each of twelve configurations to each other one.
# Policies depend on the namespace's default and on one another, so the order of the steps counts.
# To be run in the virtual machine.
set -u

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd) || exit 1
# shellcheck source=../lib/ktap.sh
. "$here/../lib/ktap.sh"
# shellcheck source=../lib/netns.sh
. "$here/../lib/netns.sh"
# shellcheck source=box.sh
. "$here/box.sh"
# shellcheck source=../lib/figures.sh
. "$here/../lib/figures.sh"

work=$(mktemp -d) || exit 1
at_exit rm -rf "$work"

# Each line is a configuration; commands are parted by semicolons.
configurations() {
	cat <<-'END'

		trim-default set dscp 48 rule any; trim set dev o1 hook qdisc
		trim-default set dscp from-tc tc 5 tc-dscp 5:44 rule any; trim set dev o1 hook qdisc
		trim-default set rule dscp=10 size 200; trim set dev o1 hook qdisc dscp 48
		trim-pool set name a size 100kb; trim-acl set name k prio 10 disable-trim port=22; trim-acl set name k prio 20 pass any; trim set dev o1 hook qdisc dscp 48 rule dscp=10 acl k limit 18kb limit dynamic 1/2 pool a
		trim-acl set name k prio 10 pass port=22; trim-acl set name l prio 5 disable-trim any; trim set dev o1 hook qdisc tc 5 rule dscp=10 rule dscp=12 disable-trim port=22 acl l queue 0 priority 3
		trim-default set limit 20us dscp 48 rule any disable-trim port=22; trim set dev o1 hook qdisc; trim set dev o2 hook qdisc size 300
		trim-default set dscp 10 rule dscp=48; trim set dev o1 hook qdisc dscp 12; trim set dev o2 hook qdisc rule dscp=50
		trim set dev o1 hook qdisc dscp 48 rule any full return return-dscp 12; trim set dev o2 hook qdisc dscp 48 rule any full return return-dscp 12
		trim set dev o1 hook qdisc dscp 48 rule any full return return-dscp 13; trim set dev o2 hook qdisc dscp 48 rule any full return return-dscp 13 edge on; trim-pool set name b size 1mb
		trim-default set size 256 headers 50 dscp 48; trim set dev o1 hook tc rate 1gbit rule dscp=10; trim set dev o2 hook qdisc rule any share strict
		trim-default set trimmed-dscp 12 control-dscp 46 dscp 48 rule dscp=10 other-limit 50; trim-pool set name a size 50kb; trim-pool set name b size 1mb; trim-acl set name l prio 6 disable-trim src=10.0.0.0/8; trim-acl set name l prio 7 disable-trim from=o2; trim set dev o1 hook qdisc acl l trimmed-dscp none share 25% victim tail limit 20us pool b; trim set dev o2 hook qdisc profile sonic share 10:1 header-time never limit dynamic 4 pool b
	END
}

set_up() {
	local text i=0
	ns_create box && ns_ip box <<-END || return
		link add o1 numtxqueues 2 type veth peer name p1
		link add o2 type veth peer name p2
		link set o1 up
		link set o2 up
	END
	while IFS= read -r text; do
		tr ";" "\n" <<<"${text:-port attach dev o2 mode tc udp 12000}" >"$work/wanted.$i"
		i=$((i + 1))
	done < <(configurations)
	count=$i
	for ((i = 0; i < count; i++)); do
		box flush all && box restore -f "$work/wanted.$i" && box save >"$work/saved.$i" || return
	done
	box flush all
}

# go FROM TO: the namespace is as FROM says; it is to be as if it had been made so from nothing.
go() {
	box restore --diff -f "$work/wanted.$2" >"$work/steps" 2>&1
	if box restore -f "$work/wanted.$2" >"$work/said" 2>&1 && box save >"$work/now" && cmp -s "$work/now" "$work/saved.$2"; then
		return
	fi
	failed=$((failed + 1))
	echo "$1 to $2:"
	cat "$work/steps" "$work/said"
	diff "$work/saved.$2" "$work/now"
	# The next pair begins where it should.
	box flush all
	box restore -f "$work/wanted.$2"
}

# All pairs, there and back again.
pairs() {
	local i j failed=0 n=0
	for ((i = 0; i < count; i++)); do
		box restore -f "$work/wanted.$i" || return
		for ((j = i + 1; j < count; j++)); do
			go "$i" "$j"
			go "$j" "$i"
			n=$((n + 2))
		done
	done
	figures_keep trim_config_pairs_failed "$failed"
	echo "$n pairs, $failed failed"
	((n == 132 && failed == 0))
}

# A policy that keeps its hook is changed in place: it keeps its counters, and its packets wait on.
in_place() {
	local i j
	for ((i = 4; i < 6; i++)); do
		j=$((9 - i))
		box restore -f "$work/wanted.$i" && box restore --diff -f "$work/wanted.$j" >"$work/steps" || return
		if ! grep -q '^weir trim replace dev o1 ' "$work/steps" || grep -q '^weir trim del ' "$work/steps"; then
			cat "$work/steps"
			return 1
		fi
	done
}

# A policy that is as wanted already takes no step.
nothing_to_do() {
	local i
	for ((i = 0; i < count; i++)); do
		box restore -f "$work/wanted.$i" && box restore --diff -f "$work/wanted.$i" >"$work/steps" || return
		[[ ! -s $work/steps ]] || { cat "$work/steps"; return 1; }
	done
}

# A command that replaces a policy unsets the rest; one that changes it keeps the rest.
replaces() {
	box flush all && box trim set dev o1 hook qdisc dscp 48 rule any priority 3 queue 0 size 200 &&
		box trim set dev o1 limit 5 && [[ $(box -j trim show dev o1 | gojq '.[0] | [.priority, .size]' -c) == '[3,200]' ]] &&
		box trim replace dev o1 dscp 46 rule dscp=10 &&
		[[ $(saved) == 'weir trim set dev o1 hook qdisc dscp 46 rule dscp=10' ]] &&
		box trim-default set dscp 48 size 200 && box trim-default replace headers 7 &&
		[[ $(saved | head -n 1) == 'weir trim-default set headers 7' ]] && return
	box save
	return 1
}

# A default that a port cannot have is refused with the port and the reason.
reason() {
	local said
	box restore -f "$work/wanted.1" || return
	said=$(box trim-default replace size 200 2>&1) && { echo "was not refused"; return 1; }
	[[ $said == *'o1: say which DSCP trimmed packets get'* ]] || { echo "$said"; return 1; }
}

ktap_header
set_up || ktap_fail "set up"
ktap_run "each of twelve configurations becomes each other one" pairs
ktap_run "a policy with the same hook is changed in place" in_place
ktap_run "what is there is left alone" nothing_to_do
ktap_run "replace unsets what it is not given" replaces
ktap_run "a refused default names the port and the reason" reason
ktap_end
