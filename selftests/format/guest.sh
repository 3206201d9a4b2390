#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Rounds of format toy through a box that knows it, to be run in its tree's virtual machine by
# toy.sh.
set -u

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd) || exit 1
# shellcheck source=../lib/ktap.sh
. "$here/../lib/ktap.sh"
# shellcheck source=../lib/netns.sh
. "$here/../lib/netns.sh"
# shellcheck source=../netns/box.sh
. "$here/../netns/box.sh"

ranks=3

# all_sums BOX
all_sums() {
	local i pids=()
	for ((i = 1; i <= ranks; i++)); do
		in_worker "$i" "$here/worker.py" "$1" 7 $((i - 1)) "$ranks" &
		pids+=($!)
	done
	for i in "${pids[@]}"; do
		wait "$i" || return
	done
}
refused() { [[ $(weir -j stats | gojq ".stats.refusals.\"$1\"") == "$2" ]]; }

# round MODE [6]: with IPv4 or IPv6
round() {
	star_create "$ranks" 1500 &&
		"box_job${2-}" 7 "$ranks" blocks 16 grads 32 format toy &&
		[[ $(box_stat '.[0] | "\(.format) \(.port)"' job show id 7) == "toy 12100" ]] &&
		for ((i = 1; i <= ranks; i++)); do
			weir port attach dev "w$i" mode "$1" || return
		done &&
		all_sums "$("box_addr${2-}")" && [[ $(box_stat '.[0].stats.blocks' job show id 7) == 40 ]] &&
		[[ $(box_stat '.[0].stats.contributions' job show id 7) == $((ranks * 40)) ]] &&
		poll 60 refused direction "$ranks"
	local status=$?
	box_down
	return "$status"
}

ktap_header
ktap_run "toy: sums, with XDP" round xdp
ktap_run "toy: sums, with tc and IPv6" round tc 6
ktap_end
