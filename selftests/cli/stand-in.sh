#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# What the tool asks the module, and how it shows what the module says, without one: a
# stand-in in front of libmnl keeps the requests and gives the answers of these tests.
set -u

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd) || exit 1
root=$(cd "$here/../.." && pwd) || exit 1
# shellcheck source=../lib/ktap.sh
. "$here/../lib/ktap.sh"

tool=${WEIR:-$root/build/bin/weir}
stand_in=$here/stand-in
WEIR_STAND_IN=$(mktemp -d) || exit 1
export WEIR_STAND_IN
at_exit rm -rf "$WEIR_STAND_IN"

ktap_header
if ! /usr/bin/python3 -c 'import yaml' 2>/dev/null; then
	ktap_skip "the tool with a stand-in" "no python3-yaml"
	ktap_end
fi

weir() { env LD_PRELOAD="$root/build/cli/stand-in.so" "$tool" "$@"; }

# answers OPERATION [N]: those on standard input are given to the Nth such request.
answers() { "$stand_in" answer "$WEIR_STAND_IN" "$@"; }

# Forgets all that was asked and is to be answered.
fresh() { rm -f "${WEIR_STAND_IN:?}"/*; }

# json FILTER WORD...: the filter must hold for what the words print.
json() {
	local filter=$1 out
	shift
	out=$(weir -j "$@") || return
	jq -e "$filter" <<<"$out" >/dev/null || { echo "$* | $filter: $out"; return 1; }
}

# asks FILTER WORDS: it holds for the last request that the words make.
asks() {
	local filter=$1 words asked
	read -r -a words <<<"$2"
	rm -f "$WEIR_STAND_IN/requests"
	weir "${words[@]}" || return
	asked=$("$stand_in" requests "$WEIR_STAND_IN" | tail -n 1)
	jq -e "$filter" <<<"$asked" >/dev/null || { echo "$2 | $filter: $asked"; return 1; }
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
# SOURCES QUORUM NUMBER: what a share comes to.
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
		70000 70000
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
ktap_run "asks for a share of a live job" asks_share_of_live_job
ktap_run "asks for rates" asks_rates
ktap_run "asks for rates with all units" asks_units
ktap_run "asks for bindings" asks_bindings

# What is shown.
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
	prints "block job 7 id 4294967295 generation 2 grads 256 age 1.23ms received 2 missing 3,7-9,255" "block show" &&
		json '. == [{"job": 7, "id": 4294967295, "generation": 2, "grads": 256, "age": 1234567,
			"received": 2, "missing": [3, 7, 8, 9, 255]}]' block show job 7 &&
		asks '.operation == "block-get" and .job == 7' "block show job 7"
}
# All counters that the spec has, each with another number.
shows_counters() {
	local names name i=1000 stats=''
	mapfile -t names < <(/usr/bin/python3 -c 'import sys, yaml
for s in yaml.safe_load(open(sys.argv[1]))["attribute-sets"]:
    if s["name"] == "stats":
        print(*[a["name"] for a in s["attributes"] if a["type"] == "uint"], sep="\n")' "$root/uapi/weir.yaml")
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
	weir -j monitor 2>/dev/null | jq -se '.[1] | .event == "dead" and .job == 7 and .source == 5
		and .straggles == 100' >/dev/null
}
# doctor_says CHECK SUBJECT STATUS FOUND FIX
doctor_says() {
	weir -j doctor >"$WEIR_STAND_IN/doctor" || true
	jq -e --arg check "$1" --arg subject "$2" --arg status "$3" --arg found "$4" --arg fix "$5" \
		'.checks | any(.check == $check and .subject == $subject and .status == $status
			and (.found | test($found)) and (.fix | test($fix)))' "$WEIR_STAND_IN/doctor" ||
		{ jq -c '.checks[]' "$WEIR_STAND_IN/doctor"; return 1; }
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
		jq -e '.checks | any(.check == "degraded" and .subject == "job 8") | not' "$WEIR_STAND_IN/doctor"
}
ktap_run "jobs are shown" shows_jobs
ktap_run "sources are shown" shows_sources
ktap_run "histograms are drawn" shows_histogram
ktap_run "blocks are shown" shows_blocks
ktap_run "doctor looks at sources" doctor_sources
ktap_run "doctor looks at blocks" doctor_blocks
ktap_run "doctor looks at degraded blocks" doctor_degraded
ktap_run "all counters are shown" shows_counters
ktap_run "events are heard" hears_events

# The page: two looks, between which 300 blocks are answered and source 2 is late.
fresh
# lateness BUCKET NUMBER: a histogram with so many in one bucket.
lateness() { jq -nc "[range(24) | if . == $1 then $2 else 0 end]"; }
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
		  "lateness": $(if ((n == 1)); then lateness 1 999; else lateness 12 20 | jq -c '.[1] = 999'; fi),
		  "stats": {"contributions": $((1000 + 20 * n)), "late": $((12 * n))}},
		 {"job": 8, "id": 0, "address": "fd00:1234:5678:9abc:def0:1234:5678:9abc", "state": 1,
		  "missing": 0, "lateness": $(lateness 5 $((50 * n)))}]
	END
}
look 1
look 2

page() { weir top interval 20ms count 1; }
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
# fits WIDTH HEIGHT: the page does, and counts what is left out.
fits() {
	local text shown more
	text=$(COLUMNS=$1 LINES=$2 page) || return
	if (($(wc -L <<<"$text") > $1 || $(wc -l <<<"$text") > $2)); then
		echo "$text"
		return 1
	fi
	shown=$(awk '$4 == "active"' <<<"$text" | wc -l)
	more=$(sed -n 's/^  \.\.\. and \([0-9]*\) more source.*/\1/p' <<<"$text")
	((shown + ${more:-0} == 512)) || { echo "$text"; return 1; }
	shown=$(awk '$3 == "wait"' <<<"$text" | wc -l)
	more=$(sed -n 's/^  \.\.\. and \([0-9]*\) more job.*/\1/p' <<<"$text")
	((shown + ${more:-0} == 256)) || { echo "$text"; return 1; }
}
top_fits() {
	jq -nc '[range(256) | {id: ., sources: 256, bound: 256, policy: 1, memory: 4096}]' | answers job-get 1
	jq -nc '[range(512) | {job: (. / 256 | floor), id: (. % 256), state: 1,
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
	(($(wc -l <<<"$last") <= 9 && $(wc -L <<<"$last") <= 40)) || { echo "$last"; return 1; }
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
ktap_run "top ends with q" ends_with key q
ktap_run "top ends with an interrupt from the keyboard" ends_with key $'\003'
ktap_run "top ends when it is told to" ends_with signal TERM
ktap_run "top follows the window's size" top_resizes
ktap_run "top can be stopped and goes on" top_stops
ktap_run "top shows a page at once" top_first_page
ktap_run "top fits the page" top_fits
ktap_run "top begins anew with a new job" top_begins_anew

ktap_end
