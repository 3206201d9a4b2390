#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# The tool with the module: objects come and go, refusals change nothing.
# To be run in the virtual machine, as it unloads the module at the end.
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

work=$(mktemp -d) || exit 1
at_exit rm -rf "$work"

ktap_header
if [[ ! -e /sys/module/weir ]]; then
	ktap_skip "the tool with the module" "the module is not loaded"
	ktap_end
fi
star_create 2 || ktap_fail "networks are made"
net=$(ns_name router)

# Words before the tool: how it is to be run.
as=()
weir() { "${as[@]}" "$tool" -n "$net" "$@"; }
tcx() { ip netns exec "$net" "$here/tcx" "$@"; }
raw() { in_router "$here/raw-request" "$@"; }

# All that could be harmed. No job gets a packet here, so the counters stand still.
state() {
	weir -j job show
	weir -j source show
	weir -j port show
	ip -n "$net" link show
	tc -n "$net" -batch - <<-END
		qdisc show
		filter show dev w1 ingress
	END
	tcx_list w1 ingress
}

# Jobs.
jobs_add() {
	weir job add id 7 sources 4 blocks 64 grads 256 address 10.77.1.254 &&
		json 'length == 1 and (.[0] | .id == 7 and .sources == 4 and .blocks == 64
			and .grads == 256 and .address == "10.77.1.254" and .port == 12000
			and .format == "trio" and .dtype == "int32" and .op == "sum"
			and .order == "arrival" and .bound == 0 and .open == 0 and .memory > 0
			and .stats.contributions == 0)' job show id 7
}
jobs_add_all() {
	weir job add op max dtype bfloat16 order fixed format trio group ff15::7 port 12345 address fd77:1::254 \
		grads 8 blocks 2 sources 256 id 255 &&
		json '.[0] | .id == 255 and .group == "ff15::7" and .port == 12345
			and .dtype == "bfloat16" and .op == "max" and .order == "fixed"
			and .address == "fd77:1::254"' job show id 255
}
jobs_set() {
	weir job set id 7 port 4242 group 239.1.2.3 &&
		json '.[0] | .port == 4242 and .group == "239.1.2.3" and .blocks == 64' job show id 7 &&
		weir job set id 7 group none && weir job set id 255 group none &&
		json 'all(has("group") | not) and .[0].port == 4242' job show
}
jobs_order() {
	local id
	for id in 9 3 200; do
		weir job add id "$id" sources 1 blocks 1 grads 1 address 10.77.1.254 || return
	done
	json '[.[].id] == [3, 7, 9, 200, 255]' job show
}
jobs_text() {
	local text
	text=$(weir job show id 7) || return
	[[ $(head -n 1 <<<"$text") == "job 7 format trio dtype int32 op sum order arrival byte-order workers sources 4 blocks 64 grads 256 address 10.77.1.254 port 4242" ]] ||
		{ echo "$text"; return 1; }
}
jobs_policy() {
	weir job add id 30 sources 25 blocks 64 grads 1 address 10.77.1.254 policy partial timeout 10ms \
		quorum 88% timers 16 dead-after 2s rate packets 10000 burst 500 bytes 100mbit burst 64k &&
		json '.[0] | .policy == "partial" and .timeout == 10000 and .quorum == 22 and .timers == 16
			and ."dead-after" == 2000000 and .rate == {"packets": 10000, "packets-burst": 500,
			"bytes": 12500000, "bytes-burst": 65536}' job show id 30 &&
		weir job show id 30 | grep -qx "    policy partial timeout 10ms quorum 22 timers 16 dead-after 2s retain 786432b rate packets 10000 burst 500 bytes 100mbit burst 64k"
}
jobs_set_policy() {
	weir job set id 30 policy exclude timeout 500us dead-after 1s quorum 0.5 rate bytes 1gbit &&
		json '.[0] | .policy == "exclude" and .timeout == 500 and ."dead-after" == 1000000
			and .quorum == 13 and .rate.bytes == 125000000 and (.rate | has("packets") | not)
			and .timers == 16' job show id 30 &&
		weir job set id 30 policy wait timeout never quorum all rate none &&
		json '.[0] | .policy == "wait" and .timeout == 0 and .quorum == 0 and (has("rate") | not)' job show id 30 &&
		weir job show id 30 | grep -q "^    policy wait timeout never quorum all "
}
jobs_default_policy() {
	json '.[0] | .policy == "wait" and .timeout == 0 and .quorum == 0' job show id 7 &&
		weir job add id 40 sources 2 blocks 64 grads 1 address 10.77.1.254 policy exclude &&
		json '.[0] | .policy == "exclude" and .timeout == 10000' job show id 40 &&
		weir job add id 50 sources 2 blocks 64 grads 1 address 10.77.1.254 timeout 1ms &&
		json '.[0] | .policy == "partial" and .timeout == 1000' job show id 50 &&
		weir job del id 40 && weir job del id 50 && weir job del id 30
}
# Settings shown in JSON, in the words that made them. A time of zero is written
# so.
words_of() {
	gojq -r 'def time: if . == 0 then "0" else "\(.)us" end;
		def rate: "\(if .packets then "packets \(.packets) burst \(."packets-burst") " else "" end)" +
			"\(if .bytes then "bytes \(.bytes)bps burst \(."bytes-burst")b" else "" end)";
		.[] | to_entries | map(if .key == "timeout" or .key == "dead-after" then .value |= time
			elif .key == "rate" then .value |= rate else . end)
		| map("\(.key) \(.value)") | join(" ")'
}
# An object, added again as shown, is shown alike.
jobs_round_trip() {
	local before line words
	weir job set id 7 group 239.1.2.3 policy partial timeout 5ms dead-after 1s quorum 2 \
		rate packets 1000 burst 100 bytes 80mbit burst 100000b || return
	before=$(weir -j job show | gojq -c 'map(del(.stats))')
	weir job flush || return
	json '. == []' job show || return
	while read -r line; do
		read -r -a words <<<"$line"
		weir job add "${words[@]}" || return
	done < <(gojq 'map(del(.generation, .open, .bound, .memory))' <<<"$before" | words_of)
	diff <(echo "$before") <(weir -j job show | gojq -c 'map(del(.stats))') || return
	weir job set id 7 policy wait timeout never quorum all rate none
}
jobs_del() {
	weir job del id 200 && json '[.[].id] == [3, 7, 9, 255]' job show &&
		weir job del id 3 && weir job del id 9
}
ktap_run "job add, show" jobs_add
ktap_run "job add with all keys" jobs_add_all
ktap_run "job set" jobs_set
ktap_run "jobs are listed by id" jobs_order
ktap_run "job show in text" jobs_text
ktap_run "job add with a policy" jobs_policy
ktap_run "job set of a policy" jobs_set_policy
ktap_run "policies by default" jobs_default_policy
ktap_run "job JSON goes round" jobs_round_trip
# As of ip(8).
short_words() {
	weir job add id 3 sources 1 blocks 1 grads 1 address 10.77.1.254 && diff <(weir job show) <(weir job) &&
		diff <(weir job show) <(weir jo list) && diff <(weir job show id 3) <(weir job sh 3) && diff <(weir source show job 7) <(weir sou ls 7) &&
		weir job set 3 timeout 9ms && json '.[0].timeout == 9000' job show 3 && weir job del 3 && refused 1 "no job 3" weir job show 3
}
ktap_run "job del" jobs_del
ktap_run "words as of ip" short_words

# Sources.
sources_add() {
	weir source add job 7 id 0 address 10.77.1.1 &&
		weir source add job 7 id 2 address 10.77.2.1 port 13000 &&
		weir source add job 255 id 255 address fd77:2::1 &&
		json 'map([.job, .id, .address, .port]) == [[7, 0, "10.77.1.1", null],
			[7, 2, "10.77.2.1", 13000], [255, 255, "fd77:2::1", null]]' source show &&
		json 'map(.id) == [0, 2]' source show job 7 &&
		json 'map(.address) == ["10.77.2.1"]' source show id 2 job 7 &&
		json '.[0].bound == 2' job show id 7
}
sources_set() {
	weir source set job 7 id 0 address 10.77.1.9 port 1 &&
		json '.[0] | .address == "10.77.1.9" and .port == 1' source show job 7 id 0
}
sources_bind() {
	weir source set job 7 id 2 dev w2 vlan 7 rate packets 10000 burst 500 bytes 100mbit burst 64k &&
		json '.[0] | .dev == "w2" and .ifindex > 0 and .vlan == 7 and .rate == {"packets": 10000,
			"packets-burst": 500, "bytes": 12500000, "bytes-burst": 65536}
			and .port == 13000' source show job 7 id 2 &&
		weir source show job 7 id 2 | grep -qx "source job 7 id 2 address 10.77.2.1 port 13000 dev w2 vlan 7 rate packets 10000 burst 500 bytes 100mbit burst 64k" &&
		weir source set job 7 id 2 vlan untagged && json '.[0] | .vlan == 0 and .dev == "w2"' source show job 7 id 2
}
sources_unbind() {
	weir source set job 7 id 2 dev any vlan any rate none &&
		json '.[0] | (.ifindex // 0) == 0 and (.vlan // 4095) == 4095 and (has("rate") | not)' source show job 7 id 2 &&
		weir source show job 7 id 2 | grep -qx "source job 7 id 2 address 10.77.2.1 port 13000" &&
		weir source set job 7 id 2 dev w2 vlan 7 rate packets 10 burst 5
}
sources_state() {
	json 'all(.state == "active" and .missing == 0 and (.lateness | length == 24))' source show &&
		weir source show job 7 id 2 | grep -qx "    state active missing 0 lateness p50 - p99 - max -"
}
sources_round_trip() {
	local before line words
	before=$(weir -j source show job 7 | gojq -c 'map(del(.stats, .state, .missing, .lateness))')
	weir source flush job 7 || return
	json '. == []' source show job 7 && json 'length == 1' source show || return
	while read -r line; do
		read -r -a words <<<"$line"
		weir source add "${words[@]}" || return
	done < <(gojq 'map(del(.ifindex))' <<<"$before" | words_of)
	diff <(echo "$before") <(weir -j source show job 7 | gojq -c 'map(del(.stats, .state, .missing, .lateness))') || return
	weir source set job 7 id 2 dev any vlan any rate none
}
sources_del() {
	weir source del job 255 id 255 && json '. == []' source show job 255
}
ktap_run "source add, show" sources_add
ktap_run "source set" sources_set
ktap_run "source set of a device, a VLAN and a rate" sources_bind
ktap_run "source set takes them away" sources_unbind
ktap_run "sources begin as active" sources_state
ktap_run "source JSON goes round" sources_round_trip
ktap_run "source del" sources_del

# Formats lab and lab-ethernet.
lab_add() {
	weir job add id 20 sources 2 blocks 2 grads 32 address 10.0.0.0 format lab timeout 5s &&
		json '.[0] | .format == "lab" and .port == 8000 and .policy == "wait" and .timeout == 5000000' job show id 20 &&
		weir job add id 21 sources 2 blocks 4 grads 32 address ff:ff:ff:ff:ff:ff format lab-ethernet dtype float32 &&
		json '.[0] | .format == "lab-ethernet" and .address == "ff:ff:ff:ff:ff:ff" and (has("port") | not)' job show id 21 &&
		weir source add job 20 id 0 address 10.77.1.1 &&
		weir source add job 21 id 0 address 02:00:00:00:0a:01 dev w1 &&
		weir source add job 21 id 1 address 02:00:00:00:0A:02 dev w2 vlan 5 &&
		json 'map([.address, .dev, .vlan]) == [["02:00:00:00:0a:01", "w1", null],
			["02:00:00:00:0a:02", "w2", 5]]' source show job 21 &&
		weir source show job 21 id 0 | grep -qx "source job 21 id 0 address 02:00:00:00:0a:01 dev w1"
}
lab_round_trip() {
	local before sources line words
	before=$(weir -j job show id 21 | gojq -c 'map(del(.stats, .bound))')
	sources=$(weir -j source show job 21 | gojq -c 'map(del(.stats, .state, .missing, .lateness))')
	weir job del id 21 || return
	read -r -a words < <(gojq 'map(del(.generation, .open, .memory))' <<<"$before" | words_of)
	weir job add "${words[@]}" || return
	while read -r line; do
		read -r -a words <<<"$line"
		weir source add "${words[@]}" || return
	done < <(gojq 'map(del(.ifindex))' <<<"$sources" | words_of)
	diff <(echo "$before") <(weir -j job show id 21 | gojq -c 'map(del(.stats, .bound))') &&
		diff <(echo "$sources") <(weir -j source show job 21 | gojq -c 'map(del(.stats, .state, .missing, .lateness))')
}
lab_ports() {
	weir port attach dev w1 mode tc && weir port attach dev w2 mode tc udp 8000 &&
		json '[.[] | [.udp, .ethertype]] == [[[4242, 8000, 12345, 12000], "0x8777"], [[8000], "0x8777"]]' port show
}
lab_doctor() {
	doctor_of 20 'any(.check == "address" and .status == "ok" and (.found | test("ports answer for it")))' &&
		doctor_of 20 'map(select(.check == "udp" and .status == "ok")) | length == 2' &&
		doctor_of 21 'any(.check == "address" and .status == "ok" and (.found | test("taken at all ports")))' &&
		doctor_of 21 'map(select(.check == "udp" and .status == "ok" and (.found | test("EtherType 0x8777")))) | length == 2' &&
		doctor_of 21 'any(.check == "routes" and .status == "ok" and (.found | test("2 of 2 bound sources have a device")))' &&
		weir job set id 20 port 8001 &&
		doctor_of 20 'map(select(.check == "udp" and .status == "fail" and (.fix | test("port attach dev w")))) | length == 2' &&
		weir port attach dev w1 mode tc &&
		doctor_of 20 'map(select(.check == "udp" and .status == "ok")) | length == 1'
}
doctor_of() {
	local out
	out=$(weir -j doctor job "$1")
	gojq -e ".checks | $2" <<<"$out" >/dev/null || { echo "$2: $out"; return 1; }
}
ktap_run "lab: jobs and sources" lab_add
ktap_run "lab: JSON goes round" lab_round_trip
ktap_run "lab: ports listen to all jobs" lab_ports
ktap_run "lab: doctor" lab_doctor
lab="sources 2 grads 32 format lab"
frames="sources 2 blocks 2 grads 32 format lab-ethernet"
all="ff:ff:ff:ff:ff:ff"
refuse "lab: numbers of 2 bytes" "dtype float16: .*take int32 or float32" "job add id 8 $lab blocks 2 address 10.0.0.1 dtype float16"
refuse "lab: one block" "blocks 1: jobs of this format have 2 blocks at least" "job add id 8 $lab blocks 1 address 10.0.0.1"
refuse "lab: policy partial" "policy partial: .*never lack a source" "job add id 8 $lab blocks 2 address 10.0.0.1 policy partial timeout 1s"
refuse "lab: quorum" "quorum 1: .*never lack a source" "job add id 8 $lab blocks 2 address 10.0.0.1 quorum 1"
refuse "lab: set of a policy" "policy exclude: .*never lack a source" "job set id 20 policy exclude"
refuse "lab: another job's address and port" "address 10.0.0.0: job 20 has this address and port" "job add id 8 $lab blocks 2 address 10.0.0.0 port 8001"
refuse "lab: an Ethernet address" "address $all: an address has 4 bytes .IPv4. or 16" "job add id 8 $lab blocks 2 address $all"
refuse "lab: a source's Ethernet address" "address 02:00:00:00:00:01: an address has 4 bytes" "source add job 20 id 1 address 02:00:00:00:00:01"
refuse "lab-ethernet: an IP address" "address 10.0.0.1: an Ethernet address has 6 bytes" "job add id 8 $frames address 10.0.0.1"
refuse "lab-ethernet: a group's address" "address 01:00:5e:00:00:01: frames go to one station, or to all" "job add id 8 $frames address 01:00:5e:00:00:01"
refuse "lab-ethernet: another job's address" "address $all: job 21 has this address" "job add id 8 $frames address $all"
refuse "lab-ethernet: a port" "port 8000: .*have no UDP port" "job add id 8 $frames address 02:00:00:00:00:01 port 8000"
refuse "lab-ethernet: set of a port" "port 8000: .*have no UDP port" "job set id 21 port 8000"
refuse "lab-ethernet: a group" "group 239.1.1.1: .*go to all of a link" "job set id 21 group 239.1.1.1"
refuse "lab-ethernet: a source's IP address" "address 10.0.0.1: an Ethernet address has 6 bytes" "source set job 21 id 0 address 10.0.0.1"
refuse "lab-ethernet: a source's port" "port 9: .*have no UDP port" "source set job 21 id 0 port 9"
refuse "lab-ethernet: a source that is all" "address $all: .*of one station" "source set job 21 id 0 address $all"
refuse "lab-ethernet: a source without a device" "an Ethernet address needs the device" "source set job 21 id 0 dev any"
refuse "lab-ethernet: another source's address" "source 1 of job 21 has this address already" "source set job 21 id 0 address 02:00:00:00:0a:02 dev w2"
refuse "lab-ethernet: an address of the box" "device w1 of this box has this address" \
	"source set job 21 id 0 address $(ip -n "$net" -j link show dev w1 | gojq -r '.[0].address')"
lab_clash() {
	weir job add id 22 sources 1 blocks 2 grads 1 address 10.77.1.254 port 8001 || return
	refused 1 "jobs with port 8001 of the formats lab and trio" weir port attach dev w1 mode tc &&
		weir port attach dev w1 mode tc udp 12000
}
# A port without a job is of the format that has it by default, else of trio.
ports_to_come() {
	local id
	weir job del id 20 && weir port attach dev w1 mode tc udp 8000 udp 48864 udp 12056 udp 8002 &&
		weir job add id 20 sources 1 blocks 2 grads 32 address 10.77.1.254 format lab &&
		weir job add id 24 sources 1 blocks 2 grads 64 address 10.77.1.254 format switchml &&
		weir job add id 26 sources 1 blocks 2 grads 64 address 10.77.1.254 format panama &&
		weir job add id 25 sources 1 blocks 2 grads 64 address 10.77.1.254 port 8002 || return
	for id in 20 24 25 26; do
		doctor_of "$id" 'any(.check == "udp" and .status == "ok")' || return
	done
	weir job set id 25 port 48864 && doctor_of 25 'all(.check != "udp" or .status == "fail")' &&
		weir job del id 24 && weir job del id 25 && weir job del id 26
}
lab_del() {
	weir port flush && weir job del id 20 && weir job del id 21 && weir job del id 22
}
ktap_run "lab: a port of two formats" lab_clash
ktap_run "port attach: ports of jobs to come" ports_to_come
ktap_run "lab: job del" lab_del

# Format panama.
panama_add() {
	weir job add id 53 sources 1 blocks 8 grads 360 address 10.77.1.254 format panama &&
		json '.[0] | .format == "panama" and .port == 12056 and .dtype == "float32"' job show id 53 &&
		weir source add job 53 id 0 address 10.77.1.1 &&
		weir port attach dev w1 mode tc &&
		json '.[0].udp | contains([12056])' port show dev w1 &&
		doctor_of 53 'any(.check == "udp" and .status == "ok" and (.found | test("UDP port 12056")))' &&
		doctor_of 53 'any(.check == "mtu" and (.found | test("with 360 grads needs 1484")))' &&
		weir port flush && weir job del id 53
}
panama="sources 1 blocks 8 grads 1 format panama"
ktap_run "panama: job, port, doctor" panama_add
refuse "panama: another type" "dtype int32: .*are of one type" "job add id 53 $panama address 10.77.1.254 dtype int32"
refuse "panama: IPv6" "address fd00::1: the job's addresses are IPv4" "job add id 53 $panama address fd00::1"

# Ports. The tool's output is compared with that of ip and tc.
xdp_on() {
	ip -n "$net" -j -d link show dev "$1" | gojq -r '.[0].xdp | if . then "\(.mode) \(.prog.name)" else "none" end'
}
filters_on() { tc -n "$net" filter show dev "$1" ingress | grep -c 'weir_tc:\['; }
in_tcx() { tcx_list "$1" ingress | grep -cx weir_tc; }
tc_programs() { echo $(($(filters_on "$1") + $(in_tcx "$1"))); }
clsact_on() { tc -n "$net" qdisc show dev "$1" | grep -c clsact; }
mode_is() { json ".[0].mode == \"$2\" and .[0].dev == \"$1\"" port show dev "$1"; }

# The kernel's numbers: 1 native, 2 generic.
port_xdp() {
	weir port attach dev w1 mode xdp && mode_is w1 xdp && [[ $(xdp_on w1) == "1 weir_xdp" ]] &&
		json '.[0] | .udp == [4242, 12345, 12000] and (has("ethertype") | not)' port show
}
port_again() {
	local old new
	old=$(ip -n "$net" -j -d link show dev w1 | gojq '.[0].xdp.prog.id')
	weir port attach dev w1 mode xdp udp 12000 udp 13000 || return
	new=$(ip -n "$net" -j -d link show dev w1 | gojq '.[0].xdp.prog.id')
	[[ $old != "$new" && $(xdp_on w1) == "1 weir_xdp" ]] &&
		json 'length == 1 and .[0].udp == [12000, 13000]' port show
}
port_generic() {
	weir port attach dev w1 mode generic && mode_is w1 generic && [[ $(xdp_on w1) == "2 weir_xdp" ]]
}
port_tc() {
	weir port attach dev w1 mode tc && mode_is w1 tc && [[ $(xdp_on w1) == none ]] &&
		(($(tc_programs w1) == 1 && $(clsact_on w1) == $(filters_on w1)))
}
port_tc_again() {
	weir port attach dev w1 mode tc udp 14000 && (($(tc_programs w1) == 1)) &&
		json '.[0].udp == [14000]' port show
}
port_back() {
	weir port attach dev w1 mode xdp && mode_is w1 xdp && [[ $(xdp_on w1) == "1 weir_xdp" ]] &&
		(($(tc_programs w1) == 0 && $(clsact_on w1) == 0))
}
port_detach() {
	weir port detach dev w1 && json '. == []' port show && [[ $(xdp_on w1) == none ]]
}
port_lost_program() {
	weir port attach dev w1 mode xdp && ip -n "$net" link set dev w1 xdp off &&
		weir port detach dev w1 && json '. == []' port show
}
port_lost_port() {
	local ifindex
	weir port attach dev w1 mode xdp || return
	ifindex=$(ip -n "$net" -j link show dev w1 | gojq '.[0].ifindex')
	raw port-del "1:u32:$ifindex" && weir port detach dev w1 && [[ $(xdp_on w1) == none ]]
}
port_flush() {
	weir port attach dev w1 mode xdp && weir port attach dev w2 mode tc &&
		json 'map(.mode) | sort == ["tc", "xdp"]' port show && weir port flush &&
		json '. == []' port show && [[ $(xdp_on w1) == none ]] && (($(clsact_on w2) == 0 && $(tc_programs w2) == 0))
}
# Others' clsact stays, and so do their filters.
port_clsact() {
	tc -n "$net" qdisc add dev w1 clsact &&
		tc -n "$net" filter add dev w1 ingress pref 7 matchall action ok &&
		weir port attach dev w1 mode tc && (($(filters_on w1) == 1 && $(in_tcx w1) == 0)) && weir port detach dev w1 &&
		(($(clsact_on w1) == 1)) && tc -n "$net" filter show dev w1 ingress | grep -q matchall &&
		tc -n "$net" qdisc del dev w1 clsact || return
	# And where theirs came later into ours, which is made where there is no tcx.
	"$here/tcx" without true || return
	local as=("$here/tcx" without)
	weir port attach dev w1 mode tc && (($(filters_on w1) == 1 && $(clsact_on w1) == 1)) &&
		tc -n "$net" filter add dev w1 egress pref 7 matchall action ok &&
		weir port detach dev w1 && (($(clsact_on w1) == 1 && $(filters_on w1) == 0)) &&
		tc -n "$net" qdisc del dev w1 clsact
}
port_tcx() {
	tcx_list w1 ingress >/dev/null || { echo "no tcx"; return 4; }
	tcx add w1 ingress first && weir port attach dev w1 mode tc && tcx add w1 ingress later &&
		weir port attach dev w1 mode tc udp 14000 && json '.[0].udp == [14000]' port show &&
		[[ $(tcx_list w1 ingress | paste -sd ' ') == "first weir_tc later" ]] && weir port detach dev w1 &&
		[[ $(tcx_list w1 ingress | paste -sd ' ') == "first later" ]] && tcx add w1 ingress first 61 || return
	refused 1 "w1 has as many tcx programs as the kernel lets it have: .* mode xdp" weir port attach dev w1 mode tc &&
		tcx del w1 ingress first && tcx del w1 ingress later
}
# chooses DEVICE MODE WHY: where no mode is given; the reason is noted and shown.
chooses() {
	local said
	said=$(weir port attach dev "$1" 2>&1) || { echo "$said"; return 1; }
	grep -qE "^weir: mode $2 for $1: $3" <<<"$said" || { echo "$said"; return 1; }
	json ".[0].mode == \"$2\" and .[0].best == \"$2\" and (.[0].why | test(\"$3\"))" port show dev "$1" &&
		weir port show dev "$1" | grep -qE "^    best $2 as $3" && weir port detach dev "$1"
}
# says DEVICE CHECK STATUS FOUND [FIX]: doctor does, of the port
says() {
	local out
	out=$(weir -j doctor)
	gojq -e --arg subject "port $1" --arg check "$2" --arg status "$3" --arg found "$4" --arg fix "${5-}" \
		'.checks | any(.check == $check and .subject == $subject and .status == $status
			and (.found | test($found)) and ((.fix // "") | test($fix)))' <<<"$out" >/dev/null ||
		{ gojq -c '.checks[]' <<<"$out"; return 1; }
}
chooses_for_veth() {
	chooses w1 tc "packets come merged: the other end of a veth" &&
		gojq -e '.note | test("^mode tc for w1: ")' < <(weir -j port attach dev w1 2>&1) >/dev/null &&
		says w1 merging ok "come merged: the other end of a veth" &&
		weir port attach dev w1 mode xdp && [[ $(weir port attach dev w1 mode xdp 2>&1) == "" ]] &&
		json '.[0].mode == "xdp" and .[0].best == "tc"' port show dev w1 &&
		says w1 merging warn "one by one that would come merged to tc: the other end of a veth" "weir port attach dev w1 mode tc" &&
		weir port attach dev w1 mode generic &&
		says w1 merging warn "generic XDP cannot take packets apart" "weir port attach dev w1 mode tc" &&
		weir port detach dev w1
}
# Since Linux 6.3 drivers say what XDP they have.
drivers_tell() {
	genl ctrl get name netdev >/dev/null 2>&1 && return
	echo "drivers do not tell what XDP they have"
	return 4
}
# with_chosen COMMAND...: the device that it makes goes, whatever comes of it.
with_chosen() {
	local status
	"$@"
	status=$?
	ip -n "$net" link del chosen 2>/dev/null
	return "$status"
}
chooses_for_bridge() {
	drivers_tell && ip -n "$net" link add chosen type bridge && chooses chosen tc "the driver has no XDP of its own"
}
# The tap has no guest, and so none that sends merged packets.
chooses_for_tap() {
	drivers_tell || return
	modprobe -q tun || { echo "the kernel has no taps"; return 4; }
	in_router ip tuntap add dev chosen mode tap && chooses chosen xdp "packets come one by one" &&
		ip -n "$net" link set chosen mtu 9000 && chooses chosen tc ".* frames of a page, and the MTU is 9000" &&
		ip -n "$net" link set chosen mtu 1500 &&
		in_router ethtool -K chosen rx-udp-gro-forwarding on &&
		chooses chosen tc "packets come merged: GRO merges them .rx-udp-gro-forwarding is on" &&
		in_router ethtool -K chosen rx-udp-gro-forwarding off rx-gro-list on &&
		chooses chosen tc "packets come merged: GRO merges them .rx-gro-list is on" &&
		in_router ethtool -K chosen gro off && chooses chosen xdp "packets come one by one" &&
		weir port attach dev chosen mode tc &&
		says chosen merging warn "GRO does not merge UDP on chosen" "ethtool -K chosen gro on rx-udp-gro-forwarding on" &&
		weir port attach dev chosen mode generic &&
		says chosen merging warn "generic XDP copies" "weir port attach dev chosen.,"
}
doctor_segmentation() {
	weir port attach dev w1 mode tc && says w1 segmentation ok "takes merged" &&
		in_router ethtool -K w1 tx-udp-segmentation off >/dev/null &&
		says w1 segmentation warn "by w1 are cut in software" "ethtool -K w1 tx-udp-segmentation on" &&
		in_router ethtool -K w1 tx-udp-segmentation on >/dev/null && weir port detach dev w1
}
ktap_run "port attach chooses tc for a veth" chooses_for_veth
ktap_run "port attach chooses tc for a bridge" with_chosen chooses_for_bridge
ktap_run "port attach chooses for a tap by its settings" with_chosen chooses_for_tap
ktap_run "doctor looks at segmentation" doctor_segmentation

# The device takes its program and its port with it.
port_device_goes() {
	ip -n "$net" link add gone type veth peer name gone-too &&
		weir port attach dev gone mode xdp && json 'length == 1' port show &&
		ip -n "$net" link del gone && json '. == []' port show
}
ktap_run "port attach: xdp" port_xdp
ktap_run "port attach: the same again" port_again
ktap_run "port attach: from xdp to generic" port_generic
ktap_run "port attach: from generic to tc" port_tc
ktap_run "port attach: tc again" port_tc_again
ktap_run "port attach: from tc to xdp" port_back
ktap_run "port detach" port_detach
ktap_run "port detach without a program" port_lost_program
ktap_run "port detach without a port" port_lost_port
ktap_run "port flush" port_flush
ktap_run "clsact of others stays" port_clsact
ktap_run "tcx programs of others keep their places" port_tcx
ktap_run "device goes with its port" port_device_goes

foreign_xdp_on_tap() {
	modprobe -q tun || return 0
	in_router ip tuntap add dev chosen mode tap &&
		ip -n "$net" link set dev chosen xdp obj "$root/build/bpf/foreign.bpf.o" sec xdp &&
		chooses chosen tc "the XDP program [0-9]+ .somebody_else. is of somebody else"
}
foreign_xdp() {
	ip -n "$net" link set dev w1 xdp obj "$root/build/bpf/foreign.bpf.o" sec xdp || return
	unchanged=$(state)
	refused 1 "w1 has the XDP program [0-9]+ \(somebody_else\) of somebody else" \
		weir port attach dev w1 mode xdp &&
		refused 1 "of somebody else" weir port attach dev w1 mode generic || return
	weir port attach dev w1 mode tc && weir port detach dev w1 &&
		[[ $(xdp_on w1) == "1 somebody_else" ]] && with_chosen foreign_xdp_on_tap && ip -n "$net" link set dev w1 xdp off
}
ktap_run "XDP of others stays" foreign_xdp
foreign_filter() {
	tc -n "$net" qdisc add dev w1 clsact &&
		tc -n "$net" filter add dev w1 ingress pref 100 handle 1 matchall action ok || return
	unchanged=$(state)
	refused 1 "w1 has a tc filter of somebody else" weir port attach dev w1 mode tc &&
		tc -n "$net" qdisc del dev w1 clsact
}
ktap_run "a filter of others stays" foreign_filter

# Refusals, each with something there that could be harmed.
weir port attach dev w1 mode xdp || ktap_fail "a port for the refusals"
unchanged=$(state)
new="sources 4 blocks 64 grads 256 address 10.77.1.254"
refuse "job id in use" "job 7 exists already" "job add id 7 $new"
refuse "partial without a timeout" "timeout never: " "job add id 8 $new policy partial timeout never"
refuse "set: partial without a timeout" "timeout 0: " "job set id 7 policy partial timeout 0"
refuse "quorum above the sources" "quorum 5: " "job add id 8 $new quorum 5"
refuse "set: quorum above the sources" "quorum 5: " "job set id 7 quorum 5"
refuse "dead before the timeout" "dead-after 9ms: " "job add id 8 $new timeout 10ms dead-after 9ms"
refuse "no timers" "timers 0 is out of range: the kernel takes 1 to 1024" "job add id 8 $new timers 0"
refuse "timers out of range" "timers 1025 is out of range" "job add id 8 $new timers 1025"
refuse "burst below a packet" "rate bytes 1gbit burst 63k: " "job add id 8 $new rate bytes 1gbit burst 63k"
refuse "set: burst below a packet" "rate bytes 1gbit burst 63k: " "job set id 7 rate bytes 1gbit burst 63k"
refuse "set: share of no job" "no job 8" "job set id 8 quorum 50%"
up="$new ranks 8 parent 10.0.0.9 source 0"
refuse "ranks out of range" "ranks 4097 is out of range: the kernel takes 0 to 4096" "job add id 8 $new ranks 4097"
refuse "fewer ranks than sources" "ranks 3: .*4 sources" "job add id 8 $new ranks 3"
refuse "ranks of a format of one box" "ranks 8: .*leave ranks away" \
	"job add id 8 $new ranks 8 format panama"
refuse "parent without ranks" "parent 10.0.0.9: .*how many ranks" "job add id 8 $new parent 10.0.0.9 source 0"
refuse "parent without a source" "parent 10.0.0.9: .*which source" "job add id 8 $new ranks 8 parent 10.0.0.9"
refuse "source of no parent" "source 0: .*no parent" "job add id 8 $new ranks 8 source 0"
refuse "port of no parent" "parent-port 9: .*no parent" "job add id 8 $new ranks 8 parent-port 9"
refuse "device of no parent" "parent-dev w1: .*no parent" "job add id 8 $new ranks 8 parent-dev w1"
refuse "VLAN of no parent" "parent-vlan 9: .*no parent" "job add id 8 $new ranks 8 parent-vlan 9"
refuse "parent that is itself" "parent 10.77.1.254: .*its own parent" "job add id 8 ${up/10.0.0.9/10.77.1.254}"
refuse "parent at another address of this box" "parent 10.77.2.254: .*one of this box" \
	"job add id 8 ${up/10.0.0.9/10.77.2.254}"
refuse "sources out of range" "sources 257 is out of range: the kernel takes 1 to 256" \
	"job add id 8 sources 257 blocks 64 grads 256 address 10.77.1.254"
refuse "no sources" "sources 0 is out of range" "job add id 8 sources 0 blocks 64 grads 256 address 10.77.1.254"
refuse "blocks out of range" "blocks 65537 is out of range: the kernel takes 1 to 65536" \
	"job add id 8 sources 4 blocks 65537 grads 256 address 10.77.1.254"
refuse "blocks no power of two" "blocks 63: .*power of two" \
	"job add id 8 sources 4 blocks 63 grads 256 address 10.77.1.254"
refuse "grads out of range" "grads 2049 is out of range: the kernel takes 1 to 2048" \
	"job add id 8 sources 4 blocks 64 grads 2049 address 10.77.1.254"
refuse "job at a multicast address" "address 239.1.1.1: .*unicast" \
	"job add id 8 sources 4 blocks 64 grads 256 address 239.1.1.1"
refuse "job at no address" "address 0.0.0.0: .*unicast" \
	"job add id 8 sources 4 blocks 64 grads 256 address 0.0.0.0"
refuse "group that is none" "group 10.0.0.1: .*multicast" "job add id 8 $new group 10.0.0.1"
refuse "set: group that is none" "group 10.0.0.1: .*multicast" "job set id 7 group 10.0.0.1"
refuse "set: group of the wrong family" "group ff02::1: .*IPv4" "job set id 7 group ff02::1"
refuse "set: no such job" "no job 8" "job set id 8 port 1"
refuse "del: no such job" "no job 8" "job del id 8"
refuse "show: no such job" "no job 8" "job show id 8"
refuse "source of no job" "no job 8" "source add job 8 id 0 address 10.77.1.1"
refuse "source id in use" "source add job 7 id 0: " "source add job 7 id 0 address 10.77.2.9"
refuse "source beyond the job's" "job 7 has 4 sources" "source add job 7 id 4 address 10.77.2.9"
refuse "source of the wrong family" "address fd77:1::1: .*IPv4" "source add job 7 id 1 address fd77:1::1"
refuse "source at another's address" "source 2 of job 7 has this address" "source add job 7 id 1 address 10.77.2.1 port 13000"
refuse "set: no such source" "source 1 of job 7" "source set job 7 id 1 address 10.77.2.9"
refuse "set: source without a change" "source set job 7 id 0: " "source set job 7 id 0"
refuse "del: no such source" "source 1 of job 7" "source del job 7 id 1"
refuse "show: no such source" "source 1 of job 7" "source show job 7 id 1"
refuse "source on no device" "no device eth99" "source add job 7 id 1 address 10.77.2.9 dev eth99"
refuse "block show: no such job" "no job 8" "block show job 8"
refuse "flush: no such job" "no job 8" "source flush job 8"
refuse "no such device" "no device eth99 in this network namespace" "port attach dev eth99 mode xdp"
refuse "detach: no such device" "no device eth99" "port detach dev eth99"
refuse "detach: no port" "w2.*: " "port detach dev w2"
refuse "show: no port" "w2.*: " "port show dev w2"
refuse "no XDP in the driver" "driver of lo has no XDP of its own .*: use mode generic or tc" \
	"port attach dev lo mode xdp"

quota() {
	refused 1 "job add id 8: .*MiB" \
		weir job add id 8 sources 1 blocks 65536 grads 2048 address 10.77.1.254
}
ktap_run "memory beyond the limit" quota

# Requests that the tool does not make.
ktap_run "raw: unknown command" refused 1 "E(OP)?NOTSUPP?" raw 200
ktap_run "raw: unknown attribute" refused 1 "EINVAL .*[Uu]nknown attribute" raw job-del 1:u32:7 99:u32:1
ktap_run "raw: attribute of another request" refused 1 "EINVAL" raw job-del 1:u32:7 5:u32:1
ktap_run "raw: attribute too short" refused 1 "(EINVAL|ERANGE)" raw job-del 1:hex:0700
ktap_run "raw: attribute too long" refused 1 "(EINVAL|ERANGE)" raw job-del 1:hex:0700000000000000
ktap_run "raw: id out of range" refused 1 "ERANGE .*out of range" raw job-del 1:u32:256
ktap_run "raw: type out of range" refused 1 "ERANGE" raw job-add 1:u32:8 3:u32:7 5:u32:1 6:u32:1 7:u32:1 8:hex:0a4d01fe
ktap_run "raw: no id" refused 1 "EINVAL ." raw job-del
ktap_run "raw: no address" refused 1 "EINVAL ." raw job-add 1:u32:8 5:u32:1 6:u32:1 7:u32:1
ktap_run "raw: address of five bytes" refused 1 "EINVAL .*4 bytes" raw job-add 1:u32:8 5:u32:1 6:u32:1 7:u32:1 8:hex:0a4d01fe00
ktap_run "raw: source without an address" refused 1 "EINVAL ." raw source-add 1:u32:7 2:u32:1
ktap_run "raw: device number of zero" refused 1 "(ERANGE|EINVAL)" raw port-add 1:u32:0 3:u32:1
ktap_run "raw: no such device" refused 1 "ENODEV ." raw port-add 1:u32:99999 3:u32:1
ktap_run "raw: a mode that is none" refused 1 "ERANGE" raw port-add 1:u32:1 3:u32:4

# Without rights. Root with fewer in its bounding set has fewer after an exec.
powerless() { setpriv --bounding-set=-net_admin --inh-caps=-net_admin "$tool" -n "$net" "$@"; }
for words in "job add id 8 $new" "job set id 7 port 1" "job del id 7" "job flush" \
	"source add job 7 id 1 address 10.77.2.9" "source set job 7 id 0 port 9" "source del job 7 id 0" \
	"source flush job 7" "port attach dev w2 mode xdp" "port attach dev w2 mode tc" \
	"port detach dev w1" "port flush"; do
	# shellcheck disable=SC2086 # words
	ktap_run "no CAP_NET_ADMIN: ${words%% id*}" refused 1 "not permitted.*CAP_NET_ADMIN" powerless $words
done
ktap_run "no CAP_NET_ADMIN: show" bash -c '[[ $(setpriv --bounding-set=-net_admin --inh-caps=-net_admin "$1" -n "$2" -j job show) == \[\{* ]]' - "$tool" "$net"

# The monitor.
weir -j monitor >"$work/events" 2>"$work/monitor-errors" &
monitor=$!
stop_monitor() { kill "$monitor" 2>/dev/null || true; }
at_exit stop_monitor
heard() { gojq -se "any(.[]; $1)" "$work/events" >/dev/null 2>&1; }
# It listens when it has heard of something.
listening() { weir job set id 7 port 4242 && heard '.event == "job"'; }
monitor_hears() {
	poll 60 listening || { cat "$work/monitor-errors"; return 1; }
	weir job add id 100 sources 1 blocks 1 grads 1 address 10.77.1.254 &&
		weir source add job 100 id 0 address 10.77.1.77 && weir source set job 100 id 0 port 99 &&
		weir source del job 100 id 0 && weir job del id 100 &&
		weir port attach dev w2 mode generic && weir port detach dev w2 || return
	poll 60 heard '.event == "port-del" and .dev == "w2"' || { cat "$work/events"; return 1; }
	if heard '.event == "job" and .id == 100 and .address == "10.77.1.254"' &&
		heard '.event == "source" and .job == 100 and .address == "10.77.1.77"' &&
		heard '.event == "source" and .job == 100 and .port == 99' &&
		heard '.event == "source-del" and .id == 0' &&
		heard '.event == "job-del" and .id == 100 and .stats.contributions == 0' &&
		heard '.event == "port" and .dev == "w2" and .mode == "generic"' &&
		gojq -se 'all(.[]; .time | test("^[0-9-]+T[0-9:.]+Z$"))' "$work/events"; then
		return 0
	fi
	cat "$work/events"
	return 1
}
ktap_run "monitor hears of all" monitor_hears

# Lists that change while they are read.
churn() {
	local id
	for ((id = 101; id < 130; id++)); do
		weir job add id "$id" sources 1 blocks 1 grads 1 address 10.77.1.254 || return
	done
	for ((id = 101; id < 130; id++)); do
		weir job del id "$id" || return
	done
}
dumps() {
	local out
	while [[ -e $work/churning ]]; do
		out=$(weir -j job show) || return
		gojq -e '[.[].id] as $ids | $ids == ($ids | unique) and ($ids | index(7) != null and index(255) != null)' \
			<<<"$out" >/dev/null || { echo "$out"; return 1; }
	done
}
dumps_while_adding() {
	local first second status=0
	touch "$work/churning"
	dumps & first=$!
	dumps & second=$!
	churn || status=1
	rm "$work/churning"
	wait "$first" || status=1
	wait "$second" || status=1
	return "$status"
}
ktap_run "two dumps while jobs come and go" dumps_while_adding

# A namespace sees its own objects only.
ktap_run "another namespace has none" bash -c '[[ $("$1" -n "$2" -j job show) == "[]" ]]' - "$tool" "$(ns_name w1)"

# The doctor.
doctor_says() {
	local filter=$1
	weir -j doctor >"$work/doctor"
	gojq -e "$filter" "$work/doctor" >/dev/null || { cat "$work/doctor"; return 1; }
}
doctor_ill() {
	doctor_says '.fail > 0 and (.checks | any(.check == "sources" and .subject == "job 7"
		and .status == "fail" and (.fix | test("source add job 7 id 1"))))' || return
	weir doctor >/dev/null && return 1
	ip -n "$net" link set dev w1 xdp off &&
		doctor_says '.checks | any(.check == "program" and .subject == "port w1" and .status == "fail")'
}
doctor_well() {
	weir port flush && weir job flush &&
		weir job add id 1 sources 2 blocks 64 grads 256 address 10.77.1.254 &&
		weir source add job 1 id 0 address 10.77.1.1 && weir source add job 1 id 1 address 10.77.2.1 &&
		weir port attach dev w1 mode xdp && weir port attach dev w2 mode tc || return
	in_router ping -c 1 -W 60 10.77.1.1 >/dev/null && in_router ping -c 1 -W 60 10.77.2.1 >/dev/null || return
	weir doctor job 1 >"$work/text" || { cat "$work/text"; return 1; }
	doctor_says '.fail == 0 and (.checks | any(.check == "routes" and (.found | test("2 of 2"))))
		and (.checks | any(.check == "program" and .subject == "port w2" and .status == "ok"))'
}
# In text what is wrong with two ports is said once.
doctor_folds() {
	weir doctor >"$work/text"
	grep -A 2 '^fail  port w1: mtu: MTU 1500, job 2 with 1024 grads needs 4140$' "$work/text" | tail -n 1 |
		grep -qx '      likewise port w2' && (($(grep -c 'needs 4140$' "$work/text") == 1)) && return
	cat "$work/text"
	return 1
}
# w1's dropped packets, by its own counter: while the star was set up a packet may have met an
# end that was not up yet. doctor names them all.
w1_dropped() { ip -n "$net" -j -s link show dev w1 | gojq '.[0].stats64.tx.dropped'; }
doctor_names_drops() {
	local dropped
	dropped=$(w1_dropped) || return
	doctor_says "[.checks[] | select(.check == \"drops\" and .subject == \"port w1\")] |
		if $dropped == 0 then . == [] else .[0].status == \"warn\" and
			(.[0].found | test(\"dropped $dropped packets that were to leave\")) end"
}
# The other end of w1 does not take what w1 sends.
doctor_drops() {
	local before
	before=$(w1_dropped) || return
	poll 60 doctor_names_drops && ip -n "$net" link set dev w1 xdp off && weir port attach dev w1 mode tc &&
		ip -n "$net" link set dev w1 mtu 4000 && in_router ping -c 3 -i 0.05 -W 1 -s 2000 -M "do" 10.77.1.1 >/dev/null
	(($(w1_dropped) > before)) && poll 60 doctor_names_drops &&
		ip -n "$net" link set dev w1 mtu 1500 && weir port attach dev w1 mode xdp
}
doctor_offloads() {
	doctor_says '.checks | any(.check == "offloads" and .subject == "port w2" and .status == "ok")' &&
		in_router ethtool -K w2 sg off >/dev/null &&
		doctor_says '.checks | any(.check == "offloads" and .subject == "port w2" and .status == "warn" and (.found | test("tx-scatter-gather")) and (.fix | test("ethtool -K w2.* sg on")))' &&
		in_router ethtool -K w2 sg on >/dev/null
}
doctor_mtu() {
	weir job add id 2 sources 1 blocks 4 grads 1024 address 10.77.1.254 &&
		doctor_says '.checks | any(.check == "mtu" and .status == "fail" and (.fix | test("mtu 4140.*at most 364 grads$")))' &&
		weir job set id 2 policy partial timeout 10ms &&
		doctor_says '.checks | any(.check == "mtu" and .status == "fail" and (.fix | test("mtu 4140")))' && doctor_folds && weir job del id 2 &&
		weir job add id 2 sources 33 blocks 4 grads 727 dtype bfloat16 address 10.77.1.254 &&
		doctor_says '.checks | any(.check == "mtu" and .status == "fail" and (.found | test("needs 1502")) and (.fix | test("at most 726 grads$")))' && weir job del id 2 &&
		weir job add id 2 sources 33 blocks 4 grads 726 dtype bfloat16 address 10.77.1.254 &&
		doctor_says '.checks | any(.check == "mtu" and .status == "ok" and (.found | test("job 2 with 726 grads needs 1500")))' &&
		weir job del id 2
}
ktap_run "doctor finds what is wrong" doctor_ill
ktap_run "doctor finds nothing wrong" doctor_well

# Traffic, for its counters and events.
# says WORKER HEX: a worker sends this to job 1. In one datagram, where printf would write
# what comes before a line feed, and what comes behind it.
says() {
	in_worker "$1" bash -c 'printf "%b" "$1" |
		dd iflag=fullblock bs=1500 status=none >/dev/udp/10.77.1.254/12000' - \
		"$(sed 's/ //g; s/../\\x&/g' <<<"$2")"
}
# Each is given a cookie and brings it. The first one is asked again, as the second one's
# number is new.
join_both() {
	/usr/bin/python3 - "$here/../netns" "$(ns_name w1)" "$(ns_name w2)" <<-'END'
		import sys
		sys.path.insert(0, sys.argv[1])
		from trio import Worker
		workers = [Worker(n, "10.77.1.254", 1, i) for i, n in enumerate(sys.argv[2:])]
		for i in (0, 1, 0):
		    workers[i].join(42, 2, 1)
	END
}
joins() {
	join_both || return
	poll 60 heard '.event == "generation" and .job == 1 and .generation > 0' ||
		{ cat "$work/events"; weir job show id 1; return 1; }
	json '.[0] | .stats.joins == 5 and .stats.answers == 4 and .generation > 0' job show id 1
}
counted() { json '.[0].stats | .contributions == 2 and .gradients == 2 and .blocks == 1 and .results >= 2' job show id 1; }
contributes() {
	local generation
	generation=$(weir -j job show id 1 | gojq '.[0].generation') || return
	generation=$(printf '%04x' "$generation")
	says 1 "01 00000000 00 00 01 $generation 0001 00000003" &&
		says 2 "01 00000000 00 01 01 $generation 0001 00000004" || return
	poll 60 counted >/dev/null || { counted; return 1; }
	json '.[0].stats.contributions == 1' source show job 1 id 1 &&
		json '.[0].stats.contributions == 1' port show dev w2
}
spoofed() { json '.stats.refusals.spoofed == 1' stats; }
spoofs() {
	says 1 "01 00000001 00 01 01 0001 0001 00000004" && poll 60 spoofed || return
	json '.[0].stats.refusals == {"spoofed": 1}' port show dev w1 &&
		weir job show id 1 | grep -qx "    refused spoofed 1" &&
		weir stats | grep -qE '^ +refused 1  spoofed: ' &&
		doctor_says '.checks | any(.check == "refusals" and .status == "warn" and (.found | test("spoofed")))'
}
# An open block, until the second source is in it too.
waits() { json 'length == 1 and (.[0] | .job == 1 and .id == 7 and .received == 1 and .grads == 1)' block show job 1; }
blocks_open() {
	local generation
	generation=$(printf '%04x' "$(weir -j job show id 1 | gojq '.[0].generation')") || return
	says 1 "01 00000007 00 00 01 $generation 0001 00000003" || return
	poll 60 waits >/dev/null || { waits; return 1; }
	json '.[0] | .age > 0 and ."missing-ranks" == [1] and .generation > 0' block show &&
		weir block show | grep -qE "^block job 1 id 7 generation [0-9]+ grads 1 age [0-9.]+[num]?s received 1 missing-ranks 1$" &&
		json '.[0].open == 1' job show id 1 && json 'map(.missing) == [0, 1]' source show job 1 || return
	says 2 "01 00000007 00 01 01 $generation 0001 00000004" && poll 60 json '. == []' block show >/dev/null
}
lateness_counts() {
	json 'map(.lateness | map(.contributions) | add) == [2, 2]' source show job 1 &&
		weir -s source show job 1 id 1 | grep -qE "^ +[0-9.]+[nmu]?s? - [0-9.]*[mu]?s? +[12] #+$"
}
top_shows() {
	weir top interval 100ms count 2 >"$work/text" || return
	if [[ $(grep -c '^weir top ' "$work/text") != 2 ]] || grep -q $'\033' "$work/text" ||
		! grep -qE '^  1      2/2 wait ' "$work/text" ||
		! grep -qE '^  1    1 10.77.2.1 +active ' "$work/text"; then
		cat "$work/text"
		return 1
	fi
	json '(.jobs | map(.id) == [1]) and (.sources | map(.id) | sort == [0, 1])
		and ."memory-limit" > .memory and .interval >= 100000' top interval 100ms count 1
}
# Source 0 sends block after block, which time out for want of source 1. While that one
# asks for results it is a straggler, and in time it recovers; then it is silent.
next_block=7
late_block() {
	next_block=$((next_block + 1))
	says 1 "01 $(printf '%08x' "$next_block") 00 00 01 $1 0001 00000003"
}
straggles() {
	late_block "$1" && says 2 "01 $(printf '%08x' "$next_block") 00 01 01 $1 0000" &&
		heard '.event == "straggler" and .job == 1 and .source == 1 and .straggles > 0' &&
		json '.[1].state == "straggler"' source show job 1 >/dev/null
}
recovers() {
	late_block "$1" && says 2 "01 $(printf '%08x' "$next_block") 00 01 01 $1 0001 00000004" &&
		heard '.event == "recovered" and .job == 1 and .source == 1'
}
# It may have been dead before, where it was slow to recover.
dies() {
	late_block "$1" && heard '.event == "dead" and .job == 1 and .source == 1' &&
		json '.[1].state == "dead"' source show job 1 >/dev/null
}
# until_heard CONDITION GENERATION WORDS: the job is set so, and the condition comes to pass.
until_heard() {
	local condition=$1 generation=$2 words
	read -r -a words <<<"$3"
	weir job set id 1 "${words[@]}" && poll 180 "$condition" "$generation" && return
	echo "$condition: in vain"
	cat "$work/events"
	weir source show job 1
	return 1
}
# A period of dead-after is long enough for some blocks and questions to come in it.
sources_are_late() {
	local generation
	generation=$(printf '%04x' "$(weir -j job show id 1 | gojq '.[0].generation')") || return
	until_heard straggles "$generation" "policy partial timeout 100ms dead-after 10s" &&
		until_heard recovers "$generation" "timeout 3s dead-after 4s" &&
		until_heard dies "$generation" "timeout 20ms dead-after 100ms" || return
	doctor_says '.checks | any(.check == "state" and .subject == "source 1 of job 1" and .status == "warn")' &&
		json '.[0].stats | .degraded > 0 and .aged > 0 and .straggles > 0' job show id 1
}
ktap_run "monitor hears of a generation" joins
ktap_run "counters count" contributes
ktap_run "refusals are named" spoofs
ktap_run "open blocks are shown" blocks_open
ktap_run "lateness is counted" lateness_counts
ktap_run "top shows what there is" top_shows
ktap_run "monitor hears of late sources" sources_are_late
doctor_udp() {
	weir job set id 1 port 12001 &&
		doctor_says '.checks | any(.check == "udp" and .subject == "port w1" and .status == "fail")' &&
		weir port attach dev w1 mode xdp udp 12000 udp 12001 &&
		doctor_says '.checks | any(.check == "udp" and .subject == "port w1" and .status == "ok")'
}
ktap_run "doctor knows the MTU" doctor_mtu
ktap_run "doctor knows the UDP ports" doctor_udp
ktap_run "doctor knows of offloads that are off" doctor_offloads
ktap_run "doctor knows of devices that drop" doctor_drops

stats() {
	json '.jobs == 1 and .ports == 2 and .memory > 0 and ."memory-limit" > .memory
		and (.stats.refusals | .runt == 0 and has("duplicate"))' stats &&
		! weir stats | grep -q runt
}
ktap_run "stats" stats

# A plan's commands are taken by the boxes, whatever the format: each box's by itself, as the addresses of
# several are not this one's.
obeys() {
	local words
	while read -r -a words; do
		"${words[@]}" || return
	done <"$1"
}
plan_taken() {
	local job box
	for job in "id 20 blocks 64 grads 256" "id 20 trees 3 blocks 64 grads 256" "id 32 trees 16 format panama blocks 64 grads 256" \
		"id 20 format kv keys 1000 parent 10.9.9.9" "id 20 format kv keys 1000 parent 10.9.9.9 op max dtype float32"; do
		cat >"$work/plan" <<-END
			rate 1gbit
			box leaf1 address 10.88.1.254
			box leaf2 address 10.88.2.254
			worker a address 10.77.1.1
			worker b address 10.77.1.2
			worker c address 10.77.2.1
			worker d address 10.77.2.2
			link a leaf1
			link b leaf1
			link c leaf2
			link d leaf2
			link leaf1 leaf2
			job $job
		END
		for box in leaf1 leaf2; do
			weir plan "$work/plan" for "$box" >"$work/commands" || return
			if ! obeys "$work/commands"; then
				cat "$work/commands"
				return 1
			fi
			json "map(.id) == [$(grep -o 'job add id [0-9]*' "$work/commands" | grep -o '[0-9]*$' | paste -sd,)]" job show && weir job flush || return
		done
	done
}
weir job flush
ktap_run "boxes take the commands of plans" plan_taken

# At last: without ports the modules can go, and the tool says so. Without aggregation, the others work.
module_gone() {
	weir port flush && poll 60 rmmod weir || return
	refused_without "job show" && refused_without "port attach dev w1 mode xdp" || return
	[[ $(weir save) == *"end of 0 commands" ]] && weir stats >/dev/null && weir top count 1 >/dev/null && weir metrics >/dev/null || return
	modules_go 60 && poll 60 grep -qE "the (weir|sch_weir|weir_xdp) module was unloaded" "$work/monitor-errors"
}
refused_without() {
	local err words
	read -r -a words <<<"$1"
	err=$(weir "${words[@]}" 2>&1)
	if (($? != 1)) || [[ $err != *"the weir module is not loaded in this kernel: run \`modprobe weir\`"* ]]; then
		echo "$err"
		return 1
	fi
}
ktap_run "module goes" module_gone

ktap_end
