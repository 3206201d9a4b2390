#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Workers that were told wrong things, and workers and boxes that go in the middle.
# Whatever it is: one sentence that names it and what to do, within the timeout and
# with a status that is not 0; the box counts it; and the next run is right.
set -u

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd) || exit 1
# shellcheck source=../lib/ktap.sh
. "$here/../lib/ktap.sh"
# shellcheck source=../lib/netns.sh
. "$here/../lib/netns.sh"
# shellcheck source=box.sh
. "$here/box.sh"

# The library's own, in milliseconds; and the seconds after which one that has not
# ended by then is taken to hang, on a machine that is slow.
patience=2s hang=120

# A run that is short, one that only ends when it is made to, and one whose end is far
# enough away for others to come and go meanwhile.
short=(--min-bytes 20000 --max-bytes 20000 --iterations 1 --warmup 0)
endless=(--min-bytes 100000 --max-bytes 100000 --endless --warmup 0)

declare -A running=()

# start TAG WORKER JOB RANK RANKS [OPTION...]: weir-perf in a worker, in the background.
# Its output goes to files of that tag. Its process is the child itself, so that a signal
# to the child reaches it.
start() {
	local tag=$1 worker=$2
	nsenter --net="/run/netns/$(ns_name "w$worker")" -- \
		weir-perf --job "$3" --address "${BOX_TO:-$(box_addr)}" --rank "$4" --ranks "$5" \
		--timeout "$patience" --verify "${@:6}" >"$box_out/$tag.out" 2>"$box_out/$tag.err" &
	running[$tag]=$!
}

# ends TAG: waits for it, so long as it may take, and has its status.
ends() {
	local pid=${running[$1]}
	if ! poll "$hang" process_is_gone "$pid"; then
		kill -KILL "$pid"
		echo "$1 hangs"
	fi
	wait "$pid" 2>/dev/null
}

# fails TAG WORDS...: it ends with status 1 and says one line, with each of these.
fails() {
	local tag=$1 status words lines
	shift
	ends "$tag"
	status=$?
	mapfile -t lines <"$box_out/$tag.err"
	if ((status != 1 || ${#lines[@]} != 1)) || [[ ${lines[0]} != "weir-perf: rank "* ]]; then
		printf '%s\n' "$tag ended with status $status and says:" "${lines[@]}"
		return 1
	fi
	for words; do
		[[ ${lines[0]} == *"$words"* ]] && continue
		printf '%s\n' "$tag does not say '$words':" "${lines[0]}"
		return 1
	done
	[[ -z ${WEIR_SENTENCES-} ]] || printf '%s\n' "${lines[0]}" >>"$WEIR_OUT/sentences"
}

# alone WORKER JOB RANK RANKS [OPTION...] -- WORDS...: one worker, which must fail.
alone() {
	local options=()
	while [[ $1 != -- ]]; do
		options+=("$1")
		shift
	done
	start alone "${options[@]}"
	fails alone "${@:2}"
}

# counted FILTER: gojq finds it true of job 7.
counted() {
	[[ $(box_stat ".[] | $1" job show id 7) == true ]] && return
	echo "not so: $1"
	weir -j job show id 7
	return 1
}

refused() { counted ".stats.refusals[\"$1\"] > ${2-0}"; }

# Print how often the namespace has refused packets for this reason: those that no job was found for.
passed() { box_stat ".stats.refusals[\"$1\"] // 0" stats; }

blocks_of() { box_stat '.[].stats.blocks' job show id "$1"; }

# The job really sums: more than what any window holds has come since.
flows() {
	rises_by 100 "$hang" blocks_of "$1" && return
	echo "job $1 does not flow"
	return 1
}

# start_all JOB N [OPTION...]: N ranks, one a worker, tagged JOB.RANK, which have met. Where the
# machine starts the last one when the first has given up already, all start again.
start_all() {
	local job=$1 n=$2 rank before
	before=$(generation_of "$job")
	for _ in {1..5}; do
		for ((rank = 0; rank < n; rank++)); do
			start "$job.$rank" $((rank + 1)) "$job" "$rank" "$n" "${@:3}"
		done
		poll 10 began_after "$before" "$job" && return
		for ((rank = 0; rank < n; rank++)); do
			kill -KILL "${running[$job.$rank]}"
			wait "${running[$job.$rank]}"
		done 2>/dev/null
	done
	echo "the ranks of job $job do not meet"
	return 1
}
generation_of() { box_stat '.[].generation' job show id "$1"; }
began_after() { [[ $(generation_of "$2") != "$1" ]]; }

# all_fail JOB "RANK..." WORDS...
all_fail() {
	local job=$1 rank status=0
	for rank in $2; do
		fails "$job.$rank" "${@:3}" || status=1
	done
	return "$status"
}

# all_succeed JOB "RANK..."
all_succeed() {
	local job=$1 rank status=0
	for rank in $2; do
		ends "$job.$rank" && grep -q '^# every element of every result is right' \
			"$box_out/$job.$rank.out" && [[ ! -s $box_out/$job.$rank.err ]] && continue
		echo "rank $rank of job $job fails: $(<"$box_out/$job.$rank.err")"
		status=1
	done
	return "$status"
}

# All four on the same job, which is as if nothing had been.
normal_run() {
	local errors
	errors=$(box_stat '.[].stats."result-errors"' job show id 7)
	patience=20s start_all 7 4 "${short[@]}"
	all_succeed 7 "0 1 2 3" &&
		counted ".open == 0 and .bound == 4 and .stats.overflows == 0 and
			.stats.\"result-errors\" == $errors"
}

# Kills the processes that a test has left that failed half way.
stop_all() {
	local i pid
	for ((i = 1; i <= star_size; i++)); do
		for pid in $(ns_pids "w$i"); do
			kill -KILL "$pid"
		done
	done
}

# wrong NAME FUNCTION: the fault, and the run after it.
wrong() {
	ktap_run "$1" "$2"
	stop_all
	ktap_run "$1: the next run is right" normal_run
}

no_such_job() {
	local before
	before=$(passed no-job)
	alone 1 99 0 4 -- "'port unreachable' for UDP port 12000" "no job 99 of format trio has this address" \
		"'weir job show'" &&
		(($(passed no-job) > before))
}

other_address() {
	local before
	before=$(passed not-local)
	BOX_TO=$(router_addr 2) alone 1 7 0 4 -- "$(router_addr 2) answers 'port unreachable'" \
		"no job 7 of format trio has this address and port" "'weir job show'" &&
		(($(passed not-local) > before))
}

other_port() {
	alone 1 7 0 4 --port 12001 --bind-port 12000 -- "'port unreachable' for UDP port 12001" \
		"no job 7 of format trio has this address and port"
}

# A job of another format has a port of its own, and says what it is.
other_format() {
	local status
	weir job add id 8 format lab sources 4 grads 256 blocks 2 address "$(box_addr)" &&
		weir source add job 8 id 0 address "$(worker_addr 1)" && weir port flush && attach || return
	alone 1 8 0 4 --port 8000 --bind-port 8000 -- "job 8 on $(box_addr) takes packets of format lab" \
		"rank 0 sends format trio" "make it anew with 'format trio'" &&
		[[ $(box_stat '.[].stats.refusals.join > 0' job show id 8) == true ]]
	status=$?
	weir job del id 8 && weir port flush && attach && return "$status"
}

other_ranks() {
	alone 1 7 0 3 -- "job 7 on $(box_addr) has 4 sources" "rank 0 was told of 3 ranks" \
		"set ranks to 4 on every worker, or make the job anew with 'sources 3'" &&
		refused join
}

rank_too_large() {
	start alone 1 7 4 4
	ends alone
	[[ $? == 2 ]] && grep -qx 'weir-perf: --rank is 4: of 4 ranks it must be 0 to 3 .*' \
		"$box_out/alone.err"
}

# The box has three of the four.
rank_not_bound() {
	local status
	weir source del job 7 id 3 || return
	alone 4 7 3 4 -- "job 7 on $(box_addr) did not begin for " " s: not all 4 ranks have come" \
		"the box does not have source 3 at this worker's address, $(worker_addr 4)" \
		"'weir source show job 7'" && refused no-source
	status=$?
	weir source add job 7 id 3 address "$(worker_addr 4)" && return "$status"
}

# Worker 4 says that it is rank 0 while the four are at work.
others_rank() {
	patience=20s start_all 7 4 "${endless[@]}"
	flows 7 && alone 4 7 0 4 --bind-port 13000 -- "did not begin for " \
		"the box does not have source 0 at this worker's address, $(worker_addr 4)" &&
		refused spoofed && kill -TERM "${running[7.0]}" && all_succeed 7 "0 1 2 3"
}

too_many_grads() {
	alone 1 7 0 4 --grads 2048 -- "job 7 on $(box_addr) takes 1024 gradients a block, and grads is 2048" \
		"set grads to 1024 or less on every rank, or make the job anew with 'grads 2048'" &&
		refused join
}

mtu_too_small() {
	local status
	ip -n "$(ns_name w1)" link set eth0 mtu 1500 || return
	alone 1 7 0 4 -- "a block of 1024 gradients makes a packet of 2092 bytes or more" \
		"the path to $(box_addr) carries 1500" "set grads to 364 or less on every rank" \
		"raise the MTU"
	status=$?
	ip -n "$(ns_name w1)" link set eth0 mtu 9000 && return "$status"
}

# A link that takes joins and swallows blocks: no error says so, only the size tells.
mtu_on_the_way() {
	local status
	ip -n "$(ns_name router)" link set w4 mtu 1500 || return
	start_all 7 4 "${short[@]}"
	all_fail 7 "0 1 2" "block 0 of job 7 is not complete" "3 of 4 ranks are in it" \
		"its packets do not arrive" "'weir source show job 7'" &&
		fails 7.3 "$(box_addr) answers, but does not have rank 3's block 0" \
			"a link on the way does not carry packets of 4140 bytes"
	status=$?
	ip -n "$(ns_name router)" link set w4 mtu 9000 && return "$status"
}

rank_missing() {
	local rank
	for rank in 0 1 2; do
		start "7.$rank" $((rank + 1)) 7 "$rank" 4 "${short[@]}"
	done
	all_fail 7 "0 1 2" "job 7 on $(box_addr) did not begin for " " s: not all 4 ranks have come" \
		"whose joins are missing"
}

ports_not_attached() {
	local before status
	weir port flush || return
	before=$(passed no-port)
	alone 1 7 0 4 -- "'port unreachable'" "rank 0's packets come in on a device that is no weir port" \
		"'weir port show' on the box" && (($(passed no-port) == before))
	status=$?
	attach && return "$status"
}

attach() { box_attach "$star_size" xdp; }

# A router that drops and says nothing, and a machine that knows no way.
no_answer() {
	BOX_TO=10.99.0.1 alone 1 7 0 4 -- "job 7 on 10.99.0.1 did not begin for " \
		"packets do not arrive"
}

no_way() {
	BOX_TO=10.98.0.1 alone 1 7 0 4 -- "there is no way from here to 10.98.0.1" \
		"check the address and this worker's routes"
}

job_goes() {
	local status
	start_all 7 4 "${endless[@]}"
	flows 7 && weir job del id 7 || return
	all_fail 7 "0 1 2 3" "$(box_addr) answers 'port unreachable'" "no job 7 of format trio has this address"
	status=$?
	box_job 7 4 blocks 256 grads 1024 && return "$status"
}

# The same for the workers as a router that starts anew: they join again by themselves,
# and no sum is wrong or missing. Twice, the second time with another job's number of
# blocks and with no job there for a while.
# These workers go on to their end, however long that takes; a worker that has nothing to wait
# for any more gives up by itself, long before.
job_comes_back() {
	local hang=300
	patience=20s start_all 7 4 --min-bytes 100000 --max-bytes 100000 --iterations 500 \
		--warmup 0
	flows 7 && weir job del id 7 && box_job 7 4 blocks 256 grads 1024 && flows 7 || return
	weir job del id 7 || return
	poll "$hang" somebody_is_refused || return
	box_job 7 4 blocks 512 grads 1024 && flows 7 && all_succeed 7 "0 1 2 3" || return
	weir job del id 7 && box_job 7 4 blocks 256 grads 1024
}

# Packets that no job was found for.
somebody_is_refused() {
	local before=${no_job_before-}
	no_job_before=$(passed no-job)
	[[ -n $before ]] && ((no_job_before > before))
}

ports_go() {
	local status
	start_all 7 4 "${endless[@]}"
	flows 7 && weir port flush || return
	all_fail 7 "0 1 2 3" "$(box_addr) answers 'port unreachable'" \
		"come in on a device that is no weir port"
	status=$?
	attach && return "$status"
}

# The router is still there and forwards nothing any more.
link_goes() {
	local status
	start_all 7 4 "${endless[@]}"
	flows 7 && ip -n "$(ns_name router)" link set w4 down || return
	all_fail 7 "0 1 2" "$(box_addr) answers, but block " "of job 7 is not complete, for " &&
		fails 7.3 "nothing comes from $(box_addr)" " for "
	status=$?
	ip -n "$(ns_name router)" link set w4 up && return "$status"
}

# Three that sum 100,000 bytes and one that sums less: the last block that it has is
# shorter than theirs.
other_sizes() {
	local rank size
	for rank in 0 1 2 3; do
		size=$((rank == 3 ? 50000 : 100000))
		start "7.$rank" $((rank + 1)) 7 "$rank" 4 --min-bytes "$size" --max-bytes "$size" \
			--iterations 1 --warmup 0
	done
	all_fail 7 "0 1 2 3" "the ranks of job 7 do not call for the same" "at its block 12" \
		"All ranks have this error" && refused count
}

# The others wait for the timeout from the last answer on, and not for longer.
one_killed() {
	local from
	start_all 7 4 "${endless[@]}"
	flows 7 || return
	kill -KILL "${running[7.3]}"
	from=${EPOCHREALTIME/./}
	all_fail 7 "0 1 2" "$(box_addr) answers, but block " "3 of 4 ranks are in it" \
		"Another rank has stopped" "'weir source show job 7'" || return
	((${EPOCHREALTIME/./} - from >= 1500000)) || { echo "that was early"; return 1; }
	counted '.open > 0' && one_is_behind
}

# The sentence sends the reader to the sources, of which it is the rank that stopped that most open
# blocks wait for. Counters of contributions are of all that the job has seen.
one_is_behind() {
	[[ $(box_stat 'max_by(.missing).id' source show job 7) == 3 ]] && return
	weir source show job 7
	return 1
}

# A worker that comes back at once, while the others still wait for the old one.
one_restarts() {
	start_all 7 4 "${endless[@]}"
	flows 7 || return
	kill -KILL "${running[7.3]}"
	start again 4 7 3 4 --bind-port 12000 "${short[@]}"
	all_fail 7 "0 1 2" "of job 7 is not complete" "Another rank has stopped" &&
		fails again "job 7 on $(box_addr) did not begin for " " s: not all 4 ranks"
}

# Another job, of the same workers.
neighbours() {
	local rank before
	weir job add id 8 sources 2 blocks 256 grads 1024 address "$(box_addr)" || return
	for rank in 0 1; do
		weir source add job 8 id "$rank" address "$(worker_addr $((rank + 1)))" port 13008 ||
			return
	done
	start_all 7 4 "${endless[@]}"
	flows 7 || return
	patience=20s start_all 8 2 --bind-port 13008 "${endless[@]}"
	flows 8 && kill -KILL "${running[7.1]}" || return
	before=$(blocks_of 8)
	all_fail 7 "0 2 3" "of job 7 is not complete" && poll "$hang" is_more_than "$before" blocks_of 8 &&
		kill -TERM "${running[8.0]}" && all_succeed 8 "0 1" &&
		[[ $(box_stat '.[].open' job show id 8) == 0 ]] && weir job del id 8
}

python_says() {
	local status
	in_worker 1 /usr/bin/python3 - "$(box_addr)" >"$box_out/python" 2>&1 <<-'END'
		import errno, sys, weir

		def refused(code, words, **options):
		    try:
		        weir.Communicator(sys.argv[1], rank=0, timeout=2, ranks_timeout=2, **options)
		    except weir.Error as error:
		        assert error.errno == code, error.errno
		        assert words in str(error), error
		        return
		    raise AssertionError("it opens")

		refused(errno.ECONNREFUSED, "no job 99 of format trio has this address", job=99, ranks=4)
		refused(errno.EPROTO, "job 7 on %s has 4 sources" % sys.argv[1], job=7, ranks=2)
		refused(errno.ETIMEDOUT, "It waits for ranks 1-3. ", job=7, ranks=4)
	END
	status=$?
	cat "$box_out/python"
	return "$status"
}

set_up() {
	ip -n "$(ns_name router)" route add blackhole 10.99.0.0/24 &&
		ip -n "$(ns_name w1)" route add unreachable 10.98.0.0/24
}

ktap_header
box_up 4 9000 xdp && box_job 7 4 blocks 256 grads 1024
ktap_run "set up" set_up
ktap_run "a normal run" normal_run
wrong "no such job" no_such_job
wrong "another address of the box" other_address
wrong "another port" other_port
wrong "a job of another format" other_format
wrong "another number of ranks" other_ranks
wrong "a rank that is too large" rank_too_large
wrong "a rank that is not bound" rank_not_bound
wrong "another worker's rank" others_rank
wrong "a rank that does not come" rank_missing
wrong "more gradients than the job takes" too_many_grads
wrong "an MTU that is too small" mtu_too_small
wrong "an MTU that is too small on the way" mtu_on_the_way
wrong "ports that are not attached" ports_not_attached
wrong "no answer at all" no_answer
wrong "no way to the box" no_way
wrong "a job that goes in the middle" job_goes
wrong "a job that goes and comes back in the middle" job_comes_back
wrong "ports that go in the middle" ports_go
wrong "a link that goes in the middle" link_goes
wrong "other sizes" other_sizes
wrong "a worker that is killed" one_killed
wrong "a worker that is killed and comes back alone" one_restarts
wrong "a neighbour whose worker is killed" neighbours
wrong "the Python binding says the same" python_says
box_down
ktap_end
