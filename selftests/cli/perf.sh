#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# weir-perf beside other libraries (--compare), on a machine without the module: a box in
# userspace sums.
set -u

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd) || exit 1
root=$(cd "$here/../.." && pwd) || exit 1
# shellcheck source=../lib/ktap.sh
. "$here/../lib/ktap.sh"

work=$(mktemp -d) || exit 1
box=127.77.$((RANDOM % 250)).$((RANDOM % 250 + 1))
PATH=$work:$root/build/bin:$PATH
pids=()
trap 'kill "${pids[@]}"; rm -rf "$work"' EXIT

# start_box ADDRESS JOB
start_box() {
	"$root/build/lib-tests/refbox" --address "$1" --job "$2" --sources 2 --merge >"$work/box.$2" &
	pids+=("$!")
	until grep -qs ready "$work/box.$2"; do
		kill -0 "${pids[-1]}" || exit 1
		sleep 0.05
	done
}
# That of the second of two trees is at another address.
other_box=127.76.${box#*.*.}
start_box "$box" 7
start_box "$other_box" 8

# other NAME LINE...: a program that stands in for another library
other() {
	printf '#!/bin/sh\necho "$*" >>"%s/words"\n' "$work" >"$work/weir-perf-$1"
	printf '%s\n' "${@:2}" >>"$work/weir-perf-$1"
	chmod +x "$work/weir-perf-$1"
}
other quick 'echo 1024 0.001' 'echo 16384 0.001'
other slow 'echo 1024 0.001' 'echo 16384 60000000'
other short 'echo 1024 1'
other mixed 'echo 16384 1' 'echo 1024 1'
other broken 'exit 7'
other killed 'kill -9 $$'

address=$box
# begin OPTION...: both ranks, which are in "pids" then; their output is in $work/0 and $work/1
begin() {
	local rank
	rm -f "$work"/[01]
	for rank in 0 1; do
		weir-perf --job 7 --address "$address" --bind-address "127.78.0.$((rank + 1))" --ranks 2 --rank "$rank" \
			"$@" >"$work/$rank" 2>"$work/$rank.errors" &
		pids+=("$!")
	done
}
# ranks OPTION...: both; the status is that of rank 0
ranks() {
	local pids=()
	begin --min-bytes 1K --max-bytes 16K --step-factor 16 --iterations 2 --warmup 1 "$@"
	wait "${pids[1]}"
	wait "${pids[0]}"
}

# says STATUS PATTERN FILE OPTION...: rank 0 ends so, and its output or errors have a line so
says() {
	local status
	ranks "${@:4}"
	status=$?
	((status == $1)) && grep -qE "$2" "$work/$3" && return
	echo "status $status"
	cat "$work/0" "$work/0.errors"
	return 1
}

words() {
	rm -f "$work/words"
	says 0 '^#' 0 --compare quick --dtype float32 --op sum &&
		grep -qx -e '--rank 0 --ranks 2 --iterations 2 --warmup 1 --dtype float32 --op sum 1024 16384' "$work/words" && return
	cat "$work/words"
	return 1
}

json() {
	says 0 . 0 --compare slow,broken --json
	gojq -e '.compare[0].name == "slow" and .compare[0].faster_from_bytes == 16384 and
		.compare[0].time_us == [0.001, 60000000] and (.results | length) == 2 and
		.compare[1].error == "weir-perf-broken ended with status 7"' "$work/0" >/dev/null && return
	cat "$work/0"
	return 1
}

by_trees() {
	local address=$box,$other_box
	says 0 '^# every element' 0 --trees 2 --verify && says 0 . 0 --trees 2 --json && gojq -e '.trees == 2' "$work/0" >/dev/null
}

alone() {
	says 0 . 0 --json && gojq -e '.compare == null and .digest == null' "$work/0" >/dev/null
}

# By mpirun, whose ranks these are.
mpi() {
	if ! command -v mpirun >/dev/null || [[ ! -x $root/build/bin/weir-perf-mpi ]]; then
		echo "there is no MPI"
		return 4
	fi
	# shellcheck disable=SC2016 # expanded in each rank
	timeout 120 mpirun --allow-run-as-root --oversubscribe -np 2 sh -c '
		exec weir-perf --job 7 --address "$1" --ranks 2 --rank "$OMPI_COMM_WORLD_RANK" --iterations 2 \
			--bind-address "127.78.0.$((OMPI_COMM_WORLD_RANK + 1))" --min-bytes 1K --max-bytes 16K \
			--step-factor 16 --compare mpi >"$2/mpi.$OMPI_COMM_WORLD_RANK"' sh "$box" "$work" || return
	grep -qE '^ +1024 +[0-9.]+ +[0-9.]+ +[0-9.]+$' "$work/mpi.0" && grep -q '^# weir is .*faster than mpi' "$work/mpi.1"
}

by_itself() {
	! weir-perf-mpi --rank 1 --ranks 2 1024 2>"$work/alone" && grep -q 'start weir-perf by mpirun' "$work/alone"
}

meeting() {
	! env -u MASTER_ADDR weir-perf-gloo --rank 0 --ranks 1 --iterations 1 --warmup 0 --dtype int32 --op sum 8 \
		2>"$work/meeting" && grep -q 'MASTER_ADDR is not set' "$work/meeting"
}

# usage NAME PATTERN OPTION...: the command line is wrong
refuses() {
	local said
	said=$(weir-perf --job 7 --address "$box" --ranks 2 --rank 0 "${@:2}" 2>&1)
	(($? == 2)) && grep -qE "$1" <<<"$said" && return
	echo "$said"
	return 1
}
# A rank that is alone says whom it waits for, and goes on waiting.
lonely() {
	local said
	said=$(weir-perf --job 7 --address "$box" --bind-address 127.78.0.1 --ranks 2 --rank 0 --ranks-timeout 8s 2>&1)
	(($? == 1)) && grep -qE '^weir: rank 0 of job 7 .* waits for rank 1 .* for [3-7]\.[0-9] s, and gives up after 8\.0 s$' <<<"$said" && return
	echo "$said"
	return 1
}

# One of two is told to end, and both do, after the same one. A type and an operation.
endless() {
	local pids=()
	begin --min-bytes 16K --max-bytes 16K --endless --verify --json "$@"
	# It says that it has begun once it would be heard.
	until grep -qs generation "$work/1"; do
		kill -0 "${pids[1]}" || break
		sleep 0.05
	done
	kill "${pids[1]}"
	wait "${pids[1]}" && wait "${pids[0]}" &&
		gojq -es '(map(.digest) | unique | length) == 1 and .[0].iterations == 0 and
			(.[0].results[0] | .wrong == 0 and .iterations >= 0) and
			.[0].results[0].iterations == .[1].results[0].iterations' "$work/0" "$work/1" >/dev/null && return
	cat "$work"/[01] "$work"/[01].errors
	return 1
}

ktap_header
ktap_run "a time without a unit" refuses "timeout is '30': it must have a unit, one of ms, s and min" --timeout 30
ktap_run "a time with another unit" refuses "timeout is '30us': it must have a unit" --timeout 30us
ktap_run "a time that is none" refuses "ranks-timeout is 'long': it must be a time such as 500ms or 30s" --ranks-timeout long
ktap_run "a time that is too long" refuses "timeout is '99999999min': it must be 1ms to" --timeout 99999999min
ktap_run "an option like another" refuses "unknown option '--itertions' \(did you mean --iterations\?\)" --itertions 3
ktap_run "who waits for whom is said after three seconds" lonely
ktap_run "the other gets the same ranks, sizes and type" words
for words in "int32 sum" "float32 sum"; do
	ktap_run "until one is told to end: $words" endless --dtype "${words% *}" --op "${words#* }"
done
ktap_run "endless, and so many" refuses "endless and --iterations exclude" --endless --iterations 3
ktap_run "endless, of many sizes" refuses "endless is for one size" --endless
ktap_run "endless, and others" refuses "endless and --compare exclude" --endless --min-bytes 8 --max-bytes 8 --compare quick
ktap_run "with a progress thread" says 0 . 0 --progress --verify
ktap_run "by two trees" by_trees
ktap_run "too many trees" refuses "trees is '17': it must be 1 to 16" --trees 17
ktap_run "faster at all sizes" says 0 '^# weir is not faster than quick$' 0 --compare quick
ktap_run "faster from a size on" says 0 '^# weir is faster than slow from 16384 bytes on$' 0 --compare quick,slow
ktap_run "in JSON" json
ktap_run "JSON without others" alone
ktap_run "a library that is not there" says 1 'weir-perf-nothing cannot be started: No such file' 0.errors --compare nothing
ktap_run "one that fails" says 1 'weir-perf-broken ended with status 7' 0.errors --compare broken,quick
ktap_run "one that dies" says 1 'weir-perf-killed was ended' 0.errors --compare killed
ktap_run "one that leaves out a size" says 1 'weir-perf-short has not printed a time for each size' 0.errors --compare short
ktap_run "one with other sizes" says 1 'weir-perf-mixed has not printed' 0.errors --compare mixed
for names in '' ',' 'a,' ',a' 'a,,b' '../a' 'a b'; do
	ktap_run "names that are none: '$names'" says 2 'it must be names' 0.errors --compare "$names"
done
ktap_run "MPI" mpi
ktap_run "MPI without mpirun" by_itself
ktap_run "Gloo without a place to meet" meeting
ktap_end
