#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Programs of users before, between and behind weir's on a device: they come, change, move and go
# while packets run. To be run in the virtual machine: it unloads and loads the module.
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

users=$root/build/bpf/users.bpf.o
filter=$root/build/bpf/trio_filter.bpf.o

# chained DEV: prio:name of its programs.
chained() { box_stat '[.[] | "\(.prio):\(.name)"] | join(" ")' chain show dev "$1"; }
is_chained() { [[ $(chained "$1") == "$2" ]] || { echo "the chain of $1 has: $(chained "$1")"; return 1; }; }
# of DEV PRIO FIELD
of() { box_stat ".[] | select(.prio == $2) | .$3" chain show dev "$1"; }
# holds DEV FILTER: of its programs by prio. Frames come between two looks, so it may take some.
holds() { weir -j chain show dev "$1" | gojq -e "map({key: (.prio | tostring), value: .}) | from_entries | $2" >/dev/null; }
will_hold() { poll 60 holds "$@" || { weir chain show dev "$1"; return 1; }; }
# on DEV: the name of the program on the device itself.
on() { in_router bpftool -j net show dev "$1" | gojq -r '.[0].xdp[0].id // empty' | while read -r id; do bpftool -j prog show id "$id" | gojq -r .name; done; }
# refuses WORDS COMMAND...: it fails and says so, and the chains are as before.
refuses() {
	local before
	before=$(weir -j chain show | gojq -c 'map({dev, prio, name, id})')
	"${@:2}" 2>"$box_out/said" && { echo "this was taken: ${*:2}"; return 1; }
	grep -q "$1" "$box_out/said" || { cat "$box_out/said"; return 1; }
	[[ $(weir -j chain show | gojq -c 'map({dev, prio, name, id})') == "$before" ]]
}
sums() { box_allreduce 7 2 --min-bytes 64K --max-bytes 64K --iterations 2; }
add() { weir chain add dev "$1" prio "$2" program "$users" section "$3" "${@:4}"; }

# Hook xdp forwards whole checksums alone.
trims() { in_worker 1 ethtool -K eth0 tx off >/dev/null && weir trim set dev w2 hook xdp from w1 dscp 45 rule any size 200 rate 10gbit; }

# A port keeps its UDP ports, and sums, when it gets a chain.
before_weirs() {
	local udp
	udp=$(box_stat '.[] | select(.dev == "w1") | .udp | join(",")' port show) && sums || return
	add w1 10 users_pass && is_chained w1 "10:users_pass 100:weir_xdp" && [[ $(on w1) == weir_chain ]] || return
	[[ $(box_stat '.[] | select(.dev == "w1") | .udp | join(",")' port show) == "$udp" ]] || return
	sums && will_hold w1 '."10".pass > 0 and ."100".drop > 0 and ."10".packets == ."100".packets' || return
	[[ $(of w1 100 part) == sum && $(of w1 10 part) == program && $(of w1 10 file) == "$users" ]] && (($(of w1 10 timed) > 0))
}

# It sees what no program before it has kept.
behind_weirs() {
	local passed
	passed=$(of w1 100 pass) && add w1 160 users_shift && box_pings 1 2 200 && sums || return
	will_hold w1 "(.\"100\".pass - $passed - .\"160\".packets | fabs) <= 5 and .\"160\".pass >= 200 and .\"160\".aborted == 0"
}

moved_frames() {
	weir chain move dev w1 prio 160 to 20 && is_chained w1 "10:users_pass 20:users_shift 100:weir_xdp" && sums && box_pings 1 2 200 &&
		(($(of w1 20 aborted) == 0)) && weir chain del dev w1 prio 20 && is_chained w1 "10:users_pass 100:weir_xdp"
}

drops() {
	local before
	add w1 30 users_drop && before=$(of w1 100 packets) || return
	in_worker 1 trim-traffic send "$(worker_addr 2)" --port 5555 --count 50 >"$box_out/sent" && (($(of w1 30 drop) == 50 && $(of w1 100 packets) - before < 25)) && sums
}

# A place that has another program goes on counting.
replaces() {
	local drops
	drops=$(of w1 30 drop) && weir chain replace dev w1 prio 30 program "$filter" && is_chained w1 "10:users_pass 30:trio_filter 100:weir_xdp" &&
		(($(of w1 30 drop) >= drops && drops > 0)) && sums && weir chain del dev w1 prio 30
}

comes_and_goes() {
	add w1 40 users_pass && weir chain replace dev w1 prio 40 program "$users" section users_drop && weir chain move dev w1 prio 40 to 140 &&
		weir chain del dev w1 prio 140
}

# Each of these packets must come back.
under_load() {
	local pid i
	box_pings 1 2 3000 & pid=$!
	for ((i = 0; i < 10; i++)); do
		comes_and_goes || break
	done
	sums && ((i == 10)) && wait "$pid" && return
	cat "$box_out/ping"
	return 1
}

# Frames of this length come to a veth in fragments, which such a program cannot take.
flat() {
	refuses "takes no fragments" add w1 55 users_flat && [[ $(on w1) == weir_chain ]] && sums || return
	in_router ip link set w3 mtu 1500 && in_worker 3 ip link set eth0 mtu 1500 && add w3 55 users_flat && [[ $(on w3) == weir_chain_flat && $(of w3 55 frags) == no ]] && box_pings 3 2 20 || return
	add w3 60 users_pass && [[ $(on w3) == weir_chain_flat ]] && weir chain del dev w3 prio 55 && [[ $(on w3) == weir_chain ]] && box_pings 3 2 20 || return
	weir chain replace dev w3 prio 60 program "$users" section users_flat && [[ $(on w3) == weir_chain_flat ]] || return
	weir chain del dev w3 prio 60 && [[ -z $(on w3) && -z $(chained w3) ]] && box_pings 3 2 20
}

# On socket buffers; a port joins the mode that is there.
generic() {
	add w3 55 users_pass mode generic && weir port attach dev w3 && is_chained w3 "55:users_pass 100:weir_xdp" || return
	[[ $(box_stat '.[] | select(.dev == "w3") | .mode' port show) == generic ]] && box_pings 3 2 20 && (($(of w3 100 pass) >= 20)) || return
	refuses "in mode generic" weir port attach dev w3 mode xdp && refuses "in mode generic already" add w3 51 users_pass mode xdp || return
	in_router ip link set dev w3 xdp off && weir port attach dev w3 mode generic && [[ $(on w3) == weir_chain && $(of w3 100 part) == sum ]] &&
		[[ $(box_stat '.[] | select(.dev == "w3") | .mode' port show) == generic ]] && box_pings 3 2 20 || return
	weir port attach dev w3 mode tc && is_chained w3 "55:users_pass" && weir port detach dev w3 && weir chain flush && [[ -z $(on w3) ]]
}

# Aggregation and forwarding on one device, and the user's programs between them.
sum_and_forward() {
	in_worker 2 ethtool -K eth0 gro on >/dev/null && weir chain flush && is_chained w1 "100:weir_xdp" || return
	weir port detach dev w1 && [[ -z $(on w1) ]] && weir port attach dev w1 mode xdp && [[ $(on w1) == weir_xdp ]] || return
	trims && is_chained w1 "100:weir_xdp 200:weir_forward" && add w1 160 users_pass && sums && box_pings 1 2 200 || return
	will_hold w1 '."160".packets == ."200".packets and ."200".redirect >= 200' || return
	weir port attach dev w1 mode xdp && sums && weir port detach dev w1 && is_chained w1 "160:users_pass 200:weir_forward" || return
	weir trim del dev w2 && is_chained w1 "160:users_pass" && trims && weir chain del dev w1 prio 160 || return
	is_chained w1 "200:weir_forward" && weir port attach dev w1 && is_chained w1 "100:weir_xdp 200:weir_forward" && weir trim del dev w2 && weir port detach dev w1 && [[ -z $(on w1) ]] || return
	trims && [[ $(on w1) == weir_forward* ]] && weir port attach dev w1 && is_chained w1 "100:weir_xdp 200:weir_forward" && sums && weir trim del dev w2
}

refusals() {
	weir trim flush && weir chain flush && weir port attach dev w1 mode xdp && add w1 10 users_pass || return
	refuses "is the place of weir's own" add w1 100 users_pass && refuses "is the place of weir's own" weir chain move dev w1 prio 10 to 200 &&
		refuses "has a program with prio 10 already" add w1 10 users_pass && refuses "no program of a chain has prio 11" weir chain del dev w1 prio 11 &&
		refuses "no program of a chain has prio 11" weir chain move dev w1 prio 11 to 12 && refuses "none for a device" add w1 11 users_cpumap &&
		refuses "users_tc of .* is no XDP program" add w1 11 users_tc && refuses "several programs: say which by .section.: users_pass, " weir chain add dev w1 prio 11 program "$users" &&
		refuses "no program of the section or the name nothing" add w1 11 nothing && refuses "cannot open /none" weir chain add dev w1 prio 11 program /none &&
		refuses "cannot read BPF programs" weir chain add dev w1 prio 11 program "$root/README.md" && refuses "out of range" add w1 65536 users_pass || return
	in_router ip link set dev w3 xdp obj "$users" program users_pass && refuses "of somebody else" add w3 10 users_pass && in_router ip link set dev w3 xdp off || return
	refuses "has no XDP program" weir chain adopt dev w3 prio 10 && refuses "is weir.s own" weir chain adopt dev w1 prio 20
}

# With a program that takes no fragments, in the driver and behind it.
adopts() {
	local mode
	for mode in xdpdrv xdpgeneric; do
		in_router ip link set dev w3 "$mode" obj "$users" program users_flat && weir chain adopt dev w3 prio 55 && is_chained w3 "55:users_flat" &&
			[[ $(on w3) == weir_chain_flat ]] && box_pings 3 2 20 && (($(of w3 55 pass) >= 20)) && add w3 60 users_pass && box_pings 3 2 20 || return
		weir save 2>&1 | grep -q "prio 55 of w3 is left out" && weir save 2>/dev/null | grep -q "chain add dev w3 prio 60" && weir chain flush && [[ -z $(on w3) ]] || return
	done
}

no_more_than_16() {
	local i
	weir chain flush && weir port attach dev w1 mode xdp
	for ((i = 1; i <= 15; i++)); do
		add w1 $((300 + i)) users_pass || return
	done
	refuses "16 programs at most" add w1 400 users_pass && box_pings 1 2 200 && sums && weir chain flush && is_chained w1 "100:weir_xdp"
}

# A program that has the chain run again, and one whose verdict there is not.
odd_ones() {
	weir chain flush
	add w1 10 users_again && in_worker 1 trim-traffic send "$(worker_addr 2)" --count 20 >/dev/null && (($(of w1 10 aborted) >= 20 && $(of w1 100 packets) >= 0)) &&
		weir chain replace dev w1 prio 10 program "$users" section users_odd && in_worker 1 trim-traffic send "$(worker_addr 2)" --count 20 >/dev/null &&
		(($(of w1 10 aborted) >= 40)) && weir chain del dev w1 prio 10 && sums
}

is_saved() { [[ $(weir save | grep -v '^#\|^weir \(job\|source\)') == "$1" ]] || { weir save; return 1; }; }

kept() {
	weir chain flush
	local chain="weir chain add dev w1 prio 10 program $users section users_pass mode xdp" ports
	ports=$(weir save | grep '^weir port') && add w1 10 users_pass && is_saved "$chain
$ports" && weir save >"$box_out/kept" && weir flush all && [[ -z $(on w1) && $(weir save) == *"end of 0 commands" ]] || return
	weir restore "$box_out/kept" && is_saved "$chain
$ports" && is_chained w1 "10:users_pass 100:weir_xdp" && sums || return
	sed 's/section users_pass/section users_shift/' "$box_out/kept" >"$box_out/other" &&
		[[ $(weir restore --diff "$box_out/other") == "weir chain replace dev w1 prio 10 program $users section users_shift" ]] &&
		weir restore "$box_out/other" && is_chained w1 "10:users_shift 100:weir_xdp" && weir restore "$box_out/kept"
}

upgraded() {
	command weir upgrade "$root/build/kmod-$(uname -r)/weir_xdp.ko" && is_chained w1 "10:users_pass 100:weir_xdp" && sums
}

watched() {
	monitored poll 60 hears && weir doctor | grep -q "is in the chain of w1" && weir metrics >"$box_out/metrics" || return
	grep -q '^weir_chain_pass_total{port="w1",prio="10",program="users_pass"} [1-9]' "$box_out/metrics"
}
hears() {
	add w3 75 users_pass && weir chain del dev w3 prio 75 && poll 2 grep -q ' chain-del chain w3 prio 75 ' "$box_out/events"
}

# Without the program that it hangs on, a chain has no packets; the next change brings it back.
cut_off() {
	in_router ip link set dev w1 xdp off && box_pings 1 2 200 && weir doctor | grep -q "fail *chain w1.*none of its programs is run" || return
	weir chain move dev w1 prio 10 to 10 && [[ $(on w1) == weir_chain ]] && weir doctor | grep -q "ok *chain w1.*are run by" && sums || return
	in_router ip link set dev w1 xdp off && weir port attach dev w1 mode xdp && is_chained w1 "10:users_pass 100:weir_xdp" && [[ $(on w1) == weir_chain ]] && sums || return
	in_router ip link set dev w1 xdp off && add w1 20 users_pass && [[ $(on w1) == weir_chain ]] && sums
}

no_program_left() { ! bpftool prog show | grep -q 'users_\|weir_'; }

device_goes() {
	add w4 10 users_pass && ip -n "$(ns_name w4)" link del eth0 && [[ -z $(weir -j chain show dev w4 2>/dev/null | gojq -r '.[]') ]] &&
		[[ $(box_stat 'map(select(.dev == "w4")) | length' chain show) == 0 ]]
}

set_up() { box_attach 2 xdp && box_job 7 2 blocks 256 grads 1024; }

ktap_header
star_create 4 9000
ktap_run "set up" set_up
ktap_run "a program before weir's" before_weirs
ktap_run "a program behind weir's" behind_weirs
ktap_run "weir's sees a frame where the program before it left it" moved_frames
ktap_run "a program that drops" drops
ktap_run "a program is replaced" replaces
ktap_run "programs come, change, move and go under load" under_load
ktap_run "programs that take no fragments" flat
ktap_run "a chain on socket buffers" generic
if grep -qw bpf_cast_to_kern_ctx /proc/kallsyms; then
	ktap_run "one that sums, one that forwards and one between them" sum_and_forward
else
	ktap_skip "one that sums, one that forwards and one between them" "hook xdp takes bpf_cast_to_kern_ctx(), which this kernel lacks"
fi
ktap_run "what cannot be is refused, and changes nothing" refusals
ktap_run "what somebody else has on a device is adopted" adopts
ktap_run "a chain has its end" no_more_than_16
ktap_run "a program that has the chain run, and a verdict that there is not" odd_ones
ktap_run "a chain is saved and restored" kept
ktap_run "another module under a chain" upgraded
ktap_run "monitor, doctor and metrics know it" watched
ktap_run "somebody takes its program off the device" cut_off
ktap_run "a device goes, and its chain with it" device_goes
star_delete
ktap_run "no program is left when the namespace is gone" poll 60 no_program_left
ktap_run "the module goes and comes" module_goes 20
ktap_end
