# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# Measurements of a contribution's cost in the box, in instructions of the guest.

# shellcheck source=lib.sh
. "${BASH_SOURCE[0]%/*}/lib.sh"

cost_blocks=400
# Jobs: one that lacks a source, so that no result is ever sent, and one that is whole.
cost_lacking=1 cost_whole=0

# Datagrams of so many gradients that fit a merged packet, and a number of blocks that fills
# packets of either.
declare -A cost_fit=([256]=63 [1024]=15)
cost_merged_blocks=2835

# The measured costs, by names such as tx_1024.
declare -A cost=()

# The sender's part is the cost of a packet that ends at the sender's own device; all
# else is the box's (and the little that a receiver adds, see bench_star).
cost_sender() {
	local g
	each_worker drop egress
	for g; do
		measure "cost[sender_$g]" "$cost_blocks" --grads "$g"
	done
	each_worker pass egress
}

# cost_box NAME GRADIENTS [OPTION...]
cost_box() {
	local name=$1_$2 sender=${cost[sender_$2]} total
	measure total "$cost_blocks" --grads "$2" "${@:3}"
	cost[$name]=$((total - sender))
}

# cost_xdp PROGRAM GRADIENTS...
cost_xdp() {
	local g
	each_worker attach "$1"
	for g in "${@:2}"; do
		cost_box "$1" "$g"
	done
	each_worker detach
}

cost_up() {
	bench_star
	bench_programs
	each_worker redirect_to_next
	setup --job "$cost_whole" --sources 4 --blocks 8192
	setup --job "$cost_lacking" --sources 5 --bound 4 --blocks 8192
}

# The cost of XDP alone, for frames with so many gradients.
cost_of_xdp() {
	cost_xdp drop "$@"
	cost_xdp tx "$@"
	cost_xdp redirect "$@"
}

# The cost of the box; ports must be attached.
cost_of_box() {
	local g
	# Packets to no job do not count as sent: a source that begins far ahead has to wait.
	bench_block=0
	for g; do
		cost_box contribution "$g" --job "$cost_lacking"
		cost_box whole_box "$g" --job "$cost_whole"
	done
	none_refused
}

# The cost of a contribution of 1,024 gradients of each other type, and of sums that are the same
# in any order. In the numbers of uapi/weir.h; the sender's part is that of a frame as long.
cost_of_types() {
	local job=20 name dtype order size total sender
	cost_sender 512
	while read -r name dtype order size; do
		setup --job "$job" --sources 5 --bound 4 --blocks 8192 --dtype "$dtype" --order "$order"
		bench_block=0
		measure total "$cost_blocks" --grads 1024 --floats "$size" --job "$job"
		sender=sender_$((256 * size))
		cost[$name]=$((total - cost[$sender]))
		none_refused
		in_router weir job del id "$job"
	done <<-END
		float32 2 1 4
		float32_fixed 2 2 4
		bfloat16 3 1 2
		bfloat16_fixed 3 2 2
		float16 4 1 2
		float16_fixed 4 2 2
	END
}

# The cost of a timer's look at a hundred slots.
cost_of_scan() {
	local job=4
	setup --job "$job" --sources 2 --bound 1 --blocks 65536 --grads 1 --timeout 900000000
	bench_block=0
	blast "$bench_full" --job "$job" --grads 1 --sources 1 >/dev/null
	scan_cost "$job"
	cost[scan_100]=$(awk -v s="$scanned" 'BEGIN { printf "%.0f\n", 100 * s }')
	in_router weir job del id "$job"
}

# cost_merged VARIABLE GRADIENTS [OPTION...]: the sender's part is in it.
cost_merged() {
	measure "$1" "$cost_merged_blocks" --grads "$2" --merged "${cost_fit[$2]}" "${@:3}"
}

# cost_of_tc_job NAME JOB SETUP_OPTION...: of datagrams that come one by one, and merged
cost_of_tc_job() {
	local g name sender total
	setup --job "$2" --blocks 8192 "${@:3}"
	bench_block=0
	for g in "${!cost_fit[@]}"; do
		cost_box "$1_tc" "$g" --job "$2"
		name=$1_merged_$g sender=${cost[sender_merged_$g]}
		cost_merged total "$g" --job "$2"
		cost[$name]=$((total - sender))
	done
	none_refused
	in_router weir job del id "$2"
}

# The cost of the box with ports in tc mode, which they are left in. A merged packet that ends at
# its sender's own device ends there whole: so the sender's part of a datagram is that of a merged
# one.
cost_of_tc() {
	local g
	ports_are tc
	each_worker drop egress
	for g in "${!cost_fit[@]}"; do
		cost_merged "cost[sender_merged_$g]" "$g"
	done
	each_worker pass egress
	cost_of_tc_job contribution 30 --sources 5 --bound 4
	cost_of_tc_job whole_box 31 --sources 4
}

# Frames of a sender on this machine carry no checksum yet, and the box takes them as
# they are. With the sender's offload off they do, as frames from a wire do.
cost_of_checksum() {
	local i g
	for ((i = 1; i <= bench_workers; i++)); do
		in_worker "$i" ethtool -K eth0 tx off >/dev/null || die "no checksums"
	done
	for g; do
		cost[unsummed_$g]=${cost[sender_$g]}
	done
	cost_sender "$@"
	for g; do
		cost_box checked "$g" --job "$cost_lacking"
		cost[sender_$g]=${cost[unsummed_$g]}
	done
	for ((i = 1; i <= bench_workers; i++)); do
		in_worker "$i" ethtool -K eth0 tx on >/dev/null
	done
	none_refused
}

# Scaling. The whole cost of a packet is compared but for the sender's.

# Many addresses on each worker, for as many sources.
scale_addresses() {
	local i n
	for ((i = 1; i <= bench_workers; i++)); do
		for ((n = 2; n <= 60; n++)); do
			echo "address add 10.77.$i.$n/24 dev eth0"
		done | ns_ip "w$i" || die "no addresses"
	done
}

# The first contribution to a block opens it, which costs; so source 0 opens the blocks,
# and what is measured is the others' share.
# scale_contribution VARIABLE JOB SOURCES BLOCKS
scale_contribution() {
	local -n scaled=$1
	local from=$bench_block total
	blast "$4" --job "$2" --grads 256 --sources 1 >/dev/null
	bench_block=$from
	total=$(blast "$4" --job "$2" --grads 256 --first 1 --sources "$3") || exit
	bench_block=$((from + $4))
	# shellcheck disable=SC2034 # it is the caller's
	scaled=$((total - cost[sender_256]))
}

# At most 8 open blocks, and all slots but one of the largest table. Eight, as one block
# is over so soon that a tick of the clock shows.
scale_blocks() {
	local job=2 one many
	setup --job "$job" --sources 201 --bound 200 --blocks 65536 --grads 256
	bench_block=0
	scale_contribution one "$job" 200 8
	# Single gradients fill the table just as well, and sooner. The others ask now and
	# then, or source 0 were too far ahead of them.
	for bench_block in 8 30008 60008; do
		blast 1 --job "$job" --grads 0 --first 1 --sources 200 >/dev/null
		blast $((bench_block < 60008 ? 30000 : 5519)) --job "$job" --grads 1 --sources 1 >/dev/null
	done
	bench_block=65527
	scale_contribution many "$job" 200 8
	none_refused
	in_router weir job del id "$job"
	cost[open_8]=$one cost[open_65535]=$many
}

# One job and many, taking turns. Removes all jobs. Tables are small: 201 of them have to fit into
# what jobs may allocate.
scale_jobs() {
	local first=10 one many
	setup --job "$first" --jobs 201 --sources 5 --bound 4 --blocks 256 --grads 256
	bench_block=0
	measure one 800 --job "$first" --grads 256
	bench_block=0
	measure many 800 --job $((first + 1)) --jobs 200 --grads 256
	none_refused
	in_router weir job flush
	cost[jobs_1]=$((one - cost[sender_256])) cost[jobs_200]=$((many - cost[sender_256]))
}

# Two sources and many, in a job of many.
scale_sources() {
	local job=3 two all
	setup --job "$job" --sources 201 --bound 200 --blocks 2048 --grads 256
	bench_block=0
	scale_contribution two "$job" 2 800
	scale_contribution all "$job" 200 8
	none_refused
	in_router weir job del id "$job"
	cost[sources_2]=$two cost[sources_200]=$all
}
