#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Links that lose, duplicate, reorder, corrupt and delay, either way: every element of
# every result is exact, all workers' results are the same bits, and nothing stays behind.
#
#	loss.sh		all, with the port by XDP
#	loss.sh long	other losses, and the port by tc
set -u

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd) || exit 1
# shellcheck source=../lib/ktap.sh
. "$here/../lib/ktap.sh"
# shellcheck source=../lib/netns.sh
. "$here/../lib/netns.sh"
# shellcheck source=box.sh
. "$here/box.sh"

workers=4 job=7

# The packets that the links have lost since netem was set up.
lost() {
	star_qdiscs "$workers" | gojq -s '[.[][] | .drops] | add'
}

# of_all FILTER: what each worker's report has there
of_all() {
	gojq -s "[.[] | $1]" "$box_out/$job".[1-4]
}

# Integers, and floats as well, as the two take different ways through the library.
exact_and_alike() {
	box_allreduce "$job" "$workers" --min-bytes "$1" --max-bytes "$1" --iterations 2 --warmup 0 \
		--json "${@:2}" || return
	[[ $(of_all '.digest' | gojq 'unique | length') == 1 ]] || { of_all .digest; return 1; }
}

over() {
	box_netem "$workers" "$@" && exact_and_alike 2M
}

# A hole is asked after before anything is sent again, so what is sent again is what was
# lost, and what was lost of that.
sends_again_what_was_lost() {
	local before again gone
	box_netem "$workers" loss 1% || return
	before=$(lost)
	exact_and_alike 8M || return
	gone=$(($(lost) - before))
	again=$(of_all .retransmits | gojq add)
	ktap_note "$gone packets lost, $again sent again, $(of_all .queries | gojq add) questions"
	((gone > 50 && 2 * again <= 3 * gone))
}

# Worker 1's way to the box has a queue that marks from a few packets on; the others' have none.
mark_first() {
	box_netem "$workers" delay 0 || return
	in_worker 1 tc qdisc replace dev eth0 root handle 1: tbf rate 50mbit burst 32kb limit 1mb &&
		in_worker 1 tc qdisc add dev eth0 parent 1:1 handle 2: red limit 1mb min 16kb max 16kb \
			avpkt 4150 burst 4 bandwidth 50mbit probability 1 ecn
}

marks_of_first() { in_worker 1 tc -s -j qdisc show dev eth0 | gojq '[.[] | .marked // 0] | add'; }

# all_are_told MODE [OPTION...]: results say to every worker that worker 1's queue was full.
all_are_told() {
	local i
	for ((i = 1; i <= workers; i++)); do
		weir port detach dev "w$i" && weir port attach dev "w$i" mode "$1" || return
	done
	mark_first && exact_and_alike 2M "${@:2}" || return
	ktap_note "$(marks_of_first) packets marked; results that say so: $(of_all .marked | gojq -c .)"
	(($(marks_of_first) > 0)) && [[ $(of_all '.marked > 0' | gojq all) == true ]]
}

# No queue marks what does not ask for it.
none_is_marked() {
	mark_first && exact_and_alike 2M --no-ecn || return
	[[ $(marks_of_first) == 0 && $(of_all .marked | gojq add) == 0 ]]
}

nothing_is_left() {
	[[ $(box_stat '.[].open' job show id "$job") == 0 ]] || { weir block show; return 1; }
	weir job flush
	[[ $(box_stat '."memory-used"' stats) == 0 ]]
}

ktap_header
set_up() { box_up "$workers" 9000 xdp && box_job "$job" "$workers" blocks 1024 grads 1024; }

set_up || ktap_fail "set up"
shares=(1 20) modes=(xdp)
[[ ${1-} != long ]] || shares=(0.1 5 10) modes=(tc)
for share in "${shares[@]}"; do
	ktap_run "$share % lost" over loss "$share%"
done
if [[ ${1-} != long ]]; then
	ktap_run "10 % duplicated" over duplicate 10%
	ktap_run "25 % reordered" over delay 2ms reorder 25%
	ktap_run "2 % corrupted" over corrupt 2%
	ktap_run "jitter" over delay 2ms 2ms distribution normal
	ktap_run "all of it" over loss 2% duplicate 5% corrupt 1% delay 2ms 1ms reorder 25%
	ktap_run "what is sent again is what was lost" sends_again_what_was_lost
fi
for mode in "${modes[@]}"; do
	ktap_run "all are told of one's queue, $mode" all_are_told "$mode"
done
[[ ${1-} == long ]] || ktap_run "none is marked that is not ECN-capable" none_is_marked
weir job flush
box_job6 "$job" "$workers" blocks 1024 grads 1024 || ktap_fail "set up for IPv6"
for mode in "${modes[@]}"; do
	BOX_TO=$(box_addr6) ktap_run "all are told of one's queue, $mode, IPv6" all_are_told "$mode"
done
ktap_run "nothing is left" nothing_is_left
ktap_end
