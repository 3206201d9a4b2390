#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Trimming: the whole frames of an incast, its effect on a bystander, the gain of
# short flows, and the cost of trimming while there is no congestion. To be run in a
# virtual machine that counts instructions:
#
#	selftests/vm/run --icount --memory 4G -- selftests/bench/trim.sh qdisc meter ping flows cost child acl deflect
set -u
cd "$(dirname "${BASH_SOURCE[0]}")/../.." || exit 1
# shellcheck source=lib.sh
. selftests/bench/lib.sh
# shellcheck source=../lib/ktap.sh
. selftests/lib/ktap.sh
# shellcheck source=../incast/rig.sh
. selftests/incast/rig.sh

[[ -e /sys/module/weir ]] || die "the module is not loaded"

# Frames a second, of all senders together, that the emulated box holds with ease.
offered=16000
vanished=0 jain=1

# Where the sender has the processor for long, frames wait between the links, too; none
# shall be lost there.
echo 100000 >/proc/sys/net/core/netdev_max_backlog || die "no backlog"

# calc EXPRESSION [NAME=VALUE...]
calc() {
	local vars=() pair
	for pair in "${@:2}"; do
		vars+=(-v "$pair")
	done
	awk "${vars[@]}" "function abs(x) { return x < 0 ? -x : x } BEGIN { printf \"%.6f\\n\", ($1) }"
}

# worse NAME VALUE: keeps the largest that came
declare -A worst=()
worse() {
	worst[$1]=$(calc 'v > w ? v : w' v="$2" w="${worst[$1]:-0}")
}

# form SENDERS FRAME TRIM K: whole frames by the link's capacity; K is the headers
# that go for each frame, 0 for strict priority.
form() {
	calc 'k && (n - s) / s >= k || s <= 0 ? m / (m + k * t) : s' n="$1" m="$2" t="$3" k="$4" \
		s="$(calc '(1 - n * t / m) / (1 - t / m)' n="$1" m="$2" t="$3")"
}

# Words before the tool: how it is to be run.
as=()
policy() {
	in_box "${as[@]}" weir trim set dev out0 rule dscp=10 dscp 48 "$@" || die "no policy: $*"
}

# Each frame that was sent is accounted for, in the box and behind it.
account() {
	local lost
	lost=$(gojq -n --argjson sent "$(rig_sent .sent)" --argjson box "$(rig_show '.[0].stats // .stats')" \
		--argjson got "$(rig_got .)" '
		def abs: if . < 0 then -. else . end;
		($sent - $box.whole - $box.trim | abs) +
		($box.trim - $box["tx-trim"] - $box["dropped-trim"] - $box.returned | abs) +
		($box.whole - $got.whole | abs) + ($box["tx-trim"] - $got.trimmed | abs) + $got.missed') ||
		die "no counters"
	((lost == 0)) || note "$lost frames are not accounted for: $(rig_sent -c .) $(rig_show '.[0].stats // .stats' | tr -d '\n ') $(rig_got -c .)"
	vanished=$((vanished + lost))
}

# incast_case NAME SENDERS FRAME TRIM K: the worst of its kind is kept.
incast_case() {
	local name=$1 n=$2 m=$3 t=$4 k=$5 rate seconds whole cap want error excess
	want=$(form "$n" "$m" "$t" "$k")
	# So many whole frames that one more or less, at an end of the window, does not show.
	seconds=$(calc '0.3 + (f * o < 280 * n ? 250 * n / (f * o) : 0.9)' f="$want" o="$offered" n="$n")
	rate=$(calc 'm * o / n' m="$m" o="$offered" n="$n")
	rig_incast "$rate" "$n" "$m" "$(calc 'int(o * s / n)' o="$offered" s="$seconds" n="$n" | sed 's/\..*//')" \
		200 "$(calc '(s - 0.3) * 1000' s="$seconds")"
	whole=$(rig_got .window_whole)
	cap=$(calc 'r / m * (s - 0.3)' r="$rate" m="$m" s="$seconds")
	error=$(calc 'abs(w / c / f - 1)' w="$whole" c="$cap" f="$want")
	excess=$(calc '(n * c - w) / (n * c - f * c) - 1' n="$n" c="$cap" w="$whole" f="$want")
	account
	note "$(printf '%-8s %2d to 1, frame %4d, trim %3d, %s: whole %.4f, closed form %.4f, excess %+.4f, Jain %.3f' \
		"$name" "$n" "$m" "$t" "$( ((k)) && echo "$k:1" || echo strict)" \
		"$(calc 'w / c' w="$whole" c="$cap")" "$want" "$excess" "$(rig_jain)")"
	worse "error_$name" "$error"
	worse "excess_$name" "$excess"
	# Of a few frames a sender no share can be told.
	((whole / n >= 50)) && jain=$(calc 'j < w ? j : w' j="$(rig_jain)" w="$jain")
}

# cases NAME K [OPTION...]: all for which the closed form holds
cases() {
	local name=$1 k=$2 n m t
	for n in 4 16 64; do
		for m in 1514 9014; do
			for t in 64 128; do
				((k || n * t < m)) || continue
				"${name}_case" "$n" "$m" "$t" "$k" "${@:3}"
			done
		done
	done
}

qdisc_case() {
	local n=$1 m=$2 t=$3 k=$4
	rig_shape "$(calc 'm * o / n' m="$m" o="$offered" n="$n" | sed 's/\..*//')" "$m" weir
	policy hook qdisc size "$t" limit 12 headers 1000 header-time never share "$( ((k)) && echo "$k:1" || echo strict)"
	incast_case qdisc "$@"
	in_box weir trim del dev out0
	rig_unshape
}

part_qdisc() {
	rig_up 9000
	cases qdisc 0
	cases qdisc 10
	rig_down
	figure trim_whole_error_qdisc "${worst[error_qdisc]}"
	figure trim_excess_qdisc "${worst[excess_qdisc]}"
}

meter_case() {
	local n=$1 m=$2 t=$3
	in_ns src ethtool -K eth0 tx off >/dev/null
	policy hook xdp from in0 size "$t" limit "$((12 * m))b" header-time never meter shared \
		rate "$(calc 'm * o / n' m="$m" o="$offered" n="$n" | sed 's/\..*//')bps"
	incast_case meter "$@"
	in_box weir trim del dev out0
}

part_meter() {
	rig_up 9000
	# XDP_REDIRECT into a veth needs its peer to poll.
	in_ns dst ethtool -K eth0 gro on || die "no GRO"
	cases meter 0
	rig_down
	figure trim_whole_error_shared_meter "${worst[error_meter]}"
	figure trim_excess_shared_meter "${worst[excess_meter]}"
}

# Bystanders. The slow port is 16 Mbit/s: 200 frames are 151 ms, 12 are 9 ms.
slow=2000000

addresses() {
	ip -n "$(ns_name src)" address add 198.18.0.1/15 dev eth0
	ip -n "$(ns_name dst)" address add "$rig_to/15" dev eth0
	in_ns src ping -q -c 1 -W 5 "$rig_to" >/dev/null || die "no way to the receiver"
}

# pinged NAME: median of the answers, ms; how many came is noted
pinged() {
	local out
	out=$(in_ns src ping -c 100 -i 0.02 -W 5 "$rig_to" |
		sed -n 's/.*time=\([0-9.]*\) ms/\1/p' | sort -n)
	note "ping, $1: $(wc -l <<<"$out") of 100 answered, median $(sed -n 50p <<<"$out") ms, 99th percentile $(sed -n 99p <<<"$out") ms"
	ping_median=$(sed -n 50p <<<"$out")
}

nine_tcp() {
	in_ns dst iperf3 -s -1 -D --logfile "$rig_work/iperf" || die "no iperf3"
	poll 60 in_ns src nc -z "$rig_to" 5201 2>/dev/null
	nsenter --net="/run/netns/$(ns_name src)" -- iperf3 -c "$rig_to" -P 9 -t 20 >/dev/null 2>&1 &
	load=$!
	poll 60 busy
}

# By a receiver that asks for a packet of each in turn, as fast as its link is.
nine_pulled() {
	local flows=(--to "$rig_to" --rate "$slow" --flows 9 --packets 1000 --window 12 --rto 200)
	rig_listen pulled trim-ndp receive "${flows[@]}"
	receiver=$rig_listener
	nsenter --net="/run/netns/$(ns_name src)" -- trim-ndp send "${flows[@]}" >/dev/null &
	load=$!
	poll 60 busy
}

# Senders without any control.
nine_senders() {
	nsenter --net="/run/netns/$(ns_name src)" -- trim-incast --dev eth0 --mac "$rig_mac" --to 198.18.1.2 \
		--rate "$slow" --senders 9 --frames 10000 >/dev/null &
	load=$!
	poll 60 busy
}

receiver=''
busy() {
	in_box tc -s -j qdisc show dev out0 | gojq -e '[.[].qlen // 0] | max >= 10' >/dev/null
}

unload() {
	kill "$load" ${receiver:+"$receiver"} 2>/dev/null
	wait "$load" ${receiver:+"$receiver"}
	receiver=''
	poll 60 rig_drained
}

part_ping() {
	local taildrop trimmed
	rig_up 1500
	addresses
	rig_shape "$slow" 1514 pfifo limit 200
	pinged 'idle'
	nine_tcp
	pinged 'tail-drop of 200, nine TCP senders'
	taildrop=$ping_median
	unload
	rig_unshape
	rig_shape "$slow" 1514 weir
	in_box weir trim set dev out0 hook qdisc rule dscp=0-47 dscp 48 limit 12 header-time 100ms || die "no policy"
	nine_pulled
	pinged 'trimmed at 12, nine senders that are pulled'
	trimmed=$ping_median
	unload
	nine_tcp
	pinged 'trimmed at 12, nine TCP senders'
	unload
	nine_senders
	pinged 'trimmed at 12, nine senders without any control'
	unload
	rig_down
	figure trim_ping_busy_over_taildrop "$(ratio "$trimmed" "$taildrop")"
}

# flows NAME: 16 short flows at once
flows() {
	rig_listen flows trim-ndp receive --to "$rig_to" --rate "$slow" --packets 10 --window 10 --rto 200
	in_ns src trim-ndp send --to "$rig_to" --rate "$slow" --packets 10 --window 10 --rto 200 \
		>"$rig_work/senders" || die "the senders failed"
	wait "$rig_listener" || die "the receiver failed"
	note "16 flows of 10 packets, $1: $(tr -d '\n' <"$rig_work/flows") $(tr -d '\n' <"$rig_work/senders")"
	flows_max=$(gojq .fct_ms.max "$rig_work/flows")
}

part_flows() {
	local taildrop
	rig_up 1500
	addresses
	rig_shape "$slow" 1514 pfifo limit 12
	flows 'tail-drop of 12'
	rig_unshape
	rig_shape "$slow" 1514 pfifo limit 50
	flows 'tail-drop of 50'
	taildrop=$flows_max
	rig_unshape
	rig_shape "$slow" 1514 weir
	policy hook qdisc limit 12 header-time 100ms
	flows 'trimmed at 12'
	rig_down
	figure trim_flows_over_taildrop "$(ratio "$flows_max" "$taildrop")"
}

# cost_of NAME: instructions that a frame takes, from the sender's call to the receiver's
# stack, one after the other, so that no queue is ever there. The least of five batches:
# timers run in some.
cost_of() {
	local i cost
	frame_cost=''
	for i in 1 2 3 4 5; do
		in_ns src trim-incast --dev eth0 --mac "$rig_mac" --to "$rig_to" --rate 1e12 --senders 1 --frames 4000 \
			>"$rig_work/sent" || die "no frames"
		cost=$(gojq '(.seconds * 1e9 - 1e6) / (.sent + .refused) | round' "$rig_work/sent")
		if [[ -z $frame_cost ]] || ((cost < frame_cost)); then
			frame_cost=$cost
		fi
	done
	note "$1: $frame_cost instructions a frame"
}

part_cost() {
	local sender plain forwarded
	rig_up 1500
	in_ns src tc qdisc add dev eth0 clsact
	in_ns src tc filter add dev eth0 egress matchall action drop || die "no drop"
	cost_of 'the sender alone'
	sender=$frame_cost
	in_ns src tc qdisc del dev eth0 clsact
	in_box tc qdisc replace dev out0 root pfifo limit 1000
	cost_of 'bridged, pfifo'
	plain=$frame_cost
	in_box tc qdisc del dev out0 root
	policy hook qdisc
	cost_of 'bridged, the weir qdisc, frames eligible'
	figure trim_forward_cost "$(calc '(w - s) / (p - s)' w="$frame_cost" p="$plain" s="$sender")"
	in_box weir trim del dev out0
	in_box tc qdisc replace dev out0 root pfifo limit 1000
	in_box selftests/cli/tcx add out0 egress nothing || die "no tcx"
	cost_of 'bridged, pfifo, and a program in tcx that does nothing'
	in_box selftests/cli/tcx del out0 egress nothing
	policy hook tc rate 100gbit
	cost_of 'bridged, pfifo, and the tc program in tcx'
	figure trim_tc_cost "$(calc '(w - s) / (p - s)' w="$frame_cost" p="$plain" s="$sender")"
	in_box weir trim del dev out0
	as=(selftests/cli/tcx without)
	policy hook tc rate 100gbit
	cost_of 'bridged, pfifo, and the tc program as a filter of clsact'
	figure trim_tc_cost_clsact "$(calc '(w - s) / (p - s)' w="$frame_cost" p="$plain" s="$sender")"
	in_box weir trim del dev out0
	as=()
	in_ns src ethtool -K eth0 tx off >/dev/null
	in_ns dst ethtool -K eth0 gro on || die "no GRO"
	in_box tc qdisc del dev out0 root
	policy hook xdp from in0 rate 100gbit
	cost_of 'forwarded by XDP between veths'
	figure trim_forward_cost_xdp_veth "$(calc '(w - s) / (p - s)' w="$frame_cost" p="$plain" s="$sender")"
	forwarded=$frame_cost
	# Where the bridge learns it is asked for the source, too.
	in_box bridge fdb replace 02:00:00:00:00:00 dev in0 master static
	in_box bridge link set dev in0 learning on
	cost_of 'forwarded by XDP, where the bridge learns'
	figure trim_bridge_lookup_cost $((frame_cost - forwarded))
	in_box bridge link set dev in0 learning off
	# A program that was not loaded for its device does not ask for tags.
	bpftool prog load build/bpf/weir_forward.bpf.o /sys/fs/bpf/forward || die "no program"
	in_box ip link set in0 xdpdrv off
	in_box ip link set in0 xdpdrv pinned /sys/fs/bpf/forward || die "no program"
	rm /sys/fs/bpf/forward
	cost_of 'forwarded by XDP, the driver not asked for tags'
	figure trim_ask_tag_cost $((forwarded - frame_cost))
	rig_down
}

# A qdisc that stays, by itself and below weir's: a shaper has classes, and never lets the
# stack pass it by.
user_qdisc() {
	# shellcheck disable=SC2086 # options are words
	in_box tc qdisc add dev out0 "${@:2}" handle 20: "${1%% *}" ${1#"${1%% *}"} || die "no $1"
	[[ $1 != htb* ]] || in_box tc class add dev out0 parent 20: classid 20:1 htb rate 100gbit quantum 9014
}

part_child() {
	local sender plain kind
	rig_up 1500
	in_ns src tc qdisc add dev eth0 clsact
	in_ns src tc filter add dev eth0 egress matchall action drop || die "no drop"
	cost_of 'the sender alone'
	sender=$frame_cost
	in_ns src tc qdisc del dev eth0 clsact
	for kind in fq_codel fq 'htb default 1'; do
		user_qdisc "$kind" root
		cost_of "bridged, ${kind%% *}"
		plain=$frame_cost
		in_box tc qdisc replace dev out0 root handle 10: weir
		policy hook qdisc
		user_qdisc "$kind" parent 10:1
		cost_of "bridged, ${kind%% *} below weir, frames eligible"
		worse child "$(calc '(w - s) / (p - s)' w="$frame_cost" p="$plain" s="$sender")"
		in_box weir trim del dev out0
		in_box tc qdisc del dev out0 root
	done
	figure trim_child_cost "${worst[child]}"
	rig_down
}

# acl_rules COUNT PATTERNS: that many rules, none of them the frames', in so many combinations of what rules
# look at: eight lengths of a prefix, with a port, a source port and a tag or without.
acl_rules() {
	local i j
	for ((i = 0; i < $1; i++)); do
		j=$((i % $2))
		echo "weir trim-acl set name a prio $((i + 1)) disable-trim src=10.$((i >> 8)).$((i & 255)).0/$((31 - (j & 7)))$(
			((j & 8)) && echo ",port=$i")$( ((j & 16)) && echo ",sport=$i")$( ((j & 32)) && echo ",vlan=7")"
	done
}

# acl_cost FIGURE COUNT PATTERNS: what an ACL of such rules takes more of a frame that is trimmed.
acl_cost() {
	acl_rules "$2" "$3" >"$rig_work/rules"
	echo 'weir trim set dev out0 hook tc rule dscp=10 dscp 48 rate 8kbit limit 1 acl a' >>"$rig_work/rules"
	in_box weir restore "$rig_work/rules" || die "no ACL"
	cost_of "trimmed by the tc program, an ACL of $2 rules"
	figure "$1" $((frame_cost - trimmed))
	(($(rig_show '.[0].stats.trim') > 20000)) || die "the frames were not trimmed"
}

# Each frame is more than the port's rate allows, so that each asks the ACL.
part_acl() {
	local trimmed
	rig_up 1500
	policy hook tc rate 8kbit limit 1
	cost_of 'trimmed by the tc program'
	trimmed=$frame_cost
	acl_cost insn_trim_acl 1 1
	acl_cost insn_trim_acl_1024 1024 1
	acl_cost insn_trim_acl_1024_patterns 1024 64
	in_box weir trim del dev out0
	rig_down
}

# Deflect-on-drop: the port is slower than its policy says, as with several CPUs of which
# each takes the whole rate for its own. Its driver, a test's own, has a ring of 32 frames,
# which sends four a jiffy, and counts.
ring=/sys/module/slow_port/parameters
slow_sent() { echo $(($(<"$ring/xdp_sent") + $(cut -d , -f 1 "$ring/sent"))); }

slow_show() { in_box weir -j trim show dev slow0 | gojq "$1"; }
slow_drained() { [[ $(slow_show '.[0] | ."data-depth" + ."header-depth"') == 0 ]] && (($(slow_sent) == $(rig_sent .sent))); }

part_deflect() {
	local port
	port=build/slow-port-$(uname -r)/slow_port.ko
	insmod "$port" queues=1 batch=16 || die "there is no $port"
	rig_up 1500
	ip link set slow0 netns "$(ns_name box)"
	ns_sysctl box ipv4/ip_forward=1
	ns_ip box <<-END || die "no way to the slow port"
		link set in0 nomaster
		addr add 198.18.0.254/24 dev in0
		addr add 10.99.0.254/24 dev slow0
		link set slow0 up
		neigh add 10.99.0.2 lladdr 02:00:00:00:00:02 dev slow0 nud permanent
	END
	in_ns src ethtool -K eth0 tx off >/dev/null
	in_box weir trim set dev slow0 hook xdp from in0 rule dscp=10 dscp 48 meter percpu limit 12 header-time never \
		rate 18mbit optimistic 100 half 50 pessimistic 25 t0 20ms t1 80ms || die "no policy"
	in_ns src trim-incast --dev eth0 --mac "$(in_box ip -j link show dev in0 | gojq -r '.[0].address')" --to 10.99.0.2 \
		--rate 1500000 --senders 4 --frames 2000 >"$rig_work/sent" || die "no incast"
	poll 30 slow_drained
	note "deflected: $(slow_show '.[0].stats' | tr -d '\n ')"
	figure trim_percpu_lost $(($(rig_sent .sent) - $(slow_sent)))
	figure trim_deflected_depth "$(slow_show '.[0].stats."deflected-max"')"
	(($(slow_show '.[0].stats.deflected') > 100)) || die "hardly anything was deflected"
	rig_down
	rmmod slow_port
}

(($#)) || set -- qdisc meter ping flows cost child acl deflect
for part; do
	case $part in
	qdisc | meter | ping | flows | cost | child | acl | deflect) "part_$part" ;;
	*) die "no part is called $part" ;;
	esac
done
[[ " $* " == *" qdisc "* || " $* " == *" meter "* ]] || exit 0
figure trim_vanished "$vanished"
figure trim_jain "$jain"
