#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Each module alone: it loads on top of weir_core, works, saves and restores what it has, and unloads, under traffic
# too; what another module has is refused with its name.
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

# only MODULE: no other one is loaded.
only() { { weir flush all 2>/dev/null || true; } && modules_go 60 && insmod "${WEIR_MODULE%/*}/weir_core.ko" && insmod "${WEIR_MODULE%/*}/$1.ko"; }

# misses MODULE COMMAND...: the command needs that module.
misses() {
	local said
	said=$(weir "${@:2}" 2>&1) && { echo "this was taken: ${*:2}"; return 1; }
	[[ $said == *"the $1 module is not loaded in this kernel: run \`modprobe $1\`"* ]] || { echo "$said"; return 1; }
}

# keeps: what there is is saved, taken away and restored, and all that reads all of it works.
keeps() {
	weir save >"$box_out/kept" && ! grep -q "end of 0" "$box_out/kept" && weir flush all && [[ $(weir save) == *"end of 0 commands" ]] &&
		weir restore "$box_out/kept" && weir save | diff "$box_out/kept" - && weir stats >/dev/null && weir top count 1 >/dev/null &&
		weir metrics >/dev/null && weir -j doctor | gojq -e --arg module "$1" '.checks | any(.check == "module" and .subject == $module)' >/dev/null
}

# goes MODULE: it has no objects, and unloads while packets come.
goes() {
	box_pings 1 2 20 && weir flush all && poll 60 rmmod "$1" && poll 60 rmmod weir_core && box_pings 1 2 20
}

aggregation() {
	local mode
	only weir || return
	for mode in xdp tc; do
		weir port attach dev w1 mode "$mode" && weir port attach dev w2 mode "$mode" && box_job 7 2 blocks 64 grads 256 &&
			box_allreduce 7 2 --max-bytes 64K --grads 256 && weir job del id 7 || return
	done
	box_job 7 2 blocks 64 grads 256 && keeps weir && misses sch_weir trim set dev w1 rule any dscp 45 && misses weir_xdp filter add dev w1 rule any action drop &&
		misses weir_xdp chain show && goes weir
}

trimming() {
	only sch_weir && weir trim set dev w2 hook qdisc rule any dscp 45 limit 1mb && box_pings 1 2 30 &&
		(($(in_router tc -s -j qdisc show dev w2 | gojq '[.[] | select(.kind == "weir").packets] | add') >= 30)) && keeps sch_weir || return
	misses weir job show && misses weir port attach dev w1 && misses weir_xdp flow on dev w1 || return
	weir flush all && in_router tc qdisc add dev w1 root weir && in_router tc -j qdisc show dev w1 | gojq -e '.[0].kind == "weir"' >/dev/null &&
		in_router tc qdisc del dev w1 root && weir trim set dev w2 hook tc rule any dscp 45 rate 1gbit && box_pings 1 2 5 && goes sch_weir
}

around_programs() {
	only weir_xdp && weir filter add dev w1 prio 10 rule proto=udp,port=9 action drop mode generic && weir flow on dev w1 mode generic &&
		weir order add dev w2 prio 1 rule proto=udp cpus 0 mode generic && box_pings 1 2 10 && [[ $(weir chain show dev w1) == *weir_filter* ]] &&
		keeps weir_xdp && misses weir job add id 7 sources 1 blocks 1 grads 1 address 10.77.1.254 && misses sch_weir trim show && goes weir_xdp
}

# Nothing but the module's own goes with it: a policy stays while aggregation is replaced.
one_is_upgraded() {
	local stamp
	only weir && modules_come && weir trim set dev w2 hook qdisc rule any dscp 45 && box_job 7 2 blocks 64 grads 256 && weir port attach dev w1 &&
		weir save >"$box_out/kept" && stamp=$(stat -c %Y-%i /sys/module/sch_weir) && command weir upgrade "${WEIR_MODULE%/*}/weir.ko" &&
		weir save | diff "$box_out/kept" - && [[ $(stat -c %Y-%i /sys/module/sch_weir) == "$stamp" ]] &&
		! command weir upgrade "${WEIR_MODULE%/*}/weir_core.ko" 2>"$box_out/said" && grep -q "name its directory" "$box_out/said" &&
		command weir upgrade "${WEIR_MODULE%/*}" && weir save | diff "$box_out/kept" - && weir flush all
}

# Code and read-only data of a module in the kernel, in KiB.
tell_sizes() {
	local part
	local -A modules=([core]=weir_core [agg]=weir [trim]=sch_weir [xdp]=weir_xdp)
	for part in "${!modules[@]}"; do
		ktap_note "figure module_text_kb_$part $(size "${WEIR_MODULE%/*}/${modules[$part]}.ko" | awk 'NR == 2 { printf "%.0f", $1 / 1024 }')"
	done
}

ktap_header
star_create 2 || ktap_fail "networks are made"
ktap_run "weir alone sums" aggregation
ktap_run "sch_weir alone trims" trimming
ktap_run "weir_xdp alone filters, records and orders" around_programs
ktap_run "one module is upgraded, the others stay" one_is_upgraded
tell_sizes
ktap_end
