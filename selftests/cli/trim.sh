#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Trimming, with the module: policies come with the programs and qdiscs that bring
# packets to them, and go with them; other programs and qdiscs on a device stay;
# refusals change nothing.
set -u

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd) || exit 1
root=$(cd "$here/../.." && pwd) || exit 1
# shellcheck source=../lib/ktap.sh
. "$here/../lib/ktap.sh"
# shellcheck source=../lib/netns.sh
. "$here/../lib/netns.sh"
# shellcheck source=tool.sh
. "$here/tool.sh"

work=$(mktemp -d) || exit 1
at_exit rm -rf "$work"
pin=/sys/fs/bpf/trim_$$

ktap_header
if [[ ! -e /sys/module/weir ]]; then
	ktap_skip "trimming with the module" "the module is not loaded"
	ktap_end
fi
# Hook xdp forwards whole checksums alone.
{ star_create 3 && star_each ethtool -K eth0 tx off >/dev/null; } || ktap_fail "networks are made"
net=$(ns_name router)

# Words before the tool: how it is to be run.
as=()
weir() { "${as[@]}" "$tool" -n "$net" "$@"; }
tcx() { ip netns exec "$net" "$here/tcx" "$@"; }

# The state that a refusal must not change. Counters go on, as the stack sends
# packets of its own.
state() {
	weir -j trim show | gojq -c 'map(del(.stats, ."data-depth", ."header-depth", .direct))'
	ip -n "$net" -j -d link show | gojq -c 'map([.ifname, .xdp.prog.id])'
	tc -n "$net" -batch - <<-END
		qdisc show
		filter show dev w1 egress
		filter show dev w2 egress
	END
	tcx_list w1 egress
	tcx_list w2 egress
}

rule=(rule "proto=udp,dscp=af11" dscp cs6)

root_of() { tc -n "$net" -j qdisc show dev "$1" | gojq -r '.[] | select(.root) | "\(.kind) \(.handle)"'; }
in_tcx() { tcx_list "$1" "$2" | grep -cx "$3"; }
filters_on() { tc -n "$net" filter show dev "$1" "$2" | grep -c "$3:\["; }
clsact_on() { tc -n "$net" qdisc show dev "$1" | grep -c clsact; }
xdp_on() { ip -n "$net" -j -d link show dev "$1" | gojq -r '.[0].xdp.prog | if . then "\(.name) \(.id)" else "none" end'; }
no_xdp() { ip -n "$net" -j -d link show | gojq -e 'all(.[]; .xdp.prog | not)' >/dev/null; }
unharmed() {
	json '. == []' trim show && [[ $(root_of w1) == "noqueue 0:" ]] &&
		(($(clsact_on w1) == 0 && $(in_tcx w1 egress weir_trim) == 0)) && no_xdp
}

# The qdisc.
qdisc_set() {
	weir trim set dev w1 hook qdisc "${rule[@]}" limit 18kb &&
		json '.[0] | .dev == "w1" and .hook == "qdisc" and .size == 128 and .dscp == 48
			and .limit == 0 and ."limit-bytes" == 18432 and .share == "ratio" and ."share-value" == 10
			and .rule == [{"dscp": 10, "dscp-last": 10, "proto": 17}] and ."disable-trim" == []
			and .stats.trim == 0' trim show dev w1 &&
		[[ $(root_of w1) == "weir 7765:" ]]
}
qdisc_change() {
	weir trim set dev w1 size 200 share strict limit 12 &&
		json '.[0] | .size == 200 and .share == "strict" and .limit == 12 and ."limit-bytes" == 18432
			and .dscp == 48 and (.rule | length == 1)' trim show && [[ $(root_of w1) == "weir 7765:" ]] &&
		weir trim set dev w1 rule any disable-trim port=22 victim coin full return return-dscp cs5 &&
		json '.[0] | .rule == [{}] and ."disable-trim" == [{"port": 22}] and .victim == "coin"
			and .full == "return" and ."return-dscp" == 40' trim show
}
# Settings not given for a port are the default's, and follow it.
inherits() {
	weir trim-default set "${rule[@]}" size 200 limit 18kb headers 500 || return
	weir trim set dev w1 hook qdisc && weir trim set dev w2 hook qdisc size 150 limit 20us rule any &&
		json 'map([.dev, .size, .limit, ."limit-bytes", ."limit-time", .headers, .dscp, (.rule | length)]) ==
			[["w1", 200, 0, 18432, 0, 500, 48, 1], ["w2", 150, 0, 0, 20, 500, 48, 1]]' trim show &&
		json '.[1].inherits == ["dscp", "trimmed-dscp", "control-dscp", "tc-dscp", "length", "headers", "header-time", "other-limit"]' trim show &&
		weir trim-default set size 100 dscp from-tc tc 5 limit 30 &&
		json 'map([.dev, .size, .limit, ."limit-bytes", ."limit-time", .headers, .tc, ."tc-dscp"[5]]) ==
			[["w1", 100, 30, 18432, 0, 500, 5, 40], ["w2", 150, 0, 0, 20, 500, 5, 40]]' trim show &&
		json '.[0] | .size == 100 and .limit == 30 and .tc == 5 and (has("dscp") | not) and (has("length") | not)' trim-default show &&
		grep -q '^trim-default size 100 tc 5 rule dscp=10,proto=udp limit 30 limit 18k headers 500$' <<<"$(weir trim-default show)"
}
default_goes() {
	refused 1 "w1: say which DSCP trimmed packets get" weir trim-default del || return
	weir trim del dev w1 && weir trim set dev w2 dscp cs6 && weir trim-default del &&
		json '.[0] | .dev == "w2" and .size == 150 and .dscp == 48 and .tc == null and .headers == 1000' trim show &&
		refused 1 "have no default" weir trim-default show && weir trim del dev w2 && unharmed
}
# The shown settings, set again, are shown alike.
round_trip() {
	local dev=$1 text words
	text=$(weir trim show dev "$dev" | grep -v '^    \(cpus\|data-depth\|whole\|headers [0-9]* headers-dropped\|data-max\|overflows\)')
	weir trim del dev "$dev" || return
	read -r -d '' -a words <<<"$text"
	[[ ${words[0]} == trim ]] || { echo "$text"; return 1; }
	weir trim set "${words[@]:1}" "${@:2}" || return
	diff <(echo "$text") <(weir trim show dev "$dev" | head -n "$(wc -l <<<"$text")")
}
qdisc_ends() {
	weir trim set dev w1 rule src=10.77.0.0/16,sport=4791,from=w2 rule src=fd00::/8,dst=fd00::1 &&
		json '.[0].rule == [{"sport": 4791, "src": "10.77.0.0/16", "from": "w2"}, {"src": "fd00::/8", "dst": "fd00::1"}]' trim show &&
		grep -q "rule sport=4791,src=10.77.0.0/16,from=w2" <<<"$(weir trim show dev w1)"
}
qdisc_del() {
	weir trim del dev w1 && unharmed && refused 1 "w1 has no trimming policy" weir trim del dev w1
}
# Without a policy, or without the qdisc, the rest still goes.
qdisc_half() {
	local ifindex
	weir trim set dev w1 hook qdisc "${rule[@]}" || return
	tc -n "$net" qdisc del dev w1 root || return
	weir -j doctor | gojq -e '.checks | any(.check == "qdisc" and .subject == "trim w1" and .status == "fail")' >/dev/null || return
	weir trim set dev w1 && [[ $(root_of w1) == "weir 7765:" ]] || return
	weir -j doctor | gojq -e '.checks | any(.check == "qdisc" and .subject == "trim w1" and .status == "ok")' >/dev/null || return
	ifindex=$(ip -n "$net" -j link show dev w1 | gojq '.[0].ifindex')
	in_router "$here/raw-request" trim-del "1:u32:$ifindex" && weir trim del dev w1 && unharmed
}
foreign_root() {
	tc -n "$net" qdisc add dev w1 root handle 1: htb default 10 &&
		tc -n "$net" class add dev w1 parent 1: classid 1:10 htb rate 1gbit || return
	refused 1 "w1 has the root qdisc htb 1: of somebody else: add .class 1:CLASS. for each of its classes" \
		weir trim set dev w1 hook qdisc "${rule[@]}" || return
	tc -n "$net" qdisc add dev w1 parent 1:10 handle 20: weir &&
		weir trim set dev w1 hook qdisc "${rule[@]}" && weir trim del dev w1 || return
	[[ $(root_of w1) == "htb 1:" ]] && tc -n "$net" qdisc show dev w1 | grep -q "weir 20: .*parent 1:10" &&
		tc -n "$net" qdisc del dev w1 root && unharmed
}
# The root qdisc stays below weir's with all its options, and comes back.
kept() {
	local before=$1
	[[ $(root_of w1) == "weir 7765:" && $(options 7765:1) == "$before" ]]
}

options() { tc -n "$net" -j qdisc show dev w1 | gojq -c --arg at "$1" '.[] | select((.parent // "root") == $at) | [.kind, .options]'; }

comes_back() { [[ $(options root) == "$1" && $(root_of w1) == "$2 5:" ]]; }

child_keep() {
	local kind before
	for kind in "fq_codel limit 77 target 7ms ecn" "fq limit 88 flow_limit 44" "pfifo limit 9" "bfifo limit 9000" \
			"sfq perturb 7 limit 60" "codel limit 50 interval 70ms" "pfifo_fast"; do
		tc -n "$net" qdisc del dev w1 root 2>/dev/null
		# shellcheck disable=SC2086 # options are words
		tc -n "$net" qdisc add dev w1 root handle 5: $kind && before=$(options root) || return
		refused 1 "of somebody else: add .child keep." weir trim set dev w1 hook qdisc "${rule[@]}" || return
		weir trim set dev w1 hook qdisc child keep "${rule[@]}" && kept "$before" && weir trim set dev w1 size 100 && kept "$before" &&
			weir -j doctor | gojq -e '.checks | any(.check == "qdisc" and .subject == "trim w1" and .status == "ok")' >/dev/null &&
			weir trim del dev w1 && comes_back "$before" "${kind%% *}" && continue
		echo "$kind: $before"
		tc -n "$net" qdisc show dev w1
		return 1
	done
	# Requests that the module refuses: all is as it was.
	refused 1 "cannot keep the qdisc pfifo_fast of w1 .*limit packets or bytes" weir trim set dev w1 hook qdisc child keep "${rule[@]}" limit 5ms &&
		[[ $(options root) == "$before" ]] && refused 1 "no trimming policy" weir trim del dev w1 &&
		weir trim set dev w1 hook qdisc child keep "${rule[@]}" && weir trim flush && [[ $(options root) == "$before" ]] &&
		tc -n "$net" qdisc del dev w1 root && unharmed
}

child_refused() {
	refused 1 "w1 has no qdisc that could stay" weir trim set dev w1 hook qdisc child keep "${rule[@]}" &&
		refused 2 "child belongs to the hooks qdisc and xdp, and the hook is tc" weir trim set dev w1 hook tc child keep "${rule[@]}" rate 1gbit &&
		tc -n "$net" qdisc add dev w1 root handle 1: htb default 10 &&
		refused 1 "root qdisc htb, which cannot be moved" weir trim set dev w1 hook qdisc child keep "${rule[@]}" &&
		tc -n "$net" qdisc del dev w1 root &&
		weir trim set dev w1 hook qdisc "${rule[@]}" && tc -n "$net" qdisc add dev w1 parent 7765:1 handle 6: htb &&
		refused 1 "has the qdisc htb 6: of somebody else below weir's" weir trim del dev w1 &&
		tc -n "$net" qdisc del dev w1 parent 7765:1 && weir trim del dev w1 && unharmed
}
foreign_weir() {
	tc -n "$net" qdisc add dev w1 root handle 5: weir && weir trim set dev w1 hook qdisc "${rule[@]}" &&
		weir trim del dev w1 && [[ $(root_of w1) == "weir 5:" ]] && tc -n "$net" qdisc del dev w1 root
}
# Its kernel gives a device with several transmit queues mq.
multiqueue() {
	ip -n "$net" link add many numtxqueues 4 type ifb 2>/dev/null || { echo "no ifb"; return 4; }
	ip -n "$net" link set many up
	[[ $(root_of many) == "mq 0:" ]] || { root_of many; return 4; }
	weir trim set dev many hook qdisc "${rule[@]}" || return
	[[ $(root_of many) == "mq 7765:" ]] &&
		[[ $(tc -n "$net" qdisc show dev many | grep -c '^qdisc weir .*parent 7765:[1-4]') == 4 ]] &&
		weir trim set dev many size 100 && weir trim del dev many && [[ $(root_of many) == "mq 0:" ]] &&
		! tc -n "$net" qdisc show dev many | grep -q weir && ip -n "$net" link del many
}
ktap_run "trim set: hook qdisc" qdisc_set
ktap_run "trim set again: what is named changes" qdisc_change
ktap_run "set: rules by addresses, source port and device" qdisc_ends
ktap_run "trim show goes round: qdisc" round_trip w1
ktap_run "trim del restores the kernel's qdisc" qdisc_del
ktap_run "policies inherit what was said for all" inherits
ktap_run "what they inherit goes" default_goes
ktap_run "trim set and del mend what is half gone" qdisc_half
ktap_run "a root qdisc of others stays" foreign_root
ktap_run "a root qdisc of others stays below weir's" child_keep
ktap_run "what cannot stay below weir's" child_refused
ktap_run "a weir qdisc of others stays" foreign_weir
ktap_run "each transmit queue trims" multiqueue

# The tc program, in tcx where the kernel has that and the tool may use it.
placed() {
	local in_tcx=0
	[[ -z ${as[*]} ]] && tcx_list w1 egress >/dev/null && in_tcx=1
	(($(in_tcx "$1" egress weir_trim) == in_tcx && $(filters_on "$1" egress weir_trim) == 1 - in_tcx &&
		$(clsact_on "$1") == 1 - in_tcx))
}
tc_set() {
	weir trim set dev w1 hook tc "${rule[@]}" rate 1gbit limit 20us &&
		json '.[0] | .hook == "tc" and .rate == 125000000 and ."limit-time" == 20 and .limit == 0' trim show &&
		placed w1 && [[ $(root_of w1) == "noqueue 0:" ]] && weir trim set dev w1 rate 2gbit && placed w1
}
tc_doctor() {
	weir -j doctor >"$work/doctor"
	gojq -e '.checks | any(.check == "program" and .subject == "trim w1" and .status == "ok")
		and any(.check == "merging" and .subject == "trim w1" and .status == "warn")' "$work/doctor" >/dev/null || return
	in_router ethtool -K w1 gso off tso off tx-udp-segmentation off >/dev/null
	weir -j doctor >"$work/doctor"
	in_router ethtool -K w1 gso on tso on tx-udp-segmentation on >/dev/null
	gojq -e '.checks | any(.check == "merging" and .subject == "trim w1" and .status == "ok")' "$work/doctor" >/dev/null
}
tc_del() { weir trim del dev w1 && unharmed; }
# clsact goes with the last of our filters, whichever that is.
tc_shares() {
	weir port attach dev w1 mode tc && weir trim set dev w1 hook tc "${rule[@]}" rate 1gbit &&
		weir port detach dev w1 && placed w1 && weir trim del dev w1 && (($(clsact_on w1) == 0)) || return
	weir trim set dev w1 hook tc "${rule[@]}" rate 1gbit && weir port attach dev w1 mode tc &&
		weir trim del dev w1 && (($(filters_on w1 ingress weir_tc) + $(in_tcx w1 ingress weir_tc) == 1)) &&
		weir port detach dev w1 && (($(clsact_on w1) == 0)) && unharmed
}
# Others' filters in clsact run after all of tcx: there our program is a filter, too.
tc_clsact() {
	tc -n "$net" qdisc add dev w1 clsact &&
		tc -n "$net" filter add dev w1 egress pref 7 matchall action ok &&
		weir trim set dev w1 hook tc "${rule[@]}" rate 1gbit &&
		(($(filters_on w1 egress weir_trim) == 1 && $(in_tcx w1 egress weir_trim) == 0)) && weir trim del dev w1 &&
		(($(clsact_on w1) == 1)) && tc -n "$net" filter show dev w1 egress | grep -q matchall &&
		tc -n "$net" qdisc del dev w1 clsact
}
# At the other hook they do not change leaving packets.
tc_ingress() {
	tcx_list w1 egress >/dev/null || { echo "no tcx"; return 4; }
	tc -n "$net" qdisc add dev w1 clsact && tc -n "$net" filter add dev w1 ingress pref 7 matchall action ok &&
		weir trim set dev w1 hook tc "${rule[@]}" rate 1gbit && (($(in_tcx w1 egress weir_trim) == 1)) &&
		weir trim del dev w1 && (($(clsact_on w1) == 1)) && tc -n "$net" qdisc del dev w1 clsact && unharmed
}
tc_foreign() {
	tc -n "$net" qdisc add dev w1 clsact &&
		tc -n "$net" filter add dev w1 egress pref 100 handle 1 matchall action ok || return
	refused 1 "w1 has a tc filter of somebody else .*at egress" weir trim set dev w1 hook tc "${rule[@]}" rate 1gbit &&
		tc -n "$net" qdisc del dev w1 clsact && unharmed
}
# doctor_says FILTER: of the program of w1
doctor_says() { weir -j doctor | gojq -e ".checks[] | select(.check == \"program\" and .subject == \"trim w1\") | $1" >/dev/null; }
tcx_order() {
	tcx_list w1 egress >/dev/null || { echo "no tcx"; return 4; }
	tcx add w1 egress first && weir trim set dev w1 hook tc "${rule[@]}" rate 1gbit &&
		doctor_says '.found | contains("of others") | not' && tcx add w1 egress later 2 &&
		[[ $(tcx_list w1 egress | paste -sd ' ') == "first weir_trim later later" ]] &&
		doctor_says '.found | contains("(tcx); after it come 2 of others")' && weir trim set dev w1 size 100 &&
		[[ $(tcx_list w1 egress | paste -sd ' ') == "first weir_trim later later" ]] && weir trim del dev w1 &&
		[[ $(tcx_list w1 egress | paste -sd ' ') == "first later later" ]] &&
		tcx del w1 egress first && tcx del w1 egress later && unharmed
}
# Packets that are eligible only after others have changed them.
whole_seen() {
	weir trim set dev w1 hook tc rule dscp=af11 dscp cs6 rate 1gbit &&
		in_router ping -q -c 3 -i 0.2 -W 1 "$(worker_addr 1)" >"$work/ping"
	json '.[0].stats.whole >= 3' trim show && weir trim del dev w1
}
tcx_sees() {
	tcx_list w1 egress >/dev/null || { echo "no tcx"; return 4; }
	tcx mark w1 egress marks 10 && whole_seen && tcx del w1 egress marks && ! whole_seen && weir trim del dev w1 && unharmed
}
clsact_sees() {
	local status=0
	"$here/tcx" pin "$pin" 10 && tc -n "$net" qdisc add dev w1 clsact &&
		in_router tc filter add dev w1 egress pref 7 bpf da pinned "$pin" && whole_seen || status=1
	rm -f "$pin"
	tc -n "$net" qdisc del dev w1 clsact && unharmed && return "$status"
}
tcx_full() {
	tcx_list w1 egress >/dev/null || { echo "no tcx"; return 4; }
	# One fewer than there is room for in the list.
	tcx add w1 egress many 63 || return
	refused 1 "w1 has as many tcx programs as the kernel lets it have: .* hook qdisc" \
		weir trim set dev w1 hook tc "${rule[@]}" rate 1gbit &&
		refused 1 "no trimming policy" weir trim show dev w1 && tcx del w1 egress many && unharmed
}
# A filter that an older weir has left, or this one where there was no tcx, is ours.
tcx_upgrade() {
	"$here/tcx" without true || return
	as=("$here/tcx" without)
	weir trim set dev w1 hook tc "${rule[@]}" rate 1gbit && placed w1
	local status=$?
	as=()
	((status == 0)) && weir trim set dev w1 rate 2gbit &&
		(($(filters_on w1 egress weir_trim) == 1 && $(in_tcx w1 egress weir_trim) == 0)) &&
		doctor_says '.found | contains("(clsact)")' && weir trim del dev w1 && unharmed
}
programs_left() { bpftool -j prog show | gojq -e 'any(.name == "weir_trim")' >/dev/null; }
none_left() { ! programs_left; }
# It goes with its device, with its namespace, and to another namespace, where it is ours still.
tcx_goes() {
	tcx_list w1 egress >/dev/null || { echo "no tcx"; return 4; }
	ns_create elsewhere && ip -n "$net" link add gone type veth peer name gone-too &&
		weir trim set dev gone hook tc "${rule[@]}" rate 1gbit && programs_left && ip -n "$net" link del gone &&
		poll 60 none_left || return
	ip -n "$net" link add gone type veth peer name gone-too && weir trim set dev gone hook tc "${rule[@]}" rate 1gbit &&
		ip -n "$net" link set gone netns "$(ns_name elsewhere)" && json '. == []' trim show || return
	local net
	net=$(ns_name elsewhere)
	(($(in_tcx gone egress weir_trim) == 1)) && weir trim set dev gone hook tc "${rule[@]}" rate 1gbit &&
		(($(in_tcx gone egress weir_trim) == 1)) && weir trim del dev gone && none_left &&
		weir trim set dev gone hook tc "${rule[@]}" rate 1gbit && programs_left && ns_delete elsewhere &&
		poll 60 none_left
}
# A veth says that it is as fast as 10gbit; a dummy says nothing.
speeds() {
	local err
	err=$(weir trim set dev w1 hook tc "${rule[@]}" 2>&1) || { echo "$err"; return 1; }
	[[ $err == "weir: rate 10gbit, which is the speed of w1" ]] ||
		{ echo "$err"; return 1; }
	json '.[0] | .rate == 1250000000 and .overhead == 24 and .mpu == 84' trim show && [[ -z $(weir trim set dev w1 size 100 2>&1) ]] &&
		weir trim del dev w1 && ip -n "$net" link add silent type dummy &&
		refused 1 "silent does not say how fast it is: add .rate RATE." weir trim set dev silent hook tc "${rule[@]}" &&
		ip -n "$net" link del silent
}
ktap_run "trim set: hook tc" tc_set
ktap_run "doctor knows what a tc program lacks" tc_doctor
ktap_run "trim show goes round: tc" round_trip w1
ktap_run "trim del takes the tc program away" tc_del
ktap_run "one device, two tc programs" tc_shares
if "$here/tcx" without true 2>/dev/null; then
	as=("$here/tcx" without)
	ktap_run "without tcx: trim set" tc_set
	ktap_run "without tcx: doctor" tc_doctor
	ktap_run "without tcx: trim del takes clsact away" tc_del
	ktap_run "without tcx: clsact is shared with a port's program" tc_shares
	as=()
else
	ktap_skip "without tcx" "no filter of system calls"
fi
ktap_run "a filter of others comes first, and stays" tc_clsact
ktap_run "a filter of others at ingress is no matter" tc_ingress
ktap_run "a filter of others stays, at egress" tc_foreign
ktap_run "tcx programs of others keep their places" tcx_order
ktap_run "trimming sees what others in tcx have changed" tcx_sees
ktap_run "trimming sees what others in clsact have changed" clsact_sees
ktap_run "tcx is full" tcx_full
ktap_run "a filter of ours is ours where there is tcx" tcx_upgrade
ktap_run "the program goes with its device" tcx_goes
ktap_run "the rate is the device's speed" speeds

# The XDP program.
pin=/sys/fs/bpf/trim_$$
at_exit rm -f "$pin"
forward_set() {
	refused 2 "from, which hook xdp needs: add .from DEVICE." weir trim set dev w1 hook xdp "${rule[@]}" rate 1gbit &&
		weir trim set dev w1 hook xdp from w2 "${rule[@]}" rate 1gbit &&
		json '.[0] | .dev == "w1" and .hook == "xdp"' trim show &&
		[[ $(xdp_on w2) == weir_forward_on* && $(xdp_on w1) == none && $(root_of w1) == "weir 7765:" ]]
}
# A program a device, as long as any policy needs it; a program that is there is not
# replaced.
forward_stays() {
	local was
	was=$(xdp_on w2)
	weir trim set dev w2 hook xdp from w1 from w2 "${rule[@]}" rate 1gbit && weir trim set dev w1 from w3 &&
		[[ $(xdp_on w2) == "$was" && $(xdp_on w1) == weir_forward_on* && $(xdp_on w3) == weir_forward_on* ]] || return
	was=$(xdp_on w1)
	weir trim set dev w3 hook xdp "${rule[@]}" rate 1gbit &&
		weir trim del dev w1 && weir trim del dev w2 && [[ $(xdp_on w1) == "$was" && $(xdp_on w3) == weir_forward_on* ]] &&
		weir trim del dev w3 && unharmed
}
# Where the root qdisc is not weir's, XDP forwards, and the tool names the limits of that.
forward_qdisc() {
	tc -n "$net" qdisc add dev w1 root handle 1: prio || return
	weir trim set dev w1 hook xdp from w2 "${rule[@]}" rate 1gbit 2>"$work/err" &&
		grep -q "w1 has the root qdisc prio 1: of somebody else, .*not trimmed there: add .class 1:CLASS. for each class" "$work/err" &&
		[[ $(xdp_on w2) == weir_forward_on* && $(root_of w1) == "prio 1:" ]] &&
		weir -j doctor | gojq -e '.checks | any(.check == "qdisc" and .subject == "trim w1" and .status == "warn")' >/dev/null &&
		tc -n "$net" qdisc add dev w1 parent 1:1 handle 2: weir && [[ -z $(weir trim set dev w1 size 200 2>&1) ]] &&
		weir -j doctor | gojq -e '.checks | any(.check == "qdisc" and .subject == "trim w1" and .status == "ok")' >/dev/null &&
		weir trim del dev w1 && [[ $(root_of w1) == "prio 1:" ]] && tc -n "$net" qdisc del dev w1 root && unharmed
}
# A device without XDP in its driver, behind one that has it.
forward_undoes() {
	ip -n "$net" link add without type dummy && ip -n "$net" link set without up &&
		refused 1 "driver of without has no XDP of its own .*: trim with hook tc or qdisc" \
			weir trim set dev w1 hook xdp from w2 from without "${rule[@]}" rate 1gbit || return
	weir trim set dev w1 hook xdp from w2 tc 6 tc-dscp 6:50 "${rule[@]:0:2}" disable-trim port=22 rate 1gbit size 200 &&
		refused 1 "driver of without has no XDP" weir trim set dev w1 size 300 tc 5 rule any from w3 from without &&
		json '.[0] | .size == 200 and .tc == 6 and ."tc-dscp"[6] == 50' trim show &&
		weir trim del dev w1 && ip -n "$net" link del without && unharmed
}
forward_foreign() {
	weir port attach dev w2 mode generic &&
		refused 1 "w2 has the XDP program [0-9]+ \(weir_xdp\) in mode generic, and packets are forwarded in the driver alone" \
			weir trim set dev w1 hook xdp from w3 from w2 "${rule[@]}" rate 1gbit &&
		weir port detach dev w2 && unharmed || return
	ip -n "$net" link set dev w2 xdp obj "$root/build/bpf/foreign.bpf.o" sec xdp &&
		refused 1 "w2 has the XDP program [0-9]+ \(somebody_else\) of somebody else" \
			weir trim set dev w1 hook xdp from w2 "${rule[@]}" rate 1gbit &&
		ip -n "$net" link set dev w2 xdp off && unharmed
}
forward_doctor() {
	weir trim set dev w1 hook xdp from w2 "${rule[@]}" meter backlog && tc -n "$net" qdisc del dev w1 root || return
	weir -j doctor | gojq -e '.checks | any(.check == "checksums" and .subject == "device w2" and .status == "ok")' >/dev/null &&
		in_worker 2 ethtool -K eth0 tx on >/dev/null || return
	weir -j doctor >"$work/doctor"
	in_worker 2 ethtool -K eth0 tx off >/dev/null
	gojq -e '.checks | any(.check == "program" and .subject == "trim w1" and .status == "ok")
		and any(.check == "qdisc" and .subject == "trim w1" and .status == "fail")
		and any(.check == "checksums" and .subject == "device w2" and .status == "warn")
		and any(.check == "vlan" and .subject == "device w2" and .status == "ok" and (.found | test("tells the program")))' \
		"$work/doctor" >/dev/null || { gojq -c '.checks[]' "$work/doctor"; return 1; }
	# A program that is not bound to its device asks no driver.
	ip -n "$net" link set dev w2 xdp off && bpftool prog load build/bpf/weir_forward.bpf.o "$pin" &&
		in_router ip link set w2 xdpdrv pinned "$pin" && rm "$pin" && weir -j doctor |
		gojq -e '.checks | any(.check == "vlan" and .subject == "device w2" and .status == "warn")' >/dev/null &&
		ip netns exec "$net" ethtool -K w2 rxvlan off >/dev/null && weir -j doctor |
		gojq -e '.checks | any(.check == "vlan" and .subject == "device w2" and .status == "warn")' >/dev/null &&
		ip netns exec "$net" ethtool -K w2 rx-vlan-stag-hw-parse off >/dev/null && weir -j doctor |
		gojq -e '.checks | any(.check == "vlan" and .subject == "device w2" and .status == "ok")' >/dev/null || return
	ip -n "$net" link set dev w2 xdp off && weir -j doctor |
		gojq -e '.checks | any(.check == "program" and .subject == "trim w1" and .status == "fail")' >/dev/null &&
		weir trim del dev w1 && unharmed
}
ktap_run "trim set: hook xdp" forward_set
ktap_run "trim show goes round: xdp" round_trip w1 from w2
ktap_run "a program forwards as long as any policy needs it" forward_stays
ktap_run "a port that XDP sends by gets a weir qdisc" forward_qdisc
ktap_run "what was attached is undone" forward_undoes
ktap_run "XDP of others and of ports stays" forward_foreign
ktap_run "doctor knows what XDP lacks" forward_doctor

# Edges, events, and all that goes by itself.
edges() {
	weir trim set dev w2 hook none edge on && json '.[0] | .hook == "none" and .edge == "on"' trim show &&
		[[ $(weir trim show) == "trim dev w2 hook none edge on" ]] && weir trim set dev w2 edge off &&
		json '.[0].edge == "off"' trim show && weir trim del dev w2 && unharmed
}
flushes() {
	weir trim set dev w1 hook qdisc "${rule[@]}" && weir trim set dev w2 hook tc "${rule[@]}" rate 1gbit &&
		weir trim set dev w3 hook xdp from w1 from w2 "${rule[@]}" rate 1gbit && json 'length == 3' trim show &&
		weir trim flush && (($(clsact_on w2) == 0 && $(in_tcx w2 egress weir_trim) == 0)) && unharmed
}
device_goes() {
	ip -n "$net" link add gone type veth peer name gone-too && ip -n "$net" link set gone up &&
		weir trim set dev gone hook qdisc "${rule[@]}" && ip -n "$net" link del gone && json '. == []' trim show
}
monitor_hears() {
	"$tool" -n "$net" -j monitor >"$work/events" 2>"$work/monitor-errors" &
	local monitor=$! status
	heard() { gojq -se "any(.[]; $1)" "$work/events" >/dev/null 2>&1; }
	# It listens when it has heard of something.
	listens() { weir trim set dev w2 hook none edge on && heard '.event == "trim"'; }
	poll 60 listens && weir trim del dev w2 && weir trim set dev w1 hook qdisc "${rule[@]}" &&
		weir trim del dev w1 && poll 60 heard '.event == "trim-del" and .dev == "w1" and .stats.trim == 0' &&
		heard '.event == "trim" and .dev == "w1" and .hook == "qdisc" and .dscp == 48'
	status=$?
	((status == 0)) || cat "$work/events" "$work/monitor-errors"
	kill "$monitor"
	return "$status"
}
ktap_run "edges" edges
ktap_run "trim flush" flushes
ktap_run "device goes with its policy" device_goes
ktap_run "monitor hears of policies" monitor_hears

# Refusals by the module, each with a policy there that could be harmed.
weir trim set dev w1 hook qdisc "${rule[@]}" || ktap_fail "a policy for the refusals"
unchanged=$(state)
new="rule any dscp 48"
refuse "no rule" "say which packets are trimmed: a rule is missing" "trim set dev w2 hook qdisc dscp 48"
refuse "no DSCP" "say which DSCP trimmed packets get: dscp or tc is missing" "trim set dev w2 hook qdisc rule any"
refuse "hook that changes" "w1 has a policy with hook qdisc: run .weir trim del dev w1." "trim set dev w1 hook tc"
refuse "size out of range" "size 63 is out of range: the kernel takes 64 to 4084" "trim set dev w1 size 63"
refuse "the mark of packets without one" "dscp 0: DSCP 0 is that of packets without a mark" "trim set dev w1 dscp 0"
refuse "queue that is not there" "queue 7: " "trim set dev w1 queue 7"
refuse "rule for its own mark" "rule dscp=48: " "trim set dev w1 rule dscp=48"
refuse "rule with bits behind the prefix" "has bits behind its prefix" "trim set dev w1 rule src=10.0.0.1/8"
refuse "rule of two families" "all IPv4 or all IPv6" "trim set dev w1 rule src=10.0.0.1,dst=::1"
refuse "rule from a device that is not there" "no device eth99 in this network namespace" "trim set dev w1 rule from=eth99"
refuse "no limit at all" "limit 0: " "trim set dev w1 limit 0"
refuse "return without a DSCP" "return-dscp is missing" "trim set dev w1 full return"
refuse "return by tc" "full return: " "trim set dev w2 hook tc $new rate 1gbit full return return-dscp 40"
refuse "victim by tc" "victim tail: " "trim set dev w2 hook tc $new rate 1gbit victim tail"
refuse "rate too low" "rate 7kbit: " "trim set dev w2 hook tc $new rate 7kbit"
refuse "t1 before t0" "t1 1us: " "trim set dev w2 hook tc $new rate 1gbit t0 2us t1 1us"
refuse "backlog by tc" "meter backlog: " "trim set dev w2 hook tc $new meter backlog"
refuse "no such device" "no device eth99 in this network namespace" "trim set dev eth99 hook none"
refuse "show: no policy" "w2 has no trimming policy" "trim show dev w2"
refuse "clear: no policy" "w2 has no trimming policy" "trim clear dev w2"
powerless() {
	local err
	err=$(setpriv --bounding-set=-net_admin --inh-caps=-net_admin "$tool" -n "$net" "$@" 2>&1)
	{ (($? == 1)) && grep -q "not permitted.*CAP_NET_ADMIN" <<<"$err"; } || { echo "$err"; return 1; }
}
for words in "trim set dev w1 size 100" "trim set dev w2 hook qdisc $new" "trim del dev w1" "trim flush" "trim clear"; do
	# shellcheck disable=SC2086 # words
	ktap_run "no CAP_NET_ADMIN: $words" powerless $words
done
still_there() { json 'length == 1 and .[0].size == 128' trim show && [[ $(root_of w1) == "weir 7765:" ]]; }
ktap_run "the policy is as it was" still_there

ktap_end
