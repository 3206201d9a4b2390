#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# That a packet's cost stays within bounds, and does not creep up. These are counts of
# instructions on an emulated machine, not times, so they are the same on any host, loaded or
# not. To be run in a virtual machine with --icount.
#
#	check.sh		compares with the file "recorded"
#	check.sh --record	prints what that file is to be
set -u
cd "$(dirname "${BASH_SOURCE[0]}")/../.." || exit 1
# shellcheck source=../lib/ktap.sh
. selftests/lib/ktap.sh
# shellcheck source=cost.sh
. selftests/bench/cost.sh
# shellcheck source=targets.sh
. selftests/bench/targets.sh

# A count may grow by so many per cent. Two runs of one build differ by less than 1.
slack=3
holds=$(mktemp) || exit 1
at_exit rm -f "$holds"
counts=(contribution_{1,256,1024} whole_box_{1,256,1024} checked_1024
	{contribution,whole_box}_{tc,merged}_{256,1024}
	float32 bfloat16 float16 float32_fixed scan_100)
# Measured once, before the change that they are to be compared with.
before=(insn_before_formats_256 {insn,ns}_one_block_before_{xdp,tc})
bounds=(contribution_float32_over_int32 fixed_order_over_arrival format_cost_trio
	scale_{jobs,sources,blocks} longest_{rtnl_ms,softirq_us})

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

# Instructions of one kernel do not tell of another's.
not_dearer() {
	local name="$1 is not dearer than recorded" was
	if [[ $(recorded kernel) != "$(uname -r)" ]]; then
		ktap_note "$1: ${cost[$1]} instructions"
		ktap_skip "$name" "$bench_record is of kernel $(recorded kernel)"
		return
	fi
	was=$(recorded "insn_$1")
	[[ $was ]] || { ktap_fail "$name" "it is not in $bench_record"; return; }
	ktap_note "$1: $was instructions then, ${cost[$1]} now"
	if ((cost[$1] * 100 <= was * (100 + slack))); then
		ktap_pass "$name"
	else
		ktap_fail "$name" "more than $slack % over $bench_record: find out why, or record anew and say so"
	fi
}

measure_all() {
	cost_up
	cost_sender 1 256 1024
	each_worker ports
	cost_of_box 1 256 1024
	cost_of_checksum 1024
	cost_of_types
	cost_of_scan
	cost_of_tc
	ports_are xdp
}

print_record() {
	local name
	echo "# SPDX-License-Identifier: GPL-2.0"
	echo "# Instructions of the box for a contribution, see check.sh. What was before there were formats"
	echo "# is measured with the first of them alone, and stays; so does what an allreduce of one block"
	echo "# took before workers and box sent merged packets, see transfer.sh."
	echo "kernel $(uname -r)"
	for name in "${before[@]}"; do
		echo "$name $(recorded "$name")"
	done
	for name in "${counts[@]}"; do
		echo "insn_$name ${cost[$name]}"
	done
}

if [[ ${1-} == --record ]]; then
	[[ -e /sys/module/weir ]] || die "the module is not loaded"
	measure_all >&2
	print_record
	exit
fi

ktap_header $((${#counts[@]} + ${#bounds[@]}))
if [[ ! -e /sys/module/weir ]]; then
	for name in "${counts[@]}"; do
		ktap_skip "$name is not dearer than recorded" "the module is not loaded"
	done
	for name in "${bounds[@]}"; do
		ktap_skip "$name is within its bound" "the module is not loaded"
	done
	ktap_end
fi

measure_all
for name in "${counts[@]}"; do
	not_dearer "$name"
done
within contribution_float32_over_int32 "$(ratio "${cost[float32]}" "${cost[contribution_1024]}")"
within fixed_order_over_arrival "$(ratio "${cost[float32_fixed]}" "${cost[float32]}")"
within format_cost_trio "$(ratio "${cost[contribution_256]}" "$(recorded insn_before_formats_256)")"

scale_addresses
scale_jobs
scale_sources
scale_blocks
within scale_jobs "$(spread "${cost[jobs_1]}" "${cost[jobs_200]}")"
within scale_sources "$(spread "${cost[sources_2]}" "${cost[sources_200]}")"
within scale_blocks "$(spread "${cost[open_8]}" "${cost[open_65535]}")"

selftests/bench/holds.sh >"$holds"
while read -r name value; do
	if [[ $name == '#' ]]; then
		ktap_note "$value"
	else
		within "$name" "$value"
	fi
done <"$holds"
ktap_end
