# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# Two ranks of job 7 that sum without end and check every sum, while modules are upgraded. Sourced after
# netns.sh, with the project's root in $root and a directory in $work; the workers are 1 and 2 of the star.

# The processes.
ranks=()

# perf RANK DIRECTORY: by the weir-perf of that build directory; its output is $work/perfRANK.
# shellcheck disable=SC2154 # work is the caller's
perf() {
	in_worker "$(($1 + 1))" env LD_LIBRARY_PATH="$2/lib" "$2/bin/weir-perf" --job 7 --address 10.77.1.254 --rank "$1" --ranks 2 \
		--grads 256 --min-bytes 256K --max-bytes 256K --endless --verify --json >"$work/perf$1" 2>"$work/perf$1.said"
}

# ranks_begin DIRECTORY DIRECTORY: of rank 0 and of rank 1
ranks_begin() {
	ranks=()
	perf 0 "$1" &
	ranks+=("$!")
	perf 1 "$2" &
	ranks+=("$!")
}

# Blocks that the box has summed since it has job 7.
blocks() { "$@" -j job show id 7 | gojq '.[0].stats.blocks'; }

# End them. Fail unless all sums of both were right, and alike.
ranks_end_right() {
	ns_term "${ranks[0]}" && wait "${ranks[0]}" && wait "${ranks[1]}" &&
		gojq -es 'map(.results | map(.wrong)) | flatten | . == [0, 0]' "$work"/perf[01] >/dev/null &&
		[[ $(gojq .digest "$work/perf0") == "$(gojq .digest "$work/perf1")" ]] && return
	cat "$work"/perf*
	return 1
}
