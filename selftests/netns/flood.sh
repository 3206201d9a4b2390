# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# Contributions without end, for what must happen under load. Sourced after box.sh.
# shellcheck disable=SC2154 # box_out is box.sh's

# flood_start JOB N: contributions of N workers, without end, until flood_stop, in
# generations of a thousand blocks. A later flood of a job goes on where one before it was.
flood_start() {
	local job=$1 n=$2 i names=()
	for ((i = 1; i <= n; i++)); do
		names+=("$(ns_name "w$i")")
	done
	(
		# It ends early when a job is gone, as the box says so to the senders. A generation
		# is a line more: a file that is written anew is empty where this is killed meanwhile.
		for ((g = $(flooded "$job"); ; g++)); do
			echo >>"$box_out/flooded.$job"
			bench-blast --to "$(box_addr)" --job "$job" --grads 1024 --generation $((g % 65536)) \
				--blocks 1000 "${names[@]}"
		done
	) >/dev/null 2>&1 &
	echo $! >>"$box_out/floods"
}

# flooded JOB: how many generations of it there were
flooded() {
	: >>"$box_out/flooded.$1" && wc -l <"$box_out/flooded.$1"
}

# Tests run in subshells, so what they start is noted in a file.
flood_stop() {
	local pid
	while read -r pid; do
		# Its program is no child of it any more once it is gone.
		kill -STOP "$pid" 2>/dev/null
		pkill -KILL -P "$pid"
		kill -KILL "$pid" 2>/dev/null
		poll 60 process_is_gone "$pid"
	done <"$box_out/floods"
	: >"$box_out/floods"
}

# Packets that reached the module, whatever became of them. A job that is added while
# its sources send has blocks that miss some of them, and refuses what comes later.
handed_over() { box_stat '.stats | .contributions + (.refusals | add)' stats; }

# The flood is really under way.
flowing() { rises 60 handed_over || { echo "no packet reaches the module: $(handed_over)"; return 1; }; }
