#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# That a packet's cost stays within bounds. These are counts of instructions on an
# emulated machine, not times, so they are the same on any host, loaded or not. To be run
# in a virtual machine with --icount.
set -u
cd "$(dirname "${BASH_SOURCE[0]}")/../.." || exit 1
# shellcheck source=../lib/ktap.sh
. selftests/lib/ktap.sh
# shellcheck source=cost.sh
. selftests/bench/cost.sh
# shellcheck source=targets.sh
. selftests/bench/targets.sh

# within NAME VALUE
within() {
	local name="$1 is within its bound"
	describe "$1" || { ktap_fail "$name" "no such figure"; return; }
	ktap_note "$1 = $2, $figure_target: $figure_text"
	if meets "$2" "$figure_target"; then
		ktap_pass "$name"
	else
		ktap_fail "$name"
	fi
}

ktap_header 5
if [[ ! -e /sys/module/weir ]]; then
	for name in contribution_over_tx_1024 whole_box_over_forward_1024 scale_{blocks,jobs,sources}; do
		ktap_skip "$name is within its bound" "the module is not loaded"
	done
	ktap_end
fi

cost_up
cost_sender 256 1024
cost_of_xdp 1024
each_worker ports
cost_of_box 1024
within contribution_over_tx_1024 "$(ratio "${cost[contribution_1024]}" "${cost[tx_1024]}")"
within whole_box_over_forward_1024 "$(ratio "${cost[whole_box_1024]}" "${cost[redirect_1024]}")"

scale_addresses
scale_jobs
scale_sources
scale_blocks
within scale_jobs "$(spread "${cost[jobs_1]}" "${cost[jobs_200]}")"
within scale_sources "$(spread "${cost[sources_2]}" "${cost[sources_200]}")"
within scale_blocks "$(spread "${cost[open_8]}" "${cost[open_65535]}")"
ktap_end
