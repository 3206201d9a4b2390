#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Four workers learn to read digits; the router between them sums their gradients.
set -u

usage() {
	cat <<-END
	usage: selftests/demo/demo.sh [--userspace | DTYPE...]

	Builds a router and four workers as network namespaces, joined by veth with jumbo
	frames; trains a small network on the workers, whose gradients, vectors of float32, go
	through the router at each step; and checks what they have learned. Once for each DTYPE
	that the router is to sum, by default int32, float32 and bfloat16; the workers say nothing
	about that. Run it where the module is loaded:

	  selftests/vm/run -- selftests/demo/demo.sh

	  --userspace   sum int32 in a program on the router instead: no module is needed

	exit status: 0 when all is as it must be.
	END
}

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd) || exit 1
root=$(cd "$here/../.." && pwd) || exit 1
# shellcheck source=../lib/netns.sh
. "$root/selftests/lib/netns.sh"

userspace=no
case ${1-} in
'') set -- int32 float32 bfloat16 ;;
--userspace) userspace=yes; set -- int32 ;;
int32 | float32 | bfloat16) ;;
-h | --help) usage; exit 0 ;;
*) echo "demo: unknown option $1 (see --help)" >&2; exit 2 ;;
esac

workers=4
box=$(router_addr 1)
work=$(mktemp -d) || exit 1
at_exit rm -rf "$work"
python=/usr/bin/python3
# The arithmetic is small: threads would only wait for each other. And wide vector
# instructions are slow where the machine is emulated.
export OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1
[[ ${WEIR_VM-} == tcg ]] && export OPENBLAS_CORETYPE=Prescott
export PATH=$root/build/bin:$PATH LD_LIBRARY_PATH=$root/build/lib
export PYTHONPATH=$root/userspace/python:$here PYTHONDONTWRITEBYTECODE=1

die() {
	echo "demo: $*" >&2
	exit 1
}

say() {
	printf '\n== %s\n' "$*"
}

run() {
	echo "router# $*"
	in_router "$@" || die "'$*' failed"
}

attach() {
	local i
	for ((i = 1; i <= workers; i++)); do
		run weir port attach dev "w$i" mode xdp
	done
}

# Sums of floats are such that the check can make them again: the same in any order.
kernel_job() {
	local job=$1 dtype=$2 i order=()
	[[ $dtype == int32 ]] || order=(order fixed)
	run weir job add id "$job" sources $workers blocks 1024 grads 1024 dtype "$dtype" "${order[@]}" \
		address "$box"
	for ((i = 1; i <= workers; i++)); do
		run weir source add job "$job" id $((i - 1)) address "$(worker_addr "$i")"
	done
}

userspace_job() {
	echo "router# refbox --address $box --sources $workers --job $1"
	mkfifo "$work/ready"
	# It ends with its namespace, without a message.
	nsenter --net="/run/netns/$(ns_name router)" -- "$root/build/lib-tests/refbox" \
		--address "$box" --sources $workers --job "$1" >"$work/ready" &
	disown
	read -r _ <"$work/ready" || die "the program on the router does not start"
}

counters() {
	run weir stats
	run weir job show id "$1"
	run weir source show job "$1"
}

train() {
	local i pids=()
	for ((i = 1; i <= workers; i++)); do
		in_worker "$i" "$python" "$here/train_worker.py" "$work/digits.npz" "$work/result-$i" \
			"$box" "$1" $((i - 1)) $workers &
		pids+=($!)
	done
	wait_all "${pids[@]}"
}

# learn JOB DTYPE
learn() {
	say "The router is told to sum $2"
	if [[ $userspace == yes ]]; then userspace_job "$1"; else kernel_job "$1" "$2"; fi
	say "The workers learn: each step's gradient, $parameters numbers, is summed on the way"
	train "$1" || die "a worker has failed"
	if [[ $userspace == no ]]; then
		say "What the router has counted"
		counters "$1"
	fi
	say "Is it right?"
	"$python" "$here/verify.py" "$2" "$work/digits.npz" "$work"/result-{1..4} ||
		die "something is wrong"
}

say "A router and $workers workers, one link each"
star_create $workers 9000 || die "the network cannot be built"
for ((i = 1; i <= workers; i++)); do
	echo "worker $i, rank $((i - 1)): $(worker_addr "$i") --- router: $(router_addr "$i")"
done

"$python" -c 'import model, sys; model.prepare(*sys.argv[1:])' "$root/build/digits.csv.gz" "$work/digits.npz" ||
	die "the digits are not there: run scripts/digits"
parameters=$("$python" -c 'import model; print(model.PARAMETERS)') || die "no model"

[[ $userspace == yes ]] || attach
job=7
for dtype; do
	learn $((job++)) "$dtype"
done
