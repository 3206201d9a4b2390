#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Ways from the box to the workers: link-local addresses, VRFs, and what IPsec's policies
# say about them, for IPv4 and for IPv6 alike.
set -u

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd) || exit 1
# shellcheck source=../lib/ktap.sh
. "$here/../lib/ktap.sh"
# shellcheck source=../lib/netns.sh
. "$here/../lib/netns.sh"
# shellcheck source=box.sh
. "$here/box.sh"

sizes=(--min-bytes 4 --max-bytes 30004 --step-bytes 10000 --iterations 2 --warmup 1)

# link_local LABEL DEV: the address that a device has by itself.
link_local() {
	in_ns "$1" ip -j -6 addr show dev "$2" scope link | gojq -r 'first(.[].addr_info[]?.local | values)'
}

# Workers that have no other addresses: two links may even have the same.
link_local_up() {
	local i
	for i in 1 2; do
		ns_ip "w$i" <<-END || return
			addr flush dev eth0
			addr add fe80::1/64 dev eth0 nodad
			route add fd77:1::254/128 via $(link_local router "w$i") dev eth0
		END
	done
	weir job add id 5 sources 2 address "$(box_addr6)" blocks 128 grads 1024 &&
		weir source add job 5 id 0 address fe80::1 dev w1 &&
		weir source add job 5 id 1 address fe80::1 dev w2
}

# The results go where the workers are; that the box has sent them shows nothing.
link_local_workers() {
	link_local_up && BOX_TO=$(box_addr6) box_allreduce 5 2 "${sizes[@]}" &&
		[[ $(box_stat '.[0].stats."result-errors" // 0' job show id 5) == 0 ]]
}

# The same by an address of the box's that is link-local, too; it needs a device.
link_local_box() {
	local box i
	box=$(link_local router w1)
	weir job add id 8 sources 2 address "$box" blocks 128 grads 1024 || return
	! weir source add job 8 id 0 address "$(worker_addr6 1)" 2>"$box_out/said" &&
		grep -q 'needs the device' "$box_out/said" || return
	for i in 0 1; do
		in_worker 1 ip addr add "fe80::b$i/64" dev eth0 nodad &&
			weir source add job 8 id "$i" address "fe80::b$i" dev w1 port $((12000 + i)) || return
	done
}

# vrf_up N: the router's devices are in a VRF, and what is not has no way to the workers.
vrf_up() {
	local i
	ns_ip router <<-END || return
		link add red type vrf table 77
		link set red up
	END
	for ((i = 1; i <= $1; i++)); do
		ns_ip router <<-END || return
			link set w$i master red
			addr replace fd77:$i::254/64 dev w$i nodad
		END
	done
}

vrf4() { box_allreduce 7 2 "${sizes[@]}"; }
vrf6() { BOX_TO=$(box_addr6) box_allreduce 6 2 "${sizes[@]}"; }

# The address is in no VRF; the devices, which the sources are bound to, say where to go.
vrf_by_device() {
	local id=$1 i
	for i in 0 1; do
		weir source set job "$id" id "$i" dev "w$((i + 1))" || return
	done
}

errors() { box_stat '.[0].stats."result-errors" // 0' job show id "$1"; }
sent() { box_stat '.[0].stats.answers // 0' job show id "$1"; }

# joins JOB ADDRESS: one worker asks to join; it is the only source.
joins() {
	in_worker 1 timeout 20 weir-perf --job "$1" --address "$2" --rank 0 --ranks 1 \
		--min-bytes 4 --max-bytes 4 --iterations 1 --warmup 0
}

# blocked JOB ADDRESS WORKER: what a policy blocks is not sent, and counted as an error.
blocked() {
	local job=$1 box=$2 to=$3 status=1
	weir job add id "$job" sources 1 address "$box" blocks 128 grads 1024 &&
		weir source add job "$job" id 0 address "$to" || return
	in_router ip xfrm policy add dir out src "$box" dst "$to" proto udp action block || return
	! joins "$job" "$box" && (($(errors "$job") > 0 && $(sent "$job") == 0)) && status=0
	in_router ip xfrm policy delete dir out src "$box" dst "$to" proto udp
	# And without the policy it is.
	((status == 0)) && joins "$job" "$box"
}

# A result from an address that is not the box's would be forged.
gone() {
	local job=$1 box=$2 to=$3
	weir job add id "$job" sources 1 address "$box" blocks 128 grads 1024 &&
		weir source add job "$job" id 0 address "$to" &&
		! joins "$job" "$box" && (($(errors "$job") > 0 && $(sent "$job") == 0))
}

# A box that masquerades what leaves by a worker's link gives results another source: not weir's.
masquerades() {
	in_router nft -f - <<-END || return
		table inet box {
			chain post {
				type nat hook postrouting priority srcnat
				oifname "w2" counter masquerade
			}
			chain out {
				type filter hook output priority filter
				ct state untracked counter
			}
		}
	END
}
# A packet of the box itself shows that the rule is at work.
behind_masquerade() {
	local job=$1 to=$2
	masquerades && in_router ping -c 1 -W 60 "$3" >/dev/null &&
		BOX_TO=$to box_allreduce "$job" 2 --timeout 60s "${sizes[@]}" &&
		(($(in_router nft -j list table inet box |
			gojq '[.nftables[].rule? | select(.chain == "out").expr[].counter.packets?] | add') > 10))
	set -- $?
	in_router nft list table inet box
	in_router nft delete table inet box
	return "$1"
}

ktap_header
box_up 2 9000 xdp && box_job 7 2 blocks 128 grads 1024 && box_job6 6 2 blocks 128 grads 1024
ktap_run "a box that masquerades, IPv4" behind_masquerade 7 "$(box_addr)" "$(worker_addr 2)"
ktap_run "a box that masquerades, IPv6" behind_masquerade 6 "$(box_addr6)" "$(worker_addr6 2)"
box_down
box_up 2 9000 xdp
ktap_run "link-local workers" link_local_workers
ktap_run "a box's link-local address needs the workers' devices" link_local_box
box_down

box_up 2 9000 xdp && box_job 7 2 blocks 128 grads 1024 && box_job6 6 2 blocks 128 grads 1024 && vrf_up 2
ktap_run "a VRF, IPv4" vrf4
ktap_run "a VRF, IPv6" vrf6
vrf_by_device 7
vrf_by_device 6
ktap_run "a VRF, IPv4, sources bound to devices" vrf4
ktap_run "a VRF, IPv6, sources bound to devices" vrf6
box_down

box_up 1 9000 xdp
ktap_run "IPsec's policies, IPv4" blocked 1 "$(box_addr)" "$(worker_addr 1)"
ktap_run "IPsec's policies, IPv6" blocked 2 "$(box_addr6)" "$(worker_addr6 1)"
ktap_run "an address that the box does not have, IPv4" gone 3 10.77.9.9 "$(worker_addr 1)"
ktap_run "an address that the box does not have, IPv6" gone 4 fd77:9::9 "$(worker_addr6 1)"
box_down
ktap_end
