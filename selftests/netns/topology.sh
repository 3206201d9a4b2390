#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Other ways from the workers to the box: VLAN, a multicast group behind a bridge,
# datagrams that arrive merged.
set -u

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd) || exit 1
# shellcheck source=../lib/ktap.sh
. "$here/../lib/ktap.sh"
# shellcheck source=../lib/netns.sh
. "$here/../lib/netns.sh"
# shellcheck source=box.sh
. "$here/box.sh"

sizes=(--min-bytes 4 --max-bytes 30004 --step-bytes 10000 --iterations 2 --warmup 1)

# vlan_up N MODE: the workers' addresses move to VLAN 100 of their links. Tags stand
# in the frames or beside them, as the sender's device offers.
vlan_up() {
	local n=$1 mode=$2 i
	box_up "$n" 9000 "$mode" || return
	for ((i = 1; i <= n; i++)); do
		ns_ip router <<-END || return
			addr flush dev w$i
			link add link w$i name v$i type vlan id 100
			addr add 10.77.$i.254/24 dev v$i
			link set v$i mtu 8996 up
		END
		ns_ip "w$i" <<-END || return
			addr flush dev eth0
			link add link eth0 name v0 type vlan id 100
			addr add 10.77.$i.1/24 dev v0
			link set v0 mtu 8996 up
			route add default via 10.77.$i.254
		END
	done
	box_job 7 "$n" blocks 128 grads 1024
}

# tags_in_frames [WORD...]: what else ethtool is told.
tags_in_frames() {
	local i
	for ((i = 1; i <= star_size; i++)); do
		in_worker "$i" ethtool -K eth0 txvlan off tx-vlan-stag-hw-insert off >/dev/null || return
		in_router ethtool -K "w$i" rxvlan off "$@" txvlan off tx-vlan-stag-hw-insert off >/dev/null || return
	done
}

# only VLAN N: the first N workers' ids are bound to that VLAN.
only_vlan() {
	local i
	for ((i = 0; i < $2; i++)); do
		weir source set job 7 id "$i" vlan "$1" || return
	done
}

# Rank 0 sends, alone, until a packet of its has been refused as spoofed.
is_spoofed() {
	local before worker status
	before=$(refused spoofed)
	nsenter --net="/run/netns/$(ns_name w1)" -- weir-perf --job 7 --address "$(box_addr)" --rank 0 --ranks 2 \
		>"$box_out/spoofed" 2>&1 &
	worker=$!
	poll 60 is_more_than "$before" refused spoofed
	status=$?
	kill "$worker"
	wait "$worker"
	return "$status"
}

# A source that is bound to no VLAN is not taken from one, wherever the tag is.
not_untagged() { only_vlan untagged 2 && is_spoofed; }

# Tags beside the frames are for the driver to tell; where it is not asked, as by generic
# XDP, no source that is bound to a VLAN is taken. Then all tags stand in the frames.
vlan_bound() {
	local mode=$1
	not_untagged && only_vlan 100 2 || return
	if [[ $mode == generic ]]; then
		is_spoofed || return
		weir -j doctor | gojq -e '.checks | any(.check == "vlan" and .status == "fail" and (.fix | test("rxvlan off")))' \
			>/dev/null || return
		# The other kind of outer tag may be beside the frame yet.
		tags_in_frames && is_spoofed || return
		tags_in_frames rx-vlan-stag-hw-parse off || return
	fi
	box_allreduce 7 2 "${sizes[@]}" && not_untagged
}

# bridge_up N MODE: the router's devices are ports of a bridge that has its address.
bridge_up() {
	local n=$1 mode=$2 i
	box_up "$n" 9000 "$mode" || return
	in_router ip link add br0 mtu 9000 type bridge mcast_snooping 1 mcast_querier 1 || return
	ns_ip router <<-END || return
		link set br0 up
		addr add 10.78.0.254/24 dev br0
		addr add fd78::254/64 dev br0 nodad
		route add 239.7.7.0/24 dev br0
	END
	for ((i = 1; i <= n; i++)); do
		ip -n "$(ns_name router)" link set "w$i" master br0 || return
		ns_ip "w$i" <<-END || return
			addr flush dev eth0
			addr add 10.78.0.$i/24 dev eth0
			addr add fd78::$i/64 dev eth0 nodad
			route add 239.7.7.0/24 dev eth0
		END
	done
}

# bridge_job ID N BOX HOST [KEY VALUE...]: workers are HOST1, HOST2 ...
bridge_job() {
	local id=$1 n=$2 box=$3 host=$4 i
	shift 4
	weir job add id "$id" sources "$n" address "$box" blocks 128 grads 1024 "$@" || return
	for ((i = 1; i <= n; i++)); do
		weir source add job "$id" id $((i - 1)) address "$host$i" || return
	done
}

multicast4() {
	bridge_job 7 4 10.78.0.254 10.78.0. group 239.7.7.7 &&
		BOX_TO=10.78.0.254 box_allreduce 7 4 --group 239.7.7.7 --interface eth0 "${sizes[@]}" &&
		[[ $(box_stat '.[0].stats | .blocks * 4 > .results' job show id 7) == true ]]
}

multicast6() {
	bridge_job 6 4 fd78::254 fd78:: group ff15::7 &&
		in_router ip -6 route add ff15::/16 dev br0 table local metric 1 &&
		BOX_TO=fd78::254 box_allreduce 6 4 --group ff15::7 --interface eth0 "${sizes[@]}"
}

# Print what doctor says of the group of job 5: verdict, and device.
group_check() {
	weir -j doctor | gojq -r '.checks[] | select(.check == "group" and .subject == "job 5") | .status + " " + .found'
}
group_says() { [[ $(group_check) =~ ^$1 ]] || { group_check; return 1; }; }

# As README sets boxes up: the job's address is no link's. The group's route says where it is.
multicast_from_lo() {
	local i before
	in_router ip addr add 10.99.0.1/32 dev lo || return
	for i in 1 2 3 4; do
		in_worker "$i" ip route add 10.99.0.1/32 via 10.78.0.254 || return
	done
	bridge_job 5 4 10.99.0.1 10.78.0. group 239.7.8.8 || return
	group_says "fail.*no route" || return
	in_router ip route add 239.7.8.0/24 dev w1 && group_says "warn.*by w1, and no source" &&
		in_router ip route replace 239.7.8.0/24 dev br0 && group_says "ok.*by br0" || return
	for i in 1 2 3 4; do
		in_worker "$i" ip route add 239.7.8.0/24 dev eth0 || return
	done
	# Each worker has all sums by the group: four bytes for each gradient of a quarter of all.
	before=$(box_counter 2 IpExtInMcastOctets) || return
	BOX_TO=10.99.0.1 box_allreduce 5 4 --group 239.7.8.8 --interface eth0 "${sizes[@]}" || return
	if (($(box_counter 2 IpExtInMcastOctets) - before < $(box_stat '.[0].stats.gradients' job show id 5) ||
		$(box_stat '.[0].stats."result-errors"' job show id 5) > 0)); then
		weir -s job show id 5
		return 1
	fi
}

# One result a block goes out, and not one a worker.
group_can_be_left() {
	weir job set id 7 group 0.0.0.0 &&
		BOX_TO=10.78.0.254 box_allreduce 7 4 "${sizes[@]}" &&
		weir job set id 7 group 239.7.7.9 &&
		[[ $(box_stat '.[0].group' job show id 7) == 239.7.7.9 ]]
}

# Datagrams that the sender leaves to its device to cut come in one packet.
merged() {
	local before after
	box_job 5 2 blocks 64 grads 100 || return
	before=$(box_stat .stats.contributions stats)
	in_worker 1 /usr/bin/python3 "$here/send-merged" "$(box_addr)" 5 0 16 100 &&
		in_worker 2 /usr/bin/python3 "$here/send-merged" "$(box_addr)" 5 1 16 100 || return
	after=$(box_stat .stats.contributions stats)
	((after - before == 32)) || { weir stats; return 1; }
	[[ $(box_stat '.[0].stats.blocks' job show id 5) == 16 ]]
}

# Two boxes, each of which has the other for its only source: the one's reply is no
# question to the other, nor its result a contribution.
boxes_face_each_other() {
	in_worker 1 weir port attach dev eth0 mode "$1" &&
		in_worker 1 weir job add id 3 sources 1 blocks 64 grads 16 address "$(worker_addr 1)" &&
		in_worker 1 weir source add job 3 id 0 address "$(router_addr 1)" &&
		box_job 3 1 blocks 64 grads 16 || return
	in_worker 1 /usr/bin/python3 "$here/send-merged" "$(box_addr)" 3 0 1 0 &&
		in_worker 1 /usr/bin/python3 "$here/send-merged" "$(box_addr)" 3 0 1 16 || return
	poll 60 refused_direction 2 || { in_worker 1 weir stats; weir stats; return 1; }
	[[ $(box_stat '.[0].stats | "\(.replies) \(.results) \(.repeats)"' job show id 3) == '1 1 0' &&
		$(in_worker 1 weir -j stats | gojq '.stats | .queries + .contributions') == 0 ]]
}

refused_direction() {
	(($(in_worker 1 weir -j stats | gojq .stats.refusals.direction) == $1))
}

refused() { box_stat ".stats.refusals.\"$1\" // 0" stats; }
summed() { box_stat .stats.contributions stats; }

mac_of() { in_router ip -j link show dev "$1" | gojq -r '.[0].address'; }

# A switch floods what it does not know, and a port may be promiscuous: what is for another
# host's MAC is passed, and what is for the port's is summed.
other_host() {
	local passed before
	box_job 4 2 blocks 64 grads 16 || return
	passed=$(refused not-local) before=$(summed)
	in_worker 1 "$here/send-frame" eth0 02:00:00:00:77:77 "$(worker_addr 1)" "$(box_addr)" 4 0 1 &&
		poll 60 is_more_than "$passed" refused not-local && [[ $(summed) == "$before" ]] &&
		in_worker 1 "$here/send-frame" eth0 "$(mac_of w1)" "$(worker_addr 1)" "$(box_addr)" 4 0 1 &&
		poll 60 is_more_than "$before" summed
}

# A classifier inside of a qdisc runs under the qdisc's lock. A result of one gradient's
# block would go by this very qdisc.
inside_of_a_qdisc() {
	local pin=/sys/fs/bpf/topology_$$ before status=1
	box_job 3 1 blocks 64 grads 16 || return
	bpftool prog pin name weir_tc "$pin" || return
	before=$(refused no-port)
	in_router tc qdisc add dev w1 root handle 1: prio &&
		in_router tc filter add dev w1 parent 1: bpf object-pinned "$pin" direct-action &&
		in_router "$here/send-frame" w1 02:00:00:00:77:77 "$(worker_addr 1)" "$(box_addr)" 3 0 1 &&
		poll 60 is_more_than "$before" refused no-port &&
		[[ $(box_stat '.[0].stats.blocks' job show id 3) == 0 ]] && status=0
	in_router tc qdisc del dev w1 root
	rm -f "$pin"
	return "$status"
}

# If the box has XDP its peer cuts them before they cross; tc gets them in one.
# captured FAMILY FILTER PATTERN: results as they arrive at a worker, with the box
# adding checksums itself so that they can be looked at. Answers to joins, of which a slow
# start brings several, are shorter.
captured() {
	local family=$1 filter=$2 pattern=$3 pid job=7 to
	to=$(box_addr)
	[[ $family == 6 ]] && job=6 to=$(box_addr6)
	rm -f "$box_out/capture" "$box_out/tcpdump"
	in_worker 1 tcpdump -i eth0 -n -vv -c 3 "$filter and src port 12000 and src host $to and greater 3000" \
		>"$box_out/capture" 2>"$box_out/tcpdump" &
	pid=$!
	poll 60 grep -qs 'listening on' "$box_out/tcpdump" || return
	BOX_TO=$to box_allreduce "$job" 2 --min-bytes 20000 --max-bytes 20000 --iterations 1 || return
	poll 60 process_is_gone "$pid" || { ns_term "$pid"; return 1; }
	looks "$pattern"
}

# looks PATTERN: all three packets do.
looks() { (($(grep -cE -e "$1" "$box_out/capture") == 3)) || { cat "$box_out/capture"; return 1; }; }

checksums_in_software() {
	in_router ethtool -K w1 tx off >/dev/null
}

headers4() {
	captured 4 ip 'udp sum ok' &&
		looks 'ttl 64, id 0, offset 0, flags \[DF\], proto UDP \(17\), length [0-9]+\)' &&
		grep -q 'length 4136' "$box_out/capture"
}

headers6() {
	captured 6 ip6 'hlim 64, next-header UDP .*udp sum ok'
}

ktap_header
box_up 2 9000 xdp && box_job 7 2 blocks 128 grads 1024 && box_job6 6 2 blocks 128 grads 1024
checksums_in_software
ktap_run "results are sound IPv4 packets" headers4
ktap_run "results are sound IPv6 packets" headers6
box_down
for mode in xdp generic tc; do
	vlan_up 2 "$mode"
	ktap_run "$mode: sources bound to a VLAN" vlan_bound "$mode"
	box_down
done
for mode in xdp tc; do
	vlan_up 3 "$mode"
	ktap_run "$mode: VLAN tags beside the frames" box_allreduce 7 3 "${sizes[@]}"
	tags_in_frames
	ktap_run "$mode: VLAN tags in the frames" box_allreduce 7 3 "${sizes[@]}"
	box_down

	bridge_up 4 "$mode"
	ktap_run "$mode: bridge, one result to an IPv4 group" multicast4
	ktap_run "$mode: bridge, one result to an IPv6 group" multicast6
	ktap_run "$mode: a group, and the job's address on lo" multicast_from_lo
	ktap_run "$mode: the group can be changed and left" group_can_be_left
	box_down

	box_up 2 9000 "$mode"
	ktap_run "$mode: datagrams sent as one packet" merged
	ktap_run "$mode: a frame for another host" other_host
	box_down

	box_up 1 9000 "$mode"
	ktap_run "$mode: two boxes face each other" boxes_face_each_other "$mode"
	in_worker 1 weir job flush
	box_down
done
box_up 1 1500 tc
ktap_run "a classifier inside of a qdisc" inside_of_a_qdisc
box_down
ktap_end
