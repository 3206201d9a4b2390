# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# An incast through a bridge into one port that is as fast as it is told to be:
#
#	src (eth0) --- in0 box out0 --- (eth0) dst
#
# Frames are counted where they are sent, in the box, and where they arrive. No end has
# an address, so no stack answers. Sourced after netns.sh; what goes wrong ends in rig_die.

rig_to=198.18.1.1
rig_work=$(mktemp -d) || exit 1
at_exit rm -rf "$rig_work"

rig_die() {
	echo "rig: $*" >&2
	exit 1
}

in_box() { in_ns box "$@"; }

# rig_up MTU
rig_up() {
	local label
	for label in src box dst; do
		ns_create "$label" || rig_die "no namespace"
	done
	ns_link src eth0 box in0 "$1" || rig_die "no link"
	ns_link box out0 dst eth0 "$1" || rig_die "no link"
	ns_sysctl box ipv6/conf/all/disable_ipv6=1
	ns_sysctl src ipv6/conf/all/disable_ipv6=1
	ns_sysctl dst ipv6/conf/all/disable_ipv6=1
	rig_mac=$(in_ns dst ip -j link show dev eth0 | gojq -r ".[0].address")
	ns_ip box <<-END || rig_die "no bridge"
		link add br0 mtu $1 type bridge mcast_snooping 0 forward_delay 0
		link set in0 master br0
		link set out0 master br0
		link set br0 up
	END
	in_box bridge fdb replace "$rig_mac" dev out0 master static || rig_die "no FDB entry"
	# Else the bridge would have to hear of each source again and again.
	in_box bridge link set dev in0 learning off || rig_die "no port of a bridge"
}

rig_down() {
	ns_delete src
	ns_delete box
	ns_delete dst
}

# rig_shape BYTES FRAME [QDISC...]: the port sends so many bytes a second; below that, the
# queue that is given.
# Room for some frames, so that what a late timer loses is made up for.
rig_shape() {
	in_box tc qdisc replace dev out0 root handle 1: tbf rate "${1}bps" burst $((4 * $2)) limit 100000000 ||
		rig_die "no shaper"
	[[ -z ${3-} ]] && return
	in_box tc qdisc replace dev out0 parent 1:1 handle 10: "${@:3}" || rig_die "no qdisc ${*:3}"
}

rig_unshape() {
	in_box tc qdisc del dev out0 root
}

# rig_show FILTER: of the policy and the counters
rig_show() {
	in_box weir -j trim show dev out0 | gojq "$1"
}

rig_drained() {
	in_box tc -s -j qdisc show dev out0 | gojq -e '[.[].qlen // 0] | add == 0' >/dev/null
}

# Nothing is under way between two devices.
rig_received() {
	awk '$12 != "00000000" { waits = 1 } END { exit waits }' /proc/net/softnet_stat
}

# All has come to the port, and all that this sent to the sink.
rig_settled() {
	rig_received && rig_drained && rig_received
}

# rig_listen NAME COMMAND [ARGUMENT...]: runs it beside us where frames arrive, and waits
# until it says that it is ready; its output is in $rig_work/NAME, its process $rig_listener.
rig_listen() {
	local errors=$rig_work/$1.errors
	# That one before it was ready says nothing of this one.
	: >"$errors"
	# Not by in_ns: the process in the background shall be the command itself.
	nsenter --net="/run/netns/$(ns_name dst)" -- "${@:2}" >"$rig_work/$1" 2>>"$errors" &
	rig_listener=$!
	poll 60 grep -q ready "$errors" || rig_die "$2 is not ready"
}

# rig_incast RATE SENDERS FRAME FRAMES SKIP_MS WINDOW_MS [OPTION...]: what came of it is in
# $rig_work/sent and $rig_work/got.
rig_incast() {
	rig_listen got trim-sink --dev eth0 --frame "$3" --skip "$5" --window "$6" ${rig_pcap:+--pcap "$rig_pcap"}
	in_ns src trim-incast --dev eth0 --mac "$rig_mac" --to "$rig_to" --rate "$1" --senders "$2" \
		--frame "$3" --frames "$4" "${@:7}" >"$rig_work/sent" || rig_die "no incast"
	poll 60 rig_settled || rig_die "the port does not drain"
	kill "$rig_listener"
	wait "$rig_listener" || rig_die "no counts"
}

# rig_got FILTER, rig_sent FILTER: options of gojq may come first
rig_got() { gojq "$@" "$rig_work/got"; }
rig_sent() { gojq "$@" "$rig_work/sent"; }

# Fairness between the senders' whole frames (Jain, Chiu and Hawe).
rig_jain() {
	rig_got '.flows | (add * add) / (length * (map(. * .) | add))'
}
