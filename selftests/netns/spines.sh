# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# Racks that are plain routers, below spines that are boxes: what suites of jobs of several trees
# share. Sourced after ktap.sh and netns.sh.
#
#	spines_up 4 2 2 9000 tc
#	spines_jobs 7 blocks 256 grads 1024
#	spines_start 7 --trees 4 --max-bytes 64K && spines_wait
#
# Worker I of rack R is behind rack R, and that is below each spine S, a box:
#
#	rR-wI (eth0) 10.80.N.1 --- rack-R (wI) 10.80.N.254     N = 16 R + I
#	rack-R (upS)  10.9S.R.1  --- spine-S (rR) 10.9S.R.254  the box is 10.9S.1.254
#
# Spines, racks and workers count from 1; ranks run through the racks. Each spine has the jobs of
# all trees: of one it is the first box, and stands by for the others.

spines_out=$(mktemp -d) || exit 1
at_exit rm -rf "$spines_out"
spines=0
spines_racks=0
spines_workers=0

spine_addr() { echo "10.9$1.1.254"; }
spines_worker_addr() { echo "10.80.$((16 * $1 + $2)).1"; }
spines_ranks() { echo $((spines_racks * spines_workers)); }

# The boxes of the first tree; those of the others are the same from another one on.
spines_list() {
	local spine list=
	for ((spine = 1; spine <= spines; spine++)); do
		list+=${list:+,}$(spine_addr "$spine")
	done
	echo "$list"
}

# at_spine SPINE COMMAND...: weir there.
at_spine() { in_ns "spine-$1" weir "${@:2}"; }

spines_add_worker() {
	local rack=$1 i=$2 mtu=$3 net=10.80.$((16 * $1 + $2))
	ns_create "r$rack-w$i" && ns_link "rack-$rack" "w$i" "r$rack-w$i" eth0 "$mtu" || return
	ip -n "$(ns_name "rack-$rack")" addr add "$net.254/24" dev "w$i" || return
	ns_ip "r$rack-w$i" <<-END
		addr add $net.1/24 dev eth0
		route add default via $net.254
	END
}

spines_add_link() {
	local rack=$1 spine=$2 mtu=$3
	ns_link "spine-$spine" "r$rack" "rack-$rack" "up$spine" "$mtu" || return
	ns_ip "spine-$spine" <<-END || return
		addr add 10.9$spine.$rack.254/24 dev r$rack
		route add 10.80.$((16 * rack)).0/20 via 10.9$spine.$rack.1
	END
	ns_ip "rack-$rack" <<-END
		addr add 10.9$spine.$rack.1/24 dev up$spine
		route add 10.9$spine.0.0/16 via 10.9$spine.$rack.254
	END
}

# spines_up SPINES RACKS WORKERS MTU MODE: the spines' devices attached.
spines_up() {
	local mtu=$4 mode=$5 spine rack i
	spines=$1 spines_racks=$2 spines_workers=$3
	for ((spine = 1; spine <= spines; spine++)); do
		ns_create "spine-$spine" || return
	done
	for ((rack = 1; rack <= spines_racks; rack++)); do
		ns_create "rack-$rack" && ns_sysctl "rack-$rack" ipv4/ip_forward=1 || return
		for ((i = 1; i <= spines_workers; i++)); do
			spines_add_worker "$rack" "$i" "$mtu" || return
		done
		for ((spine = 1; spine <= spines; spine++)); do
			spines_add_link "$rack" "$spine" "$mtu" &&
				at_spine "$spine" port attach dev "r$rack" mode "$mode" || return
		done
	done
}

# spine_job SPINE ID PORT [KEY VALUE...]: a tree's job, whose workers come from that port.
spine_job() {
	local spine=$1 id=$2 port=$3 rack i rank=0
	at_spine "$spine" job add id "$id" sources "$(spines_ranks)" \
		address "$(spine_addr "$spine")" "${@:4}" || return
	for ((rack = 1; rack <= spines_racks; rack++)); do
		for ((i = 1; i <= spines_workers; i++)); do
			at_spine "$spine" source add job "$id" id $((rank++)) \
				address "$(spines_worker_addr "$rack" "$i")" port "$port" || return
		done
	done
}

# spine_jobs SPINE ID [KEY VALUE...]: of as many trees as there are spines.
spine_jobs() {
	local tree
	for ((tree = 0; tree < spines; tree++)); do
		spine_job "$1" $(($2 + tree)) $((12000 + tree)) "${@:3}" || return
	done
}

# spines_jobs ID [KEY VALUE...]
spines_jobs() {
	local spine
	for ((spine = 1; spine <= spines; spine++)); do
		spine_jobs "$spine" "$@" || return
	done
}

spines_jobs_del() {
	local spine
	for ((spine = 1; spine <= spines; spine++)); do
		at_spine "$spine" job flush
	done
}

# spines_start ID [OPTION...]: weir-perf in each worker, in the background.
spines_start() {
	local id=$1 rack i rank=0
	shift
	spines_pids=()
	for ((rack = 1; rack <= spines_racks; rack++)); do
		for ((i = 1; i <= spines_workers; i++)); do
			in_ns "r$rack-w$i" weir-perf --job "$id" --address "$(spines_list)" --rank "$rank" \
				--ranks "$(spines_ranks)" --json "$@" \
				>"$spines_out/$rank" 2>"$spines_out/said-$rank" &
			spines_pids+=($!)
			((++rank))
		done
	done
}

# Succeeds when all have; shows what a failed one said.
spines_wait() {
	wait_all "${spines_pids[@]}" && return
	tail -n 3 "$spines_out"/*
	return 1
}

spines_allreduce() { spines_start "$@" && spines_wait; }

# spines_of_all FILTER: what each worker's report has there
spines_of_all() { gojq -s "[.[] | $1]" "$spines_out"/[0-9]*; }
