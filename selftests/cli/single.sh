#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# `weir upgrade` from the module that weir was before weir_core, sch_weir and weir_xdp, by the tool that came
# with it, under a job that runs and packets that are trimmed. To be run in the virtual machine.
#
#	single.sh DIRECTORY	that version, as scripts/single-module builds it
set -u

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd) || exit 1
root=$(cd "$here/../.." && pwd) || exit 1
# shellcheck source=../lib/ktap.sh
. "$here/../lib/ktap.sh"
# shellcheck source=../lib/module.sh
. "$here/../lib/module.sh"
# shellcheck source=../lib/netns.sh
. "$here/../lib/netns.sh"
# shellcheck source=tool.sh
. "$here/tool.sh"
# shellcheck source=ranks.sh
. "$here/ranks.sh"

program=$root/build/bpf/users.bpf.o
former=${1:?the directory of the former version}
new=$root/build/kmod-$(uname -r)
work=$(mktemp -d) || exit 1
at_exit rm -rf "$work"
ktap_header
former_comes() { modules_go 10 && insmod "$former/weir.ko"; }
former_comes || ktap_fail "the former module is loaded"
star_create 2 || ktap_fail "networks are made"
net=$(ns_name router)

weir() { "$tool" -n "$net" "$@"; }
weir_before() { "$former/bin/weir" -n "$net" "$@"; }
in_other() { "$1" -n "$(ns_name w2)" "${@:2}"; }

state() { weir_before save; }
# commands FILE: those of a saved configuration, without the key that the former version did not have.
commands() { grep '^weir ' "$1" | sed 's/ byte-order [a-z]*//'; }

# Something of all that there is. Job 7 runs, its packets pass filters, a record of flows and a trimming qdisc.
all_that_there_is() {
	in_worker 2 ethtool -K eth0 tx off >/dev/null &&
		weir_before trim-default set size 200 dscp 45 trimmed-dscp 5,6 rule dscp=af11 limit 20 headers 500 &&
		weir_before job add id 7 sources 2 blocks 1024 grads 256 address 10.77.1.254 policy wait &&
		weir_before source add job 7 id 0 address 10.77.1.1 && weir_before source add job 7 id 1 address 10.77.2.1 &&
		weir_before job add id 20 sources 2 blocks 2 grads 32 address 10.0.0.0 format lab timeout 5s &&
		weir_before job add id 21 sources 1 blocks 4 grads 32 address ff:ff:ff:ff:ff:ff format lab-ethernet dtype float32 &&
		weir_before source add job 21 id 0 address 02:00:00:00:0a:01 dev w1 vlan untagged &&
		weir_before job add id 40 format kv sources 3 keys 1000 op sum dtype int32 port 14000 address 10.77.1.254 parent 10.77.1.1 source 2 &&
		weir_before job add id 255 op max dtype bfloat16 order fixed port 12345 address fd77:1::254 grads 8 blocks 2 sources 256 &&
		weir_before source add job 255 id 255 address fd77:2::1 &&
		weir_before job add id 30 sources 2 ranks 8 blocks 2 grads 32 address 10.77.1.254 parent 10.77.1.1 source 3 parent-port 13000 parent-dev w2 parent-vlan 9 &&
		weir_before chain add dev w2 prio 9 program "$program" section users_pass && weir_before filter add dev w1 prio 5 rule proto=udp,port=9 action drop &&
		weir_before filter add dev w2 prio 6 rule src=10.99.0.0/16 action police 1000pps &&
		weir_before flow on dev w1 idle 2s && weir_before order add dev w2 prio 4 rule proto=tcp,port=22 cpus 0,1 &&
		weir_before port attach dev w1 mode tc && weir_before port attach dev w2 mode xdp &&
		weir_before trim set dev w1 hook qdisc rule dscp=af11,proto=udp,src=10.0.0.0/8 rule vlan=5,from=w2 \
			disable-trim port=4791 size 256 trimmed-dscp none limit 18kb limit 2ms share 20% victim coin full return return-dscp 7 edge on &&
		in_router tc qdisc replace dev w2 root fq_codel &&
		weir_before trim set dev w2 hook qdisc child keep tc 3 tc-dscp 0:0,3:24 priority 2 queue 0 length keep port-limit 100kb header-time 5ms &&
		in_other "$former/bin/weir" job add id 3 sources 1 blocks 1 grads 1 address 10.77.2.1
}

sets_up() { all_that_there_is && weir_before save >"$work/before" && cat "$work/before"; }
ktap_run "the former module has something of all that there is" sets_up

# The netlink of this version has other numbers: its requests would not be what they say.
refuses() {
	local before="the weir module that is loaded is of a version before weir_core"
	refused 1 "$before" weir job show && refused 1 "$before" weir save && refused 1 "$before" weir trim flush &&
		refused 1 "$before.* run .weir upgrade -f TOOL" "$tool" upgrade "$new" &&
		refused 1 "cannot run /none: No such file" "$tool" upgrade -f /none "$new" &&
		"$tool" doctor | grep -q "run .weir upgrade"
}
ktap_run "this version's tool does not speak to it" refuses

another_tool() {
	refused 1 "it must be the tool that came with the modules" "$tool" upgrade -f /bin/false "$new" &&
		refused 2 "no commands" "$tool" upgrade -f /bin/true "$new" && refused 2 "makes nothing that could be kept" "$tool" upgrade -f /bin/echo "$new" &&
		[[ ! -e /sys/module/weir_core ]]
}
ktap_run "a tool that fails changes nothing" another_tool

# The package keeps the tool that is replaced.
upgrades() {
	cp "$former/bin/weir" /usr/sbin/weir && sh "$root/packaging/debian/weir.preinst" upgrade 0 || return
	ranks_begin "$former" "$root/build"
	poll 60 is_more_than 500 blocks weir_before || { cat "$work"/perf*; return 1; }
	"$tool" -j upgrade "$new" >"$work/upgrade" || { cat "$work"/perf* "$work/upgrade"; return 1; }
	cat "$work/upgrade"
	poll 60 is_more_than 500 blocks weir || { cat "$work"/perf*; weir doctor; return 1; }
	ranks_end_right
}
ktap_run "upgrade under a job of old and new workers: all sums are right" upgrades

keeps() {
	local module
	for module in "${weir_modules[@]}"; do
		[[ -e /sys/module/$module ]] || { echo "$module is not loaded"; return 1; }
	done
	diff <(commands "$work/before") <(weir save | commands -) &&
		[[ $(in_other "$tool" save) == *"job add id 3 "* ]] &&
		gojq -e ".commands == $(($(commands "$work/before" | wc -l) + 1)) and .failed == 0" "$work/upgrade" >/dev/null
}
ktap_run "upgrade: no configuration is lost" keeps
ktap_note "figure upgrade_single_gap_ms $(gojq '."gap-ms"' "$work/upgrade")"

ktap_end
