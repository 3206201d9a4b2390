#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# A box that loses all it knows while workers sum, and workers that are lost while others
# go on. To be run in the virtual machine: it unloads and loads the module.
set -u

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd) || exit 1
# shellcheck source=../lib/ktap.sh
. "$here/../lib/ktap.sh"
# shellcheck source=../lib/netns.sh
. "$here/../lib/netns.sh"
# shellcheck source=box.sh
. "$here/box.sh"

WEIR_MODULE=${WEIR_MODULE:-build/kmod-$(uname -r)/weir.ko}
workers=4 job=7

blocks() { box_stat '.[].stats.blocks' job show id "$job"; }
blocks_beyond() { (($(blocks) > $1)); }

# Something is summed, and there is more to come.
flowing() { poll 60 blocks_beyond $(($(blocks) + ${1:-50})); }

make_job() { box_job "$job" "$workers" blocks 256 grads 1024 "$@"; }

attach() {
	local i
	for ((i = 1; i <= workers; i++)); do
		weir port attach dev "w$i" mode xdp || return
	done
}

# The module goes with all blocks, and comes back knowing nothing; the control plane
# makes the job again.
reload() {
	weir port flush || return
	poll 20 rmmod weir || return
	insmod "$WEIR_MODULE" || return
	make_job "$@" && attach
}

all_alike() {
	local digests
	digests=$(jq -s '[.[].digest] | unique | length' "$box_out/$job".[1-4]) || return
	[[ $digests == 1 ]] || { jq .digest "$box_out/$job".[1-4]; return 1; }
}

sums() {
	box_start "$job" "$workers" --min-bytes 4M --max-bytes 4M --iterations "$1" --warmup 0 \
		--json --timeout 60000
}

reloaded_in_the_middle() {
	local i
	sums 8 || return
	for i in 1 2 3; do
		flowing || return
		reload || return
	done
	box_wait && all_alike
}

job_made_again() {
	local i
	sums 8 || return
	for i in 1 2 3; do
		flowing || return
		weir job del id "$job" || return
		make_job || return
	done
	box_wait && all_alike
}

reloaded_while_packets_are_lost() {
	local i status
	for ((i = 1; i <= workers; i++)); do
		in_worker "$i" tc qdisc add dev eth0 root netem limit 20000 loss 3% || return
		in_router tc qdisc add dev "w$i" root netem limit 20000 loss 3% || return
	done
	reloaded_in_the_middle
	status=$?
	for ((i = 1; i <= workers; i++)); do
		in_worker "$i" tc qdisc del dev eth0 root
		in_router tc qdisc del dev "w$i" root
	done
	return "$status"
}

nothing_is_left() {
	weir job flush
	[[ $(box_stat '."memory-used"' stats) == 0 ]]
}

set_up() { box_up "$workers" 9000 xdp && make_job; }

ktap_header
set_up || ktap_fail "set up"
ktap_run "the module is reloaded in the middle" reloaded_in_the_middle
ktap_run "the job is made again in the middle" job_made_again
ktap_run "the module is reloaded while packets are lost" reloaded_while_packets_are_lost
ktap_run "nothing is left" nothing_is_left
ktap_end
