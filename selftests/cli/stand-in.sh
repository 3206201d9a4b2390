#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# The tool's requests to the module, and its output of the module's answers, without
# one: a stand-in in front of libmnl keeps the requests and gives the answers of these
# tests.
set -u

# A network namespace of its own: doctor looks for a weird and for routes there.
if ((EUID == 0)) && [[ ! ${WEIR_STAND_IN_APART-} ]]; then
	WEIR_STAND_IN_APART=1 exec unshare --net -- "$0" "$@"
fi

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd) || exit 1
root=$(cd "$here/../.." && pwd) || exit 1
# shellcheck source=../lib/ktap.sh
. "$here/../lib/ktap.sh"
# shellcheck source=tool.sh
. "$here/tool.sh"

stand_in=$here/stand-in
WEIR_STAND_IN=$(mktemp -d) || exit 1
export WEIR_STAND_IN
at_exit rm -rf "$WEIR_STAND_IN"

ktap_header
if ((EUID == 0)); then
	{ ip link set lo up && ip addr add 10.0.0.200/24 dev lo; } ||
		ktap_fail "a network namespace"
fi
if ! /usr/bin/python3 -c 'import yaml' 2>/dev/null; then
	ktap_skip "the tool with a stand-in" "no python3-yaml"
	ktap_end
fi

weir() { LD_PRELOAD="$root/build/cli/stand-in.so" "$tool" "$@"; }

# answers OPERATION [N]: those on standard input are given to the Nth such request.
answers() { "$stand_in" answer "$WEIR_STAND_IN" "$@"; }

# Forgets all that was asked and is to be answered.
fresh() { rm -f "${WEIR_STAND_IN:?}"/*; }

# asks FILTER WORDS: it holds for the last request that the words make.
asks() {
	local filter=$1 words asked
	read -r -a words <<<"$2"
	rm -f "$WEIR_STAND_IN/requests"
	weir "${words[@]}" || return
	asked=$("$stand_in" requests "$WEIR_STAND_IN" | tail -n 1)
	gojq -e "$filter" <<<"$asked" >/dev/null || { echo "$2 | $filter: $asked"; return 1; }
}

job="job add id 7 blocks 64 grads 256 address 10.0.0.254"
source="source add job 7 id 0 address 10.0.0.1"

# Requests.
asks_times() {
	asks '.timeout == 500' "$job sources 4 timeout 500us" &&
		asks '.timeout == 10000 and ."dead-after" == 2000000' \
			"$job sources 4 dead-after 2s timeout 10ms" &&
		asks '.timeout == 0 and ."dead-after" == 0' "$job sources 4 timeout never dead-after 0" &&
		asks '.timeout == 0 and (has("policy") | not)' "$job sources 4 timeout 0"
}
asks_policies() {
	asks '.policy == 1' "$job sources 4 policy wait" &&
		asks '.policy == 2 and .timers == 16' "$job sources 4 policy partial timers 16" &&
		asks '.policy == 3' "job set id 7 policy exclude"
}
# SOURCES QUORUM NUMBER: the number that a share comes to.
asks_shares() {
	local sources quorum number
	while read -r sources quorum number; do
		asks ".quorum == $number" "$job sources $sources quorum $quorum" || return
	done <<-END
		4 3 3
		4 all 0
		4 0 0
		4 88% 4
		25 0.88 22
		25 88% 22
		8 87.5% 7
		256 1% 3
		256 0.000001 1
		256 1.0 256
		256 100% 256
		3 0.333333 1
		3 0.333334 2
	END
}
asks_share_of_live_job() {
	fresh
	echo '[{"id": 7, "sources": 25, "address": "fd00::1"}]' | answers job-get
	asks '.operation == "job-set" and .quorum == 22 and .id == 7' "job set id 7 quorum 88%" &&
		asks '.operation == "job-set" and .quorum == 23 and .group == "::"' \
			"job set id 7 group none quorum 0.9" &&
		asks '.quorum == 3 and (has("group") | not)' "job set id 7 quorum 3"
}
# Of modules that "weir upgrade" replaces.
asks_families_with_former_names() {
	: >"$WEIR_STAND_IN/former"
	asks '.operation == "trim-set"' "trim set dev lo hook none rule any dscp 45" &&
		asks '.operation == "filter-add"' "filter add dev lo rule any action drop" &&
		rm "$WEIR_STAND_IN/former"
}
asks_rates() {
	asks '.rate == {"packets": 10000}' "$job sources 4 rate packets 10000" &&
		asks '.rate == {"packets": 10000, "packets-burst": 500, "bytes": 12500000, "bytes-burst": 65536}
			and .timeout == 1000' \
			"$job sources 4 rate packets 10000 burst 500 bytes 100mbit burst 64k timeout 1ms" &&
		asks '.rate == {"bytes": 1000, "packets": 5}' "$source rate bytes 1kbps packets 5" &&
		asks '.rate == {}' "job set id 7 rate none" &&
		asks '.rate == {} and .port == 9' "source set job 7 id 0 rate none port 9"
}
asks_units() {
	local word bytes
	while read -r word bytes; do
		asks ".rate.bytes == $bytes" "$source rate bytes $word" || return
	done <<-END
		8bit 1
		15bit 1
		1kbit 125
		3mbit 375000
		40gbit 5000000000
		1tbit 125000000000
		7bps 7
		7kbps 7000
		7mbps 7000000
		7gbps 7000000000
	END
	while read -r word bytes; do
		asks ".rate.\"bytes-burst\" == $bytes" "$source rate bytes 1gbit burst $word" || return
	done <<-END
		70000b 70000
		64k 65536
		3m 3145728
		5g 5368709120
	END
}
asks_bindings() {
	asks '.vlan == 7 and .ifindex == 1 and .port == 99' "$source vlan 7 dev lo port 99" &&
		asks '.vlan == 0' "$source vlan untagged" &&
		asks '.vlan == 4095 and .ifindex == 0' "source set job 7 id 0 vlan any dev any" &&
		asks 'has("vlan") or has("ifindex") or has("rate") | not' "$source"
}
ktap_run "asks for times" asks_times
ktap_run "asks for policies" asks_policies
ktap_run "asks for shares" asks_shares
ktap_run "families with their former names are asked" asks_families_with_former_names
ktap_run "asks for a share of a live job" asks_share_of_live_job
ktap_run "asks for rates" asks_rates
ktap_run "asks for rates with all units" asks_units
ktap_run "asks for bindings" asks_bindings

# Policies of trimming. The device is one that nothing is attached to.
trim="trim set dev lo hook none"
asks_trims() {
	local words filter
	fresh
	while IFS=';' read -r words filter; do
		asks ".operation == \"trim-set\" and .ifindex == 1 and .hook == 4 and ($filter)" \
			"$trim $words" || return
	done <<-END
		size 128;.size == 128
		dscp 26;.dscp == 26 and (has("tc") | not)
		dscp be;.dscp == 0
		dscp cs7;.dscp == 56
		dscp af31;.dscp == 26
		dscp af43;.dscp == 38
		dscp ef;.dscp == 46
		tc 6;.tc == 6 and (has("dscp") | not)
		dscp from-tc tc 6;.tc == 6 and (has("dscp") | not)
		tc-dscp 0:0,6:48;."tc-dscp" == "00081018202830380000000000000000"
		tc-dscp 7:ef,0:1;."tc-dscp" == "010810182028302e0000000000000000"
		dscp-tc cs6:6,0:15;."dscp-tc" == "0f$(printf 'f%.0s' {1..94})06$(printf 'f%.0s' {1..30})"
		tc 15 tc-dscp 15:11;.tc == 15 and ."tc-dscp" == "0008101820283038000000000000000b"
		priority 4294967295;.priority == 4294967295
		queue 3;.queue == 3
		length update;.length == 1
		length keep;.length == 2
		trimmed-dscp af12,13 control-dscp cs5;."trimmed-dscps" == 12288 and ."control-dscps" == 1099511627776
		trimmed-dscp none;."trimmed-dscps" == 0
		control-dscp 63;."control-dscps" == 9223372036854775808
		edge on;.edge == 1
		edge off;.edge == 0
		limit 12;.limit == 12 and (has("limit-bytes") | not) and (has("limit-time") | not)
		limit 18kb;."limit-bytes" == 18432 and .limit == 0
		limit 18k;."limit-bytes" == 18432
		port-limit 1mb;."port-limit" == 1048576
		port-limit 9000;."port-limit" == 9000
		port-limit 0;."port-limit" == 0
		limit 20us;."limit-time" == 20 and .limit == 0
		limit dynamic 1/2;."limit-dynamic" == 128 and .limit == 0
		limit dynamic 1/256 limit 9;."limit-dynamic" == 1 and .limit == 9
		limit dynamic 256;."limit-dynamic" == 65536
		limit dynamic 3/4;."limit-dynamic" == 192
		limit dynamic 0;."limit-dynamic" == 0
		pool lossy;.pool == "lossy"
		pool none;.unset == 1125899906842624 and (has("pool") | not)
		acl keep;.acl == "keep"
		acl none;.unset == 2251799813685248 and (has("acl") | not)
		limit 2ms limit 8 limit 5gb;."limit-time" == 2000 and .limit == 8 and ."limit-bytes" == 5368709120
		headers 500;.headers == 500
		header-time 2ms;."header-time" == 2000
		header-time never;."header-time" == 0
		share strict;.share == 1 and (has("share-value") | not)
		share 10:1;.share == 2 and ."share-value" == 10
		share 20%;.share == 3 and ."share-value" == 20
		victim arriving;.victim == 1
		victim tail;.victim == 2
		victim coin;.victim == 3
		full drop;.full == 1
		full return return-dscp cs6;.full == 2 and ."return-dscp" == 48
		full return always return-dscp cs6;.full == 3 and ."return-dscp" == 48
		meter shared;.meter == 1
		meter percpu;.meter == 2
		meter backlog;.meter == 3
		rate 100gbit;.rate == 12500000000
		rate 1000bps;.rate == 1000
		overhead 24 mpu 84;.overhead == 24 and .mpu == 84
		optimistic 90% half 45 pessimistic 1%;.optimistic == 90 and .half == 45 and .pessimistic == 1
		t0 6us t1 1ms;.t0 == 6 and .t1 == 1000
	END
}
asks_rules() {
	local words rules
	while IFS='|' read -r words rules; do
		asks ".rule == [$rules]" "$trim $words" || return
	done <<-END
		rule any|{}
		rule dscp=10|{"dscp": 10, "dscp-last": 10}
		rule dscp=af11-af13|{"dscp": 10, "dscp-last": 14}
		rule dscp=0-63|{"dscp": 0, "dscp-last": 63}
		rule proto=udp|{"proto": 17}
		rule proto=ndp|{"proto": 199}
		rule proto=6|{"proto": 6}
		rule vlan=7,port=666,proto=tcp,dscp=be|{"dscp": 0, "dscp-last": 0, "proto": 6, "port": 666, "vlan": 7}
		disable-trim any|{"disable": true}
		rule dscp=1 disable-trim port=22 rule dscp=2|{"dscp": 1, "dscp-last": 1}, {"port": 22, "disable": true}, {"dscp": 2, "dscp-last": 2}
	END
}
# As many rules as the command line takes fit into a request, and arrive in their order.
asks_many_rules() {
	local words=$trim i
	for ((i = 1; i <= 16; i++)); do
		words+=" rule dscp=$i-63,proto=udp,port=$i,vlan=$i disable-trim dscp=0-$i,proto=tcp,port=$i,vlan=$i"
	done
	asks '.rule | length == 32 and .[30] == {"dscp": 16, "dscp-last": 63, "proto": 17, "port": 16, "vlan": 16}
		and .[31] == {"dscp": 0, "dscp-last": 16, "proto": 6, "port": 16, "vlan": 16, "disable": true}' "$words"
}
asks_acls() {
	local words rule
	fresh
	while IFS='|' read -r words rule; do
		asks ". == {\"operation\": \"trim-acl-set\", \"name\": \"a\", \"prio\": 65535, \"rule\": $rule}" "trim-acl set name a prio 65535 $words" || return
	done <<-END
		disable-trim any|{"disable": true}
		pass any|{}
		disable-trim dscp=af11-af13,proto=tcp,port=22|{"dscp": 10, "dscp-last": 14, "proto": 6, "port": 22, "disable": true}
		pass sport=5,vlan=7,from=lo|{"sport": 5, "vlan": 7, "from": 1}
	END
	answers trim-acl-get <<<'[{"name": "a", "prio": 7, "rule": {}}]'
	asks '. == {"operation": "trim-acl-del", "name": "a"}' "trim-acl del name a" &&
		asks '. == {"operation": "trim-acl-del", "name": "a", "prio": 7}' "trim-acl del name a prio 7" &&
		asks '. == {"operation": "trim-acl-get", "name": "a"}' "trim-acl show name a" && asks '. == {"operation": "trim-acl-get"}' "trim-acl show"
}
# Settings that a policy has already are not sent again.
asks_profiles() {
	local lo="trim set dev lo hook none"
	fresh
	asks '.size == 64 and .limit == 8 and .full == 2 and (has("share") or has("victim") or has("dscp") | not)' "$lo profile ndp" &&
		asks '.size == 128 and .dscp == 45 and .rule == [{"dscp": 10, "dscp-last": 10}]' "$lo profile uec" &&
		asks '.dscp == 48 and .size == 128' "$lo profile sonic" &&
		asks '.size == 200 and .dscp == 5 and .limit == 0 and ."limit-bytes" == 1024' "$lo dscp 5 profile uec size 200 limit 1kb" &&
		asks '.tc == 3 and (has("dscp") | not)' "$lo profile sonic tc 3"
}
asks_live_trims() {
	fresh
	answers trim-get <<<'[{"ifindex": 1, "hook": 4, "limit": 12}]'
	asks '."limit-bytes" == 18432 and .limit == 0' "trim set dev lo limit 18kb" || return
	answers trim-get <<<'[{"ifindex": 1, "hook": 4, "limit": 12, "said": 32768}]' # bit WEIR_A_TRIM_LIMIT
	asks 'has("hook") or has("limit") | not' "trim set dev lo size 200" &&
		asks '."limit-bytes" == 18432 and (has("limit") | not)' "trim set dev lo limit 18kb" || return
	if weir trim set dev lo hook qdisc 2>"$WEIR_STAND_IN/err"; then
		echo "the hook was changed"
		return 1
	fi
	grep -q "lo has a policy with hook none: run .weir trim del dev lo." "$WEIR_STAND_IN/err"
}
asks_trim_del() {
	fresh
	asks '. == {"operation": "trim-del", "ifindex": 1}' "trim del dev lo" &&
		asks '. == {"operation": "trim-flush"}' "trim flush" &&
		asks '. == {"operation": "trim-clear"}' "trim clear" &&
		asks '. == {"operation": "trim-clear", "ifindex": 1}' "trim clear dev lo" &&
		asks '. == {"operation": "trim-get", "ifindex": 1}' "trim show dev lo"
}
# trim_usage PATTERN WORDS: the words make no sense together, and nothing is asked.
trim_usage() {
	local words err
	read -r -a words <<<"$2"
	fresh
	err=$(weir "${words[@]}" 2>&1 >/dev/null)
	(($? == 2)) || { echo "status: $err"; return 1; }
	grep -qE -e "$1" <<<"$err" || { echo "'$err' does not match '$1'"; return 1; }
	[[ ! -e $WEIR_STAND_IN/requests ]] ||
		! "$stand_in" requests "$WEIR_STAND_IN" | gojq -e 'select(.operation == "trim-set")'
}
trim_usages() {
	local words pattern
	while IFS='|' read -r words pattern; do
		trim_usage "$pattern" "$words" || return
	done <<-END
		trim set dev lo rule any|lacks the key hook, as lo has no policy yet
		$trim limit 1 limit 2|limit 1 and limit 2 are of one kind
		$trim limit 5us limit 6ms|are of one kind
		$trim dscp from-tc|dscp from-tc lacks the traffic class
		$trim dscp 5 tc 6|dscp 5 and tc 6 exclude each other
		$trim from lo|from belongs to hook xdp, and the hook is none
	END
}
ktap_run "asks for policies of trimming" asks_trims
ktap_run "asks for rules of trimming" asks_rules
ktap_run "asks for many rules" asks_many_rules
ktap_run "asks for rules of ACLs" asks_acls
ktap_run "profiles of trimming" asks_profiles
ktap_run "asks for changes of a policy" asks_live_trims
ktap_run "asks for policies to go" asks_trim_del
ktap_run "refuses what makes no sense together" trim_usages

# Output.
fresh
answers job-get <<-END
	[{"id": 7, "sources": 4, "blocks": 64, "policy": 2, "timeout": 10000, "quorum": 3,
	  "timers": 64, "dead-after": 1000000, "generation": 2, "bound": 4, "open": 1,
	  "memory": 65536, "rate": {"packets": 10000, "packets-burst": 500,
	  "bytes": 12500000, "bytes-burst": 65536}},
	 {"id": 8, "sources": 4, "policy": 1, "timeout": 0, "quorum": 0}]
END
answers source-get <<-END
	[{"job": 7, "id": 1, "address": "10.0.0.1", "port": 99, "ifindex": 1, "vlan": 0,
	  "rate": {"bytes": 1001}, "state": 2, "missing": 3,
	  "lateness": [0, 98, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1]},
	 {"job": 7, "id": 2, "address": "10.0.0.2", "ifindex": 0, "vlan": 4095, "state": 4,
	  "missing": 0, "lateness": [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]}]
END
answers block-get <<-END
	[{"job": 7, "id": 4294967295, "generation": 2, "grads": 256, "received": 2,
	  "age": 1234567, "missing": [3, 7, 8, 9, 255]}]
END
answers port-get <<<'[]'
answers stats-get <<<'[{"jobs": 2}]'

# has TEXT PATTERN...: a line of the text matches each of them.
has() {
	local text=$1 pattern
	shift
	for pattern; do
		grep -qE -e "$pattern" <<<"$text" && continue
		printf '%s\n' "nothing matches '$pattern':" "$text"
		return 1
	done
}

# prints EXPECTED WORDS: exactly these lines.
prints() {
	local words
	read -r -a words <<<"$2"
	diff <(echo "$1") <(weir "${words[@]}" 2>&1)
}
shows_jobs() {
	prints "job 7 sources 4 blocks 64
    policy partial timeout 10ms quorum 3 timers 64 dead-after 1s rate packets 10000 burst 500 bytes 100mbit burst 64k
    generation 2 bound 4 open 1 memory 64KiB
job 8 sources 4
    policy wait timeout never quorum all" "job show" &&
		json '.[0] == {"id": 7, "sources": 4, "blocks": 64, "policy": "partial", "timeout": 10000,
			"quorum": 3, "timers": 64, "dead-after": 1000000, "rate": {"packets": 10000,
			"packets-burst": 500, "bytes": 12500000, "bytes-burst": 65536},
			"generation": 2, "bound": 4, "open": 1, "memory": 65536}
			and (.[1] | has("rate") | not)' job show
}
shows_sources() {
	prints "source job 7 id 1 address 10.0.0.1 port 99 dev lo vlan untagged rate bytes 1001bps
    state straggler missing 3 lateness p50 <4us p99 <4.1ms max >8.39s
source job 7 id 2 address 10.0.0.2
    state excluded missing 0 lateness p50 - p99 - max -" "source show" &&
		json '.[0] | .state == "straggler" and .missing == 3 and .ifindex == 1 and .dev == "lo"
			and .vlan == 0 and (.lateness | length == 24)
			and .lateness[0] == {"from": 0, "below": 2, "contributions": 0}
			and .lateness[1] == {"from": 2, "below": 4, "contributions": 98}
			and .lateness[11] == {"from": 2048, "below": 4096, "contributions": 1}
			and .lateness[23] == {"from": 8388608, "contributions": 1}' source show
}
shows_histogram() {
	local text
	text=$(weir -s source show | grep '^        ')
	[[ $(wc -l <<<"$text") == 23 ]] || { echo "$text"; return 1; }
	has "$text" '^ +2us - 4us +98 #{40}$' \
		'^ +4us - 8us +0$' '^ +2.05ms - 4.1ms +1 #$' '^ +8.39s - +1 #$'
}
shows_blocks() {
	prints "block job 7 id 4294967295 generation 2 grads 256 age 1.23ms received 2 missing-ranks 3,7-9,255" "block show" &&
		json '. == [{"job": 7, "id": 4294967295, "generation": 2, "grads": 256, "age": 1234567,
			"received": 2, "missing-ranks": [3, 7, 8, 9, 255]}]' block show job 7 &&
		asks '.operation == "block-get" and .job == 7' "block show job 7"
}
# All counters that the spec has, each with another number.
shows_counters() {
	local names name i=1000 stats=''
	mapfile -t names < <(/usr/bin/python3 -c 'import sys
sys.path.insert(0, sys.argv[1])
import specs
for s in specs.load()["attribute-sets"]:
    if s["name"] == "stats":
        print(*[a["name"] for a in s["attributes"] if a["type"] == "uint"], sep="\n")' "$root/selftests/lib")
	((${#names[@]} > 10)) || return 1
	for name in "${names[@]}"; do
		stats+="${stats:+, }\"$name\": $((i++))"
	done
	fresh
	answers job-get <<<"[{\"id\": 7, \"stats\": {$stats}}]"
	json ".[0].stats == {$stats, \"refusals\": {}}" job show || return
	i=1000
	for name in "${names[@]}"; do
		weir job show | grep -qE "(^| )$name $i( |$)" || { echo "$name is not shown"; return 1; }
		i=$((i + 1))
	done
}
shows_acls() {
	fresh
	answers trim-acl-get <<-END
		[{"name": "a", "prio": 10, "rule": {"dscp": 10, "dscp-last": 12, "src": "10.0.0.0", "src-prefix": 8, "disable": true, "packets": 7, "bytes": 900}, "ports": 2},
		 {"name": "a", "prio": 20, "rule": {"packets": 5000000000, "bytes": 1}, "ports": 2}]
	END
	prints "acl a prio 10 disable-trim dscp=10-12,src=10.0.0.0/8 ports 2
acl a prio 20 pass any ports 2" "trim-acl show" && prints "acl a prio 10 disable-trim dscp=10-12,src=10.0.0.0/8 ports 2 packets 7 bytes 900
acl a prio 20 pass any ports 2 packets 5000000000 bytes 1" "-s trim-acl show" &&
		json '. == [{"name": "a", "prio": 10, "disable-trim": {"dscp": 10, "dscp-last": 12, "src": "10.0.0.0/8"}, "ports": 2},
			{"name": "a", "prio": 20, "pass": {}, "ports": 2}]' trim-acl show &&
		json 'map([.packets, .bytes]) == [[7, 900], [5000000000, 1]]' -s trim-acl show || return
	answers trim-acl-get <<<'[]'
	! weir trim-acl show name a 2>"$WEIR_STAND_IN/err" && grep -qx 'weir: trim-acl show: there is no such ACL' "$WEIR_STAND_IN/err" && [[ -z $(weir trim-acl show) ]] || return
	answers trim-get <<<'[{"ifindex": 1, "ifname": "lo", "hook": 1, "rule": {"proto": 6}, "acl": "a"}]'
	has "$(weir trim show)" '^    rule proto=tcp acl a$' && has "$(weir -s trim show)" '^    acl a$' && json '.[0].acl == "a"' trim show
}
hears_events() {
	local text
	"$stand_in" events "$WEIR_STAND_IN" <<-END
		[{"operation": "event-ntf", "event": 2, "job": 7, "source": 3, "straggles": 14},
		 {"operation": "event-ntf", "event": 3, "job": 7, "source": 5, "straggles": 100},
		 {"operation": "event-ntf", "event": 4, "job": 7, "source": 3, "straggles": 0},
		 {"operation": "job-ntf", "id": 7, "policy": 3, "timeout": 500}]
	END
	text=$(weir monitor 2>/dev/null | cut -d ' ' -f 2-)
	[[ $text == "straggler job 7 source 3 straggles 14
dead job 7 source 5 straggles 100
recovered job 7 source 3 straggles 0
job job 7 policy exclude timeout 500us" ]] || { echo "$text"; return 1; }
	weir -j monitor 2>/dev/null | gojq -se '.[1] | .event == "dead" and .job == 7 and .source == 5
		and .straggles == 100' >/dev/null
}
# doctor_says CHECK SUBJECT STATUS FOUND FIX
doctor_says() {
	weir -j doctor >"$WEIR_STAND_IN/doctor" || true
	gojq -e --arg check "$1" --arg subject "$2" --arg status "$3" --arg found "$4" --arg fix "$5" \
		'.checks | any(.check == $check and .subject == $subject and .status == $status
			and (.found | test($found)) and (.fix // "" | test($fix)))' "$WEIR_STAND_IN/doctor" ||
		{ gojq -c '.checks[]' "$WEIR_STAND_IN/doctor"; return 1; }
}
# doctor_says_nothing CHECK SUBJECT
doctor_says_nothing() {
	weir -j doctor >"$WEIR_STAND_IN/doctor" || true
	gojq -e --arg check "$1" --arg subject "$2" \
		'.checks | length > 0 and (any(.check == $check and .subject == $subject) | not)' "$WEIR_STAND_IN/doctor" ||
		{ gojq -c '.checks[]' "$WEIR_STAND_IN/doctor"; return 1; }
}
# All counters of a policy, each with another number.
trim_stats() {
	/usr/bin/python3 -c 'import json, sys
sys.path.insert(0, sys.argv[1])
import specs
for s in specs.load()["attribute-sets"]:
    if s["name"] == "trim-stats":
        print(json.dumps({a["name"]: 1000 + i for i, a in enumerate(s["attributes"])}))' "$root/selftests/lib"
}
shows_trims() {
	local stats
	stats=$(trim_stats) || return
	answers trim-get <<-END
		[{"ifindex": 1, "ifname": "lo", "hook": 1, "size": 128, "dscp": 26, "length": 1, "edge": 0,
		  "rule": [{"dscp": 10, "dscp-last": 14, "proto": 17}, {"proto": 199}, {}, {"port": 22, "disable": true}],
		  "limit": 12, "limit-bytes": 18432, "limit-time": 0, "port-limit": 65536, "headers": 1000, "header-time": 1000,
		  "share": 2, "share-value": 10, "victim": 3, "full": 2, "return-dscp": 48,
		  "cpus": 8, "data-depth": 3, "header-depth": 40, "direct": 900,
		  "child-dropped": 7, "stats": $stats},
		 {"ifindex": 2, "ifname": "eth0", "hook": 2, "size": 256, "trimmed-dscps": 12288, "control-dscps": 1, "tc": 6, "tc-dscp": "000810182028302e0000000000000001",
		  "priority": 7, "queue": 1, "length": 2, "edge": 1, "limit": 0, "limit-bytes": 0, "limit-time": 20,
		  "share": 3, "share-value": 20, "meter": 2, "rate": 1250000000, "overhead": 24, "mpu": 84,
		  "optimistic": 100, "half": 50, "pessimistic": 25, "t0": 6, "t1": 24},
		 {"ifindex": 3, "ifname": "eth1", "hook": 4, "size": 128, "limit": 12, "edge": 1, "said": 32768}]
	END
	prints "trim dev lo hook qdisc edge off size 128 dscp 26 length update
    rule dscp=10-14,proto=udp rule proto=ndp rule any disable-trim port=22
    limit 12 limit 18k port-limit 64k headers 1000 header-time 1ms share 10:1 victim coin full return return-dscp 48
    cpus 8 data-depth 3 header-depth 40 direct 900 child-dropped 7
    whole 1000 whole-bytes 1001 trim 1002 trim-bytes 1003 tx-trim 1004 dropped-trim 1005 returned 1006 short 1007
    headers 1008 headers-dropped 1009 untrusted 1010 other 1011 other-dropped 1012 failed 1013 merged 1014
    data-max 1015 header-max 1016
    overflows 1017 optimistic 1018 (33.3%) half 1019 (33.3%) pessimistic 1020 (33.4%) half-time 1.02us pessimistic-time 1.02us device-dropped 1023 deflected 1024 deflected-max 1025 lost 1026 other-max 1027
trim dev eth0 hook tc edge on size 256 trimmed-dscp 12,13 control-dscp 0 tc 6 tc-dscp 0:0,1:8,2:16,3:24,4:32,5:40,6:48,7:46,15:1 priority 7 queue 1 length keep
    limit 20us share 20%
    meter percpu rate 10gbit overhead 24 mpu 84 optimistic 100% half 50% pessimistic 25% t0 6us t1 24us
trim dev eth1 hook none edge on" "trim show" &&
		json ".[0].stats == $stats" trim show &&
		json '(.[0] | del(.stats)) == {"dev": "lo", "ifindex": 1, "hook": "qdisc", "edge": "off", "size": 128,
			"dscp": 26, "length": "update",
			"rule": [{"dscp": 10, "dscp-last": 14, "proto": 17}, {"proto": 199}, {}],
			"disable-trim": [{"port": 22}], "limit": 12, "limit-bytes": 18432, "limit-time": 0, "port-limit": 65536,
			"headers": 1000, "header-time": 1000, "share": "ratio", "share-value": 10, "victim": "coin",
			"full": "return", "return-dscp": 48, "cpus": 8, "data-depth": 3, "header-depth": 40, "direct": 900,
			"child-dropped": 7}
			and .[1] == {"dev": "eth0", "ifindex": 2, "hook": "tc", "edge": "on", "size": 256, "trimmed-dscp": [12, 13],
			"control-dscp": [0], "tc": 6,
			"tc-dscp": [0, 8, 16, 24, 32, 40, 48, 46, 0, 0, 0, 0, 0, 0, 0, 1], "priority": 7, "queue": 1, "length": "keep",
			"rule": [], "disable-trim": [], "limit": 0, "limit-bytes": 0, "limit-time": 20,
			"share": "bytes", "share-value": 20, "meter": "percpu", "rate": 1250000000,
			"overhead": 24, "mpu": 84, "optimistic": 100, "half": 50, "pessimistic": 25, "t0": 6, "t1": 24}
			and .[2].limit == 12 and (.[2].inherits | index("limit") == null and index("size") != null)' trim show
}
shows_queues() {
	answers trim-queue-get <<-END
		[{"ifindex": 1, "ifname": "lo", "handle": 1986330624, "parent": 4294967295, "tx-queue": 0, "data-depth": 1,
		  "header-depth": 2, "data-max": 3, "header-max": 4, "direct": 5, "trim": 6, "tx-trim": 7, "dropped-trim": 8,
		  "child": 2147549184, "child-dropped": 9},
		 {"ifindex": 2, "ifname": "eth0", "handle": 2147614720, "parent": 655363, "tx-queue": 2, "data-depth": 0,
		  "header-depth": 0, "data-max": 0, "header-max": 0, "direct": 0, "trim": 0, "tx-trim": 0, "dropped-trim": 0,
		  "child-dropped": 0}]
	END
	prints "queue dev lo handle 7665: parent root child 8001: tx-queue 0
    data-depth 1 header-depth 2 data-max 3 header-max 4 direct 5 trim 6 tx-trim 7 dropped-trim 8 child-dropped 9
queue dev eth0 handle 8002: parent a:3 tx-queue 2
    data-depth 0 header-depth 0 data-max 0 header-max 0 direct 0 trim 0 tx-trim 0 dropped-trim 0 child-dropped 0" "trim queues" &&
		json 'length == 2 and .[0] == {"dev": "lo", "ifindex": 1, "handle": "7665:", "parent": "root",
			"child": "8001:", "tx-queue": 0, "data-depth": 1, "header-depth": 2, "data-max": 3, "header-max": 4,
			"direct": 5, "trim": 6, "tx-trim": 7, "dropped-trim": 8, "child-dropped": 9}' trim queues &&
		asks '. == {"operation": "trim-queue-get", "ifindex": 1}' "trim queues dev lo"
}
hears_trims() {
	local text
	"$stand_in" events "$WEIR_STAND_IN" <<-END
		[{"operation": "trim-ntf", "ifindex": 1, "ifname": "lo", "hook": 1, "size": 128, "dscp": 26,
		  "rule": [{"proto": 17}], "limit": 12, "stats": {"trim": 5}},
		 {"operation": "trim-del-ntf", "ifindex": 1, "ifname": "lo", "hook": 1, "stats": {"trim": 7}}]
	END
	text=$(weir monitor 2>/dev/null | cut -d ' ' -f 2-)
	[[ $text == "trim trim dev lo hook qdisc size 128 dscp 26 rule proto=udp limit 12
trim-del trim dev lo hook qdisc" ]] || { echo "$text"; return 1; }
	weir -j monitor 2>/dev/null | gojq -se '.[0].event == "trim" and .[1].event == "trim-del"
		and .[1].dev == "lo" and .[1].stats.trim == 7' >/dev/null
}
# doctor_marks WORDS...: policies whose mark is that of routing protocols, each by itself, with
# an edge in the namespace; doctor_marks_not: others.
an_edge_and() {
	answers trim-get <<<'[{"ifindex": 1, "ifname": "lo", "hook": 1, "edge": 1, "rule": [{"proto": 6}], '"$1}]"
}
doctor_marks() {
	local words
	for words; do
		an_edge_and "$words" && doctor_says mark "trim lo" warn "BGP that comes in by an edge" "set a DSCP" || return
	done
}
doctor_marks_not() {
	local words
	for words; do
		an_edge_and "$words" && doctor_says_nothing mark "trim lo" || return
	done
}
# Nothing is attached to the loopback device, which every machine has.
doctor_trims() {
	answers trim-get <<<'[{"ifindex": 1, "ifname": "lo", "hook": 1}]'
	doctor_says qdisc "trim lo" fail "no weir qdisc on lo" "weir trim set dev lo" || return
	answers trim-get <<<'[{"ifindex": 1, "ifname": "lo", "hook": 2}]'
	doctor_says program "trim lo" fail "no program is attached at egress of lo" "weir trim set dev lo" &&
		doctor_says merging "trim lo" warn "merged packets pass" "ethtool -K lo gso off" || return
	answers trim-get <<<'[{"ifindex": 1, "ifname": "lo", "hook": 3, "meter": 3}]'
	doctor_says qdisc "trim lo" fail "no weir qdisc on lo" "weir trim set dev lo" &&
		doctor_says program "trim lo" fail "no device has the program" "weir trim set dev lo from DEVICE" || return
	answers trim-get <<<'[{"ifindex": 1, "ifname": "lo", "hook": 1, "direct": 700, "child-dropped": 11,
		"stats": {"whole": 200, "other": 100}}]'
	doctor_says losses "trim lo" warn "below weir's on lo has dropped 11 packets, .* of about 1000" "lower limit" || return
	answers trim-get <<<'[{"ifindex": 1, "ifname": "lo", "hook": 1, "direct": 700, "child-dropped": 10,
		"stats": {"whole": 200, "other": 100}}]'
	doctor_says_nothing losses "trim lo" || return
	doctor_marks '"dscp": 48' '"tc": 6' '"tc": 0, "tc-dscp": "3808101820283038"' &&
		doctor_marks_not '"dscp": 45' '"tc": 5' '"tc": 6, "tc-dscp": "0008101820282d38"' || return
	# An ACL that spares BGP, and others: another one, one that lets some of it through first, one for a part.
	answers trim-acl-get <<<'[{"name": "a", "prio": 1, "rule": {"disable": true, "proto": 17}},
		{"name": "a", "prio": 2, "rule": {"disable": true, "proto": 6, "port": 179}},
		{"name": "b", "prio": 1, "rule": {"dscp": 10, "dscp-last": 10}}, {"name": "b", "prio": 2, "rule": {"disable": true}},
		{"name": "c", "prio": 1, "rule": {"disable": true, "port": 179, "vlan": 7}}]'
	doctor_marks_not '"dscp": 48, "acl": "a"' && doctor_marks '"dscp": 48, "acl": "b"' '"dscp": 48, "acl": "c"' \
		'"dscp": 48, "acl": "d"' || return
	answers trim-acl-get <<<'[]'
	answers trim-get <<<'[{"ifindex": 4294967295, "ifname": "gone", "hook": 1}]'
	doctor_says device "trim gone" fail "is not in this network namespace" "ip link" || return
	answers trim-get <<<'[]'
}
# A name is one word of the commands that doctor suggests.
doctor_quotes_names() {
	answers order-get <<<'[{"ifindex": 4294967295, "ifname": "$(id>x) y", "prio": 3, "device": "lo",
		"stats": {"packets": 1}}]'
	weir -j doctor >"$WEIR_STAND_IN/doctor"
	answers order-get <<<'[]'
	gojq -e --arg fix "weir order del dev '\$(id>x) y' prio 3" \
		'.checks | any(.fix // "" | contains($fix))' "$WEIR_STAND_IN/doctor" >/dev/null ||
		{ gojq -c '.checks[]' "$WEIR_STAND_IN/doctor"; return 1; }
}
doctor_sources() {
	doctor_says state "source 1 of job 7" warn "lateness .* <4.1ms" "weir top" &&
		doctor_says state "source 2 of job 7" warn "without it" "start the worker" &&
		doctor_says device "source 1 of job 7" fail "from lo alone" "port attach dev lo"
}
doctor_blocks() {
	answers block-get <<-END
		[{"job": 7, "id": 5, "age": 3000000000, "missing": [3]},
		 {"job": 7, "id": 6, "age": 2000000000, "missing": [2, 4]},
		 {"job": 7, "id": 9, "age": 1000, "missing": [0]}]
	END
	doctor_says blocks "job 7" warn "2 open blocks wait for sources 2-4; block 5 has for 3s" \
		"block show job 7"
}
doctor_degraded() {
	answers job-get <<<'[{"id": 7, "stats": {"blocks": 100, "degraded": 11}},
		{"id": 8, "stats": {"blocks": 100, "degraded": 10}}]'
	doctor_says degraded "job 7" warn "11 of 100 blocks" "timeout" &&
		gojq -e '.checks | any(.check == "degraded" and .subject == "job 8") | not' "$WEIR_STAND_IN/doctor"
}
# weird CONFIG: a daemon of that name that listens. It may be heard or not, and may or may not do what it does.
weird() {
	rm -f "$WEIR_STAND_IN/weird.listens"
	"$WEIR_STAND_IN/weird" --listen "127.0.0.1:$weird_port" --config "$1" & weird=$!
	until [[ -e $WEIR_STAND_IN/weird.listens ]]; do kill -0 "$weird" && sleep 0.05 || return; done
}
end_weird() {
	kill -KILL "$weird"
	wait "$weird" 2>/dev/null
}
doctor_of_weird() {
	local weird weird_port status=0
	cat >"$WEIR_STAND_IN/weird" <<-'END'
		#!/usr/bin/python3
		import socket, sys
		at = socket.create_server(("127.0.0.1", int(sys.argv[2].split(":")[1])))
		open(sys.argv[0] + ".listens", "w").close()
		while True:
		    caller, _ = at.accept()
		    caller.recv(1000)
		    caller.sendall(b"HTTP/1.1 401 Unauthorized\r\n\r\n")
		    caller.close()
	END
	chmod +x "$WEIR_STAND_IN/weird"
	weird_port=$((20000 + BASHPID % 20000))
	weird "$WEIR_STAND_IN/weird" || return
	doctor_says answer weird ok "process $weird answers at 127.0.0.1:$weird_port" "" || status=1
	doctor_says config weird ok "weird can be read" "" || status=1
	kill -STOP "$weird"
	doctor_says answer weird fail "process $weird does not answer" "restart weird" || status=1
	end_weird
	weird /nowhere/weird.json || return
	doctor_says config weird warn "/nowhere/weird.json cannot be read" "put it back" || status=1
	end_weird
	setpriv --inh-caps -net_admin --bounding-set -net_admin "$WEIR_STAND_IN/weird" --listen 127.0.0.1:1 & weird=$!
	until [[ $(<"/proc/$weird/comm") == weird ]]; do kill -0 "$weird" || return; done
	doctor_says rights weird fail "lacks CAP_NET_ADMIN" "AmbientCapabilities" || status=1
	end_weird
	return "$status"
}
doctor_without_weird() {
	# shellcheck disable=SC2016 # it is for the inner shell
	unshare --mount sh -c 'mount -t tmpfs none /etc && mkdir /etc/weir && : >/etc/weir/weird.json &&
		LD_PRELOAD=$1/build/cli/stand-in.so "$2" -j doctor' - "$root" "$tool" >"$WEIR_STAND_IN/doctor"
	gojq -e '.checks | any(.check == "running" and .subject == "weird" and .status == "warn")' "$WEIR_STAND_IN/doctor" >/dev/null
}
ktap_run "jobs are shown" shows_jobs
ktap_run "sources are shown" shows_sources
ktap_run "histograms are drawn" shows_histogram
ktap_run "blocks are shown" shows_blocks
ktap_run "doctor looks at sources" doctor_sources
ktap_run "doctor looks at blocks" doctor_blocks
ktap_run "doctor quotes names in commands" doctor_quotes_names
ktap_run "doctor looks at degraded blocks" doctor_degraded
if ((EUID == 0)); then
	ktap_run "doctor looks at weird" doctor_of_weird
	ktap_run "doctor misses weird" doctor_without_weird
else
	ktap_skip "doctor looks at weird" "not root"
	ktap_skip "doctor misses weird" "not root"
fi
ktap_run "policies of trimming are shown" shows_trims
ktap_run "queues are shown" shows_queues
ktap_run "policies of trimming are heard of" hears_trims
ktap_run "doctor looks at trimming" doctor_trims
# Of many blocks the first hundred, in JSON all.
limits_blocks() {
	fresh
	gojq -nc '[range(300) | {job: 7, id: ., missing: [1]}]' | answers block-get
	[[ $(weir block show 2>"$WEIR_STAND_IN/said" | wc -l) == 100 && $(<"$WEIR_STAND_IN/said") == "weir: 200 more blocks are open: \`limit all\` shows them" ]] &&
		[[ $(weir block show limit 7 2>/dev/null | wc -l) == 7 && $(weir block show limit all 2>&1 | wc -l) == 300 ]] &&
		json 'length == 300' block show && json 'length == 3' block show limit 3
}
ktap_run "of blocks that are many the first are shown" limits_blocks
ktap_run "all counters are shown" shows_counters
# Those that are zero are for programs, and for who asks for more.
shows_no_zeroes() {
	fresh
	answers job-get <<<'[ { "id": 7, "stats": { "contributions": 0, "blocks": 5, "results": 0 } } ]'
	[[ $(weir job show) != *contributions* && $(weir job show) == *"blocks 5"* && $(weir -s job show) == *"contributions 0"*"results 0"* ]] &&
		json '.[0].stats.contributions == 0 and .[0].stats.blocks == 5' job show
}
ktap_run "counters that are zero are not shown" shows_no_zeroes
ktap_run "shows rules of ACLs" shows_acls
ktap_run "events are heard" hears_events

# The page: two looks, between which 300 blocks are answered and source 2 is late.
fresh
# lateness BUCKET NUMBER: a histogram with so many in one bucket.
lateness() { gojq -nc "[range(24) | if . == $1 then $2 else 0 end]"; }
look() {
	local n=$1
	answers stats-get "$n" <<-END
		[{"jobs": 2, "ports": 3, "memory": 1048576, "memory-used": 2097152,
		  "memory-limit": 536870912, "reduction": "avx2",
		  "stats": {"blocks": $((300 * n)), "refusal": [{"reason": 5, "packets": $((20 * n))},
		  {"reason": 6, "packets": $((10 * n))}]}}]
	END
	answers job-get "$n" <<-END
		[{"id": 7, "sources": 4, "bound": 4, "policy": 1, "generation": 2, "open": 1,
		  "memory": 65536, "stats": {"blocks": $((100 * n)), "bytes": $((1000000 * n))}},
		 {"id": 8, "sources": 4, "bound": 3, "policy": 2, "generation": 5, "open": 9,
		  "memory": 983040, "stats": {"blocks": $((200 * n)), "degraded": $((30 * n))}}]
	END
	answers source-get "$n" <<-END
		[{"job": 7, "id": 0, "address": "10.0.0.1", "state": 1, "missing": 0,
		  "lateness": $(lateness 3 $((50 * n))), "stats": {"contributions": $((100 * n))}},
		 {"job": 7, "id": 1, "address": "10.0.0.2", "state": 3, "missing": 9,
		  "lateness": $(lateness 3 70), "stats": {"contributions": 70, "straggles": $((40 * n))}},
		 {"job": 7, "id": 2, "address": "10.0.0.3", "state": 2, "missing": 4,
		  "lateness": $(if ((n == 1)); then lateness 1 999; else lateness 12 20 | gojq -c '.[1] = 999'; fi),
		  "stats": {"contributions": $((1000 + 20 * n)), "late": $((12 * n))}},
		 {"job": 8, "id": 0, "address": "fd00:1234:5678:9abc:def0:1234:5678:9abc", "state": 1,
		  "missing": 0, "lateness": $(lateness 5 $((50 * n)))}]
	END
}
look 1
look 2

page() { weir top interval 20ms count 1; }
# is_within COLUMNS LINES TEXT: it takes no more
is_within() { (($(wc -L <<<"$3") <= $1 && $(wc -l <<<"$3") <= $2)) || { echo "$3"; return 1; }; }
top_counts() {
	local text
	text=$(weir top interval 20ms count 3) || return
	[[ $(grep -c '^weir top ' <<<"$text") == 3 ]] || { echo "$text"; return 1; }
	! grep -q $'\033' <<<"$text"
}
top_orders() {
	local text
	text=$(page) || return
	diff <(printf '%s\n' 8 7 7/1 7/2 8/0 7/0) \
		<(awk '$3 ~ /^(wait|partial)$/ { print $1 }
		$4 ~ /^(active|straggler|dead)$/ { print $1 "/" $2 }' <<<"$text")
}
# Counters are those of the interval, and so is the histogram.
top_rates() {
	json 'def in_all(rate): rate * .interval / 1e6 | round;
		in_all(.rates.blocks) == 300 and in_all(.rates.refusals) == 30
		and .memory == 1048576 and ."memory-limit" == 536870912
		and (.jobs | map(.id) == [8, 7])
		and in_all(.jobs[0].rates.degraded) == 30 and in_all(.jobs[1].rates.bytes / 1000) == 1000
		and (.sources | map([.job, .id]) == [[7, 1], [7, 2], [8, 0], [7, 0]])
		and in_all(.sources[1].rates.late) == 12 and in_all(.sources[0].rates.straggles) == 40
		and (.sources[1].lateness | map(select(.contributions > 0))
			== [{"from": 4096, "below": 8192, "contributions": 20}])' top interval 20ms count 1
}
top_text() {
	local text
	text=$(page) || return
	has "$text" '^weir top [0-9:]*  jobs 2  ports 3  sums with avx2$' \
		'^memory 1MiB  of all namespaces 2MiB  limit 512MiB$' \
		'^  8      3/4 partial           5      9 +[0-9.k]+ +[0-9.k]+ +0   960KiB$' \
		'^  7    2 10.0.0.3 .* <8ms   <8ms     4 #' \
		'^  7    1 10.0.0.2 +dead +0 +0 +[0-9.k]+ +- +- +9$'
}
# A box on which nothing is summed.
no_jobs() {
	fresh
	answers stats-get <<<'[{}]'
	answers job-get <<<'[]'
	answers source-get <<<'[]'
}
# fits WIDTH HEIGHT: the page does, and counts the lines left out.
fits() {
	local text shown more
	text=$(COLUMNS=$1 LINES=$2 page) || return
	is_within "$1" "$2" "$text" || return
	shown=$(awk '$4 == "active"' <<<"$text" | wc -l)
	more=$(sed -n 's/^  \.\.\. and \([0-9]*\) more source.*/\1/p' <<<"$text")
	((shown + ${more:-0} == 512)) || { echo "$text"; return 1; }
	shown=$(awk '$3 == "wait"' <<<"$text" | wc -l)
	more=$(sed -n 's/^  \.\.\. and \([0-9]*\) more job.*/\1/p' <<<"$text")
	((shown + ${more:-0} == 256)) || { echo "$text"; return 1; }
}
top_fits() {
	gojq -nc '[range(256) | {id: ., sources: 256, bound: 256, policy: 1, memory: 4096}]' | answers job-get 1
	gojq -nc '[range(512) | {job: (. / 256 | floor), id: (. % 256), state: 1,
		address: "fd00:1234:5678:9abc:def0:1234:5678:\(4096 + .)"}]' | answers source-get 1
	rm "$WEIR_STAND_IN"/*.2
	fits 80 24 && fits 80 40 && fits 132 50 && fits 200 1000 && fits 80 11
}
# A job that was removed and added again counts from zero.
top_begins_anew() {
	fresh
	answers stats-get <<<'[{}]'
	answers source-get <<<'[]'
	answers job-get 1 <<<'[{"id": 7, "stats": {"blocks": 1000, "degraded": 3}}]'
	answers job-get 2 <<<'[{"id": 7, "stats": {"blocks": 40, "degraded": 3}}]'
	json '.jobs[0].rates.blocks * .interval / 1e6 | round == 40' top interval 20ms count 1
}
ktap_run "top shows so many pages" top_counts
ktap_run "top shows the largest and the latest first" top_orders
ktap_run "top shows rates" top_rates
ktap_run "top shows all in text" top_text

# On a terminal. terminal ROWS COLUMNS STEP...: all that it got.
terminal() {
	"$here/in-terminal" "$@" -- env LD_PRELOAD="$root/build/cli/stand-in.so" "$tool" top interval 20ms
}
home=$'\033[H'
ends_with() {
	local out
	out=$(terminal 24 80 wait "weir top" "$@") || { echo "$out"; return 1; }
	# It was another screen, without a cursor, and both are back.
	[[ $out == *$'\033[?1049h\033[?25l'*"$home"*$'\033[?25h\033[?1049l'* ]]
}
top_resizes() {
	local out last
	out=$(terminal 24 80 wait "sources policy" size 9,40 wait "$home" wait "$home" key q) ||
		{ echo "$out"; return 1; }
	last=${out##*"$home"}
	last=$(sed $'s/\033\\[[0-9;?]*[A-Za-z]//g; s/\r//' <<<"${last%%$'\033[?25h'*}")
	is_within 40 9 "$last"
}
# Two looks, between which 100 packets pass whole, 30 are trimmed and 13 dropped, 7 of them by
# the child. That of the other device is another one at the second look.
top_trims() {
	local n
	no_jobs
	for n in 1 2; do
		answers trim-get "$n" <<-END || return
			[{"ifindex": 2, "ifname": "calm", "hook": 2, "child-dropped": $((30 / n)), "stats": {"whole": $((5 * n))}},
			 {"ifindex": 3, "ifname": "edge", "hook": 4},
			 {"ifindex": 4, "ifname": "busy", "hook": 1, "data-depth": 12, "header-depth": 700, "child-dropped": $((7 * n)),
			  "stats": {"whole": $((100 * n)), "whole-bytes": $((150000 * n)), "trim": $((30 * n)),
			  "dropped-trim": $((3 * n)), "headers-dropped": $n, "other-dropped": $n, "failed": $n}}]
		END
	done
	json 'def in_all(rate): rate * .interval / 1e6 | round;
		(.trims | map(.dev) == ["busy", "calm"]) and .trims[0].hook == "qdisc"
		and .trims[0]."data-depth" == 12 and .trims[0]."header-depth" == 700
		and in_all(.trims[0].rates.whole) == 100 and in_all(.trims[0].rates.trim) == 30
		and in_all(.trims[0].rates.drop) == 13 and .trims[1].rates.drop == 0 and in_all(.trims[0].rates."whole-bytes" / 1000) == 150
		and in_all(.trims[1].rates.whole) == 5' top interval 20ms count 1 || return
	has "$(page)" '^trims on +hook +whole/s +trim/s +drop/s +Mbit/s +data headers$' \
		'^busy +qdisc +[0-9.k]+ +[0-9.k]+ +[0-9.k]+ +[0-9.]+ +12 +700$' \
		'^calm +tc +[0-9.k]+ +0 +0 +0 +0 +0$'
}
# The list takes a quarter of the page at most, and counts the lines that it
# leaves out.
top_fits_trims() {
	local text shown more
	gojq -nc '[range(50) | {ifindex: (. + 1), ifname: "swp\(.)", hook: 1}]' | answers trim-get 1
	rm -f "$WEIR_STAND_IN"/*.2
	text=$(COLUMNS=80 LINES=24 page) || return
	is_within 80 24 "$text" || return
	shown=$(grep -c '^swp' <<<"$text")
	more=$(sed -n 's/^  \.\.\. and \([0-9]*\) more devices$/\1/p' <<<"$text")
	((shown > 0 && shown + more == 50)) || { echo "$text"; return 1; }
}
# Of 50 flows one has 200 packets between two looks, one 100, and one was not there at the first.
top_flows() {
	local n
	no_jobs
	for n in 1 2; do
		gojq -nc '[{ifindex: 2, ifname: "eth1", src: "10.0.0.1", dst: "10.0.0.2", proto: 6, sport: 4000, dport: 80, first: 77,
			packets: (100 * $n), bytes: (150000 * $n), gaps: 3},
			{ifindex: 2, ifname: "eth1", src: "fd00:1234:5678::9abc", dst: "fd00::2", proto: 17, sport: 53, dport: 5353, first: 78,
			packets: (200 * $n), bytes: (1000000 * $n)},
			(range(47) | {ifindex: 3, ifname: "eth2", src: "10.1.0.\(.)", dst: "10.0.0.2", proto: 1, first: 79, packets: 5, bytes: 9000000}),
			({ifindex: 2, ifname: "eth1", src: "10.9.9.9", dst: "10.0.0.2", proto: 132, first: 80, packets: 7, bytes: 700} | select($n == 2))]' \
			--argjson n "$n" | answers flow-record-get "$n" || return
	done
	json 'def in_all(rate): rate * .interval / 1e6 | round;
		(.flows | length == 50) and (.flows[0] | .src == "fd00:1234:5678::9abc" and .proto == "udp" and .dport == 5353 and .bytes == 2000000)
		and in_all(.flows[0].rates.packets) == 200 and in_all(.flows[0].rates.bytes / 1000) == 1000
		and in_all(.flows[1].rates.packets) == 100 and .flows[1].gaps == 3 and ([.flows[2:][].rates.bytes] | max) == 0' top interval 20ms count 1 || return
	text=$(COLUMNS=80 LINES=24 page) || return
	is_within 80 24 "$text" || return
	has "$text" '^flows on proto from +to +pkts/s Mbit/s  gaps$' '^eth1 +udp +~:1234:5678::9abc\]:53 \[fd00::2\]:5353 +[0-9.kM]+ +[0-9.k]+ +0$' \
		'^eth1 +tcp +10.0.0.1:4000 +10.0.0.2:80 +[0-9.kM]+ +[0-9.k]+ +3$' '^  \.\.\. and [0-9]+ more flows$' || return
	json '.flows | map(.src) == ["10.0.0.1"]' top interval 20ms count 1 filter "10.0.0.1:"
}
top_stops() {
	local out
	out=$(terminal 24 80 wait "weir top" key $'\032' stopped signal CONT wait "weir top" key q) ||
		{ echo "$out"; return 1; }
	[[ $(grep -o $'\033\[?1049h' <<<"$out" | wc -l) == 2 ]]
}
top_first_page() {
	local out
	out=$(terminal 24 80 wait "weir top" wait "rank" key q) || { echo "$out"; return 1; }
	[[ $out == *"blocks/s -"* ]]
}
# shows_first PATTERN STEP...: after the keys, the first source of the last page is so. From the
# third look on nothing is counted any more: what is dead or straggles is the latest.
shows_first() {
	local pattern=$1 out last
	out=$(terminal 24 80 wait "blocks/s 0" "${@:2}" key q) || { echo "$out"; return 1; }
	last=${out##*"$home"}
	last=$(sed $'s/\033\\[[0-9;?]*[A-Za-z]//g; s/\r//' <<<"${last%%$'\033[?25h'*}")
	awk '/^job rank/ { getline; print; exit }' <<<"$last" | grep -qE -e "$pattern" || { echo "$last"; return 1; }
}
down=$'\033[B' up=$'\033[A' escape=$'\033'
top_sorts() {
	shows_first '^ +7 +1 ' wait "sources by late" && shows_first '^ +7 +1 ' key ss wait "sources by missing" &&
		shows_first '^ +7 +0 ' key sss wait "sources by rank" && shows_first '^ +7 +1 ' key ssss wait "sources by late" &&
		shows_first '^ +7 +1 ' key $'\t' wait "devices by drop" key $'\t' wait "flows by rate" key $'\t' wait "jobs by memory" key s wait "jobs by blocks" &&
		json '.sources | map([.job, .id]) == [[7, 0], [7, 1], [7, 2], [8, 0]]' top interval 20ms count 1 sort rank
}
top_scrolls() {
	shows_first '^ +7 +2 ' key "$down" wait "from 2" && shows_first '^ +7 +0 ' key "$down$down" wait "from 3" &&
		shows_first '^ +8 +0 ' key $'\033[6~' wait "from 4" && shows_first '^ +7 +1 ' key "$down" wait "from 2" key "$up" wait $'by late\033'
}
top_filters() {
	shows_first '^ +8 +0 ' key "/fd00" wait "/fd00_" key $'\r' wait $'/fd00\033' && shows_first '^ +7 +0 ' key "/10.0.0.1q" wait "/10.0.0.1q_" key $'\177' wait "/10.0.0.1_" key $'\r' wait $'/10.0.0.1\033' &&
		shows_first '^ +7 +1 ' key "/fd00" wait "/fd00_" key "$escape" wait $'by late\033' &&
		json '(.jobs | map(.id) == [8]) and (.sources | map(.job) == [8])' top interval 20ms count 1 filter "job 8" &&
		json '.sources | map(.state) == ["dead"]' top interval 20ms count 1 filter dead
}
# A source whose lateness is one bucket more now and then stays where it is.
top_keeps_rows() {
	local n
	for n in 3 4 5 6; do
		answers source-get "$n" <<-END || return
			[{"job": 7, "id": 0, "address": "10.0.0.1", "state": 1, "lateness": $(lateness 3 $((100 * n)) | gojq -c ".[$((5 + n % 2))] = $((100 * n))")},
			 {"job": 8, "id": 0, "address": "10.0.0.2", "state": 1, "lateness": $(lateness 5 $((100 * n)))}]
		END
	done
	weir -j top interval 20ms count 5 | tail -n 3 | gojq -se 'map(.sources | map(.job)) | .[0] == .[1] and .[1] == .[2]' >/dev/null
}
ktap_run "top sorts" top_sorts
ktap_run "top scrolls" top_scrolls
ktap_run "top filters" top_filters
ktap_run "top keeps rows in place" top_keeps_rows
ktap_run "top ends with q" ends_with key q
ktap_run "top ends with an interrupt from the keyboard" ends_with key $'\003'
ktap_run "top ends when it is told to" ends_with signal TERM
ktap_run "top follows the window's size" top_resizes
ktap_run "top can be stopped and goes on" top_stops
ktap_run "top shows a page at once" top_first_page
ktap_run "top fits the page" top_fits
ktap_run "top begins anew with a new job" top_begins_anew
ktap_run "top shows devices that trim" top_trims
ktap_run "top fits the page with devices that trim" top_fits_trims
ktap_run "top shows flows" top_flows

ktap_end
