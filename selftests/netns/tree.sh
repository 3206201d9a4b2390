# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# Racks below a root: what suites of jobs that span boxes share. Sourced after ktap.sh and
# netns.sh.
#
#	tree_up 2 4 9000 xdp
#	tree_job 7 blocks 256 grads 1024
#	tree_allreduce 7 --max-bytes 64K
#
# Worker I of rack R is behind rack R's box, and that is behind the root:
#
#	rR-wI (eth0) 10.80.N.1 --- rack-R (wI) 10.80.N.254     N = 16 R + I
#	rack-R (uplink)10.81.R.1  --- root (rR) 10.81.R.254
#
# Racks and workers count from 1; ranks run through the racks.

tree_out=$(mktemp -d) || exit 1
at_exit rm -rf "$tree_out"
tree_racks=0
tree_workers=0

root_addr() { echo 10.81.1.254; }
rack_addr() { echo "10.81.$1.1"; }
tree_worker_addr() { echo "10.80.$((16 * $1 + $2)).1"; }

# at BOX COMMAND...: weir on a box: root, or rack-1 and so on.
# shellcheck disable=SC2154 # ns_prefix is netns.sh's
at() { weir -n "$ns_prefix-$1" "${@:2}"; }

tree_add_worker() {
	local rack=$1 i=$2 mtu=$3 net=10.80.$((16 * $1 + $2))
	ns_create "r$rack-w$i" && ns_link "rack-$rack" "w$i" "r$rack-w$i" eth0 "$mtu" || return
	ip -n "$(ns_name "rack-$rack")" addr add "$net.254/24" dev "w$i" || return
	ns_ip "r$rack-w$i" <<-END
		addr add $net.1/24 dev eth0
		route add default via $net.254
	END
}

tree_add_rack() {
	local rack=$1 workers=$2 mtu=$3 i
	ns_create "rack-$rack" && ns_sysctl "rack-$rack" ipv4/ip_forward=1 &&
		ns_link root "r$rack" "rack-$rack" uplink "$mtu" || return
	ns_ip root <<-END || return
		addr add 10.81.$rack.254/24 dev r$rack
		route add 10.80.$((16 * rack)).0/20 via 10.81.$rack.1
	END
	ns_ip "rack-$rack" <<-END || return
		addr add 10.81.$rack.1/24 dev uplink
		route add default via 10.81.$rack.254
	END
	for ((i = 1; i <= workers; i++)); do
		tree_add_worker "$rack" "$i" "$mtu" || return
	done
}

# tree_up RACKS WORKERS MTU MODE: all devices of all boxes attached.
tree_up() {
	local mtu=$3 mode=$4 rack i
	tree_racks=$1 tree_workers=$2
	ns_create root && ns_sysctl root ipv4/ip_forward=1 || return
	for ((rack = 1; rack <= tree_racks; rack++)); do
		tree_add_rack "$rack" "$tree_workers" "$mtu" &&
			at root port attach dev "r$rack" mode "$mode" &&
			at "rack-$rack" port attach dev uplink mode "$mode" || return
		for ((i = 1; i <= tree_workers; i++)); do
			at "rack-$rack" port attach dev "w$i" mode "$mode" || return
		done
	done
}

tree_down() {
	local rack i
	for ((rack = 1; rack <= tree_racks; rack++)); do
		for ((i = 1; i <= tree_workers; i++)); do
			ns_delete "r$rack-w$i"
		done
		ns_delete "rack-$rack"
	done
	ns_delete root
	tree_racks=0 tree_workers=0
}

tree_ranks() { echo $((tree_racks * tree_workers)); }

# tree_root_job ID [KEY VALUE...], tree_rack_job ID RACK [KEY VALUE...]: one box's job.
tree_root_job() {
	local id=$1 rack
	shift
	at root job add id "$id" sources "$tree_racks" ranks "$(tree_ranks)" address "$(root_addr)" \
		"$@" || return
	for ((rack = 1; rack <= tree_racks; rack++)); do
		at root source add job "$id" id $((rack - 1)) address "$(rack_addr "$rack")" || return
	done
}

tree_rack_job() {
	local id=$1 rack=$2 i
	shift 2
	at "rack-$rack" job add id "$id" sources "$tree_workers" ranks "$(tree_ranks)" \
		address "$(rack_addr "$rack")" parent "$(root_addr)" source $((rack - 1)) "$@" || return
	for ((i = 1; i <= tree_workers; i++)); do
		at "rack-$rack" source add job "$id" id $((i - 1)) \
			address "$(tree_worker_addr "$rack" "$i")" || return
	done
}

# tree_job ID [KEY VALUE...]: the same on all boxes.
tree_job() {
	local rack
	tree_root_job "$@" || return
	for ((rack = 1; rack <= tree_racks; rack++)); do
		tree_rack_job "$1" "$rack" "${@:2}" || return
	done
}

tree_job_del() {
	local rack
	at root job del id "$1"
	for ((rack = 1; rack <= tree_racks; rack++)); do
		at "rack-$rack" job del id "$1"
	done
}

# Options of weir-perf in all tests.
tree_options=(--verify)

# The boxes that all workers are told of, each of which has all of them as sources; where it is
# empty, a worker's box is its rack's.
tree_boxes=

# tree_place RACK I RANK: where a worker finds its box, and which source it is there.
tree_place() {
	if [[ $tree_boxes ]]; then
		echo "--address $tree_boxes --source $3"
	else
		echo "--address $(rack_addr "$1") --source $(($2 - 1))"
	fi
}

# tree_flat_job ID BOX ADDRESS PORT [KEY VALUE...]: a job on one box, with all workers as its sources,
# which come from that port.
tree_flat_job() {
	local id=$1 box=$2 port=$4 rack i rank=0
	at "$box" job add id "$id" sources "$(tree_ranks)" address "$3" "${@:5}" || return
	for ((rack = 1; rack <= tree_racks; rack++)); do
		for ((i = 1; i <= tree_workers; i++)); do
			at "$box" source add job "$id" id $((rank++)) \
				address "$(tree_worker_addr "$rack" "$i")" port "$port" || return
		done
	done
}

# tree_start ID [OPTION...]: weir-perf in each worker, in the background.
tree_start() {
	local id=$1 rack i rank=0
	shift
	tree_pids=()
	for ((rack = 1; rack <= tree_racks; rack++)); do
		for ((i = 1; i <= tree_workers; i++)); do
			# shellcheck disable=SC2046 # they are words
			in_ns "r$rack-w$i" weir-perf --job "$id" $(tree_place "$rack" "$i" "$rank") \
				--rank "$rank" --ranks "$(tree_ranks)" "${tree_options[@]}" "$@" \
				>"$tree_out/$id.$rank" 2>"$tree_out/said-$id.$rank" &
			tree_pids+=($!)
			((++rank))
		done
	done
}

# Succeeds when all have; shows what a failed one said.
tree_wait() {
	wait_all "${tree_pids[@]}" || tree_says
}

# Print the last lines of all workers. Fail, as the test does that shows them.
tree_says() {
	tail -n 3 "$tree_out"/*
	return 1
}

# Those that tree_start has started with --endless end, all with the same result.
tree_end() { ns_term "${tree_pids[0]}"; }

tree_allreduce() { tree_start "$@" && tree_wait; }

# tree_of_all ID FILTER: what each worker's report has there
tree_of_all() { gojq -s "[.[] | $2]" "$tree_out/$1".*; }

# tree_all_alike ID: all have the same bits.
tree_all_alike() {
	[[ $(tree_of_all "$1" .digest | gojq 'unique | length') == 1 ]] ||
		{ tree_of_all "$1" .digest; return 1; }
}

# tree_stat BOX FILTER WORD...: what gojq's FILTER finds in that box's JSON.
tree_stat() {
	local box=$1 filter=$2
	shift 2
	at "$box" -j "$@" | gojq -r "$filter"
}
