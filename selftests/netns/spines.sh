# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# Racks that are plain routers, below spines that are boxes: what suites of jobs of several trees
# share. Sourced after tree.sh, whose racks, workers and weir-perfs they are.
#
#	spines_up 4 2 2 9000 tc
#	spines_jobs 7 blocks 256 grads 1024
#	tree_allreduce 7 --trees 4 --max-bytes 64K
#
# Each rack is below each spine:
#
#	rack-R (upS)  10.9S.R.1  --- spine-S (rR) 10.9S.R.254  the box is 10.9S.1.254
#
# Each spine has the jobs of all trees: of one it is the first box, and stands by for the others.

spines=0

spine_addr() { echo "10.9$1.1.254"; }

# The boxes of the first tree; those of the others are the same from another one on.
spines_list() {
	local spine list=
	for ((spine = 1; spine <= spines; spine++)); do
		list+=${list:+,}$(spine_addr "$spine")
	done
	echo "$list"
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
	spines=$1 tree_racks=$2 tree_workers=$3
	# shellcheck disable=SC2034 # it is tree_start's
	tree_boxes=$(spines_list)
	for ((spine = 1; spine <= spines; spine++)); do
		ns_create "spine-$spine" || return
	done
	for ((rack = 1; rack <= tree_racks; rack++)); do
		ns_create "rack-$rack" && ns_sysctl "rack-$rack" ipv4/ip_forward=1 || return
		for ((i = 1; i <= tree_workers; i++)); do
			tree_add_worker "$rack" "$i" "$mtu" || return
		done
		for ((spine = 1; spine <= spines; spine++)); do
			spines_add_link "$rack" "$spine" "$mtu" &&
				at "spine-$spine" port attach dev "r$rack" mode "$mode" || return
		done
	done
}

# spine_job SPINE ID TREE [KEY VALUE...]: the job of one of ID's trees.
spine_job() {
	tree_flat_job $(($2 + $3)) "spine-$1" "$(spine_addr "$1")" $((12000 + $3)) "${@:4}"
}

# spine_jobs SPINE ID [KEY VALUE...]: of as many trees as there are spines.
spine_jobs() {
	local tree
	for ((tree = 0; tree < spines; tree++)); do
		spine_job "$1" "$2" "$tree" "${@:3}" || return
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
		at "spine-$spine" job flush
	done
}
