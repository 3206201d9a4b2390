#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# A box that loses all it knows while workers sum, and workers that are lost while others
# go on. To be run in the virtual machine: it unloads and loads the module.
set -u

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd) || exit 1
# shellcheck source=../lib/ktap.sh
. "$here/../lib/ktap.sh"
# shellcheck source=../lib/module.sh
. "$here/../lib/module.sh"
# shellcheck source=../lib/netns.sh
. "$here/../lib/netns.sh"
# shellcheck source=box.sh
. "$here/box.sh"

workers=4 job=7

blocks() { box_stat '.[].stats.blocks' job show id "$job"; }

# Something is summed, and there is more to come.
flowing() { rises_by 50 60 blocks; }

make_job() { box_job "$job" "$workers" blocks 256 grads 1024 "$@"; }

attach() { box_attach "$workers" xdp; }

# The module goes with all blocks, and comes back knowing nothing; the control plane
# makes the job again.
reload() {
	weir port flush || return
	module_goes 20 || return
	make_job "$@" && attach
}

all_alike() {
	local digests
	digests=$(gojq -s '[.[].digest] | unique | length' "$box_out/$job".[1-4]) || return
	[[ $digests == 1 ]] || { gojq .digest "$box_out/$job".[1-4]; return 1; }
}

# sums OPTION...: until box_end
sums() {
	box_start "$job" "$workers" --min-bytes 1M --max-bytes 1M --endless --warmup 0 --json \
		--timeout 60s "$@"
}

reloaded_in_the_middle() {
	local i
	sums || return
	for i in 1 2 3; do
		flowing || return
		reload || return
	done
	flowing && box_end && box_wait && all_alike
}

reloaded_while_packets_are_lost() {
	local status
	box_netem "$workers" loss 3% || return
	reloaded_in_the_middle
	status=$?
	box_no_netem "$workers"
	return "$status"
}

state_of() { box_stat ".[] | select(.id == $1).state" source show job "$job"; }
state_is() { [[ $(state_of "$1") == "$2" ]]; }
none_open() { [[ $(box_stat '.[].open' job show id "$job") == 0 ]]; }

# kill_rank RANK: its process, which is the child of what box_start has started.
kill_rank() {
	pkill -KILL -P "${box_pids[$1]}" || return
	wait "${box_pids[$1]}" 2>/dev/null
	return 0
}

# The others go on: their sums are exact for the ranks that are in them, and the same bits. A rank
# that is alive is not silent for five seconds, on the slowest of machines.
others_go_on() {
	local i
	weir job flush && make_job policy exclude timeout 50ms dead-after 5s || return
	sums --accept-degraded --residual
	flowing || return
	kill_rank 3 || return
	poll 60 state_is 3 excluded && flowing || return
	unset 'box_pids[3]'
	box_end && box_wait || return
	[[ $(gojq -s '[.[].digest] | unique | length' "$box_out/$job".[1-3]) == 1 ]]
}

joins_of() { box_stat ".[] | select(.id == $1).stats.joins" source show job "$job"; }

# It comes back with the next generation, which it begins with all others: they wait for
# it, as it has said that it is there.
comes_back() {
	local joins rank
	# Late ranks are no matter here, and this machine may be slow.
	weir job set id "$job" policy wait timeout 0 || return
	joins=$(joins_of 3) || return
	box_pids=()
	start_rank 3
	# The first one is answered with a cookie; the next brings it.
	poll 60 is_more_than $((joins + 1)) joins_of 3 || return
	for rank in 0 1 2; do
		start_rank "$rank"
	done
	box_wait && state_is 3 active && all_alike
}

start_rank() {
	in_worker $(($1 + 1)) weir-perf --job "$job" --address "$(box_addr)" --rank "$1" \
		--ranks "$workers" --verify --min-bytes 64K --max-bytes 64K --iterations 2 --json \
		>"$box_out/$job.$(($1 + 1))" 2>"$box_out/said-$job.$(($1 + 1))" &
	box_pids+=($!)
}

# No rank is left that could ask, and no block is left that waits.
all_killed() {
	local i
	weir job set id "$job" policy partial timeout 50ms || return
	sums --accept-degraded
	flowing || return
	for ((i = 0; i < workers; i++)); do
		kill_rank "$i" || return
	done
	poll 60 none_open
}

nothing_is_left() {
	weir job flush
	[[ $(box_stat '."memory-used"' stats) == 0 ]]
}

set_up() { box_up "$workers" 9000 xdp && make_job; }

ktap_header
set_up || ktap_fail "set up"
ktap_run "the module is reloaded in the middle" reloaded_in_the_middle
ktap_run "the module is reloaded while packets are lost" reloaded_while_packets_are_lost
ktap_run "a worker is killed, and the others go on" others_go_on
ktap_run "it comes back" comes_back
ktap_run "all workers are killed" all_killed
ktap_run "nothing is left" nothing_is_left
ktap_end
