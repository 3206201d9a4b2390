# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# Network namespaces for tests. They go by labels: their names are made unique, so
# that suites can run side by side, and an exit trap removes what was made.
#
#	. "$(dirname "$0")/../lib/netns.sh"
#	star_create 4 1500
#	in_worker 1 ping -c 1 "$(worker_addr 4)"
#
# A star: a router and N workers, each on a veth of its own.
#
#	worker I (eth0) 10.77.I.1, fd77:I::1 --- router (wI) 10.77.I.254, fd77:I::254
#
# I is written in decimal in both. Workers route all by the router; IPv6 addresses are
# usable at once (no duplicate detection), neighbours are found in the normal way.

# shellcheck source=at_exit.sh
. "${BASH_SOURCE[0]%/*}/at_exit.sh"

ns_prefix=weir-$(od -An -N4 -tx4 /dev/urandom | tr -d ' ')
ns_labels=()
star_size=0

# The name of a labelled namespace, for ip -n and the like.
ns_name() {
	echo "$ns_prefix-$1"
}

# ns_create LABEL: a namespace with its loopback up.
ns_create() {
	((${#ns_labels[@]})) || at_exit ns_cleanup
	ip netns add "$ns_prefix-$1" || return
	ns_labels+=("$1")
	ns_sysctl "$1" ipv6/conf/all/accept_dad=0 ipv6/conf/default/accept_dad=0
	ip -n "$ns_prefix-$1" link set lo up
}

# in_ns LABEL COMMAND [ARGUMENT...]: not through "ip netns exec", which mounts a /sys
# of its own and so hides bpffs.
in_ns() {
	local label=$1
	shift
	nsenter --net="/run/netns/$ns_prefix-$label" -- "$@"
}

# ns_sysctl LABEL PATH=VALUE...: sets entries below /proc/sys/net.
ns_sysctl() {
	local label=$1
	shift
	in_ns "$label" /bin/sh -c 'for e; do echo "${e#*=}" >"/proc/sys/net/${e%%=*}" || exit; done' sh "$@"
}

# ns_ip LABEL: feeds its standard input to ip in batch mode, one program for many lines.
ns_ip() {
	ip -n "$ns_prefix-$1" -batch -
}

# ns_link LABEL INTERFACE LABEL INTERFACE [MTU]: a veth pair between two namespaces, up.
ns_link() {
	local mtu=${5:-1500}
	ip link add "$2" mtu "$mtu" netns "$ns_prefix-$1" type veth \
		peer name "$4" mtu "$mtu" netns "$ns_prefix-$3" || return
	ip -n "$ns_prefix-$1" link set "$2" up || return
	ip -n "$ns_prefix-$3" link set "$4" up
}

# Ends what runs in a namespace and removes it.
ns_delete() {
	local label=$1 pids keep=() other
	pids=$(ip netns pids "$ns_prefix-$label" 2>/dev/null)
	# shellcheck disable=SC2086 # a list of numbers
	[[ -n $pids ]] && kill -KILL $pids 2>/dev/null
	for other in "${ns_labels[@]}"; do
		[[ $other == "$label" ]] || keep+=("$other")
	done
	ns_labels=("${keep[@]}")
	ip netns del "$ns_prefix-$label"
}

# Removes all; fails when something is left.
ns_cleanup() {
	local label left
	for label in "${ns_labels[@]}"; do
		ns_delete "$label"
	done
	left=$(ip netns list | grep "^$ns_prefix-")
	[[ -z $left ]] && return
	echo "# namespaces are left: $left" >&2
	return 1
}

worker_addr() { echo "10.77.$1.1"; }
worker_addr6() { echo "fd77:$1::1"; }
router_addr() { echo "10.77.$1.254"; }
router_addr6() { echo "fd77:$1::254"; }

in_router() { in_ns router "$@"; }

# wait_all PID...: until all have ended; fails when one of them has.
wait_all() {
	local pid status=0
	for pid; do
		wait "$pid" || status=1
	done
	return "$status"
}

# in_worker I COMMAND [ARGUMENT...]
in_worker() { in_ns "w$1" "${@:2}"; }

# star_qdiscs N: the qdiscs of both ends of the first N links, with their counters, in JSON
star_qdiscs() {
	local i
	for ((i = 1; i <= $1; i++)); do
		in_worker "$i" tc -s -j qdisc show dev eth0
		in_router tc -s -j qdisc show dev "w$i"
	done
}

# star_each COMMAND [ARGUMENT...]: in each worker in turn, which finds its number in
# $WORKER; stops at the first failure.
star_each() {
	local i
	for ((i = 1; i <= star_size; i++)); do
		WORKER=$i in_ns "w$i" "$@" || return
	done
}

# star_believes LABEL DEV: neighbours that were found there are not asked again for an hour.
# Else they are after some seconds, through a queue that a test has filled: the question is
# in the queue's counts, and where it is dropped three times, the neighbour is gone.
star_believes() {
	ns_sysctl "$1" "ipv4/neigh/$2/delay_first_probe_time=3600" \
		"ipv6/neigh/$2/delay_first_probe_time=3600"
}

star_add_worker() {
	local i=$1 mtu=$2
	ns_create "w$i" || return
	ip link add "w$i" mtu "$mtu" netns "$ns_prefix-router" type veth \
		peer name eth0 mtu "$mtu" netns "$ns_prefix-w$i" || return
	ns_ip router <<-END || return
		address add 10.77.$i.254/24 dev w$i
		address add fd77:$i::254/64 dev w$i nodad
		link set w$i up
	END
	ns_ip "w$i" <<-END || return
		address add 10.77.$i.1/24 dev eth0
		address add fd77:$i::1/64 dev eth0 nodad
		link set eth0 up
		route add default via 10.77.$i.254
		route add default via fd77:$i::254
	END
	star_believes "w$i" eth0 && star_believes router "w$i"
}

# star_create N [MTU]
star_create() {
	local i
	star_size=$1
	ns_create router || return
	ns_sysctl router ipv4/ip_forward=1 ipv6/conf/all/forwarding=1 || return
	for ((i = 1; i <= star_size; i++)); do
		star_add_worker "$i" "${2:-1500}" || return
	done
}

star_delete() {
	local i
	for ((i = 1; i <= star_size; i++)); do
		ns_delete "w$i"
	done
	ns_delete router
	star_size=0
}
