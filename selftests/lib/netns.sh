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

# ns_create LABEL...: namespaces with their loopback up. In a virtual machine it is the
# programs that are started that take the time: one ip makes all. Their devices send nothing of
# their own accord once they are up: who looks for routers does so for ever, in longer and longer
# intervals, and a bridge learns from that where a worker is.
ns_create() {
	local label lines=()
	((${#ns_labels[@]})) || at_exit ns_cleanup
	for label; do
		lines+=("netns add $ns_prefix-$label")
	done
	ns_labels+=("$@")
	printf '%s\n' "${lines[@]}" | ip -batch - || return
	for label; do
		in_ns "$label" /bin/sh -c '[ ! -d /proc/sys/net/ipv6 ] || { cd /proc/sys/net/ipv6/conf && echo 0 >all/accept_dad &&
			echo 0 >default/accept_dad && echo 0 >default/router_solicitations; } && exec ip link set lo up' || return
	done
}

# in_ns LABEL COMMAND [ARGUMENT...]: not through "ip netns exec", which mounts a /sys
# of its own and so hides bpffs.
in_ns() {
	local label=$1
	shift
	nsenter --net="/run/netns/$ns_prefix-$label" -- "$@"
}

# ns_term PID: SIGTERM for what in_ns, or what calls it, runs in the background: PID is the shell
# around it, without which the program would live on.
ns_term() { pkill -TERM -P "$1"; }

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

# ns_backlog N: that many packets that are sent at once find room on their way, until the suite ends.
# All namespaces share the setting.
ns_backlog() {
	local setting=/proc/sys/net/core/netdev_max_backlog
	at_exit ns_set "$setting" "$(<"$setting")"
	ns_set "$setting" "$1"
}
ns_set() { echo "$2" >"$1"; }

# ns_link LABEL INTERFACE LABEL INTERFACE [MTU]: a veth pair between two namespaces, up.
ns_link() {
	local mtu=${5:-1500}
	ip link add "$2" mtu "$mtu" netns "$ns_prefix-$1" up type veth \
		peer name "$4" mtu "$mtu" netns "$ns_prefix-$3" || return
	ip -n "$ns_prefix-$3" link set "$4" up
}

# The processes in the namespace of a label.
ns_pids() {
	local entry
	for entry in /proc/[0-9]*; do
		[[ ! $entry/ns/net -ef /run/netns/$ns_prefix-$1 ]] || echo "${entry##*/}"
	done
}

# ns_delete LABEL...: ends what runs in these namespaces and removes them.
ns_delete() {
	local label pids keep=() lines=()
	for label; do
		pids=$(ns_pids "$label")
		# shellcheck disable=SC2086 # a list of numbers
		[[ -n $pids ]] && kill -KILL $pids 2>/dev/null
		lines+=("netns del $ns_prefix-$label")
	done
	for label in "${ns_labels[@]}"; do
		[[ " $* " == *" $label "* ]] || keep+=("$label")
	done
	ns_labels=("${keep[@]}")
	printf '%s\n' "${lines[@]}" | ip -force -batch -
}

# Removes all; fails when something is left.
ns_cleanup() {
	local left
	((${#ns_labels[@]})) && ns_delete "${ns_labels[@]}"
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

# star_believes LABEL DEV...: neighbours that were found there are not asked again for an hour.
# Else they are after some seconds, through a queue that a test has filled: the question is
# in the queue's counts, and where it is dropped three times, the neighbour is gone.
star_believes() {
	local dev entries=()
	for dev in "${@:2}"; do
		entries+=("ipv4/neigh/$dev/delay_first_probe_time=3600"
			"ipv6/neigh/$dev/delay_first_probe_time=3600")
	done
	ns_sysctl "$1" "${entries[@]}"
}

# star_links MTU: the lines for ip that link workers with the router
star_links() {
	local i
	for ((i = 1; i <= star_size; i++)); do
		echo "link add w$i mtu $1 netns $ns_prefix-router up type veth" \
			"peer name eth0 mtu $1 netns $ns_prefix-w$i"
	done
}

# The lines for ip in the router.
star_addresses() {
	local i
	for ((i = 1; i <= star_size; i++)); do
		echo "address add 10.77.$i.254/24 dev w$i"
		echo "address add fd77:$i::254/64 dev w$i nodad"
	done
}

# star_set_up_worker I: its end of its link
star_set_up_worker() {
	ns_ip "w$1" <<-END || return
		address add 10.77.$1.1/24 dev eth0
		address add fd77:$1::1/64 dev eth0 nodad
		link set eth0 up
		route add default via 10.77.$1.254
		route add default via fd77:$1::254
	END
	star_believes "w$1" eth0
}

# star_create N [MTU]
star_create() {
	local i labels=()
	star_size=$1
	for ((i = 1; i <= star_size; i++)); do
		labels+=("w$i")
	done
	ns_create router "${labels[@]}" && ns_sysctl router ipv4/ip_forward=1 ipv6/conf/all/forwarding=1 &&
		star_links "${2:-1500}" | ip -batch - && star_addresses | ns_ip router &&
		star_believes router "${labels[@]}" || return
	for ((i = 1; i <= star_size; i++)); do
		star_set_up_worker "$i" || return
	done
}

star_delete() {
	local i labels=(router)
	for ((i = 1; i <= star_size; i++)); do
		labels+=("w$i")
	done
	ns_delete "${labels[@]}"
	star_size=0
}
