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
cat "$licenses"/*[0-9] | LC_ALL=C tr -cs "[:alpha:]" "\n" | tr "[:upper:]" "[:lower:]" | grep . >"$work/words"
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

# Datagrams that have come to the reducer, and whether many more have than a session takes.
received() { in_worker 4 awk '$1 == "Udp:" && $2 ~ /^[0-9]/ { print $2 }' /proc/net/snmp; }
many_since() { is_more_than $(($1 + 20)) received; }

# Kills what runs in these workers, sockets included: the shells that wait for it end by themselves.
is_empty() { [[ -z $(ns_pids "w$1") ]]; }
kill_in() {
	local i
	for i; do
		ns_pids "w$i" | xargs -r kill -KILL 2>/dev/null
		poll 60 is_empty "$i" || return
	done
}

# A mapper that has half of its words, has sent many, and waits for more, as $half.
half() {
	local before
	before=$(received)
	rm -f "$work/pipe"
	mkfifo "$work/pipe" && exec {pipe}<>"$work/pipe" || return
	put 1 <"$work/pipe" &
	half=$!
	timeout 60 head -n $(($(wc -l <"$work/words.00") / 2)) "$work/words.00" >&"$pipe"
	poll 60 many_since "$before"
}

killed() {
	local puts=() i
	get killed sources 3
	half || return
	kill_in 1
	wait "$half"
	for i in 1 2 3; do
		put "$i" file "$work/words.0$((i - 1))" &
		puts+=($!)
	done
	wait_all "${puts[@]}" && end_of "$getter" 0 && same_as killed "$work/counted"
}
ktap_run "a mapper that is killed and started again counts once" killed

# Mappers that wait for the last one find another reducer, and send all again.
replaced() {
	local before puts=() i
	get gone sources 3
	before=$(received)
	for i in 1 2; do
		put "$i" file "$work/words.0$((i - 1))" &
		puts+=($!)
	done
	poll 60 many_since "$before" || return
	kill_in 4
	wait "$getter"
	get replaced sources 3
	put 3 file "$work/words.02" &
	wait_all "${puts[@]}" $! && end_of "$getter" 0 && same_as replaced "$work/counted"
}
ktap_run "a reducer that is killed and started again" replaced

# The others begin again by themselves, but for one that reads a pipe: it says so.
void() {
	local before piped again
	get void sources 2
	half || return
	before=$(received)
	put 2 2>"$work/void.put" < <(cat "$work/words.01") &
	piped=$!
	poll 60 many_since "$before" || return
	kill_in 1
	wait "$half"
	put 1 file "$work/words.00" &
	again=$!
	end_of "$piped" 1 || return
	kill_in 1 4
	wait "$again" "$getter"
	grep "is void.*what came by a pipe is gone: run all mappers again" "$work/void.put"
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
printf 'a\t3.40282347e+38\nb\t-3.40282347e+38\nc\t1.17549435e-38\nd\t1e-45\ne\t-inf\n' >"$work/edges.in"
ktap_run "floats as get prints them" numbers edges \
	'a\t3.40282347e+38\nb\t-3.40282347e+38\nc\t1.17549435e-38\nd\t1.40129846e-45\ne\t-inf\n' dtype float32
# The output of a reducer is a mapper's input, and gives the same again.
again() {
	cp "$work/edges.out" "$work/edges2.in" && numbers edges2 "$(cat "$work/edges.out")\n" dtype float32 op max
}
ktap_run "what get prints can be put" again
printf 'a\t9007199254740993\na\t9007199254740993\nb\t-9223372036854775808\n' >"$work/long.in"
ktap_run "64 bits" numbers long 'a\t18014398509481986\nb\t-9223372036854775808\n' dtype int64
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
in_worker 4 timeout 100 "$weir" kv get job 7 sources 24 2>/dev/null &
getter=$!
key=$(printf '%065d' 0)
sentence "a key that is too long" "standard input line 2: the key has 65 bytes: it must have 1 to 64" "a\n$key\t1\n"
sentence "a key of no length" "standard input line 1: the key has 0 bytes" '\t1\n'
sentence "an empty line" "standard input line 3: the key has 0 bytes" 'a\nb\n\nc\n'
sentence "a word for a number" "standard input line 2: 'many' is no integer" 'a\t1\nb\tmany\n'
sentence "no number behind the tab" "standard input line 1: '' is no integer" 'a\t\n'
sentence "a fraction for an integer" "standard input line 1: '1.5' is no integer" 'a\t1.5\n'
sentence "a number beyond int32" "standard input line 1: the value 2147483648 is not from -2147483648 to 2147483647" 'a\t2147483648\n'
sentence "a number with a zero byte" "standard input line 1: '1' is no integer" 'a\t1\00002\n'
sentence "another operation" "job 7 at $reducer has the operation sum and values of int32, and this mapper max and int32" 'a\n' op max
sentence "another type" "job 7 at $reducer has .*, and this mapper sum and float32" 'a\n' dtype float32
sentence "a file that is not there" "cannot read nowhere: No such file" '' file nowhere
kill_in 4
wait "$getter"
in_worker 4 timeout 100 "$weir" kv get job 7 sources 24 dtype float32 2>/dev/null &
getter=$!
sentence "a number beyond double" "standard input line 1: the value 1e400 is too large for the type float32" 'a\t1e400\n' dtype float32
sentence "a number beyond float32" "standard input line 1: the value 3.40282[0-9]*e.38 is too large" 'a\t3.4028236e38\n' dtype float32
kill_in 4
wait "$getter"

# Keys with any bytes, which mappers of libweir have.
any_key() {
	LD_LIBRARY_PATH=$root/build/lib PYTHONPATH=$root/userspace/python in_worker 1 \
		timeout 100 /usr/bin/python3 - "$reducer" <<-'END'
		import sys
		from weir.kv import Mapper
		with Mapper(sys.argv[1], job=7, source=0) as mapper:
		    for key in (b"plain", b"two\nlines", b"a\ttab", b"\xff\xfe", "\u00e4".encode(), b'"\\', b"a\0b"):
		        mapper.put(key, 5)
	END
}
lines_refuse() {
	get keys sources 1
	any_key && end_of "$getter" 1 &&
		grep -qx "weir: 2 keys with a tab or a line feed are not printed, the first is '[^']*': use weir -j kv get.*" "$work/keys.err" &&
		[[ $(wc -l <"$work/keys.out") == 5 ]] && grep -qx $'plain\t5' "$work/keys.out"
}
ktap_run "keys that are no lines are refused" lines_refuse
json_has_them() {
	in_worker 4 timeout 100 "$weir" -j kv get job 7 sources 1 >"$work/keys.json" &
	getter=$!
	any_key && end_of "$getter" 0 || return
	gojq -e 'sort_by(.key // "") == ([
		{ "key": "plain", "value": 5 }, { "key": "two\nlines", "value": 5 }, { "key": "a\ttab", "value": 5 },
		{ "key-hex": "fffe", "value": 5 }, { "key": "\u00e4", "value": 5 }, { "key": "\"\\", "value": 5 },
		{ "key": "a\u0000b", "value": 5 }] | sort_by(.key // ""))' "$work/keys.json" >/dev/null ||
		{ cat "$work/keys.json"; return 1; }
}
ktap_run "keys with any bytes in JSON" json_has_them
json_numbers() {
	in_worker 4 timeout 100 "$weir" -j kv get job 7 sources 1 dtype float32 >"$work/floats.json" &
	getter=$!
	put 1 dtype float32 <"$work/edges.in" && end_of "$getter" 0 || return
	gojq -e 'map({ (.key): .value }) | add ==
		{ "a": 3.40282347e+38, "b": -3.40282347e+38, "c": 1.17549435e-38, "d": 1.40129846e-45, "e": "-inf" }' \
		"$work/floats.json" >/dev/null || { cat "$work/floats.json"; return 1; }
}
ktap_run "floats in JSON" json_numbers

is_there() { [[ -n $(in_worker 4 ss -Hlun "sport = 12064") ]]; }
two() {
	local err
	get two sources 1
	poll 60 is_there && err=$(in_worker 4 timeout 60 "$weir" kv get job 7 sources 1 2>&1)
	kill_in 4
	wait "$getter"
	grep "^weir: listening at any address port 12064: Address already in use" <<<"$err" || { echo "$err"; return 1; }
}
ktap_run "two reducers at one port" two

ktap_end
