#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Packets that are spread over CPUs, or come out of order, and go on in the order of their flows.
# To be run in a virtual machine with several CPUs: it unloads and loads the module.
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
got=$box_out/got

# As long as no test waits for it to pass: nothing here depends on how fast packets are.
patient=(hold 1000s)
udp=(rule proto=udp)

order() { weir order add dev w1 prio 1 "$@"; }
behind() { weir chain add dev w1 prio 160 program "$users" section "$1"; }
# stat FIELD: of the order; of_got FIELD: of what has arrived
stat() { box_stat ".[0].stats.\"$1\"" order show dev w1; }
of_got() { gojq ".$1" "$got"; }
arrived() { (($(of_got packets) == $1)); }
is_stat() { (($(stat "$1") == $2)); }
# end_all: nothing of the last test is left
end_all() { weir order flush && weir chain flush && [[ -z $(weir order show)$(weir chain show) ]]; }

# Worker 2 counts what arrives from now on; the test ends it as it ends. Without a shell between, so
# that it is the program that is ended.
listens() {
	deaf
	nsenter --net="/run/netns/$(ns_name w2)" -- order-traffic recv "$got" & listener=$!
	trap deaf EXIT
	poll 60 [ -s "$got" ]
}
deaf() {
	[[ -z ${listener-} ]] || { kill "$listener" && wait "$listener" 2>/dev/null; }
	rm -f "$got"
	listener=''
}

# sends OPTION...: what worker 1 has sent is in $sent
sends() { sent=$(in_worker 1 order-traffic send "$(worker_addr 2)" --window "$got" "$@"); }

# All that was sent arrives, once, and in order.
all_in_order() {
	listens && sends "$@" && poll 120 arrived "$sent" &&
		(($(of_got violations) == 0 && $(of_got twice) == 0)) && return
	cat "$got"
	weir order show
	weir chain show
	return 1
}

# At every CPU a packet takes as long as it comes.
spread() {
	order "${udp[@]}" cpus 0-3 "${patient[@]}" && behind users_dally &&
		all_in_order --count 1000 --flows 3 || return
	(($(stat packets) == 3000 && $(stat waited) > 0 && $(stat late) == 0 && $(stat skipped) == 0)) &&
		is_stat lost 0 && poll 60 is_stat waiting 0 &&
		(($(box_stat '.[] | select(.prio == 160) | .pass' chain show dev w1) >= 3000))
}

# Bystanders are not touched: no rule of an order is about them.
bystanders() {
	local before
	before=$(stat packets)
	in_worker 1 ping -f -c 200 -W 60 "$(worker_addr 2)" >"$box_out/ping" &&
		grep -q ' 0% packet loss' "$box_out/ping" && is_stat packets "$before"
}

forgotten() { poll 60 is_stat flows 0; }

no_order() { [[ -z $(weir order show) && -z $(in_router ip -br link show type weir) ]]; }
taken_away() {
	weir order del dev w1 prio 1 && no_order &&
		(($(box_stat '.[0].prio' chain show) == 160)) && end_all
}

all_told() { (($(of_got packets) + $(stat dropped) == sent)); }
# Others would wait for ever, if a drop did not tell.
drops_tell() {
	order "${udp[@]}" cpus 0-3 "${patient[@]}" && behind users_some && listens || return
	sent=$(in_worker 1 order-traffic send "$(worker_addr 2)" --count 1000 --flows 2) || return
	poll 120 all_told &&
		(($(of_got violations) == 0 && $(stat dropped) > 0 && $(stat skipped) == 0))
}

# On socket buffers packets are put in order, but not spread.
generic() {
	end_all && order "${udp[@]}" cpus 0-3 mode generic "${patient[@]}" && behind users_dally &&
		all_in_order --count 500 --flows 2 && is_stat here 1000 && is_stat unordered 0 || return
	end_all && order "${udp[@]}" sequence rtp mode generic "${patient[@]}" &&
		all_in_order --count 401 --rtp --swap 8 && (($(stat waited) > 0)) && is_stat lost 0
}

# Out of a device, past the stack, in the driver.
forwards() {
	end_all && star_each ethtool -K eth0 gro on tx off >/dev/null &&
		weir trim set dev w2 hook xdp from w1 dscp 45 rule any size 200 rate 10gbit &&
		order "${udp[@]}" cpus 0-3 "${patient[@]}" && behind users_dally &&
		all_in_order --count 1000 --flows 2 && is_stat unordered 0 && is_stat lost 0 &&
		(($(box_stat '.[] | select(.prio == 200) | .redirect' chain show dev w1) >= 2000)) &&
		weir trim del dev w2
}

# Without an order they come as they were sent: backwards, eight at a time.
reordered() {
	end_all && listens && sends --count 800 --rtp --swap 8 && poll 60 arrived 800 &&
		(($(of_got violations) > 500))
}
by_rtp() {
	order "${udp[@]}" sequence rtp "${patient[@]}" &&
		all_in_order --count 801 --flows 2 --rtp --swap 8 --first 65000 &&
		(($(stat waited) > 0 && $(stat packets) == 1602 - $(stat late)))
}
by_field() {
	end_all && order "${udp[@]}" sequence 2/16 scope 8/32 "${patient[@]}" &&
		all_in_order --count 801 --rtp --swap 8 --first 65000
}
# Both at once: their own numbers, and several CPUs.
by_rtp_spread() {
	end_all && order "${udp[@]}" sequence rtp cpus 1-3 "${patient[@]}" && behind users_dally &&
		all_in_order --count 801 --rtp --swap 8
}

# Of a stream that lacks packets: those behind wait, but not for ever; the others are late. Two in
# sequence, far away, are a new beginning. A flow that is silent for a second or two is a new one, too:
# a machine that was that late tries again.
gaps() {
	for _ in {1..5}; do fills_gaps && return; done
	weir order show
	return 1
}
fills_gaps() {
	end_all && order "${udp[@]}" sequence rtp hold 100ms packets 64 && listens &&
		sends --count 10 --rtp --first 0,20,10,30000 && poll 60 arrived 40 &&
		is_stat skipped 10 && is_stat late 10 && is_stat packets 40
}

# Without room for their flows packets go on, in no order that is promised. On a slow machine a flow
# may be forgotten between two of its packets, and its room is another's.
no_room() {
	end_all && order "${udp[@]}" cpus 0-3 flows 2 "${patient[@]}" && listens &&
		sends --count 200 --flows 4 && poll 60 arrived 800 &&
		(($(stat full) > 0 && $(stat full) + $(stat packets) == 800 && $(stat flows) <= 2))
}

# cpu N 0|1: takes a CPU away, or brings it back
cpu() { echo "$2" >"/sys/devices/system/cpu/cpu$1/online"; }
unplugged() {
	local pid status
	end_all && order "${udp[@]}" cpus 1-3 "${patient[@]}" && behind users_dally || return
	(while cpu 3 0 && cpu 3 1; do :; done) & pid=$!
	all_in_order --count 1500 --flows 2
	status=$?
	kill "$pid"
	wait "$pid" 2>/dev/null
	cpu 3 1
	return "$status"
}

# Orders come and go, and all that was sent arrives.
under_load() {
	local pid
	end_all && behind users_dally && listens || return
	(while order "${udp[@]}" cpus 0-3 "${patient[@]}" && weir order del dev w1 prio 1; do :; done) & pid=$!
	sends --count 1000 --flows 3 && poll 120 arrived 3000
	set -- $?
	kill "$pid"
	wait "$pid" 2>/dev/null
	return "$1"
}

# on_threads DEVICE: the device's NAPIs are threads, which run on CPU 3 when nobody else wants it
on_threads() {
	local pid
	in_router sh -c 'mount -t sysfs none "$1" || exit
		echo 1 >"$1/class/net/$2/threaded"; status=$?; umount "$1"; exit $status' \
		sh "$box_out/sys" "$1" || return
	for pid in $(pgrep "^napi/$1-"); do
		taskset -pc 3 "$pid" >/dev/null && chrt -i -p 0 "$pid" || return
	done
}

# kept_waiting BYTES: the CPU that runs the chain, and that flows go on at, is busy. What comes is
# held, in lists of both kinds. It is no more than the order's bytes, and goes on when the CPU is
# free. If packets that wait for others have half of the bytes, those are given up: they come late,
# and no other packet is out of its order.
kept_waiting() {
	local device hog status
	end_all && order "${udp[@]}" cpus 3 packets 16384 flows 16 bytes "$1" "${patient[@]}" && listens &&
		device=$(box_stat '.[0].by' order show dev w1) && mkdir -p "$box_out/sys" &&
		on_threads "$device" || return
	taskset -c 3 bash -c 'while :; do :; done' & hog=$!
	trap 'kill "$hog"; deaf' EXIT
	sent=$(in_worker 1 order-traffic send "$(worker_addr 2)" --count 1000 --flows 8) && quota_holds "$1"
	status=$?
	kill "$hog"
	wait "$hog" 2>/dev/null
	trap deaf EXIT
	((status == 0)) || return
	poll 60 is_stat waiting-bytes 0 && poll 60 arrived $((sent - $(stat overload))) &&
		(($(of_got violations) <= $(stat late) && $(of_got twice) == 0)) && return
	cat "$got"
	weir order show
	return 1
}
# The busy CPU may take the first ones in time.
given_up() {
	for _ in {1..10}; do
		kept_waiting $((1 << 17)) || return
		(($(stat late) == 0)) || return 0
	done
	weir order show
	return 1
}
overloaded() { (($(stat overload) > 0)); }
# quota_holds BYTES: packets are dropped, and of the others one for each CPU is above the quota
quota_holds() {
	poll 60 overloaded &&
		(($(stat waiting-bytes) <= $1 + (1 << 15))) && return
	weir order show
	return 1
}

# Ten packets that wait, of two fragments or more each, have all of their memory.
fragments_count() {
	end_all && mtu 9000 && order "${udp[@]}" sequence rtp "${patient[@]}" &&
		in_worker 1 order-traffic send "$(worker_addr 2)" --count 10 --size 8000 --rtp --first 0,20 \
			>/dev/null && poll 60 is_stat waiting 10 && (($(stat waiting-bytes) >= 80000)) && return
	weir order show
	return 1
}
# A packet does not leave by a device that it is too long for, though the other end would take it.
too_long() {
	end_all && in_router ip link set w2 mtu 1500 && in_worker 2 ethtool -K eth0 gro on >/dev/null &&
		order "${udp[@]}" cpus 3 "${patient[@]}" && behind users_route && in_worker 1 order-traffic send "$(worker_addr 2)" --count 10 --size 8000 \
			>/dev/null && poll 60 is_stat packets 10 && poll 60 is_stat lost 10 && return
	weir order show
	return 1
}
shorter() { end_all; mtu 1500; }
mtu() {
	local i
	for i in 1 2; do
		in_router ip link set "w$i" mtu "$1" && in_worker "$i" ip link set eth0 mtu "$1" || return
	done
}

# XDP would pass on what the other end of a veth has left undone.
unfinished() {
	local status
	end_all && in_worker 1 ethtool -K eth0 tx on >/dev/null || return
	refuses "tx off" order "${udp[@]}" cpus 0 && [[ -z $(weir order show)$(weir chain show) ]] &&
		refuses "tx off" weir trim set dev w2 hook xdp from w1 dscp 45 rule any size 200 rate 10gbit &&
		order "${udp[@]}" cpus 0 mode generic
	status=$?
	in_worker 1 ethtool -K eth0 tx off >/dev/null && return "$status"
}

# Two admins, the second one's packets being others.
two() {
	end_all && order rule proto=udp,port=7001 cpus 0,1 &&
		weir order add dev w1 prio 2 rule proto=udp cpus 2,3 "${patient[@]}" &&
		all_in_order --count 500 || return
	(($(box_stat '.[1].stats.packets' order show dev w1) == 500)) && is_stat packets 0 &&
		weir order del dev w1 prio 1 && all_in_order --count 500 && is_stat packets 1000
}

kept() {
	local saved words="cpus 0-2 sequence 4/32 scope 0/32"
	# shellcheck disable=SC2086 # words
	end_all && order "${udp[@]}" $words hold 5ms packets 128 bytes 4mb flows 16 &&
		saved=$(weir save | sed '/^#/d') || return
	words+=" hold 5000us packets 128 bytes 4194304b flows 16 mode xdp"
	[[ $saved == "weir order add dev w1 prio 1 rule proto=udp $words" ]] || { echo "$saved"; return 1; }
	weir save >"$box_out/kept" && weir flush all && [[ $(weir save) == *"end of 0 commands" ]] || return
	weir restore "$box_out/kept" && diff "$box_out/kept" <(weir save) &&
		[[ -z $(weir restore --diff "$box_out/kept") ]]
}

upgraded() {
	command weir upgrade "$root/build/kmod-$(uname -r)/weir_xdp.ko" &&
		[[ $(weir save) == "$(cat "$box_out/kept")" ]]
}

# Of two words or more, as a sentence has them.
refuses() {
	"${@:2}" 2>"$box_out/said" && return 1
	grep -q "$1" "$box_out/said" || { cat "$box_out/said"; return 1; }
}
refusals() {
	end_all && refuses "say cpus" order && refuses "is rtp, gtpu" order sequence tcp &&
		refuses "of sequence field" order sequence rtp scope 0/32 &&
		refuses "scope is OFFSET" order sequence 4/32 scope 0/12 &&
		refuses "list of CPUs" order cpus 3-1 && refuses "no such CPU" order cpus 4000 &&
		refuses "power of two" order cpus 0 packets 100 &&
		order cpus 0 && refuses "prio 1 already" order cpus 0 &&
		refuses "no order has prio 2" weir order del dev w1 prio 2 &&
		refuses "place of weir's own" weir chain add dev w1 prio 150 program "$users" section users_pass
}

hears() {
	weir order del dev w1 prio 1 && order cpus 0 &&
		poll 2 grep -q ' order-del order w1 prio 1 ' "$box_out/events"
}
has_doctor() {
	weir doctor >"$box_out/doctor"
	grep -q "ok *order w1 1.*hands its packets over" "$box_out/doctor" || { cat "$box_out/doctor"; return 1; }
}
has_metrics() {
	local name
	weir metrics >"$box_out/metrics" || return
	for name in 'packets_total{port="w1",prio="1"}' 'waiting{port="w1",prio="1"}' \
		'wait_seconds_bucket{port="w1",prio="1",le="+Inf"}'; do
		grep -qF "weir_order_$name " "$box_out/metrics" ||
			{ cat "$box_out/metrics"; return 1; }
	done
}
watched() {
	monitored poll 60 hears && has_doctor && has_metrics && weir chain flush &&
		weir -j chain show | gojq -e '.[0].part == "order"' >/dev/null
}

# Packets that wait do not outlive the device that they came in by.
device_goes() {
	end_all && order "${udp[@]}" sequence rtp "${patient[@]}" &&
		in_worker 1 order-traffic send "$(worker_addr 2)" --count 10 --rtp --first 0,20 >/dev/null &&
		poll 60 is_stat waiting 10 || return
	in_router ip link set w1 down && is_stat waiting 0 && ip -n "$(ns_name w1)" link del eth0 && no_order
}

# And neighbours know each other: of packets for one that is not known few are kept.
set_up() {
	star_each ethtool -K eth0 tx off >/dev/null &&
		in_worker 1 ping -c 1 -W 60 "$(worker_addr 2)" >/dev/null
}

ktap_header
star_create 3 1500
ktap_run "set up" set_up
ktap_run "packets of three flows, spread over four CPUs" spread
ktap_run "bystanders pass" bystanders
ktap_run "flows are forgotten" forgotten
ktap_run "an order is taken away, with its device" taken_away
ktap_run "a packet that is dropped tells" drops_tell
ktap_run "on socket buffers" generic
if grep -qw bpf_cast_to_kern_ctx /proc/kallsyms; then
	ktap_run "out of a device" forwards
else
	ktap_skip "out of a device" "hook xdp takes bpf_cast_to_kern_ctx(), which this kernel lacks"
fi
ktap_run "packets that come backwards" reordered
ktap_run "by RTP's number" by_rtp
ktap_run "by a field" by_field
ktap_run "by RTP's number, over several CPUs" by_rtp_spread
ktap_run "a stream with gaps, and a new one" gaps
ktap_run "more flows than there is room for" no_room
ktap_run "a CPU comes and goes" unplugged
ktap_run "orders come and go" under_load
ktap_run "a CPU that has no time: what is held has a quota" kept_waiting $((1 << 20))
ktap_run "a CPU that has no time: packets that are given up come late" given_up
ktap_run "fragments count" fragments_count
ktap_run "frames that are too long for a device" too_long
ktap_run "frames as before" shorter
ktap_run "a sender that leaves checksums undone" unfinished
ktap_run "two orders" two
ktap_run "an order is saved and restored" kept
ktap_run "another module under an order" upgraded
ktap_run "what cannot be is refused" refusals
ktap_run "monitor, doctor and metrics know it" watched
ktap_run "a device goes, and what waits" device_goes
star_delete
ktap_run "the module goes and comes" module_goes 60
ktap_end
