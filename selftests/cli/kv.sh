#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# `weir kv put` and `weir kv get` without a box: a stream goes straight to its reducer. The
# text whose words are counted is Debian's licenses, of its package base-files.
set -u

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd) || exit 1
root=$(cd "$here/../.." && pwd) || exit 1
# shellcheck source=../lib/ktap.sh
. "$here/../lib/ktap.sh"
# shellcheck source=../lib/netns.sh
. "$here/../lib/netns.sh"

weir=${WEIR:-$root/build/bin/weir}
licenses=/usr/share/common-licenses

ktap_header
if [[ $(id -u) != 0 || ! -r $licenses/GPL-3 ]]; then
	ktap_skip "counts words" "takes root, and the licenses of Debian's base-files"
	ktap_end
fi

work=$(mktemp -d) || exit 1
at_exit rm -rf "$work"
# Three mappers and, in the fourth namespace, the reducer.
star_create 4 || exit 1
reducer=$(worker_addr 4)

# The words of a third of the text each, and how often each word is in all of it.
cat "$licenses"/*[0-9] | tr -cs A-Za-z '\n' | tr A-Z a-z | grep . >"$work/words"
split -n r/3 -d "$work/words" "$work/words."
LC_ALL=C sort "$work/words" | uniq -c | awk '{ print $2 "\t" $1 }' >"$work/counted"

# get NAME WORD...: in the background; NAME.out has what it prints, $getter is its number.
get() {
	local name=$1
	shift
	in_worker 4 timeout 100 "$weir" kv get job 7 "$@" >"$work/$name.out" 2>"$work/$name.err" &
	getter=$!
}
# put N WORD...: as source N - 1, from worker N.
put() { in_worker "$1" timeout 100 "$weir" kv put job 7 source $(($1 - 1)) to "$reducer" "${@:2}"; }

# end_of PID STATUS
end_of() {
	local status
	wait "$1"
	status=$?
	((status == $2)) || { echo "status $status instead of $2"; return 1; }
}
same_as() { diff <(LC_ALL=C sort "$work/$1.out") "$2" | head -20 && [[ ! -s $work/$1.err ]]; }

# counts NAME WORD...: with further words for the mappers
counts() {
	local name=$1 i puts=()
	shift
	get "$name" sources 3
	for i in 1 2 3; do
		put "$i" file "$work/words.0$((i - 1))" "$@" &
		puts+=($!)
	done
	wait_all "${puts[@]}" && end_of "$getter" 0 && same_as "$name" "$work/counted"
}
ktap_run "counts words" counts plain
ktap_run "counts words that mappers have counted first" counts local local-keys 500

# Before there is a reducer, and by standard input.
later() {
	local puts=() i
	for i in 1 2 3; do
		put "$i" <"$work/words.0$((i - 1))" &
		puts+=($!)
	done
	get later sources 3 address "$reducer"
	wait_all "${puts[@]}" && end_of "$getter" 0 && same_as later "$work/counted"
}
ktap_run "mappers may be first" later

# A mapper that has sent half of its words and waits for more: in the background, as $half. A
# pipe takes the last of what is written without a reader, so it is read when more fits.
half() {
	local words=$1
	rm -f "$work/pipe" && mkfifo "$work/pipe" && exec {pipe}<>"$work/pipe" || return
	put 1 <"$work/pipe" &
	half=$!
	timeout 60 head -n $(($(wc -l <"$words") / 2)) "$words" >&"$pipe"
}
# Has the reducer got packets, more than the few of opening a session?
reached() { (($(in_worker 4 awk '$1 == "Udp:" && $2 ~ /^[0-9]/ { print $2 }' /proc/net/snmp) > $1 + 20)); }
received() { in_worker 4 awk '$1 == "Udp:" && $2 ~ /^[0-9]/ { print $2 }' /proc/net/snmp; }

killed() {
	local before puts=() i
	before=$(received)
	get killed sources 3
	half "$work/words.00" && poll 60 reached "$before" || return
	# Of the namespace, not the one that waits for it.
	ip netns pids "$(ns_name w1)" | xargs kill -KILL
	wait "$half" 2>/dev/null
	for i in 1 2 3; do
		put "$i" file "$work/words.0$((i - 1))" &
		puts+=($!)
	done
	wait_all "${puts[@]}" && end_of "$getter" 0 && same_as killed "$work/counted"
}
ktap_run "a mapper that is killed and started again counts once" killed

# The others begin again by themselves, but for one that reads a pipe: it says so.
void() {
	local before status
	before=$(received)
	get void sources 2
	half "$work/words.00" && poll 60 reached "$before" || return
	before=$(received)
	cat "$work/words.01" | put 2 2>"$work/void.put" &
	local piped=$!
	poll 60 reached "$before" || return
	ip netns pids "$(ns_name w1)" | xargs kill -KILL
	wait "$half" 2>/dev/null
	timeout 100 cat "$work/words.00" | put 1 &
	local again=$!
	wait "$piped"
	status=$?
	ip netns pids "$(ns_name w1)" "$(ns_name w4)" >/dev/null
	in_worker 1 true
	kill "$again" "$getter" 2>/dev/null
	wait "$again" "$getter" 2>/dev/null
	((status == 1)) && grep -q "is void.*what came by a pipe is gone: run all mappers again" "$work/void.put"
}
ktap_run "a mapper that reads a pipe says that it cannot begin again" void

# Numbers.
numbers() {
	local name=$1 wanted=$2
	shift 2
	get "$name" sources 1 "$@"
	put 1 "$@" <"$work/$name.in" && end_of "$getter" 0 &&
		diff <(LC_ALL=C sort "$work/$name.out") <(printf '%b' "$wanted")
}
printf 'b\t-3\na\t2147483647\na\t2147483647\nb\na' >"$work/sums.in"
ktap_run "sums beyond int32" numbers sums 'a\t4294967295\nb\t-2\n'
printf 'a b\t-3\na b\t-7\n' >"$work/least.in"
ktap_run "the least, and keys with blanks" numbers least 'a b\t-7\n' op min
printf 'a\t0.5\na\t1e3\nb\tinf\n' >"$work/floats.in"
ktap_run "floats" numbers floats 'a\t1000.5\nb\tinf\n' dtype float32
: >"$work/empty.in"
ktap_run "nothing at all" numbers empty ''

ipv6() {
	get ipv6 sources 1 address "$(worker_addr6 4)" port 4000
	in_worker 2 timeout 100 "$weir" kv put job 7 source 0 to "$(worker_addr6 4)" port 4000 <"$work/words" &&
		end_of "$getter" 0 && same_as ipv6 "$work/counted"
}
ktap_run "over IPv6" ipv6

# says PATTERN INPUT WORD...: what a mapper with wrong lines says, each as another source.
source=0
says() {
	local pattern=$1 input=$2 err status
	shift 2
	err=$(printf '%b' "$input" | in_worker 1 timeout 60 "$weir" kv put job 7 source "$source" to "$reducer" "$@" 2>&1)
	status=$?
	((status == 1)) && [[ $(wc -l <<<"$err") == 1 ]] && grep -qE "^weir: $pattern" <<<"$err" && return
	echo "status $status: $err"
	return 1
}
sentence() {
	ktap_run "$1" says "${@:2}"
	source=$((source + 1))
}
in_worker 4 timeout 100 "$weir" kv get job 7 sources 20 &
getter=$!
key=$(printf '%065d' 0)
sentence "a key that is too long" "standard input line 2: the key has 65 bytes: it must have 1 to 64" "a\n$key\t1\n"
sentence "a key of no length" "standard input line 1: the key has 0 bytes" '\t1\n'
sentence "an empty line" "standard input line 3: the key has 0 bytes" 'a\nb\n\nc\n'
sentence "a word for a number" "standard input line 2: 'many' is no integer" 'a\t1\nb\tmany\n'
sentence "no number behind the tab" "standard input line 1: '' is no integer" 'a\t\n'
sentence "a fraction for an integer" "standard input line 1: '1.5' is no integer" 'a\t1.5\n'
sentence "a number beyond int32" "standard input line 1: the value 2147483648 is beyond int32" 'a\t2147483648\n'
sentence "another operation" "job 7 at $reducer has the operation sum and values of int32, and this mapper max and int32" 'a\n' op max
sentence "another type" "job 7 at $reducer has .*, and this mapper sum and float32" 'a\n' dtype float32
sentence "a file that is not there" "cannot read nowhere: No such file" '' file nowhere
ip netns pids "$(ns_name w4)" | xargs -r kill
wait "$getter" 2>/dev/null

two() {
	local err
	get two sources 1
	poll 20 in_worker 4 bash -c '[[ -n $(ss -Hlun "sport = 12064") ]]' &&
		err=$(in_worker 4 timeout 60 "$weir" kv get job 7 sources 1 2>&1)
	kill "$getter"
	ip netns pids "$(ns_name w4)" | xargs -r kill
	wait "$getter"
	grep -q "^weir: listening at any address port 12064: Address already in use" <<<"$err"
}
ktap_run "two reducers at one port" two

ktap_end
