#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# A kernel without parts that others have: IPv6, more than one thread a core, the module's type information.
# To be run in a virtual machine of its own:
#
#	selftests/vm/run --append ipv6.disable=1 --append nosmt -- selftests/netns/lacking.sh
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

lacks_parts() {
	[[ ! -d /proc/sys/net/ipv6 ]] || { echo "the kernel has IPv6: boot it with ipv6.disable=1"; return 1; }
	grep -qw nosmt /proc/cmdline || { echo "the kernel has threads of cores: boot it with nosmt"; return 1; }
}

set_up() {
	ns_create router w1 && ns_link router w1 w1 eth0 1500 &&
		ip -n "$(ns_name router)" addr add 10.77.1.254/24 dev w1 && ip -n "$(ns_name w1)" addr add 10.77.1.1/24 dev eth0
}

# sums MODE: a job of one worker by IPv4.
sums() {
	weir port attach dev w1 mode "$1" && box_job 7 1 blocks 64 grads 256 &&
		box_allreduce 7 1 --max-bytes 4K --grads 256 && weir job del id 7
}

# Check that a command refuses an address of IPv6, and says why.
refused() {
	local said
	said=$(weir "$@" 2>&1) && { echo "this was taken: $*"; return 1; }
	[[ $said == *"this kernel has no IPv6"* ]] || { echo "$said"; return 1; }
}
addresses() {
	refused job add id 8 sources 1 blocks 64 grads 256 address fd77:1::254 &&
		refused job add id 8 sources 1 blocks 64 grads 256 ranks 2 address fd77:1::254 parent fd77:2::254 source 0
}

send() { printf '%s\n' "$@" | in_worker 1 "$here/send-packets" eth0 "$(in_router ip -j link show dev w1 | gojq -r '.[0].address')"; }
refusals() { box_stat '[.stats.refusals[]?] | add // 0' stats; }

# Frames of IPv6 towards a job's port come to the module all the same, in either mode.
frames() {
	local mode before
	for mode in xdp tc; do
		weir port attach dev w1 mode "$mode" && box_job 7 1 blocks 64 grads 256 && before=$(refusals) || return
		send "src=fd77:1::1 dst=fd77:1::254 dport=12000 size=200 count=5" && poll 60 eval '(($(refusals) > before))' && weir job del id 7 || return
	done
}

# Rules about IPv6 hold on a bridge's port and a router's, whatever the host itself speaks.
filters() {
	weir filter add dev w1 prio 10 rule src=fd77:1::/64 action drop && send "src=fd77:1::1 count=5" "src=fd77:2::1" &&
		[[ $(weir -j filter show dev w1 | gojq '.[0].stats.dropped') == 5 ]] && weir filter flush
}

# The program that looks routes up is taken, and the doctor finds nothing to read of IPv6.
forwards() {
	in_worker 1 ethtool -K eth0 tx off >/dev/null && weir trim set dev w1 hook xdp from w1 rule any dscp 45 rate 1gbit &&
		weir -j doctor | gojq -e '.checks | length > 0' >/dev/null && weir trim flush
}

# Modules that were built without type information load, and no program can call them: all that needs one is
# refused, and nothing is left of it.
strip_btf() {
	local name
	for name in weir_core weir sch_weir weir_xdp; do
		objcopy --remove-section=.BTF --remove-section=.BTF.base "${WEIR_MODULE%/*}/$name.ko" "$box_out/$name.ko" || return
	done
}
without_btf() {
	local words said module
	strip_btf && modules_go 20 || return
	for module in weir_core weir sch_weir weir_xdp; do
		insmod "$box_out/$module.ko" && [[ ! -e /sys/kernel/btf/$module ]] || return
	done
	while read -r module words; do
		# shellcheck disable=SC2086 # words
		said=$(command weir $words 2>&1 </dev/null) && { echo "this was taken: $words"; return 1; }
		[[ $said == *"the $module module has no type information"* ]] || { echo "$words: $said"; return 1; }
	done <<-END
		weir port attach dev lo mode tc
		weir_xdp filter add dev lo rule any action drop mode generic
		weir_xdp flow on dev lo mode generic
		weir_xdp order add dev lo prio 1 rule any cpus 0 mode generic
		sch_weir trim set dev lo hook tc rule any dscp 45 rate 1gbit
	END
	[[ $(command weir save) == *"end of 0 commands" ]] || return
	for module in weir sch_weir weir_xdp; do
		command weir doctor | grep -q "/sys/kernel/btf/$module is missing" || return
	done
	module_goes 20
}

ktap_header
ktap_run "the kernel lacks IPv6 and threads of cores" lacks_parts
ktap_run "set up" set_up
ktap_run "a job sums by XDP" sums xdp
ktap_run "a job sums by tc" sums tc
ktap_run "addresses of IPv6 are refused with the reason" addresses
ktap_run "frames of IPv6 to a job's port are refused" frames
ktap_run "rules about IPv6 hold" filters
ktap_run "a port forwards by XDP" forwards
ns_delete router w1
ktap_run "the module goes and comes" module_goes 20
ktap_run "a module without type information" without_btf
ktap_end
