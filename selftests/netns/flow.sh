#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Flows of a router's device, as the tool shows and reports them. Counts of frames that are made for
# it are test-flow's. To be run in the virtual machine: it unloads and loads the module.
set -u

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd) || exit 1
root=$(cd "$here/../.." && pwd) || exit 1
# shellcheck source=../lib/ktap.sh
. "$here/../lib/ktap.sh"
# shellcheck source=../lib/module.sh
. "$here/../lib/module.sh"
# shellcheck source=../lib/netns.sh
. "$here/../lib/netns.sh"
# shellcheck source=box.sh
. "$here/box.sh"

users=$root/build/bpf/users.bpf.o

chained() { box_stat '[.[] | "\(.prio):\(.name)"] | join(" ")' chain show dev "$1"; }
is_chained() { [[ $(chained "$1") == "$2" ]] || { echo "the chain of $1 has: $(chained "$1")"; return 1; }; }
# stat DEV FIELD
stat() { box_stat ".[] | select(.dev == \"$1\") | .$2" flow stats; }
# record PORT FIELD: of w1's flow to this port.
record() { weir -j flow show dev w1 | gojq -r "[.[] | select(.dport == $1) | .$2] | add // empty"; }
# refuses WORDS COMMAND...: it fails and says so.
refuses() {
	"${@:2}" 2>"$box_out/said" && { echo "this was taken: ${*:2}"; return 1; }
	grep -q "$1" "$box_out/said" || { cat "$box_out/said"; return 1; }
}
# sends PORT COUNT: datagrams of 136 bytes.
sends() { in_worker 1 trim-traffic send "$(worker_addr 2)" --port "$1" --count "$2" --size 100 >"$box_out/sent"; }
# counts PORT PACKETS: of datagrams that it takes some time to forward.
counts() { [[ $(record "$1" packets) == "$2" && $(record "$1" bytes) == $(($2 * 128)) ]]; }
will_count() { poll 60 counts "$@" || { weir flow show; return 1; }; }

recorded() {
	weir flow on dev w1 idle 600s && is_chained w1 "70:weir_flow" && sends 5001 50 && sends 5002 7 && will_count 5001 50 && will_count 5002 7 || return
	[[ $(weir -j flow show dev w1 top 1 | gojq -r '.[0].dport') == 5001 && $(record 5001 src) == "$(worker_addr 1)" ]] || return
	weir flow show top 1 | grep -q "^dev w1 udp src $(worker_addr 1):[0-9]* dst $(worker_addr 2):5001 packets 50 bytes 6400 first "
}

# An echo request has no ports; both ways are flows, and each device has those that come in by it.
of_pings() {
	box_pings 1 2 100 && [[ $(weir -j flow show dev w1 by packets | gojq -r '[.[] | select(.proto == "icmp")][0].packets') == 100 ]]
}

connects() {
	local pid=''
	in_worker 2 socat -u TCP-LISTEN:5003,reuseaddr "CREATE:$box_out/taken" & pid=$!
	poll 60 in_worker 1 socat -u "FILE:$box_out/given" "TCP:$(worker_addr 2):5003" 2>/dev/null && weir -j flow show dev w1 >"$box_out/flows" && wait "$pid" && cmp "$box_out/given" "$box_out/taken"
}
# A connection, of which none is missing. Its record ends a second after it: who looks later than
# that looks at another one.
of_tcp() {
	local again try
	head -c 300000 /dev/urandom >"$box_out/given"
	for try in {1..10}; do
		again=$(sent_again)
		connects || return
		again=$(($(sent_again) - again))
		gojq -e 'any(.[]; .dport == 5003)' "$box_out/flows" >/dev/null && break
	done
	gojq -e --argjson again "$again" 'any(.[]; .dport == 5003 and .flags == "FSPA" and .gaps == 0 and
		.repeated <= $again and .bytes > 300000)' "$box_out/flows" >/dev/null && return
	echo "connection $try: $again were sent again"
	gojq -c '.[] | select(.dport == 5003)' "$box_out/flows"
	return 1
}
# A machine that is slow has TCP send what was not lost.
sent_again() { box_counter 1 TcpRetransSegs; }

beside_others() {
	weir chain add dev w1 prio 10 program "$users" section users_drop && sends 5555 20 && weir chain del dev w1 prio 10 && sends 5555 3 && will_count 5555 3 || return
	weir port attach dev w1 mode xdp && is_chained w1 "70:weir_flow 100:weir_xdp" && box_pings 1 2 20 && weir port detach dev w1 && is_chained w1 "70:weir_flow"
}

# Recording comes and goes, and each packet arrives.
under_load() {
	local pid i
	box_pings 1 2 2000 & pid=$!
	for ((i = 0; i < 10; i++)); do
		weir flow off dev w1 || break
		weir flow on dev w1 flows 64 idle 1s || break
	done
	((i == 10)) && wait "$pid" && return
	cat "$box_out/ping"
	return 1
}

ended() { [[ $(stat w1 records) == 0 ]]; }
ages() { sends 5005 10 && (($(stat w1 created) >= 1)) && poll 60 ended && (($(stat w1 idle) >= 1)) && [[ -z $(record 5005 packets) ]]; }

changed() {
	weir flow on dev w1 idle 20s active 120s sample 3 trimmed-dscp 45,cs1 && [[ $(weir flow stats dev w1) == *" sample 3 idle 20s active 120s trimmed-dscp 8,45 "* ]] &&
		weir flow on dev w1 sample 1 && [[ $(stat w1 sample) == 1 ]]
}

refusals() {
	refuses "room for [0-9]* flows" weir flow on dev w1 flows 65 && refuses "has no flows recorded" weir flow off dev w2 && refuses "there is no device nothing" weir flow on dev nothing &&
		refuses "is the place of weir's own" weir chain del dev w1 prio 70 && refuses "out of range" weir flow show top 10001 && refuses "has no flows recorded" weir flow show dev w2 &&
		refuses "unit" weir flow on dev w1 idle 5
}

saved() { weir save | grep '^weir flow'; }
kept() {
	local is="weir flow on dev w1 flows 64 sample 1 idle 20s active 120s trimmed-dscp 8,45 mode xdp"
	[[ $(saved) == "$is" ]] || { saved; return 1; }
	weir save >"$box_out/kept" && weir flush all && [[ $(weir save) == *"end of 0 commands" && -z $(chained w1) ]] && weir restore "$box_out/kept" && [[ $(saved) == "$is" ]] && is_chained w1 "70:weir_flow" || return
	sed 's/idle 20s/idle 9s/' "$box_out/kept" >"$box_out/other" && weir restore "$box_out/other" && [[ $(stat w1 idle) == 9000000 || $(weir flow stats) == *"idle 9s"* ]] || return
	sed 's/flows 64/flows 128/' "$box_out/kept" >"$box_out/other" && weir restore "$box_out/other" && [[ $(stat w1 flows) == 128 ]]
}

upgraded() { command weir upgrade "$root/build/kmod-$(uname -r)/weir_xdp.ko" && is_chained w1 "70:weir_flow" && sends 5006 5 && will_count 5006 5; }

hears() { weir flow on dev w3 && weir flow off dev w3 && poll 2 grep -q ' flow-del flow dev w3 ' "$box_out/events"; }
watched() {
	monitored poll 60 hears && weir doctor | grep -q "ok *flow w1.*hands it packets" && weir metrics >"$box_out/metrics" && grep -q '^weir_flow_packets_total{port="w1"} [1-9]' "$box_out/metrics"
}

# Packets do not come to the table any more; the next command brings them back.
cut_off() {
	in_router ip link set dev w1 xdp off && weir doctor | grep -q "fail *chain w1" && weir flow on dev w1 || return
	weir chain move dev w1 prio 70 to 70 2>/dev/null
	weir flow off dev w1 && weir flow on dev w1 && sends 5007 4 && will_count 5007 4
}

# totals DIR: flows, packets and bytes that the collector has.
totals() { nfdump -R "$1" -q -o 'fmt:%pkt %byt' -N | awk '{ n++; packets += $1; bytes += $2 } END { print n + 0, packets + 0, bytes + 0 }'; }
listens() { in_router ss -Hlun "sport = :$1" | grep -q .; }
collected() {
	mkdir -p "$box_out/$2"
	nsenter --net="/run/netns/$(ns_name router)" -- nfcapd -w "$box_out/$2" -p "$3" -t 3600 >"$box_out/nfcapd" 2>&1 & collector=$!
	poll 60 listens "$3" || { cat "$box_out/nfcapd"; return 1; }
	nsenter --net="/run/netns/$(ns_name router)" -- weir-flow-export "$1" "$3" >"$box_out/exports" 2>&1 & exporter=$!
	poll 60 grep -q "^sends records" "$box_out/exports"
}
# The collector has taken all datagrams: it looks whether to end before it counts the one in its hands,
# and has counted that one when a program more has run.
drained() { in_router ss -Hlun 'sport = :9995' | awk '$2 != 0 { waits = 1 } END { exit !NR || waits }'; }
# Each packet is in the collector's totals, by each reason to report it.
exported() {
	local collector exporter made
	weir flow off dev w1
	collected 127.0.0.1 nf 9995 && weir flow on dev w1 idle 2s active 1s && refuses "another socket" in_router weir-flow-export 127.0.0.1 9995 || return
	sends 6001 300 && sends 6002 12 && box_pings 1 2 50 && sends 6001 5 && poll 60 ended || return
	made=$(weir -j flow stats dev w1 | gojq -r '.[0].stats // .[0] | "\(.packets) \(.bytes) \(.lost)"')
	kill "$exporter"
	wait "$exporter" || { cat "$box_out/exports"; return 1; }
	poll 60 drained && drained || return
	kill "$collector"
	wait "$collector"
	[[ "$(totals "$box_out/nf" | cut -d' ' -f2-) 0" == "$made" ]] && return
	echo "made $made, collected $(totals "$box_out/nf")"
	return 1
}

no_program_left() { ! bpftool prog show | grep -q 'weir_'; }
device_goes() {
	weir flow on dev w4 && ip -n "$(ns_name w4)" link del eth0 && [[ -z $(stat w4 flows) && -z $(chained w4) ]]
}

ktap_header
star_create 4 1500
ktap_run "datagrams of two flows" recorded
ktap_run "echo requests" of_pings
ktap_run "a connection" of_tcp
ktap_run "behind and before other programs of the chain" beside_others
ktap_run "recording comes and goes under load" under_load
ktap_run "records end" ages
ktap_run "other settings" changed
ktap_run "what cannot be is refused" refusals
ktap_run "recording is saved and restored" kept
ktap_run "another module under it" upgraded
ktap_run "monitor, doctor and metrics know it" watched
ktap_run "somebody takes the program off the device" cut_off
if command -v nfcapd >/dev/null && command -v weir-flow-export >/dev/null; then
	ktap_run "a collector has each packet" exported
else
	ktap_skip "a collector has each packet" "there is no nfcapd, or no libfixbuf for weir-flow-export"
fi
ktap_run "a device goes, and its table with it" device_goes
star_delete
ktap_run "no program is left when the namespace is gone" poll 60 no_program_left
ktap_run "the module goes and comes" module_goes 20
ktap_end
