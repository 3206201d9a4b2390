#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# `weir import sonic`: what tables of a config_db.json become, and what is said of the rest.
set -u

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd) || exit 1
root=$(cd "$here/../.." && pwd) || exit 1
# shellcheck source=../lib/ktap.sh
. "$here/../lib/ktap.sh"

weir=${WEIR:-$root/build/bin/weir}
work=$(mktemp -d) || exit 1
at_exit rm -rf "$work"

# imports TABLES [WORD...]: of a switch that trims, with these tables; the answer is in $work/got
global='"SWITCH_TRIMMING": {"GLOBAL": {"size": "200", "dscp_value": "48"}}'
trimming='"BUFFER_PROFILE": {"p": {"packet_discard_action": "trim"}}, "BUFFER_QUEUE": {"Ethernet0|3": {"profile": "p"}}'
imports() {
	echo "{$1}" >"$work/db"
	"$weir" -j import sonic "$work/db" "${@:2}" >"$work/got" 2>"$work/err" || { cat "$work/err"; return 1; }
}
# holds FILTER: of the answer
holds() { gojq -e "$1" "$work/got" >/dev/null || { echo "$1"; cat "$work/got"; return 1; }; }
# leaves TABLE KEY FIELD PATTERN: it is said to have no counterpart; FIELD - is none
leaves() {
	gojq -e --arg t "$1" --arg k "$2" --arg f "$3" --arg w "$4" '.left | any(.table == $t and .key == $k
		and (.field // "-") == $f and (.why | test($w)))' "$work/got" >/dev/null || { echo "$*"; cat "$work/got"; return 1; }
}
refuses() {
	echo "$2" >"$work/db"
	if "$weir" import sonic "$work/db" "${@:3}" >"$work/got" 2>"$work/err"; then
		cat "$work/got"
		return 1
	fi
	{ [[ ! -s $work/got ]] && grep -qE -e "$1" "$work/err"; } || { cat "$work/err"; return 1; }
}

of_switch() {
	imports "$global" && holds '.commands == ["weir trim-default set size 200 dscp 48"] and .left == []' &&
		imports '"SWITCH_TRIMMING": {"GLOBAL": {"dscp_value": "from-tc", "tc_value": "9", "queue_index": "dynamic"}}' &&
		holds '.commands == ["weir trim-default set dscp from-tc tc 9"]' &&
		leaves SWITCH_TRIMMING GLOBAL queue_index "add .queue."
}
of_queues() {
	imports "$global, $trimming" --map Ethernet0=eth1 && holds '.commands[1] == "weir trim set dev eth1 hook qdisc rule any share strict"' &&
		leaves BUFFER_QUEUE "Ethernet0|3" profile "no map says which DSCPs" &&
		imports "$global, \"BUFFER_PROFILE\": {\"p\": {\"size\": \"100\", \"static_th\": \"900\", \"packet_discard_action\": \"trim\"},
			\"q\": {\"dynamic_th\": \"1\", \"packet_discard_action\": \"trim\"}, \"r\": {\"pool\": \"x\"}},
			\"BUFFER_QUEUE\": {\"Ethernet0,Ethernet4|1-2\": {\"profile\": \"[BUFFER_PROFILE|p]\"}, \"Ethernet8|0\": {\"profile\": \"q\"},
			\"Ethernet0|0\": {\"profile\": \"r\"}, \"Ethernet4|9-8\": {\"profile\": \"p\"}, \"Ethernet9|1\": {\"profile\": \"none\"}}" &&
		holds '.commands[1:] == ["weir trim set dev Ethernet0 hook qdisc rule any limit 1000b share strict",
			"weir trim set dev Ethernet4 hook qdisc rule any limit 1000b share strict", "weir trim set dev Ethernet8 hook qdisc rule any share strict"]' &&
		leaves BUFFER_PROFILE q dynamic_th "share of a pool without a size" && leaves BUFFER_PROFILE r - "not trimmed" &&
		leaves BUFFER_QUEUE "Ethernet0|0" profile "not trimmed" && leaves BUFFER_QUEUE "Ethernet4|9-8" profile "not ports and queues" &&
		leaves BUFFER_QUEUE "Ethernet9|1" profile "no such profile"
}
# pools POOLS PROFILES QUEUES [WORD...]
pools() { imports "$global, \"BUFFER_POOL\": $1, \"BUFFER_PROFILE\": $2, \"BUFFER_QUEUE\": $3" "${@:4}"; }
of_pools() {
	local pool='{"e": {"type": "egress", "mode": "dynamic", "size": "9000", "xoff": "5"}, "i": {"type": "ingress", "size": "1"}, "n": {"type": "egress"}}'
	local profile='{"d": {"pool": "e", "size": "7", "dynamic_th": "-2", "packet_discard_action": "trim"}, "u": {"pool": "[BUFFER_POOL|e]", "dynamic_th": "8", "packet_discard_action": "trim"},
		"s": {"pool": "e", "static_th": "900", "size": "100", "packet_discard_action": "trim"}, "o": {"pool": "i", "dynamic_th": "0", "packet_discard_action": "trim"},
		"n": {"pool": "n", "dynamic_th": "0", "packet_discard_action": "trim"}, "w": {"pool": "e", "dynamic_th": "9", "packet_discard_action": "trim"}}'
	pools "$pool" "$profile" '{"E0|1": {"profile": "d"}, "E1|1": {"profile": "u"}, "E2|1": {"profile": "s"}, "E3|1": {"profile": "o"}, "E4|1": {"profile": "w"}}' &&
		holds '.commands == ["weir trim-default set size 200 dscp 48", "weir trim-pool set name e size 9000b",
			"weir trim set dev E0 hook qdisc rule any limit dynamic 1/4 pool e share strict", "weir trim set dev E1 hook qdisc rule any limit dynamic 256 pool e share strict",
			"weir trim set dev E2 hook qdisc rule any limit 1000b pool e share strict", "weir trim set dev E3 hook qdisc rule any share strict",
			"weir trim set dev E4 hook qdisc rule any pool e share strict"]' &&
		leaves BUFFER_PROFILE d size "no bytes of its own" && leaves BUFFER_PROFILE o pool "egress alone" && leaves BUFFER_PROFILE o dynamic_th "without a size" &&
		leaves BUFFER_PROFILE n pool "does not have its size" && leaves BUFFER_PROFILE w dynamic_th "has -8 to 8" && leaves BUFFER_POOL e xoff "not about" &&
		leaves BUFFER_POOL i - "no port" && leaves BUFFER_POOL n - "no port"
}
of_classes() {
	local pool='{"e": {"type": "egress", "size": "9000"}, "f": {"type": "egress", "size": "8000"}}'
	local profile='{"d": {"pool": "e", "dynamic_th": "0", "packet_discard_action": "trim"}, "s": {"pool": "e", "static_th": "900", "packet_discard_action": "trim"},
		"f": {"pool": "f", "dynamic_th": "0", "packet_discard_action": "trim"}}'
	local queues='{"E0|3-4": {"profile": "d"}, "E0|15": {"profile": "s"}, "E0|6": {"profile": "f"}}'
	pools "$pool" "$profile" "$queues" --classes 1: --map E0=eth1 &&
		holds '.commands[1:] == ["weir trim-pool set name e size 9000b",
			"weir trim set dev eth1 hook qdisc rule any class 1:4,limit=dynamic:1 class 1:5,limit=dynamic:1 class 1:7 class 1:10,limit=900b pool e share strict"]' &&
		leaves BUFFER_QUEUE "E0|6" profile "one pool" && leaves BUFFER_POOL f - "no port" &&
		pools "$pool" "$profile" "$queues" && holds '.commands[2] == "weir trim set dev E0 hook qdisc rule any limit dynamic 1 pool e share strict"' &&
		leaves BUFFER_QUEUE "E0|15" profile "one limit"
}
of_maps() {
	local maps='"DSCP_TO_TC_MAP": {"m": {"1": "3", "2": "3", "40": "4", "41": "4", "48": "4"}}, "TC_TO_QUEUE_MAP": {"m": {"4": "3", "3": "0"}}'
	imports "$global, $trimming, $maps, \"PORT_QOS_MAP\": {\"Ethernet0\": {\"dscp_to_tc_map\": \"m\"}}" &&
		holds '.commands[1] == "weir trim set dev Ethernet0 hook qdisc rule dscp=1-2 share strict" and .left == []' &&
		imports "$global, $trimming, $maps, \"PORT_QOS_MAP\": {\"Ethernet0\": {\"dscp_to_tc_map\": \"m\", \"tc_to_queue_map\": \"m\",
			\"pfc_enable\": \"3\", \"tc_to_dscp_map\": \"d\"}, \"Ethernet4\": {\"dscp_to_tc_map\": \"m\"}}" &&
		holds '.commands[1] == "weir trim set dev Ethernet0 hook qdisc rule dscp=40-41 share strict"' &&
		leaves PORT_QOS_MAP Ethernet0 pfc_enable "not about" && leaves PORT_QOS_MAP Ethernet0 tc_to_dscp_map "from-tc alone" &&
		leaves PORT_QOS_MAP Ethernet4 dscp_to_tc_map "does not trim" &&
		imports "\"SWITCH_TRIMMING\": {\"GLOBAL\": {\"dscp_value\": \"from-tc\", \"tc_value\": \"9\"}}, $trimming,
			\"TC_TO_DSCP_MAP\": {\"d\": {\"9\": \"7\"}}, \"PORT_QOS_MAP\": {\"Ethernet0\": {\"tc_to_dscp_map\": \"d\"}}" &&
		holds '.commands[1] | startswith("weir trim set dev Ethernet0 hook qdisc tc-dscp 0:0,1:8,") and contains(",9:7,10:0,")'
}
acl() { imports "$global, $trimming, \"ACL_TABLE\": $1, \"ACL_RULE\": $2"; }
# acls COMMAND...: the commands for ACLs, without their first words
acls() {
	gojq -r '.commands[] | select(startswith("weir trim-acl set name ")) | ltrimstr("weir trim-acl set name ")' "$work/got" >"$work/acls"
	diff "$work/acls" <(printf '%s\n' "$@")
}
names_acl() { holds "[.commands[] | select(startswith(\"weir trim set dev $1 \")) | contains(\" acl $2 \")] == [true]"; }
of_acls() {
	acl '{"T": {"stage": "EGRESS", "ports": ["Ethernet0", "Ethernet4"]}, "U": {"ports": "Ethernet4"}}' \
		'{"T|a": {"PRIORITY": "1", "SRC_IPV6": "fd00::1/8", "NEXT_HEADER": "0x11", "L4_SRC_PORT": "5", "DSCP": "46", "VLAN_ID": "7", "PACKET_ACTION": "DISABLE_TRIM"},
		  "T|b": {"PRIORITY": "9", "DST_IP": "10.0.0.1", "MIRROR_ACTION": "x", "PACKET_ACTION": "DISABLE_TRIM"}, "T|c": {"TCP_FLAGS": "0x2/0x2", "PACKET_ACTION": "DISABLE_TRIM"},
		  "U|d": {"SRC_IP": "10.0.0.1", "PACKET_ACTION": "DROP"}, "X|e": {"SRC_IP": "10.0.0.1", "PACKET_ACTION": "DISABLE_TRIM"}}' &&
		acls "T prio 10 disable-trim dst=10.0.0.1" "T prio 20 disable-trim dscp=46,proto=udp,sport=5,vlan=7,src=fd00::/8" && names_acl Ethernet0 T &&
		holds '.commands | index("weir trim set dev Ethernet0 hook qdisc rule any acl T share strict") == 3' &&
		leaves ACL_RULE "T|c" TCP_FLAGS "no such condition" && leaves ACL_RULE "U|d" PACKET_ACTION "not about" && leaves ACL_RULE "T|b" MIRROR_ACTION "not about" &&
		leaves ACL_RULE "X|e" - "table is missing" && leaves ACL_TABLE U - "no rule of it"
}
# Rules that exempt packets from later ones, and those that exempt none.
of_exemptions() {
	acl '{"T": {"stage": "egress", "ports": ["Ethernet0"]}}' \
		'{"T|last": {"PRIORITY": "1", "IP_PROTOCOL": "6", "PACKET_ACTION": "FORWARD"}, "T|all": {"PRIORITY": "5", "DST_IP": "10.1.0.0/16", "PACKET_ACTION": "DISABLE_TRIM"},
		  "T|one": {"PRIORITY": "100", "DST_IP": "10.1.2.0/24", "PACKET_ACTION": "FORWARD"}, "T|other": {"PRIORITY": "90", "DST_IP": "10.2.0.0/16", "PACKET_ACTION": "FORWARD"},
		  "T|gone": {"PRIORITY": "80", "L4_DST_PORT": "9", "PACKET_ACTION": "DROP"}, "T|odd": {"PRIORITY": "70", "TCP_FLAGS": "0x2", "PACKET_ACTION": "FORWARD"}}' &&
		acls "T prio 10 pass dst=10.1.2.0/24" "T prio 20 pass port=9" "T prio 30 disable-trim dst=10.1.0.0/16" && names_acl Ethernet0 T &&
		leaves ACL_RULE "T|last" PACKET_ACTION "not about trimming$" && leaves ACL_RULE "T|other" PACKET_ACTION "not about trimming$" &&
		leaves ACL_RULE "T|gone" PACKET_ACTION "no more than exempt" && leaves ACL_RULE "T|odd" TCP_FLAGS "may keep packets whole" && holds '.left | length == 5'
}
of_port_ranges() {
	acl '{"T": {"stage": "egress", "ports": ["Ethernet0"]}}' \
		'{"T|a": {"PRIORITY": "9", "L4_DST_PORT_RANGE": "20-22", "L4_SRC_PORT": "7", "PACKET_ACTION": "DISABLE_TRIM"}, "T|b": {"PRIORITY": "8", "L4_SRC_PORT_RANGE": "1-17", "PACKET_ACTION": "DISABLE_TRIM"},
		  "T|c": {"PRIORITY": "7", "L4_SRC_PORT_RANGE": "1-4", "L4_DST_PORT_RANGE": "1-5", "PACKET_ACTION": "DISABLE_TRIM"}, "T|d": {"L4_DST_PORT_RANGE": "5-4", "PACKET_ACTION": "DISABLE_TRIM"},
		  "T|e": {"L4_DST_PORT": "5", "IP_PROTOCOL": "1", "PACKET_ACTION": "DISABLE_TRIM"}, "T|f": {"SRC_IP": "10.0.0.1", "DST_IPV6": "fd00::1", "PACKET_ACTION": "DISABLE_TRIM"}}' &&
		acls "T prio 10 disable-trim port=20,sport=7" "T prio 20 disable-trim port=21,sport=7" "T prio 30 disable-trim port=22,sport=7" &&
		leaves ACL_RULE "T|b" L4_SRC_PORT_RANGE "more than 16 ports" && leaves ACL_RULE "T|c" - "more than 16 ports" && leaves ACL_RULE "T|d" L4_DST_PORT_RANGE "this value" &&
		leaves ACL_RULE "T|e" - "UDP and TCP" && leaves ACL_RULE "T|f" - "do not go together"
}
# Packets that come in by the ports of a table, and leave by any; a port with several tables.
of_ingress() {
	local queues='"BUFFER_QUEUE": {"Ethernet0,Ethernet4,Ethernet8|3": {"profile": "p"}}'
	imports "$global, ${trimming%%, \"BUFFER_QUEUE*}, $queues, \"ACL_TABLE\": {\"E\": {\"stage\": \"EGRESS\", \"ports\": [\"Ethernet0\"]}, \"I\": {\"ports@\": \"Ethernet4,Ethernet8\"}},
		\"ACL_RULE\": {\"I|b\": {\"PRIORITY\": \"1\", \"DST_IP\": \"10.0.0.1\", \"PACKET_ACTION\": \"DISABLE_TRIM\"}, \"E|p\": {\"PRIORITY\": \"2\", \"DSCP\": \"7\", \"PACKET_ACTION\": \"FORWARD\"},
			\"E|d\": {\"PRIORITY\": \"1\", \"SRC_IP\": \"10.0.0.9\", \"PACKET_ACTION\": \"DISABLE_TRIM\"}}" --map Ethernet4=eth4 &&
		acls "E+I prio 10 disable-trim dscp=7,dst=10.0.0.1,from=eth4" "E+I prio 20 disable-trim dscp=7,dst=10.0.0.1,from=Ethernet8" "E+I prio 30 pass dscp=7" \
			"E+I prio 40 disable-trim src=10.0.0.9" "E+I prio 50 disable-trim dst=10.0.0.1,from=eth4" "E+I prio 60 disable-trim dst=10.0.0.1,from=Ethernet8" \
			"I prio 10 disable-trim dst=10.0.0.1,from=eth4" "I prio 20 disable-trim dst=10.0.0.1,from=Ethernet8" &&
		names_acl Ethernet0 E+I && names_acl eth4 I && names_acl Ethernet8 I && holds '.left | map(select(.table | startswith("ACL"))) == []'
}
# Names that no ACL of weir may have, and ports that do not trim.
of_acl_names() {
	local long
	long=$(printf 'T%.0s' {1..32})
	acl "{\"$long\": {\"stage\": \"egress\", \"ports\": [\"Ethernet0\"]}, \"acl1\": {\"stage\": \"egress\", \"ports\": [\"Ethernet4\"]}, \"none\": {\"stage\": \"egress\"},
		\"I\": {\"ports\": [\"$long\"]}}" \
		"{\"$long|a\": {\"PACKET_ACTION\": \"DISABLE_TRIM\"}, \"acl1|a\": {\"PACKET_ACTION\": \"DISABLE_TRIM\"}, \"none|a\": {\"PACKET_ACTION\": \"DISABLE_TRIM\"}, \"I|a\": {\"PACKET_ACTION\": \"DISABLE_TRIM\"}}" &&
		acls "acl2 prio 10 disable-trim any" && names_acl Ethernet0 acl2 && leaves ACL_TABLE acl1 - "none of its ports trims" && leaves ACL_RULE "none|a" - "no ports" &&
		leaves ACL_TABLE I - "so long a name"
}
# rules COUNT: as many of table T
rules() { gojq -nc --argjson n "$1" '[range($n) | {key: "T|r\(.)", value: {PRIORITY: "\(.)", L4_DST_PORT: "\(. + 1)", PACKET_ACTION: "DISABLE_TRIM"}}] | from_entries'; }
many_rules() {
	acl '{"T": {"stage": "egress", "ports": ["Ethernet0"]}}' "$(rules 40)" && holds '[.commands[] | select(startswith("weir trim-acl "))] | length == 40
			and .[0] == "weir trim-acl set name T prio 10 disable-trim port=40" and .[39] == "weir trim-acl set name T prio 400 disable-trim port=1"' &&
		names_acl Ethernet0 T && holds '.left | all(.table | startswith("ACL") | not)' &&
		acl '{"T": {"stage": "egress", "ports": ["Ethernet0"]}}' "$(rules 1030)" && holds '[.commands[] | select(startswith("weir trim-acl "))] | length == 1024' &&
		leaves ACL_TABLE T - "1024 rules at most" || return
	acl '{"T": {"stage": "egress", "ports": ["Ethernet0"]}}' "$(gojq -nc '[range(70) | {key: "T|r\(.)", value: {PRIORITY: "\(. + 1)", DSCP: "\(. % 64)", SRC_IPV6: "fd00::/\(. + 8)", PACKET_ACTION: "DISABLE_TRIM"}}] | from_entries')" &&
		holds '[.commands[] | select(startswith("weir trim-acl "))] | length == 64' && leaves ACL_TABLE T - "64 sets of fields"
}
# The output of import is read by restore.
restores() {
	acl '{"T": {"stage": "egress", "ports": ["Ethernet0"]}}' "$(rules 40)" && "$weir" import sonic "$work/db" --map Ethernet0=lo >"$work/file" &&
		"$weir" restore --diff "$work/file" >"$work/steps" && gojq -Rn '[inputs]' <"$work/steps" >"$work/got" && holds 'length == 42'
}
# Tables and fields of other types than they must have.
strange() {
	imports "$global, \"BUFFER_PROFILE\": [1], \"BUFFER_QUEUE\": {\"Ethernet0|3\": 7}, \"ACL_RULE\": {\"a\": null, \"b|c\": {\"DSCP\": null,
		\"PACKET_ACTION\": \"DISABLE_TRIM\"}}, \"ACL_TABLE\": {\"b\": {\"ports\": [null]}}, \"PORT_QOS_MAP\": {\"Ethernet0\": 1}" &&
		holds '.commands | length == 1'
}
ktap_header
ktap_run "the policy of the switch" of_switch
ktap_run "buffer profiles of queues" of_queues
ktap_run "buffer pools" of_pools
ktap_run "queues that are classes" of_classes
ktap_run "maps" of_maps
ktap_run "ACLs" of_acls
ktap_run "rules that exempt packets" of_exemptions
ktap_run "ranges of ports" of_port_ranges
ktap_run "tables at ingress, and several tables" of_ingress
ktap_run "names of ACLs" of_acl_names
ktap_run "many rules" many_rules
ktap_run "a file for restore" restores
ktap_run "a strange file" strange
ktap_run "no JSON" refuses "cannot read .* as JSON" "{"
ktap_run "no tables" refuses "no config_db.json" "[]"
ktap_run "no trimming" refuses "trims nothing" "{}"
ktap_run "no DSCP" refuses "dscp_value .* is missing" '{"SWITCH_TRIMMING": {"GLOBAL": {"size": "128"}}}'
ktap_run "no class" refuses "tc_value is missing" '{"SWITCH_TRIMMING": {"GLOBAL": {"dscp_value": "from-tc"}}}'
ktap_run "no such word" refuses "does not know 'eth1'" "{$global}" --map eth1
ktap_run "no such handle" refuses "takes the handle .*, not 1:2" "{$global}" --classes 1:2
ktap_end
