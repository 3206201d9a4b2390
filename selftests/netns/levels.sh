#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Jobs that span boxes: racks below a root, exactly once whatever the links and the boxes do.
#
#	levels.sh [WORD...]	with ports of mode xdp, of mode tc with all that goes wrong, and with
#				a crowd of ranks; by default all three
set -u

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd) || exit 1
# shellcheck source=../lib/ktap.sh
. "$here/../lib/ktap.sh"
# shellcheck source=../lib/netns.sh
. "$here/../lib/netns.sh"
# shellcheck source=tree.sh
. "$here/tree.sh"

job=7
sizes=(--min-bytes 4 --max-bytes 60004 --step-bytes 20000 --iterations 2 --warmup 1)

# with_job COMMAND [KEY VALUE...]: a test with a job of its own.
with_job() {
	local status
	tree_job "$job" blocks 256 grads 1024 "${@:2}" || return
	"$1"
	status=$?
	tree_job_del "$job"
	return "$status"
}

# of_all FILTER: what each worker's report has there
of_all() { tree_of_all "$job" "$1"; }
all_alike() { tree_all_alike "$job"; }

blocks() { tree_stat root '.[].stats.blocks' job show id "$job"; }
flowing() { rises_by 30 60 blocks; }

sums() { tree_allreduce "$job" "${sizes[@]}"; }
floats() { tree_allreduce "$job" --dtype float32 "${sizes[@]}"; }

# Each rack sends one sum for each block, however many workers it has. Where it asked, it may have
# been told to send one again.
one_sum_a_block() {
	sums || return
	[[ $(tree_stat rack-1 '.[].stats |
		.blocks == ."parent-results" and .blocks <= ."parent-sums" and
		."parent-sums" <= .blocks + ."parent-queries"' \
		job show id "$job") == true ]] || { at rack-1 -s job show; return 1; }
}

# Twice the same bits: the order of packets makes no difference on either level.
same_bits_twice() {
	local first
	tree_allreduce "$job" --dtype float32 --min-bytes 100K --max-bytes 100K --json || return
	all_alike && first=$(of_all .digest) || return
	tree_allreduce "$job" --dtype float32 --min-bytes 100K --max-bytes 100K --json || return
	[[ $(of_all .digest) == "$first" ]]
}

# uplinks OPTION...: netem on both ends of each rack's link.
uplinks() {
	local rack
	for ((rack = 1; rack <= tree_racks; rack++)); do
		in_ns "rack-$rack" tc qdisc replace dev uplink root netem limit 20000 "$@" || return
		in_ns root tc qdisc replace dev "r$rack" root netem limit 20000 "$@" || return
	done
}

plain_uplinks() {
	local rack
	for ((rack = 1; rack <= tree_racks; rack++)); do
		in_ns "rack-$rack" tc qdisc del dev uplink root
		in_ns root tc qdisc del dev "r$rack" root
	done
}

# run BYTES OPTION...
run() {
	tree_start "$job" --min-bytes "$1" --max-bytes "$1" --warmup 0 --json --timeout 60s "${@:2}"
}

# over_losses [BYTES]
over_losses() {
	local status
	uplinks loss 20% duplicate 5% || return
	run "${1:-1M}" --iterations 1 && tree_wait && all_alike
	status=$?
	plain_uplinks
	return "$status"
}

down_for_a_while() {
	run 1M --endless && flowing || return
	ip -n "$(ns_name root)" link set r1 down || return
	sleep 3
	ip -n "$(ns_name root)" link set r1 up && flowing && tree_end && tree_wait && all_alike
}

root_anew() {
	local i
	run 1M --endless || return
	for i in 1 2; do
		flowing || return
		at root job del id "$job" && tree_root_job "$job" blocks 256 grads 1024 || return
	done
	flowing && tree_end && tree_wait && all_alike
}

rack_anew() {
	local rack
	run 1M --endless || return
	for rack in 1 2; do
		flowing || return
		at "rack-$rack" job del id "$job" && tree_rack_job "$job" "$rack" blocks 256 grads 1024 || return
	done
	flowing && tree_end && tree_wait && all_alike
}

# A root that goes on without a rack says which ranks are in, and a rack without a worker.
goes_on_without() {
	local kept=() box before
	run 400K --endless --accept-degraded && flowing || return
	pkill -KILL -P "${tree_pids[3]}" || return
	kept=("${tree_pids[@]:0:3}")
	wait "${tree_pids[3]}" 2>/dev/null
	tree_pids=("${kept[@]}")
	# On a slow machine some blocks had gone on without a rank before.
	for box in rack-2 root rack-1; do
		poll 60 misses_rank_3 "$box" && continue
		echo "$box:"
		at "$box" job show
		at "$box" source show
		return 1
	done
	before=$(degraded) && poll 60 goes_without "$before" && tree_end && tree_wait || return
	rm -f "$tree_out/$job.3"
	all_alike
}

degraded() { tree_stat root '.[].stats.degraded' job show id "$job"; }
goes_without() { (($(degraded) > $1)); }
misses_rank_3() {
	[[ $(tree_stat "$1" '.[]."dead-ranks" | tostring' job show id "$job") == "[3]" ]] &&
		at "$1" job show id "$job" | grep -q ' dead-ranks 3 '
}

# nesting BOX: what doctor says of the timeouts there
nesting() { at "$1" -j doctor | gojq -r '.checks[] | select(.check == "nesting") | .status'; }

# A rack has to answer its workers' blocks before the root goes on without it.
timeouts_nest() {
	sums || return
	[[ $(nesting rack-1) == warn && -z $(nesting root) ]] || { at rack-1 doctor; return 1; }
	at rack-1 job set id "$job" timeout 50s || return
	[[ $(nesting rack-1) == ok && $(nesting rack-2) == warn ]] || { at rack-1 doctor; return 1; }
	at rack-1 job set id "$job" policy wait && [[ $(nesting rack-1) == warn ]]
}

# The second start of all workers is a new generation on all boxes.
started_twice() {
	sums && sums && sums || return
	[[ $(tree_stat root '.[].generation' job show id "$job") == \
		$(tree_stat rack-2 '.[].generation' job show id "$job") ]]
}

misfit() {
	! in_ns r1-w1 weir-perf --job "$job" --address "$(rack_addr 1)" --rank "$1" --ranks "$2" \
		--source 0 --timeout 60s >"$tree_out/misfit" 2>&1 || return
	grep -q "$3" "$tree_out/misfit" || { cat "$tree_out/misfit"; return 1; }
}

# Other numbers of ranks, a rank of two workers: sentences, and no sums.
misfits() {
	local status
	misfit 0 3 "has 4 sources, and rank 0 was told of 3 ranks" || return
	in_ns r1-w2 weir-perf --job "$job" --address "$(rack_addr 1)" --rank 0 --ranks 4 --source 1 \
		--timeout 600s >"$tree_out/other" 2>&1 &
	poll 60 is_more_than 1 rack_joins && misfit 0 4 "has rank 0 twice"
	status=$?
	pkill -KILL -P $!
	wait
	return "$status"
}

rack_joins() { tree_stat rack-1 '.[] | select(.id == 1).stats.joins' source show job "$job"; }

# A rack's box is a source of another rack's, beside that one's workers. Each keeps few of the
# blocks at a time.
chained() {
	at root job add id "$job" sources 1 ranks 4 address "$(root_addr)" blocks 64 grads 1024 &&
		at root source add job "$job" id 0 address "$(rack_addr 2)" &&
		at rack-2 job add id "$job" sources 3 ranks 4 address "$(rack_addr 2)" \
			parent "$(root_addr)" source 0 blocks 64 grads 1024 &&
		at rack-2 source add job "$job" id 0 address "$(tree_worker_addr 2 1)" &&
		at rack-2 source add job "$job" id 1 address "$(tree_worker_addr 2 2)" &&
		at rack-2 source add job "$job" id 2 address "$(rack_addr 1)" &&
		at rack-1 job add id "$job" sources 2 ranks 4 address "$(rack_addr 1)" \
			parent "$(rack_addr 2)" source 2 blocks 32 grads 1024 &&
		at rack-1 source add job "$job" id 0 address "$(tree_worker_addr 1 1)" &&
		at rack-1 source add job "$job" id 1 address "$(tree_worker_addr 1 2)" || return
	sums && over_losses 512K
}

three_levels() {
	local status
	chained
	status=$?
	tree_job_del "$job"
	return "$status"
}

# More ranks than a box has sources: the workers of a rack share a host, by their ports.
crowd=129

# In one command a rack: the tool is slow to start on an emulated machine.
crowd_sources() {
	local i
	at "$1" save | sed '/^#/d' || return
	echo "job add id $job sources $crowd ranks $((2 * crowd)) address $2 parent $(root_addr) source $((${1#rack-} - 1)) blocks 64 grads 256"
	for ((i = 0; i < crowd; i++)); do
		echo "source add job $job id $i address $3 port $((20000 + i))"
	done
}

crowd_job() {
	local rack
	at root job add id "$job" sources 2 ranks $((2 * crowd)) address "$(root_addr)" blocks 64 \
		grads 256 || return
	for rack in 1 2; do
		at root source add job "$job" id $((rack - 1)) address "$(rack_addr "$rack")" &&
			crowd_sources "rack-$rack" "$(rack_addr "$rack")" "$(tree_worker_addr "$rack" 1)" >"$tree_out/crowd" &&
			at "rack-$rack" restore "$tree_out/crowd" || return
	done
}

# crowd_sums [OPTION]: prints what each rack's ranks have.
crowd_sums() {
	local rack pids=() status
	for rack in 1 2; do
		in_ns "r$rack-w1" "$here/crowd.py" "$(rack_addr "$rack")" "$job" $(((rack - 1) * crowd)) \
			"$crowd" $((2 * crowd)) "$@" >"$tree_out/crowd.$rack" &
		pids+=($!)
	done
	wait_all "${pids[@]}"
	status=$?
	sort -u "$tree_out"/crowd.*
	return "$status"
}

# crowd_has RANKS [OPTION]: all have the same sums, of so many.
crowd_has() {
	local ranks=$1 sums
	sums=$(crowd_sums "${@:2}") || return
	[[ $sums =~ ^[0-9a-f]+\ $ranks$ ]] || { echo "$sums"; return 1; }
}

# The second time the root does not wait for the second rack: results name the ranks of the first.
crowd_meets() { crowd_job && crowd_has $((2 * crowd)); }
crowd_goes_on() { at root job set id "$job" quorum 1 && crowd_has "$crowd" --degraded; }

answers() { tree_stat "$1" '.[].stats | .answers + .results + .replies + .notices + ."parent-queries"' \
	job show id "$job"; }

# Two boxes that are each other's parents and sources: nothing begins, and nothing runs round.
ring() {
	local before
	at rack-1 job add id "$job" sources 1 ranks 4 address "$(rack_addr 1)" \
		parent "$(rack_addr 2)" source 0 blocks 64 grads 1024 &&
		at rack-1 source add job "$job" id 0 address "$(rack_addr 2)" &&
		at rack-2 job add id "$job" sources 2 ranks 4 address "$(rack_addr 2)" \
			parent "$(rack_addr 1)" source 0 blocks 64 grads 1024 &&
		at rack-2 source add job "$job" id 0 address "$(rack_addr 1)" &&
		at rack-2 source add job "$job" id 1 address "$(tree_worker_addr 2 1)" || return
	! in_ns r2-w1 weir-perf --job "$job" --address "$(rack_addr 2)" --rank 0 --ranks 4 --source 1 \
		--timeout 3s >/dev/null 2>&1 || return
	before=$(answers rack-1) && (($(answers rack-1) == before && before < 50))
}

rings() {
	local status
	ring
	status=$?
	at rack-1 job del id "$job"
	at rack-2 job del id "$job"
	return "$status"
}

# Two boxes have the job, and no box has a parent.
flat_job() { tree_flat_job "$job" "rack-$1" "$(rack_addr "$1")" 12000 blocks 256 grads 1024; }

with_two_boxes() {
	local status=0
	tree_boxes=$(rack_addr 1),$(rack_addr 2)
	if ! { flat_job 1 && flat_job 2 && "$1"; }; then
		tail -n 3 "$tree_out"/*
		status=1
	fi
	tree_boxes=
	at rack-1 job del id "$job"
	at rack-2 job del id "$job"
	return "$status"
}

blocks_of() { tree_stat "rack-$1" '.[].stats.blocks' job show id "$job"; }
moved() { [[ $(of_all .moves | gojq -s "[.[] | .[]] | min >= $1") == true ]] || { of_all .moves; return 1; }; }

# The first box loses the job; all go on at the second, and come back when the first has it again.
box_goes_and_comes() {
	run 1M --endless && rises_by 30 60 blocks_of 1 || return
	at rack-1 job del id "$job" && poll 60 is_more_than 100 blocks_of 2 || return
	flat_job 1 && poll 60 is_more_than 100 blocks_of 1 &&
		tree_end && tree_wait && all_alike && moved 2
}

# One rank has no way to the first box any more: the others come to it.
one_rank_loses_its_way() {
	run 1M --endless && rises_by 30 60 blocks_of 1 || return
	ip -n "$(ns_name r2-w2)" route add unreachable "$(rack_addr 1)/32" || return
	poll 60 is_more_than 100 blocks_of 2 && tree_end && tree_wait && all_alike
	local status=$?
	ip -n "$(ns_name r2-w2)" route del unreachable "$(rack_addr 1)/32"
	return "$status"
}

ktap_header
crowds() {
	tree_up 2 2 9000 tc || ktap_fail "crowd: set up"
	ktap_run "more ranks than a box has sources" crowd_meets
	ktap_run "more ranks, and results without some" crowd_goes_on
	tree_job_del "$job"
	tree_down
}

# The root loses its way to the workers of a rack, which these two take, with the link.
anew() {
	tree_up 2 2 9000 tc || ktap_fail "anew: set up"
	ktap_run "an uplink is down for three seconds" with_job down_for_a_while
	ktap_run "the root is set up anew" with_job root_anew
	tree_down
}

(($#)) || set -- xdp tc crowd anew
for mode; do
	[[ $mode != anew ]] || { anew; continue; }
	[[ $mode != crowd ]] || { crowds; continue; }
	tree_up 2 2 9000 "$mode" || ktap_fail "$mode: set up"
	ktap_run "$mode: two levels" with_job one_sum_a_block
	ktap_run "$mode: floats" with_job floats dtype float32
	[[ $mode == tc ]] || ktap_run "$mode: fixed order, the same bits twice" with_job same_bits_twice dtype float32 order fixed
	ktap_run "$mode: a generation for all boxes" with_job started_twice
	ktap_run "$mode: uplinks lose and duplicate" with_job over_losses
	ktap_run "$mode: three levels, workers and a box below one" three_levels
	[[ $mode == tc ]] || { tree_down; continue; }
	ktap_run "two boxes have the job, one goes and comes" with_two_boxes box_goes_and_comes
	ktap_run "two boxes have the job, a rank loses its way to one" with_two_boxes one_rank_loses_its_way
	ktap_run "racks are set up anew" with_job rack_anew
	ktap_run "a worker dies" with_job goes_on_without policy partial \
		timeout 100ms dead-after 5s
	ktap_run "timeouts nest, or doctor says so" with_job timeouts_nest policy partial timeout 100s
	ktap_run "ranks that do not fit" with_job misfits
	ktap_run "two boxes above each other" rings
	tree_down
done
ktap_end
