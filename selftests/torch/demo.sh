#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Four workers train with torch, by Gloo and by weir, over links of 200 Mbit/s.
set -u

usage() {
	cat <<-END
	usage: selftests/torch/demo.sh [--epochs N] [--rate RATE] [--batch N]

	Builds a router and four workers as network namespaces of this machine, with links that are
	shaped, and trains a perceptron of 1.1 million parameters on handwritten digits: with
	init_process_group("gloo"), then with "weir" instead. Prints both: seconds an
	epoch, accuracy, and whether the models are the same on all workers. The router sums in a
	program, without the module.

	  --epochs N     of each run (default 2)
	  --rate RATE    of a link, each way, as tc has it; 0 is unshaped (default 200mbit)
	  --batch N      examples a worker and step (default 25)

	exit status: 0 when all is as it must be.
	END
}

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd) || exit 1
root=$(cd "$here/../.." && pwd) || exit 1
# shellcheck source=../lib/netns.sh
. "$root/selftests/lib/netns.sh"

epochs=2 rate=200mbit batch=25
while (($#)); do
	case $1 in
	--epochs) epochs=${2-} ;;
	--rate) rate=${2-} ;;
	--batch) batch=${2-} ;;
	-h | --help) usage; exit 0 ;;
	*) usage >&2; exit 2 ;;
	esac
	shift 2 || { usage >&2; exit 2; }
done

workers=4
box=$(router_addr 1)
work=$(mktemp -d) || exit 1
at_exit rm -rf "$work"
python=/usr/bin/python3
export LD_LIBRARY_PATH=$root/build/lib PYTHONPATH=$root/userspace/python PYTHONDONTWRITEBYTECODE=1
export OMP_NUM_THREADS=1 USE_LIBUV=0 GLOO_SOCKET_IFNAME=eth0
export WORLD_SIZE=$workers MASTER_PORT=29400 WEIR_BOX=$box WEIR_JOB=7
MASTER_ADDR=$(worker_addr 1)
export MASTER_ADDR

die() {
	echo "demo: $*" >&2
	exit 1
}

say() {
	printf '\n== %s\n' "$*"
}

# A queue holds what a sender has on its way: nothing is lost for want of room.
shape() {
	local i
	[[ $rate == 0 ]] && return 0
	for ((i = 1; i <= workers; i++)); do
		tc -n "$(ns_name router)" qdisc add dev "w$i" root tbf rate "$rate" burst 128kb limit 32mb &&
			tc -n "$(ns_name "w$i")" qdisc add dev eth0 root tbf rate "$rate" burst 128kb \
				limit 32mb || return
	done
}

start_box() {
	mkfifo "$work/ready"
	# It ends with its namespace, without a message.
	nsenter --net="/run/netns/$(ns_name router)" -- "$root/build/lib-tests/refbox" \
		--address "$box" --sources $workers --dtype float32 --merge >"$work/ready" &
	disown
	read -r _ <"$work/ready" || die "the program on the router does not start"
}

# train BACKEND: a result of each worker in BACKEND-RANK.
train() {
	local i pids=()
	for ((i = 1; i <= workers; i++)); do
		RANK=$((i - 1)) WEIR_BIND=$(worker_addr "$i") in_worker "$i" "$python" "$here/train.py" \
			--backend "$1" --width 1000 --epochs "$epochs" --batch "$batch" --rate 0.05 \
			>"$work/$1-$i" &
		pids+=($!)
	done
	wait_all "${pids[@]}"
}

say "A router and $workers workers, a link of $rate each (0: unshaped)"
star_create $workers 9000 || die "the network cannot be built"
shape || die "the links cannot be shaped"
start_box
for backend in gloo weir; do
	say "init_process_group(\"$backend\")"
	train "$backend" || die "a worker has failed"
	"$python" "$here/compare.py" "$epochs" "$work/$backend"-{1..4} || die "the models differ"
done
say "Both"
"$python" "$here/compare.py" --both "$work/gloo-1" "$work/weir-1" || die "weir has learned less"
