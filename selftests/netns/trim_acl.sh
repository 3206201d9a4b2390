#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# ACLs of trimming policies: rules that ports share, how they are shown, kept and restored, what is
# refused, and what they decide at each hook.
# To be run in the virtual machine.
set -u

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd) || exit 1
# shellcheck source=../lib/ktap.sh
. "$here/../lib/ktap.sh"
# shellcheck source=../lib/netns.sh
. "$here/../lib/netns.sh"
# shellcheck source=traffic.sh
. "$here/traffic.sh"

weir() { command weir -n "$ns_prefix-router" "$@"; }

# fresh: two ports name ACL a, which has two rules.
fresh() {
	weir flush all && weir trim-acl set name a prio 10 pass proto=tcp,port=22,src=10.9.0.0/16 && weir trim-acl set name a prio 20 disable-trim proto=tcp,port=22 &&
		weir trim set dev w3 hook qdisc dscp 11 rule dscp=10 acl a && weir trim set dev w4 hook qdisc dscp 11 rule dscp=10 acl a
}

# holds FILTER WORD...: of what the tool prints as JSON
holds() { weir -j "${@:2}" | gojq -e "$1" >/dev/null || { weir -j "${@:2}"; echo "$1"; return 1; }; }
commands() { weir save | grep -v '^#'; }
# becomes COMMAND...: these steps lead from the namespace to $out/wanted, and there.
becomes() {
	weir restore --diff "$out/wanted" | diff - <(printf 'weir %s\n' "$@") && weir restore "$out/wanted" && diff <(sort "$out/wanted") <(commands | sort) &&
		[[ -z $(weir restore --diff "$out/wanted") ]]
}

shows() {
	fresh && weir trim-acl set name b prio 65535 disable-trim any && weir trim-acl set name b prio 3 disable-trim dscp=af11-af13,dst=fd00::/8,vlan=7,sport=5,from=w3 || return
	diff <(weir trim-acl show) - <<-'END' || return
		acl a prio 10 pass proto=tcp,port=22,src=10.9.0.0/16 ports 2
		acl a prio 20 disable-trim proto=tcp,port=22 ports 2
		acl b prio 3 disable-trim dscp=10-14,sport=5,vlan=7,dst=fd00::/8,from=w3 ports 0
		acl b prio 65535 disable-trim any ports 0
	END
	weir trim-acl show name b | diff - <(weir trim-acl show | grep '^acl b') && weir -s trim-acl show name a | grep -qx 'acl a prio 20 disable-trim proto=tcp,port=22 ports 2 packets 0 bytes 0' &&
		holds '.[0] == {name: "a", prio: 10, pass: {proto: 6, port: 22, src: "10.9.0.0/16"}, ports: 2} and .[2]."disable-trim".from == "w3" and .[3]."disable-trim" == {}' trim-acl show &&
		holds '[.[] | [.packets, .bytes]] == [[0, 0], [0, 0]]' -s trim-acl show name a &&
		holds 'map(.acl) == ["a", "a"]' trim show && weir trim show dev w3 | grep -q ' rule dscp=10 acl a$' && weir -s trim show dev w3 | grep -qx '    acl a' && weir flush all
}

# A rule is replaced, one goes, and the last one takes the ACL along.
changes() {
	fresh && weir trim-acl set name a prio 20 pass any && holds 'map([.prio, has("pass")]) == [[10, true], [20, true]]' trim-acl show &&
		weir trim-acl del name a prio 10 && holds 'map(.prio) == [20]' trim-acl show && refused 'policies name the ACL' weir trim-acl del name a prio 20 &&
		weir trim set dev w3 acl none && holds '.[0].ports == 1 and .[0].prio == 20' trim-acl show && holds '.[0] | has("acl") | not' trim show dev w3 &&
		weir trim replace dev w4 dscp 11 rule dscp=10 && holds '.[0].ports == 0' trim-acl show && weir trim-acl del name a prio 20 && holds '. == []' trim-acl show || return
	# A policy that goes, and a device, name it no longer.
	fresh && weir trim del dev w3 && holds 'all(.ports == 1)' trim-acl show && in_router ip link add d1 type dummy && weir trim set dev d1 hook none edge on acl a &&
		holds 'all(.ports == 2)' trim-acl show && in_router ip link del d1 && holds 'all(.ports == 1)' trim-acl show && weir trim flush && weir trim-acl del name a && holds '. == []' trim-acl show
}

keeps() {
	fresh && commands >"$out/saved" && cat "$out/saved" && diff <(head -n 2 "$out/saved") - <<-'END' || return
		weir trim-acl set name a prio 10 pass proto=tcp,port=22,src=10.9.0.0/16
		weir trim-acl set name a prio 20 disable-trim proto=tcp,port=22
	END
	grep -q '^weir trim set dev w3 hook qdisc dscp 11 rule dscp=10 acl a$' "$out/saved" && weir flush all && holds '. == []' trim-acl show &&
		weir restore "$out/saved" && diff "$out/saved" <(commands) && [[ -z $(weir restore --diff "$out/saved") ]] || return
	# A rule that has changed is replaced where it is; one that is the same is left alone.
	sed 's/port=22$/port=23/' "$out/saved" >"$out/wanted" && becomes 'trim-acl set name a prio 20 disable-trim proto=tcp,port=23' || return
	# Old rules go before new ones come.
	sed -e '1i weir trim-acl set name a prio 30 disable-trim any' -e '/prio 10 /d' "$out/saved" >"$out/wanted" &&
		becomes 'trim-acl del name a prio 10' 'trim-acl set name a prio 20 disable-trim proto=tcp,port=22' 'trim-acl set name a prio 30 disable-trim any' || return
	# Of rules that all go one stays until the first new one has come, as policies name the ACL.
	sed -e '/prio 10 /d' -e 's/prio 20/prio 5/' "$out/saved" >"$out/wanted" &&
		becomes 'trim-acl del name a prio 30' 'trim-acl set name a prio 5 disable-trim proto=tcp,port=22' 'trim-acl del name a prio 20' || return
	# Policies name another ACL before the one goes that they have named.
	sed -e 's/name a/name c/' -e 's/acl a/acl c/' "$out/saved" >"$out/wanted" &&
		becomes 'trim-acl set name c prio 10 pass proto=tcp,port=22,src=10.9.0.0/16' 'trim-acl set name c prio 20 disable-trim proto=tcp,port=22' \
			'trim replace dev w3 dscp 11 rule dscp=10 acl c' 'trim replace dev w4 dscp 11 rule dscp=10 acl c' 'trim-acl del name a prio 5' || return
	grep ' w3 ' "$out/saved" | sed 's/ acl a//' >"$out/wanted" &&
		becomes 'trim del dev w4' 'trim replace dev w3 dscp 11 rule dscp=10' 'trim-acl del name c prio 10' 'trim-acl del name c prio 20'
}

# All of an ACL's rules are others, as many as there may be; what is refused takes nothing along.
many() {
	local i
	weir flush all && for ((i = 1; i <= 1024; i++)); do
		echo "weir trim-acl set name a prio $i disable-trim proto=udp,port=$i"
	done >"$out/many" && cp "$out/many" "$out/wanted" && echo 'weir trim set dev w3 hook qdisc dscp 11 rule dscp=10 acl a' >>"$out/wanted" &&
		weir restore "$out/wanted" && diff "$out/wanted" <(commands) && refused '1024 rules at most' weir trim-acl set name a prio 1025 pass any && diff "$out/wanted" <(commands) || return
	sed -i 's/prio /prio 2/' "$out/wanted" && weir restore "$out/wanted" && diff <(sort "$out/wanted") <(commands | sort) && commands >"$out/saved" || return
	(grep -v 'prio 21 ' "$out/saved"; echo 'weir trim-acl set name b prio 1 disable-trim proto=1,port=5') >"$out/wanted"
	refused 'only UDP and TCP have ports' weir restore "$out/wanted" && diff "$out/saved" <(commands) && weir flush all && [[ $(weir save) == *"end of 0 commands" ]]
}

# Rules about a device that comes later, and a policy whose ACL has no others.
devices() {
	weir flush all && cat >"$out/wanted" <<-'END' || return
		weir trim-acl set name a prio 1 disable-trim from=later
		weir trim-acl set name b prio 1 disable-trim port=22
		weir trim-acl set name b prio 2 disable-trim from=later
		weir trim set dev w3 hook qdisc dscp 11 rule dscp=10 acl a
		weir trim set dev w4 hook qdisc dscp 11 rule dscp=10 acl b
	END
	weir restore "$out/wanted" 2>"$out/said" && grep -q 'no device later yet: .trim dev w3. is left out' "$out/said" &&
		commands | diff - <(grep 'b prio 1\|w4' "$out/wanted") && in_router ip link add later type dummy && weir restore dev later "$out/wanted" &&
		diff "$out/wanted" <(commands) && [[ -z $(weir restore --diff "$out/wanted") && -z $(weir restore --diff dev later "$out/wanted") ]] &&
		weir flush all && in_router ip link del later
}

refusals() {
	local i
	fresh && commands >"$out/before" &&
		refused 'policies name the ACL: take it from them first' weir trim-acl del name a && refused 'there is no such ACL' weir trim-acl del name none-such &&
		refused 'there is no such ACL' weir trim-acl show name none-such && refused 'there is no such ACL: add a rule to it first' weir trim set dev w3 acl none-such &&
		refused 'no rule with this prio' weir trim-acl del name a prio 11 && refused 'lacks the key prio' weir trim-acl set name a pass any &&
		refused 'say which packets the rule matches' weir trim-acl set name a prio 1 && refused 'either disable-trim or pass' weir trim-acl set name a prio 1 pass any disable-trim any &&
		refused 'give the ACL another name' weir trim-acl set name none prio 1 pass any && refused 'visible ASCII' weir trim-acl set name 'a b' prio 1 pass any &&
		refused '31 bytes at most' weir trim-acl set name "$(printf 'a%.0s' {1..32})" prio 1 pass any && refused 'it is 1 to 65535' weir trim-acl set name a prio 65536 pass any &&
		refused 'only UDP and TCP have ports' weir trim-acl set name a prio 1 pass proto=1,port=5 && refused 'no device none-such' weir trim-acl set name a prio 1 pass from=none-such &&
		refused 'all IPv4 or all IPv6' weir trim-acl set name a prio 1 pass src=10.0.0.1,dst=fd00::1 && diff "$out/before" <(commands) || return
	for ((i = 1; i < 64; i++)); do
		echo "trim-acl set name p$i prio 1 pass any"
	done >"$out/acls"
	(commands; cat "$out/acls") >"$out/all" && weir restore "$out/all" && refused '64 ACLs at most' weir trim-acl set name one-more prio 1 pass any &&
		weir trim-acl set name p7 prio 2 pass any && weir flush all || return
	for ((i = 0; i < 64; i++)); do
		echo "trim-acl set name a prio $((i + 1)) disable-trim src=0.0.0.0/$((1 + i % 32)),dst=0.0.0.0/$((1 + i / 32))"
	done >"$out/all" && weir restore "$out/all" && refused '64 sets of fields at most: give prefixes the same lengths' weir trim-acl set name a prio 65 pass port=1 &&
		weir trim-acl set name a prio 65 pass src=128.0.0.0/1,dst=0.0.0.0/1 && weir trim-acl del name a && [[ $(weir save) == *"end of 0 commands" ]]
}

# Whatever comes to w4 finds no room: an eligible packet is trimmed at once, but for one that is sent.
crowded() {
	weir flush all
	in_router tc qdisc del dev w4 root 2>/dev/null
	case $1 in
	qdisc)
		in_router tc qdisc add dev w4 root handle 1: tbf rate 8bit burst 4000 limit 10000000 &&
			in_router tc qdisc add dev w4 parent 1:1 handle 10: weir || return
		set -- hook qdisc limit 1 other-limit 1000
		;;
	tc) set -- hook tc rate 8kbit limit 1 ;;
	xdp) set -- hook xdp from w1 rate 8kbit limit 1 ;;
	esac
	weir trim set dev w4 "$@" dscp 11 rule dscp=10 headers 3000 header-time never
}
stats() { shown w4 | gojq -c "[.stats.trim, .stats.other${1+, $1}]"; }
# hits: packets of each rule of ACL a.
hits() { weir -s -j trim-acl show name a | gojq -c 'map(.packets)'; }
# sends PORT: 40 packets, of which the hook has seen all.
sends() {
	local before
	before=$(shown w4 | gojq '.stats.trim + .stats.whole + .stats.other + ."data-depth" + .direct')
	in_worker 1 trim-traffic send "$(worker_addr 4)" --count 40 --size 1400 --port "$1" >/dev/null && poll 60 all_seen $((before + 40))
}
all_seen() { (($(shown w4 | gojq '.stats.trim + .stats.whole + .stats.other + ."data-depth" + .direct') >= $1)); }

# decides HOOK: what the first rule that matches says holds, and each packet counts once, for it.
decides() {
	crowded "$1" && sends 9 && holds '.[0].stats.trim >= 30' trim show dev w4 &&
		weir trim-acl set name a prio 10 pass "src=$(worker_addr 2)" && weir trim-acl set name a prio 20 disable-trim proto=udp,port=9 &&
		weir trim set dev w4 acl a && weir trim clear && sends 9 && [[ $(stats) == '[0,40]' && $(hits) == '[0,40]' ]] || return
	# A port that no rule names, then a rule before that has its packets.
	sends 10 && [[ $(hits) == '[0,40]' ]] && holds '.[0].stats.trim >= 30' trim show dev w4 &&
		weir trim-acl set name a prio 10 pass "src=$(worker_addr 1)" && sends 9 && [[ $(hits) == '[40,40]' ]] && holds '.[0].stats.trim >= 65' trim show dev w4 &&
		weir -s -j trim-acl show name a | gojq -e '.[1].bytes == 40 * 1442' >/dev/null || return
	# It goes, the device decides, then the DSCP, and all counters are cleared.
	weir trim-acl del name a prio 10 && weir trim-acl set name a prio 20 disable-trim from=w2 && weir trim clear && sends 9 && [[ $(hits) == '[0]' ]] &&
		weir trim-acl set name a prio 20 disable-trim from=w1 && sends 9 && [[ $(hits) == '[40]' ]] && weir trim-acl set name a prio 20 disable-trim dscp=11-63 &&
		sends 9 && [[ $(hits) == '[0]' ]] && weir trim-acl set name a prio 20 disable-trim dscp=10 && sends 9 && [[ $(hits) == '[40]' ]] &&
		weir trim clear && [[ $(hits) == '[0]' ]] && weir trim set dev w4 acl none && sends 9 && [[ $(hits) == '[0]' ]] && holds '.[0].stats.trim >= 30' trim show dev w4 && return
	weir -s trim show dev w4
	weir -s trim-acl show
	return 1
}

# Of as many rules as there may be the last one is found, and all of them change while packets come.
under_traffic() {
	local i pid status=0
	crowded qdisc && for ((i = 1; i <= 1024; i++)); do
		echo "trim-acl set name a prio $((60000 + i)) disable-trim port=$((10000 + i)),dst=$(worker_addr 4)"
	done >"$out/many" && (weir save | grep -v '^#'; cat "$out/many") >"$out/all" && weir restore "$out/all" && weir trim set dev w4 acl a &&
		sends 11024 && [[ $(stats) == '[0,40]' ]] && weir -s -j trim-acl show name a | gojq -e 'map(select(.packets > 0)) | length == 1 and .[0].prio == 61024' >/dev/null || return
	in_worker 1 trim-traffic send "$(worker_addr 4)" --size 1400 --port 10001 --seconds 20 >/dev/null &
	pid=$!
	for i in {1..40}; do
		if ! weir trim-acl del name a prio $((60000 + i)) || ! weir trim-acl set name a prio $((60000 + i)) pass "port=$((10000 + i))"; then
			status=1
			break
		fi
	done
	weir trim set dev w4 acl none && weir trim-acl del name a && weir trim del dev w4
	((status += $?))
	wait "$pid" && ((status == 0)) && weir -s trim-acl show | diff - /dev/null
}

# A marked packet of an edge loses its mark only where it could have been trimmed.
marks() {
	crowded qdisc && weir trim set dev w1 hook none edge on && weir trim-acl set name a prio 1 disable-trim port=9 && weir trim set dev w4 acl a && weir trim clear || return
	in_worker 1 trim-traffic send "$(worker_addr 4)" --count 10 --size 100 --port 9 --dscp 11 >/dev/null && poll 60 all_seen 10 && holds '.[0].stats.untrusted == 0' trim show dev w4 &&
		in_worker 1 trim-traffic send "$(worker_addr 4)" --count 10 --size 100 --port 10 --dscp 11 >/dev/null && poll 60 all_seen 20 && holds '.[0].stats.untrusted == 10' trim show dev w4 && return
	weir -s trim show dev w4
	return 1
}

set_up() {
	star_create 4 1500 && ns_backlog 10000 && star_believes router w4 && star_each ethtool -K eth0 tso off gso off gro on tx off >/dev/null || return
	in_worker 1 ping -c 1 -W 60 "$(worker_addr 4)" >/dev/null
}

ktap_header
set_up || ktap_fail "set up"
ktap_run "rules in text and JSON" shows
ktap_run "rules are replaced and go, and so do ACLs" changes
ktap_run "save and restore" keeps
ktap_run "an ACL with as many rules as there may be" many
ktap_run "devices that come later" devices
ktap_run "what is refused" refusals
for hook in qdisc tc xdp; do
	ktap_run "the first rule that matches decides at hook $hook" decides "$hook"
done
ktap_run "marks of an edge stay where an ACL forbids to trim" marks
ktap_run "the last of 1024 rules is found, and rules change under traffic" under_traffic
ktap_end
