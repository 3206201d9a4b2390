#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Four workers learn, and are slowed down now and then: the time of an iteration and the
# accuracy where the box waits for all, and where it answers with the workers that are
# there. The output is read by selftests/bench/run and plotted by "make plots".
set -u

usage() {
	cat <<-END
	usage: selftests/demo/stragglers.sh [SHARE...]

	Trains with each SHARE, the probability in percent that a worker is slowed down at
	one of three points of an iteration (0 4 8 12 16). Run it where the module is loaded:

	  selftests/vm/run -- selftests/demo/stragglers.sh
	END
}

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd) || exit 1
root=$(cd "$here/../.." && pwd) || exit 1
# shellcheck source=../lib/netns.sh
. "$root/selftests/lib/netns.sh"

case ${1-} in
-*) usage; [[ $1 == -h || $1 == --help ]]; exit ;;
esac
(($#)) || set -- 0 4 8 12 16

workers=4 waits=7 partial=8
box=$(router_addr 1)
work=$(mktemp -d) || exit 1
at_exit rm -rf "$work"
python=/usr/bin/python3
export OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1
[[ ${WEIR_VM-} == tcg ]] && export OPENBLAS_CORETYPE=Prescott
export PATH=$root/build/bin:$PATH LD_LIBRARY_PATH=$root/build/lib
export PYTHONPATH=$root/userspace/python:$here PYTHONDONTWRITEBYTECODE=1

die() {
	echo "stragglers: $*" >&2
	exit 1
}

# job ID OPTION...
job() {
	local i
	in_router weir job add id "$1" sources $workers blocks 1024 grads 1024 dtype float32 \
		address "$box" "${@:2}" ||
		die "no job"
	for ((i = 1; i <= workers; i++)); do
		in_router weir source add job "$1" id $((i - 1)) address "$(worker_addr "$i")" || die "no source"
	done
}

learn() {
	local i pids=()
	for ((i = 1; i <= workers; i++)); do
		in_worker "$i" "$python" "$here/straggling_worker.py" "$work/digits.npz" \
			"$work/result-$i" "$box" $((i - 1)) $workers "$@" &
		pids+=($!)
	done
	wait_all "${pids[@]}"
}

star_create $workers 9000 || die "the network cannot be built"
for ((i = 1; i <= workers; i++)); do
	in_router weir port attach dev "w$i" mode xdp || die "no port"
done
job $waits policy wait
job $partial policy partial timeout 10ms dead-after 10s
"$python" -c 'import model, sys; model.prepare(*sys.argv[1:])' "$root/build/digits.csv.gz" "$work/digits.npz" ||
	die "the digits are not there: run scripts/digits"

# The first is the yardstick of the others: all wait, and no worker is slowed down.
runs=("$waits:0:carry")
for share; do
	((share)) && runs+=("$waits:$share:carry")
	runs+=("$partial:$share:carry")
done
((share)) && runs+=("$partial:$share:drop")
learn "${runs[@]}" || die "a worker has failed"
"$python" "$here/straggler_report.py" "$work"/result-* || die "the runs have gone wrong"
