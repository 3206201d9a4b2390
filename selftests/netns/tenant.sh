#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# An unprivileged user next to the host, in a user namespace and a network namespace of their own,
# where they have all capabilities: they make neither the host's packets slower nor the module do
# anything for them but queue their own packets, and they see nothing of the host's.
# To be run in a virtual machine whose clock counts instructions: what a packet of the host takes is
# compared, and is the same on each run.
set -u

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd) || exit 1
root=$(cd "$here/../.." && pwd) || exit 1
# shellcheck source=../lib/ktap.sh
. "$here/../lib/ktap.sh"
# shellcheck source=../lib/netns.sh
. "$here/../lib/netns.sh"

# kmod/trim/backlog.c: for a device, and for a namespace
most=4096 all=16384

dir=$(mktemp -d) || exit 1
at_exit rm -rf "$dir"
pin=/sys/fs/bpf/tenant_$$
at_exit rm -f "$pin"
nobody=65534

# The tenant's first process, which holds the namespaces, until the suite ends.
tenant_begins() {
	mkfifo "$dir/stop" "$dir/ready" && chmod 711 "$dir" && chmod 666 "$dir/stop" "$dir/ready" || return
	setpriv --reuid "$nobody" --regid "$nobody" --clear-groups unshare --user --map-root-user --net \
		sh -c 'ip link set lo up && echo $$ >"$1" && read -r _ <"$2"' - "$dir/ready" "$dir/stop" &
	read -r tenant <"$dir/ready"
}
tenant_has_ended() { ! [ -e "/proc/$tenant" ]; }
tenant_ends() { echo >"$dir/stop" && poll 60 tenant_has_ended; }
# Run a command as the owner of the namespace, who is root in it.
in_tenant() {
	setpriv --reuid "$nobody" --regid "$nobody" --clear-groups \
		nsenter --target "$tenant" --user --net --preserve-credentials -- "$@"
}

# The limit is on all qdiscs of a port together, so that a packet that asks looks at each of them.
host_begins() {
	ns_create host && in_ns host tc qdisc add dev lo root weir &&
		in_ns host weir trim set dev lo hook qdisc rule proto=udp dscp 45 limit 16kb port-limit 1mb &&
		in_ns host weir job add id 7 sources 1 blocks 64 grads 16 address 127.0.0.1 &&
		head -c 64 /dev/zero >"$dir/packet" &&
		bpftool prog load "$root/build/bpf/tenant.bpf.o" "$pin"
}

# Instructions of a packet of the host that asks for its device's policy and qdiscs; 2 is XDP_PASS.
host_takes() {
	in_ns host bpftool -j prog run pinned "$pin" data_in "$dir/packet" repeat 1000 |
		gojq -e 'if .retval == 2 then .duration else error("\(.)") end'
}

# qdiscs DEVICE FROM TO: of a device of the tenant's
qdiscs() {
	local i
	for ((i = $2; i <= $3; i++)); do
		printf 'class add dev %s parent 1: classid 1:%x htb rate 1gbit\n' "$1" "$i"
		printf 'qdisc add dev %s parent 1:%x weir\n' "$1" "$i"
	done | in_tenant tc -batch -
}
# many DEVICE: as many as it may have
many() {
	in_tenant tc qdisc add dev "$1" root handle 1: htb && qdiscs "$1" 1 "$most" &&
		(($(in_tenant tc qdisc show dev "$1" | grep -c '^qdisc weir') == most))
}

# not_one_more DEVICE SENTENCE
not_one_more() {
	local said
	said=$(qdiscs "$1" $((most + 1)) $((most + 1)) 2>&1) && { echo "there is one more"; return 1; }
	[[ $said == *"$2: delete some of them"* ]] && return
	echo "$said"
	return 1
}

# All that a namespace may have. The index of the loopback device is that of the host's.
in_the_namespace() {
	local i
	for i in d1 d2 d3 d4; do
		in_tenant ip link add "$i" type dummy || return
	done
	many d1 && many d2 && many d3 && in_tenant tc qdisc add dev d4 root handle 1: htb &&
		not_one_more d4 "a network namespace has at most $all weir qdiscs"
}

costs_the_same() {
	local now
	now=$(host_takes) || return
	echo "$before instructions before, $now now"
	((now <= before + before / 20))
}

sees_nothing() {
	[[ -z $(in_tenant weir job show)$(in_tenant weir trim show)$(in_tenant weir port show) ]] &&
		(($(in_ns host weir -j job show | gojq length) == 1))
}

# refused WORD...: to the tenant; to the host's administrator it is not
refused() {
	local said
	said=$(in_tenant weir "$@" 2>&1) && { echo "weir $*: done"; return 1; }
	[[ $said == *"not permitted"* || $said == *"CAP_"* ]] && return
	echo "weir $*: $said"
	return 1
}
may_not_change() {
	refused job add id 7 sources 1 blocks 64 grads 16 address 127.0.0.1 &&
		refused trim set dev lo hook qdisc rule proto=udp dscp 45 limit 16kb &&
		refused port attach dev lo mode tc &&
		refused job flush && refused trim flush && refused filter flush && refused order flush
}

# Packets of the tenant's go by a qdisc of theirs.
may_queue() {
	in_tenant tc filter add dev lo parent 1: protocol ip matchall classid 1:1 &&
		in_tenant ping -q -c 2 -W 60 127.0.0.1 >/dev/null &&
		(($(in_tenant tc -s -j qdisc show dev lo |
			gojq '[.[] | select(.kind == "weir" and .parent == "1:1")][0].packets') >= 4))
}

# Requests of users load no module but sch_weir, which tc asks for, as it does for any qdisc: the others have no
# names that the kernel asks for.
not_loaded_for_users() {
	local name
	for name in weir_core weir weir_xdp; do
		[[ -z $(modinfo -F alias "$root/build/kmod-$(uname -r)/$name.ko") ]] || { echo "$name has an alias"; return 1; }
	done
	[[ $(modinfo -F alias "$root/build/kmod-$(uname -r)/sch_weir.ko") == net-sch-weir ]]
}

all_gone() {
	tenant_ends && rm "$pin" && in_ns host weir job flush && in_ns host weir trim flush
}

ktap_header
ktap_run "no request of a user loads a module but the qdisc's" not_loaded_for_users
if ! host_begins || ! tenant_begins || ! before=$(host_takes); then
	ktap_fail "the host and the tenant"
	ktap_end
fi
ktap_run "a tenant has $most weir qdiscs on a device" many lo
ktap_run "and no more" not_one_more lo "lo: a device has at most $most weir qdiscs"
ktap_run "$all in a namespace, and no more" in_the_namespace
ktap_run "a packet of the host takes as long as before" costs_the_same
ktap_run "a tenant's packets go by a weir qdisc" may_queue
ktap_run "a tenant sees nothing of the host's" sees_nothing
ktap_run "a tenant changes nothing" may_not_change
ktap_run "all goes" all_gone
ktap_end
