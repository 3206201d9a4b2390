# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# Shared by the benchmarks in the virtual machine. Figures go to standard output as
# "NAME VALUE", text for readers as "# TEXT".

# shellcheck source=../lib/netns.sh
. "${BASH_SOURCE[0]%/*}/../lib/netns.sh"

bench_workers=4
bench_box=10.77.1.254
bench_pins=/sys/fs/bpf/weir-bench

bench_tracing=/sys/kernel/tracing
# As many blocks of a job as can be open at once.
bench_full=65535

# The recorded costs of packets, see check.sh.
bench_record=selftests/bench/recorded

# A block that no packet was for yet: each measurement takes a range of its own.
bench_block=0

figure() {
	echo "$1 $2"
}

note() {
	printf '# %s\n' "$*"
}

# not_measured NAME: a figure that is left out; a part ends with status $bench_missed.
not_measured() {
	note "$1 is not measured"
	bench_missed=1
}
# shellcheck disable=SC2034 # read at the end of a part
bench_missed=0

# ratio A B: A / B
ratio() {
	awk -v a="$1" -v b="$2" 'BEGIN { printf "%.3f\n", a / b }'
}

# spread A B: the larger by the smaller
spread() {
	if (($1 > $2)); then
		ratio "$1" "$2"
	else
		ratio "$2" "$1"
	fi
}

# recorded NAME: its value in the record
recorded() {
	awk -v name="$1" '$1 == name { print $2 }' "$bench_record"
}

die() {
	echo "bench: $*" >&2
	exit 1
}

# A star with jumbo frames whose workers drop received packets as early as a stack can:
# so the box is measured and not the receivers.
bench_star() {
	local i names=() addrs=()
	star_create "$bench_workers" 9000 || die "no star"
	for ((i = 1; i <= bench_workers; i++)); do
		names+=("$(ns_name "w$i")")
		addrs+=("$(worker_addr "$i")")
		# GRO gives a veth NAPI, which XDP_REDIRECT into it needs.
		in_worker "$i" ethtool -K eth0 gro on || die "no GRO"
		in_worker "$i" tc qdisc add dev eth0 clsact || die "no clsact"
		# Neighbours are found before anything is measured.
		in_worker "$i" ping -q -c 1 -W 2 "$bench_box" >/dev/null || die "worker $i has no way to the box"
		drop "$i" ingress
	done
	bench_namespaces=("${names[@]}") bench_addresses=("${addrs[@]}")
}

# drop WORKER ingress|egress: IP packets end there.
drop() {
	in_worker "$1" tc filter add dev eth0 "$2" protocol ip prio 1 matchall action drop ||
		die "no drop at $2"
}

pass() {
	in_worker "$1" tc filter del dev eth0 "$2" protocol ip prio 1 matchall
}

each_worker() {
	local i
	for ((i = 1; i <= bench_workers; i++)); do
		"$1" "$i" "${@:2}"
	done
}

bench_programs() {
	bpftool prog loadall build/bpf/bench.bpf.o "$bench_pins" pinmaps "$bench_pins-maps" ||
		die "the programs do not load"
	at_exit rm -rf "$bench_pins" "$bench_pins-maps"
}

attach() {
	in_router bpftool net attach xdpdrv pinned "$bench_pins/bench_$2" dev "w$1" || die "no $2"
}

detach() {
	in_router bpftool net detach xdpdrv dev "w$1"
}

ifindex() {
	in_router ip -j link show dev "w$1" | gojq '.[0].ifindex'
}

# Four bytes as bpftool takes them.
bytes() {
	printf '%d %d %d %d' $(($1 & 255)) $(($1 >> 8 & 255)) $(($1 >> 16 & 255)) $(($1 >> 24 & 255))
}

# Each worker's packets to the next one.
redirect_to_next() {
	# shellcheck disable=SC2046 # bytes are words
	bpftool map update pinned "$bench_pins-maps/bench_egress" key $(bytes "$(ifindex "$1")") \
		value $(bytes "$(ifindex $(($1 % bench_workers + 1)))")
}

# setup OPTION...: jobs, see bench-setup.
setup() {
	in_router bench-setup --address "$bench_box" "$@" "${bench_addresses[@]}" || die "no jobs"
}

# ports WORKER [MODE]
ports() {
	in_router weir port attach dev "w$1" mode "${2:-xdp}" || die "no port"
}

# ports_are MODE: all workers', whatever there was before
ports_are() {
	ports_off
	each_worker ports "$1"
}

ports_off() {
	in_router weir port flush || die "ports stay"
}

# blast BLOCKS OPTION...: sends, and prints nanoseconds a contribution, which are instructions.
blast() {
	bench-blast --to "$bench_box" --block "$bench_block" --blocks "$@" "${bench_namespaces[@]}" ||
		die "no packets"
}

# measure VARIABLE BLOCKS OPTION...: the cost of a contribution, after a few that warm up what
# is made at the first use.
measure() {
	local -n measured=$1
	blast 20 "${@:3}" >/dev/null
	bench_block=$((bench_block + 20))
	# shellcheck disable=SC2034 # it is the caller's
	measured=$(blast "${@:2}") || exit
	bench_block=$((bench_block + $2))
}

# A figure counts only where the box took every packet.
none_refused() {
	local n
	n=$(in_router weir -j stats | gojq '.stats | [.refusals[], ."result-errors"] | add') || return
	[[ $n == 0 ]] && return
	in_router weir stats >&2
	die "$n packets were refused"
}

open_blocks() {
	in_router weir -j job show id "$1" | gojq '.[0].open'
}

# The event whose histogram is being made, and its trigger.
hist_on=()

# hist EVENT TRIGGER: counts events from now on, until hist_end.
hist() {
	echo "hist:$2" >"$1/trigger" || die "no histogram of $1"
	hist_on=("$1" "$2")
}

# The module cannot go before.
hist_end() {
	((${#hist_on[@]})) || return 0
	echo "!hist:${hist_on[1]}" >"${hist_on[0]}/trigger"
	hist_on=()
}

# scan_cost JOB: sets $scanned to what a look at a slot costs where nothing is to be done, in ns,
# which are instructions. The job has all slots but one open; every timer comes by when the
# timeout is set.
scan_cost() {
	local scans=$bench_tracing/events/weir/weir_scan looked took open
	hist "$scans" "keys=job:vals=looked,took if answered==0 && job==$1"
	in_router weir job set id "$1" timeout 1000s || die "no timeout"
	read -r looked took < <(sed -n \
		's/^{ job: .*} hitcount: .* looked: *\([0-9]*\) *took: *\([0-9]*\).*/\1 \2/p' "$scans/hist")
	hist_end
	open=$(open_blocks "$1")
	note "$looked slots looked at, $open of them open, in $took ns"
	((looked == open && open >= bench_full)) || die "the timers did not look at all open blocks"
	# shellcheck disable=SC2034 # it is the caller's
	scanned=$(awk -v t="$took" -v n="$looked" 'BEGIN { printf "%.1f\n", t / n }')
}
