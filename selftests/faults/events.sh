#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Hostile events: processors, links, programs and neighbours go while packets fly and
# timers run; tools are killed between two requests; two administrators are at work at
# once; memory runs out. The state after it is right, or is put right by asking again.
# To be run in the virtual machine: it unloads and loads the module.
#
#	events.sh	all but what takes long
#	events.sh long	a tool is killed as it sets up other hooks than the first, and two devices
#			by XDP: for each attempt the kernel verifies the programs, many seconds in
#			a machine that is emulated
set -u

here=$(cd "$(dirname "${BASH_SOURCE[0]}")/../netns" && pwd) || exit 1
# shellcheck source=../lib/ktap.sh
. "$here/../lib/ktap.sh"
# shellcheck source=../lib/module.sh
. "$here/../lib/module.sh"
# shellcheck source=../lib/netns.sh
. "$here/../lib/netns.sh"
# shellcheck source=../netns/box.sh
. "$here/box.sh"
# shellcheck source=../netns/flood.sh
. "$here/flood.sh"

rule=(rule "proto=udp,dscp=af11" dscp cs6)
cpu=/sys/devices/system/cpu/cpu1/online

says() { grep -qE -e "$1" || { echo "it does not say: $1"; return 1; }; }

aged() { box_stat .stats.aged stats; }
ageing() { rises 60 aged || { echo "no block ages: $(aged)"; return 1; }; }

# Three of four sources send, so that each block waits for a timer, which is pinned to the
# processor that the block's first packet came to. (Timers that scan meanwhile: ageing.sh.)
job_goes_without_its_processor() {
	[[ -w $cpu ]] || { echo "processor 1 cannot be taken away"; return 4; }
	box_job 7 4 blocks 64 grads 1024 policy partial timeout 30s || return
	flood_start 7 3
	flowing && echo 0 >"$cpu"
	local status=$?
	flood_stop
	weir job del id 7 || status=1
	echo 1 >"$cpu"
	[[ $(box_stat '."memory-used"' stats) == 0 ]] || status=1
	return "$status"
}

contributions() { box_stat .stats.contributions stats; }
# The workers that box_start has started are at it.
at_work() { rises 60 contributions; }

# while_working COMMAND...: it happens in the middle of an allreduce, which goes on.
while_working() {
	box_job 7 4 blocks 256 grads 1024 || return
	box_start 7 4 --max-bytes 2M --min-bytes 2M --iterations 4 || return
	local status=0
	at_work && "$@" || status=1
	box_wait || status=1
	weir job del id 7 || status=1
	return "$status"
}

sums_are_right() {
	box_job 7 4 blocks 256 grads 1024 &&
		box_allreduce 7 4 --min-bytes 512K --max-bytes 512K --iterations 1 && weir job del id 7
}

box_link() { ip -n "$(ns_name router)" link set "$@"; }

link_flaps() {
	local i
	for i in 1 2 3; do
		box_link w2 down && [[ $(box_stat '.[] | select(.dev == "w2") | .mode' port show) == xdp ]] &&
			box_link w2 up && ip -n "$(ns_name router)" address replace fd77:2::254/64 dev w2 nodad ||
			return
	done
}

# Results that are too long for the link are not sent; with the old MTU they are.
mtu_changes() {
	local mtu
	for mtu in 1500 4000 9000 1500 9000; do
		box_link w2 mtu "$mtu" || return
	done
}

neighbours_are_lost() {
	local i
	for i in {1..10}; do
		ip -n "$(ns_name router)" neigh flush all || return
		ip -n "$(ns_name router)" neigh replace "$(worker_addr 3)" dev w3 lladdr 02:00:00:00:00:09 nud stale || return
	done
	ip -n "$(ns_name router)" neigh flush all
}

# Another tool takes the program away: the port stays, and the doctor reports it with a fix.
program_is_taken_away() {
	local status=0 said
	box_job 7 4 blocks 256 grads 1024 || return
	flood_start 7 4
	flowing && box_link w1 xdp off || status=1
	[[ $(box_stat '.[] | select(.dev == "w1") | .mode' port show) == xdp ]] || status=1
	said=$(weir doctor 2>&1) && { echo "the doctor finds nothing"; status=1; }
	says 'no program is attached' <<<"$said" && says 'weir port attach dev w1 mode xdp' <<<"$said" || status=1
	weir port attach dev w1 mode xdp || status=1
	weir doctor 2>&1 | grep -q 'no program is attached' && status=1
	flood_stop
	weir job del id 7 || status=1
	return "$status"
}

# at_request N COMMAND...: kills it as it makes its N-th request to the kernel by netlink;
# 0 where it has not got so many, and has done its work.
at_request() {
	in_router strace -f -qq -o /dev/null -e trace=sendto,sendmsg \
		-e inject=sendto,sendmsg:signal="${kill_by:-KILL}":when="$1" weir "${@:2}"
}

# The state that a tool has set up. Numbers of programs, handles, counters and the devices that
# come with a policy differ each time.
set_up_state() {
	{
		weir -j trim show
		weir -j port show
		ip -n "$(ns_name router)" -o -d link show
		tc -n "$(ns_name router)" -batch - <<-END | sed 's/ [0-9a-f]*: dev/ dev/' | sort
			qdisc show
			filter show dev w2 egress
			filter show dev w1 ingress
		END
	} | grep -oE '"(dev|hook|size|dscp|rate|mode)":[^,}]*|"rule":\[[^]]*]|^[0-9]+: [a-z0-9]+|mtu [0-9]+ xdp[a-z]*|name weir[_a-z]*|qdisc (weir|mq) dev .*|weir[_a-z]*:\[' |
		sed -E 's/^[0-9]+: (weir[0-9]+)$/\1/'
}

# right STATE WHAT
right() {
	local state
	state=$(set_up_state)
	[[ $state == "$1" ]] || { echo "$2: $state, not $1"; return 1; }
}

# is_new STATE: has not been met since $met was emptied
declare -A met
is_new() { [[ -z ${met[$1]-} ]] && met[$1]=1; }

# has_end N: no tool makes so many requests
has_end() { (($1 < 99)) || { echo "$1 requests, and no end"; return 1; }; }

# killed SET DEL: the state in which a killed SET leaves things is put right by SET
# when it is run again, and by DEL; and that of a killed DEL by DEL. Words are
# separated by blanks. A tool's steps depend on the state that it finds, so that each state
# is mended only once.
killed() {
	local good none left n=0 set del
	read -ra set <<<"$1"
	read -ra del <<<"$2"
	none=$(set_up_state)
	weir "${set[@]}" 2>/dev/null || return
	good=$(set_up_state)
	met=(["$good"]=1)
	until at_request "$((++n))" "${del[@]}" 2>/dev/null; do
		has_end "$n" || return
		left=$(set_up_state)
		[[ $left == "$good" ]] && continue
		# Where it had done all there was to do there is nothing to take away.
		weir "${del[@]}" 2>/dev/null
		! is_new "$left" || right "$none" "deleted, killed at request $n, and deleted again" || return
		weir "${set[@]}" 2>/dev/null || return
	done
	met=(["$none"]=1) n=0
	until at_request "$((++n))" "${set[@]}" 2>/dev/null; do
		has_end "$n" || return
		left=$(set_up_state)
		[[ $left == "$none" ]] && continue
		if is_new "$left"; then
			weir "${set[@]}" 2>/dev/null
			right "$good" "set, killed at request $n, and set again" || return
			weir "${del[@]}" || return
			at_request "$n" "${set[@]}" 2>/dev/null
		fi
		weir "${del[@]}" 2>/dev/null
		right "$none" "set, killed at request $n, and deleted" || return
	done
	weir "${del[@]}" && right "$none" "set and deleted" || return
	((n > 2 && ${#met[@]} > 1)) || { echo "$n requests, ${#met[@]} states"; return 1; }
}

can_kill() { command -v strace >/dev/null || { echo "strace is not installed"; return 4; }; }

killed_setting() { can_kill && killed "trim set dev w2 hook $1 ${rule[*]} ${*:2}" "trim del dev w2"; }
killed_attaching() { can_kill && killed "port attach dev w1 mode $1" "port detach dev w1"; }

# A queue that is set up one transmit queue after the other.
killed_setting_many() {
	can_kill || return
	ip -n "$(ns_name router)" link add many numtxqueues 4 type ifb 2>/dev/null || { echo "no ifb"; return 4; }
	ip -n "$(ns_name router)" link set many up
	killed "trim set dev many hook qdisc ${rule[*]}" "trim del dev many" &&
		ip -n "$(ns_name router)" link del many
}

killed_by() { kill_by=$1 killed_setting qdisc; }

# Two administrators. The answer when the other was quicker is one of these.
documented='exists already|(lacks|misses) the key hook|there is no job|has an address already|has no address|is a weir port already|is no weir port|has no trimming policy|came to .* meanwhile|clsact was taken off .* meanwhile|cannot put the weir qdisc|cannot detach the program|cannot take off|another program'

administer() {
	local i size=$1 blocks=$2
	for i in {1..6}; do
		weir job add id 9 sources 4 blocks "$blocks" grads 64 address "$(box_addr)"
		weir source add job 9 id 0 address "$(worker_addr 1)"
		weir job set id 9 rate packets "$blocks"
		weir port attach dev w3 mode tc
		weir trim set dev w3 hook qdisc "${rule[@]}" size "$size"
		weir trim set dev w3 size "$size" limit "$blocks"
		((i == 6)) && break
		weir source del job 9 id 0
		weir job del id 9
		weir port detach dev w3
		weir trim del dev w3
	done
}

two_administrators() {
	local first status=0 odd
	weir port detach dev w3
	administer 100 8 >"$box_out/first" 2>&1 &
	first=$!
	administer 200 16 >"$box_out/second" 2>&1
	wait "$first"
	odd=$(cat "$box_out/first" "$box_out/second" | grep -vE "$documented" | grep .)
	[[ -z $odd ]] || { echo "$odd"; status=1; }
	# Each one's words are whole, though the first's may be followed by the second's.
	weir job show id 9 >/dev/null 2>&1 || weir job add id 9 sources 4 blocks 8 grads 64 address "$(box_addr)" || status=1
	[[ $(box_stat '.[0].blocks' job show) =~ ^(8|16)$ ]] || { weir job show; status=1; }
	weir trim set dev w3 hook qdisc "${rule[@]}" size 100 limit 8 && weir port attach dev w3 mode xdp || status=1
	weir -j trim show dev w3 | gojq -e '.[0] | .size == 100 and .limit == 8' >/dev/null || status=1
	weir -j doctor | gojq -e '[.checks[] | select(.subject == "port w3" or .subject == "trim w3") | select(.status == "fail")] == []' >/dev/null ||
		{ weir doctor; status=1; }
	weir trim del dev w3 && weir job del id 9 || status=1
	return "$status"
}

# A job too large for the cgroup of the tool that asks for it: it is refused in words, and
# no process is killed for it.
huge_job() {
	local group=/sys/fs/cgroup/weir-huge said status=1
	grep -qsw memory /sys/fs/cgroup/cgroup.controllers || { echo "no memory controller"; return 4; }
	echo +memory >/sys/fs/cgroup/cgroup.subtree_control && mkdir "$group" && echo 40M >"$group/memory.max" || return
	said=$(
		echo "$BASHPID" >"$group/cgroup.procs"
		weir job add id 9 sources 2 blocks 16384 grads 2048 address "$(box_addr)" 2>&1
		echo "status $?"
	)
	says 'no memory for 16384 blocks of 2048 gradients: use fewer blocks' <<<"$said" &&
		says 'status 1' <<<"$said" && [[ $(box_stat '."memory-used"' stats) == 0 ]] &&
		grep -q '^oom_kill 0$' "$group/memory.events" && status=0
	((status)) && { echo "$said"; cat "$group/memory.events"; }
	rmdir "$group"
	return "$status"
}

# Everything there is, in one namespace, when it goes.
all_at_once() {
	box_job 7 4 blocks 256 grads 1024 policy partial timeout 5ms &&
		box_job 8 4 blocks 256 grads 1024 port 12001 policy partial timeout 60s || return
	in_router tc qdisc add dev w4 root handle 1: tbf rate 400bit burst 4000 limit 1000000 &&
		in_router tc qdisc add dev w4 parent 1:1 handle 10: weir &&
		weir trim set dev w4 hook qdisc "${rule[@]}" limit 4 &&
		weir trim set dev w3 hook tc "${rule[@]}" rate 1mbit || return
	in_worker 1 trim-traffic send "$(worker_addr 4)" --count 60 >/dev/null || return
	flood_start 7 3
	flowing && ageing || return
	weir -j trim show dev w4 | gojq -e '.[0] | ."data-depth" > 0' >/dev/null ||
		{ echo "nothing waits at w4"; weir trim show dev w4; return 1; }
}

ktap_header
if [[ ${1-} == long ]]; then
	# Hook xdp forwards whole checksums alone.
	{ star_create 4 9000 && star_each ethtool -K eth0 tx off >/dev/null; } || ktap_fail "set up"
	ktap_run "trim set is killed: xdp" killed_setting xdp rate 1gbit from w1
	ktap_run "trim set is killed: xdp, two devices" killed_setting xdp rate 1gbit from w1 from w3
	ktap_run "trim set is killed: many transmit queues" killed_setting_many
	ktap_run "trim set is killed: tc" killed_setting tc rate 1gbit
	ktap_run "trim set is interrupted" killed_by INT
	ktap_run "port attach is killed: tc" killed_attaching tc
	star_delete
	ktap_end
fi
box_up 4 9000 xdp || ktap_fail "set up"
ktap_run "a job goes, and the processor of its timers is away" job_goes_without_its_processor
ktap_run "a link goes down and up" while_working link_flaps
ktap_run "the MTU changes under load" while_working mtu_changes
ktap_run "neighbours are lost" while_working neighbours_are_lost
ktap_run "somebody else takes the program away" program_is_taken_away
ktap_run "a huge job is refused" huge_job
ktap_run "two administrators at once" two_administrators
ktap_run "sums are right after all that" sums_are_right
weir port flush
ktap_run "trim set is killed: qdisc" killed_setting qdisc
ktap_run "port attach is killed: xdp" killed_attaching xdp
box_down
box_up 4 9000 xdp || ktap_fail "set up again"
ktap_run "everything is under way" all_at_once
star_delete
ktap_run "the namespace goes with it" poll 60 all_memory_is_back
flood_stop
ktap_run "the module goes and comes" module_goes 60
ktap_end
