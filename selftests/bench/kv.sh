#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Key-value streams by the box: what is left of them on the reducer's link, what a pair costs, and how
# long a job takes. To be run in a virtual machine that counts instructions:
#
#	selftests/vm/run --icount --memory 4G -- selftests/bench/kv.sh cost
#	selftests/vm/run --icount --qemu -icount --qemu sleep=off -- selftests/bench/kv.sh links
#
# The box's instructions are what its programs took (bpf_stats_enabled), from a packet's arrival at the
# port until all that it causes has been handed to a device: pairs, acknowledgments, packets to the
# reducer. The timer's are not among them. Those of a reducer on sockets are its processor time: what
# the kernel does for its packets before it is woken is not among them.
set -u
cd "$(dirname "${BASH_SOURCE[0]}")/../.." || exit 1
# shellcheck source=lib.sh
. selftests/bench/lib.sh
# shellcheck source=../netns/box.sh
. selftests/netns/box.sh

kv_job=7 kv_keys=20000 kv_tcp_port=9000 kv_work=$(mktemp -dp /run) || exit 1
at_exit rm -rf "$kv_work"

# Keys of 16 bytes, each once.
awk -v n="$kv_keys" 'BEGIN { for (i = 0; i < n; i++) printf "%016d\t1\n", i }' >"$kv_work/once"
for _ in 1 2 3 4 5; do
	cat "$kv_work/once"
done >"$kv_work/often"

# kv_get MAPPERS SENDERS: the reducer, behind the last link.
kv_get() {
	in_worker $(($1 + 1)) timeout 900 weir kv get job "$kv_job" sources "$2" >"$kv_work/got" &
	kv_getter=$!
}

# kv_put MAPPERS ADDRESS FILE [KEYS]: FILE, or of each mapper FILE and its number
kv_put() {
	local i file pids=()
	for ((i = 1; i <= $1; i++)); do
		file=$3
		[[ -e $file ]] || file=$3.$((i - 1))
		in_worker "$i" timeout 500 weir kv put job "$kv_job" source $((i - 1)) to "$2" file "$file" &
		pids+=($!)
	done
	wait_all "${pids[@]}" "$kv_getter" || die "a stream failed"
	(($(wc -l <"$kv_work/got") == ${4:-$kv_keys})) || die "the counts are wrong"
}

# kv_up MAPPERS KEYS [MTU]: a star with a job that has room for so many keys.
kv_up() {
	star_create $(($1 + 1)) "${3:-1500}" || die "no star"
	box_job "$kv_job" "$1" format kv keys "$2" parent "$(worker_addr $(($1 + 1)))" source 0 || die "no job"
	box_attach $(($1 + 1)) tc || die "no ports"
}

# kv_sent DEVICE: bytes that the router has sent there
kv_sent() { in_router ip -s -j link show dev "$1" | gojq '.[0].stats64.tx.bytes'; }

# kv_carried STAR ADDRESS SENDERS MAPPERS: sets $carried, bytes on the reducer's link.
kv_carried() {
	local before
	before=$(kv_sent "w$(($1 + 1))")
	kv_get "$1" "$3"
	kv_put "$4" "$2" "$kv_work/once"
	carried=$(($(kv_sent "w$(($1 + 1))") - before))
}

# Measure the stream that comes of N mappers with the same keys, beside one mapper's own stream: the
# paper's 1 / (N rho).
kv_reduction() {
	local n=$1 ideal
	kv_up "$n" $((4 * kv_keys))
	kv_carried "$n" "$(worker_addr $((n + 1)))" 1 1
	ideal=$carried
	kv_carried "$n" "$(box_addr)" 1 "$n"
	figure "kv_reduction_over_ideal_$n" "$(awk "BEGIN { printf \"%.4f\", $carried / $ideal }")"
	box_down
}

kv_stat() { box_stat ".[].stats.\"$1\"" job show id "$kv_job"; }

# With room for a tenth of the keys, which are distributed as Zipf has it: which share of the pairs finds
# its key in the box, beside a list in order of last use; and what that makes of the link's bytes.
kv_tenth() {
	local n=6 lru keys before hits misses
	lru=$(selftests/bench/zipf.py "$kv_work" "$n" 30000 "$kv_keys" $((kv_keys / 10))) || die "no pairs"
	keys=$(cut -f 1 "$kv_work"/zipf.* | sort -u | wc -l)
	kv_up "$n" $((kv_keys / 10))
	before=$(kv_sent "w$((n + 1))")
	kv_get "$n" "$n"
	kv_put "$n" "$(worker_addr $((n + 1)))" "$kv_work/zipf" "$keys"
	carried=$(($(kv_sent "w$((n + 1))") - before))
	kv_get "$n" 1
	kv_put "$n" "$(box_addr)" "$kv_work/zipf" "$keys"
	figure "kv_reduction_tenth_$n" "$(ratio $(($(kv_sent "w$((n + 1))") - before - carried)) "$carried")"
	hits=$(kv_stat kv-hits) misses=$(kv_stat kv-misses)
	figure "kv_hits_tenth_over_lru_$n" "$(ratio "$(ratio "$hits" $((hits + misses)))" "$lru")"
	box_down
}

# Nanoseconds, which are instructions, that programs of ports have taken.
kv_taken() { bpftool prog show -j | gojq '[.[] | select(.name == "weir_tc").run_time_ns // 0] | add'; }

# kv_tcp MAPPERS: the same pairs to a reducer that takes them by TCP; sets $socket, its processor time.
kv_tcp() {
	local n=$1 i pids=()
	kv_tcp_get "$n"
	for ((i = 1; i <= n; i++)); do
		in_worker "$i" timeout 500 build/bin/bench-kv-tcp put "$(worker_addr $((n + 1)))" "$kv_tcp_port" <"$kv_work/often" &
		pids+=($!)
	done
	wait_all "${pids[@]}" "$kv_getter" || die "a stream by TCP failed"
	kv_tcp_check "$n"
}
kv_tcp_get() {
	in_worker $(($1 + 1)) timeout 500 build/bin/bench-kv-tcp get "$kv_tcp_port" "$1" >"$kv_work/tcp" &
	kv_getter=$!
}
kv_tcp_check() {
	local keys pairs
	read -r keys pairs socket <"$kv_work/tcp"
	((keys == kv_keys && pairs == 5 * $1 * kv_keys)) || die "the counts by TCP are wrong"
}

# kv_box_takes MAPPERS [MTU]: sets $box, instructions of the box for all pairs, of which there are $pairs.
kv_box_takes() {
	local before
	kv_up "$1" $((4 * kv_keys)) "${@:2}"
	sysctl -q kernel.bpf_stats_enabled=1
	before=$(kv_taken)
	kv_get "$1" 1
	kv_put "$1" "$(box_addr)" "$kv_work/often"
	pairs=$((5 * $1 * kv_keys))
	box=$(($(kv_taken) - before))
	sysctl -q kernel.bpf_stats_enabled=0
}

kv_cost() {
	local n=3 pairs box
	kv_box_takes "$n" 9000
	figure insn_kv_pair_mtu9000 "$(awk "BEGIN { printf \"%.1f\", $box / $pairs }")"
	box_down
	kv_box_takes "$n"
	figure insn_kv_pair "$(awk "BEGIN { printf \"%.1f\", $box / $pairs }")"
	weir job show id "$kv_job" | while IFS= read -r line; do note "$line"; done
	kv_tcp "$n"
	figure insn_kv_pair_socket "$(awk "BEGIN { printf \"%.1f\", $socket / $pairs }")"
	figure insn_kv_pair_over_socket "$(ratio "$box" "$socket")"
	box_down
}

# kv_pass PAIRS KEYS: so many pairs of so many keys in turn, until the box has them
kv_pass() {
	awk -v n="$1" -v keys="$2" 'BEGIN { for (i = 0; i < n; i++) printf "%016d\t1\n", i % keys }' >&"$kv_pipe"
	kv_passed=$((kv_passed + $1))
	until (($(kv_stat gradients) == kv_passed)); do
		sleep 0.1
	done
}

# kv_found KEYS: sets $found, what a pair costs whose key is one of so many in the box.
kv_found() {
	local keys=$1 before putter kv_passed=0 pairs=200000
	kv_up 1 $((2 * keys))
	kv_get 1 1
	mkfifo "$kv_work/pipe"
	in_worker 1 timeout 900 weir kv put job "$kv_job" source 0 to "$(box_addr)" <"$kv_work/pipe" &
	putter=$!
	exec {kv_pipe}>"$kv_work/pipe"
	kv_pass "$keys" "$keys"
	sysctl -q kernel.bpf_stats_enabled=1
	before=$(kv_taken)
	kv_pass "$pairs" "$keys"
	found=$((($(kv_taken) - before) / pairs))
	sysctl -q kernel.bpf_stats_enabled=0
	exec {kv_pipe}>&-
	wait_all "$putter" "$kv_getter" || die "a stream failed"
	rm "$kv_work/pipe"
	box_down
}

# A key is found as soon among 10^6 as alone.
kv_growth() {
	local alone
	kv_found 1
	alone=$found
	kv_found 1000000
	note "a pair of one key takes $alone instructions, of one of 10^6 $found"
	figure kv_growth_1m "$(spread "$alone" "$found")"
}

# kv_feed MAPPERS COMMAND...: a job of mappers, which are COMMAND with their number; sets $took, the time
# in microseconds of the guest's clock from the first pair until the reducer has ended. All programs
# have been started before: what they read of their files takes the host's time.
kv_feed() {
	local n=$1 i go pids=() begin lines
	shift
	lines=$(<"$kv_work/often")
	mkfifo "$kv_work/go"
	exec {go}<>"$kv_work/go"
	for ((i = 1; i <= n; i++)); do
		mkfifo "$kv_work/pipe.$i"
		"$@" "$i" <"$kv_work/pipe.$i" &
		pids+=($!)
		{ read -ru "$go" && echo "$lines"; } >"$kv_work/pipe.$i" &
		pids+=($!)
	done
	until kv_are_there "$n"; do
		sleep 0.1
	done
	begin=${EPOCHREALTIME/./}
	for ((i = 1; i <= n; i++)); do
		echo >&"$go"
	done
	wait "$kv_getter" || die "no reducer"
	took=$((${EPOCHREALTIME/./} - begin))
	wait_all "${pids[@]}" || die "a stream failed"
	exec {go}>&-
	rm "$kv_work"/pipe.* "$kv_work/go"
}

# Each mapper has its way to the box, or to the reducer.
kv_are_there() {
	(($(in_worker "$(($1 + 1))" ss -Htn "sport = :$kv_tcp_port" | wc -l) == $1)) ||
		[[ $(box_stat '.[].stats.joins' job show id "$kv_job") == "$kv_joined" ]]
}

kv_put_fed() {
	in_worker "$1" timeout 500 weir kv put job "$kv_job" source $(($1 - 1)) to "$(box_addr)"
}
kv_tcp_put_fed() {
	in_worker "$1" timeout 500 build/bin/bench-kv-tcp put "$kv_reducer" "$kv_tcp_port"
}

# A job of six mappers, over links of so many Mbit/s: by the box, and by TCP without it.
kv_completion() {
	local n=6 mbit=$1 i by_box kv_joined kv_reducer
	kv_up "$n" $((4 * kv_keys))
	kv_joined=$n kv_reducer=$(worker_addr $((n + 1)))
	for ((i = 1; i <= n + 1; i++)); do
		in_worker "$i" tc qdisc replace dev eth0 root tbf rate "${mbit}mbit" burst 16kb limit 1mb || die "no shaping"
		in_router tc qdisc replace dev "w$i" root tbf rate "${mbit}mbit" burst 16kb limit 1mb || die "no shaping"
	done
	kv_get "$n" 1
	kv_feed "$n" kv_put_fed
	(($(wc -l <"$kv_work/got") == kv_keys)) || die "the counts are wrong"
	by_box=$took kv_joined=never
	kv_tcp_get "$n"
	kv_feed "$n" kv_tcp_put_fed
	kv_tcp_check "$n"
	note "a job of $((5 * n * kv_keys)) pairs over links of $mbit Mbit/s: $((by_box / 1000)) ms by the box, $((took / 1000)) by TCP"
	figure "kv_completion_over_tcp_$n" "$(ratio "$by_box" "$took")"
	box_down
}

case ${1-} in
cost)
	for mappers in 3 6 12; do
		kv_reduction "$mappers"
	done
	kv_tenth
	kv_growth
	kv_cost
	;;
links) kv_completion 20 ;;
*) die "say cost or links" ;;
esac
