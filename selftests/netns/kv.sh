#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Key-value streams through a box: words of a text are counted by mappers, the box and a reducer, and
# by sort and uniq. The text is Debian's licenses, of its package base-files. To be run in the virtual
# machine: it unloads and loads the module.
set -u

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd) || exit 1
# shellcheck source=../lib/ktap.sh
. "$here/../lib/ktap.sh"
# shellcheck source=../lib/module.sh
. "$here/../lib/module.sh"
# shellcheck source=../lib/netns.sh
. "$here/../lib/netns.sh"
# shellcheck source=box.sh
. "$here/box.sh"

mappers=3 reducer=4 upper=5 job=7
licenses=/usr/share/common-licenses

cat "$licenses"/*[0-9] | LC_ALL=C tr -cs "[:alpha:]" "\n" | tr "[:upper:]" "[:lower:]" | grep . >"$box_out/words"
split -n "r/$mappers" -d "$box_out/words" "$box_out/words."
LC_ALL=C sort "$box_out/words" | uniq -c | awk '{ print $2 "\t" $1 }' >"$box_out/counted"
distinct=$(wc -l <"$box_out/counted")
all=$(wc -l <"$box_out/words")

# make_job KEYS [KEY VALUE...]: the box's job, whose reducer is a worker of the star.
make_job() {
	box_job "$job" "$mappers" format kv keys "$1" parent "$(worker_addr "$reducer")" source 0 "${@:2}"
}

# begin MODE KEYS [KEY VALUE...]
begin() {
	weir job flush && weir port flush && make_job "${@:2}" && box_attach "$reducer" "$1"
}

get() {
	in_worker "$reducer" timeout 200 weir kv get job "$job" "$@" >"$box_out/got" 2>"$box_out/get-said" &
	getter=$!
}

# put I [KEY VALUE...]: the I-th mapper, in the background.
put() {
	in_worker "$1" timeout 200 weir kv put job "$job" source "${kv_source:-$(($1 - 1))}" \
		to "${kv_to:-$(box_addr)}" file "$box_out/${kv_lines:-words}.0$(($1 - 1))" "${@:2}" 2>"$box_out/put-said.$1" &
	map_pids+=($!)
}

# map: all of them
map() {
	local i
	map_pids=()
	for ((i = 1; i <= mappers; i++)); do
		put "$i"
	done
}

# mapped [DIFFERENT]: all have ended, and the counts are right.
mapped() {
	if wait_all "${map_pids[@]}" "$getter" && diff <(LC_ALL=C sort "$box_out/got") "${1:-$box_out/counted}" >"$box_out/diff"; then
		return
	fi
	head -n 5 "$box_out"/*-said* "$box_out/diff"
	weir -j job show id "$job"
	return 1
}

counts() { get sources 1 && map && mapped; }

stat() { box_stat ".[].stats.\"$1\"" job show id "$job"; }

# All keys have room: each leaves the box once.
all_fit() {
	begin "$1" $((4 * distinct)) && counts || return
	(($(stat kv-evictions) + $(stat kv-passed) == 0 && $(stat kv-hits) + $(stat kv-misses) == all)) &&
		(($(stat kv-misses) == distinct && $(box_stat '.[].held' job show id "$job") == 0)) && return
	weir job show id "$job"
	return 1
}
a_tenth() {
	begin "$1" $((distinct / 10)) && counts &&
		(($(stat kv-evictions) > 0 && $(box_stat '.[].keys' job show id "$job") == distinct / 10))
}
one_key() { begin "$1" 1 && counts && (($(stat kv-misses) > $(stat kv-hits))); }

star_create "$upper" || exit 1
for mode in xdp tc; do
	ktap_run "$mode: words are counted, all in the box" all_fit "$mode"
	ktap_run "$mode: words are counted, a tenth in the box" a_tenth "$mode"
	ktap_run "$mode: words are counted, one in the box" one_key "$mode"
done

lossy() {
	local keys=$1 status
	shift
	begin tc "$keys" && box_netem "$reducer" "$@" || return
	counts
	status=$?
	box_no_netem "$reducer"
	return "$status"
}
ktap_run "1 % of packets are lost" lossy $((4 * distinct)) loss 1%
ktap_run "10 % are lost, and a tenth of the words fits" lossy $((distinct / 10)) loss 10%
ktap_run "20 % are lost" lossy $((4 * distinct)) loss 20%
ktap_run "packets are doubled and overtake each other" lossy $((distinct / 10)) delay 3ms 2ms duplicate 5%

# Once many pairs have come.
flowing() { rises_by 20 60 stat contributions; }

reload() {
	weir port flush || return
	module_goes 20 || return
	make_job $((distinct / 10)) && box_attach "$reducer" tc
}
# It is in the middle, as the last mapper comes behind it.
reloaded() {
	local i
	begin tc $((distinct / 10)) && box_netem "$reducer" delay 20ms || return
	get sources 1
	map_pids=()
	for ((i = 1; i < mappers; i++)); do
		put "$i"
	done
	flowing && reload || return
	box_no_netem "$reducer"
	put "$mappers"
	mapped
}
ktap_run "a box that is set up anew in the middle" reloaded

stopped() {
	local pids
	begin tc 1 || return
	get sources 1
	map
	flowing || return
	pids=$(ns_pids "w$reducer")
	xargs kill -STOP <<<"$pids"
	read -rt 10 -u "$ktap_nothing" _
	xargs kill -CONT <<<"$pids"
	mapped
}
ktap_run "a reducer that is stopped for ten seconds" stopped

# The box alone answers mappers that come when the reducer has gone.
gone() {
	local said
	begin tc 100 || return
	said=$(printf 'a\t1\n' | in_worker 1 timeout 100 weir kv put job "$job" source 0 to "$(box_addr)" timeout 500ms 2>&1) &&
		{ echo "it ended well"; return 1; }
	[[ $said == *"the box $(box_addr) hears nothing of the reducer of job $job"* ]] || { echo "$said"; return 1; }
}
ktap_run "a mapper gives up where the box hears of no reducer" gone

holds() { (($(box_stat '.[].held' job show id "$job") == $1)); }
has_pairs() { (($(stat gradients) == $1)); }
# ends WORKER...: all that runs there
ends() {
	local worker
	for worker; do
		ns_pids "w$worker" | xargs -r kill
	done
}

# The reducer gets what the box holds, while its mapper goes on.
collected() {
	local feeder
	begin tc 100 || return
	get sources "$mappers"
	mkfifo "$box_out/pipe"
	in_worker 1 timeout 100 weir kv put job "$job" source 0 to "$(box_addr)" <"$box_out/pipe" &
	feeder=$!
	exec {kv_pipe}>"$box_out/pipe"
	awk 'BEGIN { for (i = 0; i < 3000; i++) print "key" i % 50 }' >&"$kv_pipe"
	poll 60 has_pairs 3000 && holds 50 && weir job collect id "$job" && poll 60 holds 0
	set -- $?
	exec {kv_pipe}>&-
	ends 1 "$reducer"
	wait "$feeder" "$getter"
	return "$1"
}
ktap_run "an administrator has keys go on" collected

# Two mappers below a box that is below another one, which the third sends to.
levels() {
	local keys=$1 status
	weir job flush && weir port flush &&
		box_job "$job" 2 format kv keys "$keys" parent "$(worker_addr "$upper")" source 0 &&
		box_attach "$upper" tc || return
	in_worker "$upper" weir job add id "$job" sources 2 format kv keys "$keys" address "$(worker_addr "$upper")" \
		parent "$(worker_addr "$reducer")" source 0 &&
		in_worker "$upper" weir source add job "$job" id 0 address "$(box_addr)" &&
		in_worker "$upper" weir source add job "$job" id 1 address "$(worker_addr 3)" &&
		in_worker "$upper" weir port attach dev eth0 mode tc && box_netem "$upper" loss 5% || return
	get sources 1
	map_pids=()
	put 1 && put 2 && kv_source=1 kv_to=$(worker_addr "$upper") put 3
	mapped
	status=$?
	box_no_netem "$upper"
	((status)) || in_worker "$upper" weir -j job show id "$job" | gojq -e '.[0].stats | ."kv-hits" > 0' >/dev/null || status=1
	in_worker "$upper" weir job show id "$job"
	in_worker "$upper" weir port flush
	in_worker "$upper" weir job flush
	return "$status"
}
ktap_run "a box below another one, each with a tenth of the words" levels $((distinct / 10))

# Two boxes that are each other's parents: one of them finds out, and the mapper is told.
looped() { (($("$@" weir -j job show id "$job" | gojq '.[].stats.refusals.loop // 0') > 0)); }
ring() {
	local status
	weir job flush && weir port flush &&
		weir job add id "$job" sources 2 format kv keys 10 address "$(box_addr)" parent "$(worker_addr "$upper")" source 0 &&
		weir source add job "$job" id 0 address "$(worker_addr 1)" &&
		weir source add job "$job" id 1 address "$(worker_addr "$upper")" && box_attach "$upper" tc || return
	in_worker "$upper" weir job add id "$job" sources 1 format kv keys 10 address "$(worker_addr "$upper")" \
		parent "$(box_addr)" source 1 &&
		in_worker "$upper" weir source add job "$job" id 0 address "$(box_addr)" &&
		in_worker "$upper" weir port attach dev eth0 mode tc || return
	! in_worker 1 timeout 200 weir kv put job "$job" source 0 to "$(box_addr)" file "$box_out/words.00" timeout 5s \
		2>"$box_out/ring-said" && grep -q "hears nothing of the reducer" "$box_out/ring-said" &&
		{ looped in_router || looped in_worker "$upper"; }
	status=$?
	((!status)) || { cat "$box_out/ring-said"; weir -s job show id "$job"; in_worker "$upper" weir -s job show id "$job"; }
	in_worker "$upper" weir port flush
	in_worker "$upper" weir job flush
	return "$status"
}
ktap_run "two boxes that are each other's parents" ring

# As many bytes as a disk: sums of mappers that leave 32 bits, and some 53.
long_values() {
	local i edges=(9223372036854775807 9223372036854775807 -9223372036854775808)
	begin "$1" 100 dtype int64 || return
	get sources 1 dtype int64
	map_pids=()
	for ((i = 1; i <= mappers; i++)); do
		awk -v i="$i" 'BEGIN { for (k = 0; k < 300; k++) printf "flow%d\t%d%012d\n", k, i * 1000 + k, k * i }' >"$box_out/long.0$((i - 1))"
		# On its way the sum of one key leaves 64 bits, in whichever order, and ends within.
		((i > 3)) || printf 'edge\t%s\n' "${edges[i - 1]}" >>"$box_out/long.0$((i - 1))"
		kv_lines=long put "$i" dtype int64
	done
	awk 'BEGIN { for (k = 0; k < 300; k++) printf "flow%d\t%d%012d\n", k, 6000 + 3 * k, 6 * k
		print "edge\t9223372036854775806" }' | LC_ALL=C sort >"$box_out/long"
	mapped "$box_out/long"
}
ktap_run "values of 64 bits" long_values tc

# A network's gradients, as a vector and as keys and values: the sums are the same.
gradients() {
	local i pids=()
	begin tc 1000 dtype float32 && box_job 8 "$mappers" blocks 64 grads 256 dtype float32 || return
	get sources 1 dtype float32
	for ((i = 1; i <= mappers; i++)); do
		in_worker "$i" timeout 300 "$here/gradients.py" "$(box_addr)" $((i - 1)) "$mappers" 8 "$job" >"$box_out/sums.$i" &
		pids+=($!)
	done
	wait_all "${pids[@]}" "$getter" && (($(wc -l <"$box_out/sums.1") == 3844)) && (($(stat kv-hits) > 0)) &&
		diff <(LC_ALL=C sort "$box_out/got") <(LC_ALL=C sort "$box_out/sums.1")
}
ktap_run "gradients of a network as keys and values" gradients

ipv6() {
	weir job flush && weir port flush &&
		box_job6 "$job" "$mappers" format kv keys "$distinct" parent "$(worker_addr6 "$reducer")" source 0 &&
		box_attach "$reducer" tc || return
	get sources 1 address "$(worker_addr6 "$reducer")"
	kv_to=$(box_addr6) map && mapped
}
ktap_run "over IPv6" ipv6

refuses() {
	local sentence=$1 said
	shift
	said=$(weir job add id 9 sources 2 address "$(box_addr)" "$@" 2>&1) && { echo "taken"; return 1; }
	[[ $said == *"$sentence"* ]] || { echo "$said"; return 1; }
}
refusals() {
	refuses "say how many keys" format kv parent 10.77.4.1 source 0 &&
		refuses "say where the reducer is" format kv keys 10 &&
		refuses "keys in place of blocks" format kv keys 10 blocks 4 parent 10.77.4.1 source 0 &&
		refuses "keys in place of blocks" format kv keys 10 ranks 4 parent 10.77.4.1 source 0 &&
		refuses "leave keys away" blocks 4 grads 4 keys 10 &&
		refuses "say how many blocks" grads 4 &&
		refuses "values of this format are of type int32" format kv keys 10 dtype float16 parent 10.77.4.1 source 0 &&
		refuses "not its own parent" format kv keys 10 parent "$(box_addr)" source 0
}
ktap_run "jobs that are refused" refusals

changes() {
	local said
	begin tc 100 && weir job set id "$job" timeout 1s && [[ $(box_stat '.[].timeout' job show id "$job") == 1000000 ]] || return
	said=$(weir job set id "$job" quorum 1 2>&1) && return 1
	[[ $said == *"in place of blocks: leave it away"* ]] && weir doctor job "$job" >"$box_out/doctor"
	(($? < 2)) && ! grep -q 'blocks in flight' "$box_out/doctor" && return
	cat "$box_out/doctor"
	return 1
}
ktap_run "a live job is changed" changes

saved() {
	begin tc 100 timeout 2s && weir save >"$box_out/saved" && grep -q "format kv.*keys 100" "$box_out/saved" &&
		weir job flush && weir restore "$box_out/saved" && [[ $(box_stat '.[].keys' job show id "$job") == 100 ]] && return
	cat "$box_out/saved"
	return 1
}
ktap_run "a job is saved and restored" saved

ktap_end
