#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# The tool on a machine without the module: its words, its errors, its pages.
set -u

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd) || exit 1
root=$(cd "$here/../.." && pwd) || exit 1
# shellcheck source=../lib/ktap.sh
. "$here/../lib/ktap.sh"

weir=${WEIR:-$root/build/bin/weir}
man=$root/userspace/man
completion=$root/userspace/completion/weir
job="id 7 sources 4 blocks 64 grads 256 address 10.0.0.254"

ktap_header

# refuses STATUS PATTERN WORD...: one line on standard error that matches, nothing on
# standard output, this status.
refuses() {
	local status=$1 pattern=$2 out err got
	shift 2
	out=$("$weir" "$@" 2>/dev/null)
	got=$?
	err=$("$weir" "$@" 2>&1 >/dev/null)
	if ((got != status)); then
		echo "status $got instead of $status"
		return 1
	fi
	if [[ -n $out ]]; then
		echo "on standard output: $out"
		return 1
	fi
	if [[ $(wc -l <<<"$err") != 1 || $err != weir:\ * ]]; then
		echo "no single sentence: $err"
		return 1
	fi
	if ! grep -qE -e "$pattern" <<<"$err"; then
		echo "'$err' does not match '$pattern'"
		return 1
	fi
}

# usage NAME PATTERN WORDS: an error of the command line, in text and in JSON.
usage() {
	local name=$1 pattern=$2 words
	read -r -a words <<<"$3"
	ktap_run "$name" refuses 2 "$pattern" "${words[@]}"
	ktap_run "$name, in JSON" refuses_json 2 "${words[@]}"
}

# refuses_json STATUS WORD...: the error is one JSON object on one line.
refuses_json() {
	local status=$1 err
	shift
	err=$("$weir" -j "$@" 2>&1 >/dev/null)
	[[ $(wc -l <<<"$err") == 1 ]] || return 1
	gojq -e --argjson status "$status" '.exit == $status and (.error | length > 10)' <<<"$err"
}

usage "no object" "objects are: job, source, block, port, chain, filter, flow, order, trim, trim-pool, trim-acl, trim-default, kv, stats, top, monitor, metrics, doctor, plan, import, save, restore, flush, upgrade, help" ""
usage "unknown object" "no object 'jbo' \(did you mean job\?\); objects are:" "jbo"
usage "an object like none" "no object 'shoes'; objects are:" "shoes"
usage "what may be two objects" "the object 'tri' may be trim, trim-pool, trim-acl, trim-default: write more of it" "tri"
usage "what may be two verbs" "job s may be set, show: write more of it" "job s"
usage "no verb" "flush lacks its verb; verbs are: all" "flush"
usage "unknown verb" "job has no verb 'remove'; verbs are:" "job remove"
usage "unknown verb like another" "job has no verb 'shwo' \(did you mean show\?\); verbs are:" "job shwo"
usage "unknown key" "does not know the word 'soruces' \(did you mean sources\?\); it takes: id, sources," "job add id 7 soruces 4"
usage "unknown key for a device" "does not know the word 'hok' \(did you mean hook\?\); it takes: dev," "trim set hok qdisc"
usage "a value that is a word" "no hook 'qdsic' \(did you mean qdisc\?\): hook is" "trim set out0 hook qdsic"
usage "a value by itself, too large" "id 256 is out of range" "job show 256"
usage "a value by itself, and again" "job del: id is given twice" "job del 7 id 8"
usage "a value by itself behind another" "job del does not know the word '8'" "job del 7 8"
usage "help of no verb" "job has no verb 'remove'; verbs are:" "job remove help"
usage "help of no verb, in another order" "job has no verb 'remove'; verbs are:" "help job remove"
usage "help of more than a verb" "help takes an object and a verb, but 'id' follows 'add'" "help job add id"
usage "unknown key of a verb" "does not know the word 'grads'; it takes: id, port, group" "job set id 7 grads 3"
usage "key twice" "job add: id is given twice" "job add id 7 id 7"
usage "key nine times" "udp is given more than 8 times" \
	"port attach dev lo mode tc udp 1 udp 2 udp 3 udp 4 udp 5 udp 6 udp 7 udp 8 udp 9"
usage "missing value" "address lacks its value: write address ADDRESS" "job add id 7 address"
usage "missing key" "job add lacks the key address" "job add id 7 sources 4 blocks 64 grads 4"
usage "missing key of a source" "source add lacks the key address" "source add job 7 id 0"
usage "missing job of a source" "add .job NUMBER." "source show id 0"
usage "nothing to set" "nothing to set" "job set id 7"
usage "words where none belong" "stats takes no words, but 'job' follows it" "stats job"
usage "id too large" "id 256 is out of range: it is 0 to 255" "job del id 256"
usage "port of zero" "port 0 is out of range: it is 1 to 65535" "job set id 7 port 0"
usage "port too large" "port 65536 is out of range" "source add job 7 id 0 address 10.0.0.1 port 65536"
usage "number beyond 32 bits" "sources 4294967296 is out of range" "job add id 7 sources 4294967296"
usage "number beyond 64 bits" "blocks 99999999999999999999 is out of range" "job add id 7 blocks 99999999999999999999"
usage "negative number" "id takes a number, not '-1'" "job del id -1"
usage "number with a sign" "id takes a number, not '\+1'" "job del id +1"
usage "hexadecimal number" "id takes a number, not '0x7'" "job del id 0x7"
usage "number with a tail" "id takes a number, not '7a'" "job del id 7a"
usage "address of three bytes" "takes an IPv4 or IPv6 address.*not '10.0.0'" "source add job 7 id 0 address 10.0.0"
usage "address of letters" "not 'worker'" "source add job 7 id 0 address worker"
usage "address with a length" "not '10.0.0.1/24'" "source add job 7 id 0 address 10.0.0.1/24"
usage "addresses of two families" "group ff02::1 is IPv6, but address 10.0.0.254 is IPv4" \
	"job add $job group ff02::1"
usage "time without a unit" "timeout 10 has no unit: write 10us, 10ms or 10s" "job add $job timeout 10"
usage "time of an unknown unit" "unknown unit 'min': units are us, ms and s" "job add $job timeout 1min"
usage "time that is none" "takes a time such as 500us, 10ms or 2s" "job add $job timeout soon"
usage "time too long" "timeout 4295s is too long: it is 4294s at most" "job add $job timeout 4295s"
usage "time that is none, where a word is" "such as 500us, 10ms or 2s or never, not 'soon'" "job add $job timeout soon"
usage "silence without a unit" "dead-after 1 has no unit" "job add $job dead-after 1"
usage "unknown policy" "no policy 'skip': policy is wait, partial or exclude" "job add $job policy skip"
usage "share above one" "quorum 1.5 is no share: it is above 0, and 1 or 100% at most" "job add $job quorum 1.5"
usage "share above all" "quorum 101% is no share" "job set id 7 quorum 101%"
usage "share of nothing" "quorum 0% is no share" "job add $job quorum 0%"
usage "share of nobody" "quorum 0.0 is no share" "job add $job quorum 0.0"
usage "share too fine" "no finer than a millionth, or all, not '0.1234567'" "job add $job quorum 0.1234567"
usage "share without its digits" "quorum takes a number, a share such as 0.88 or 88%.*not '5.'" "job add $job quorum 5."
usage "share that is none" "quorum takes a number, a share .* or all, not 'most'" "job add $job quorum most"
usage "rate without words" "rate lacks its value: write rate none" "job add $job rate"
usage "rate of other words" "rate lacks its value: write rate none" "job set id 7 rate port 5"
usage "burst without a rate" "burst belongs behind .packets NUMBER. or .bytes RATE." "job set id 7 rate burst 5"
usage "burst twice" "burst belongs behind .* once each" "job set id 7 rate packets 5 burst 5 burst 5"
usage "limit twice" "rate: packets is given twice" "job set id 7 rate packets 5 packets 6"
usage "limit without a number" "rate: bytes lacks its value: write rate none" "job set id 7 rate packets 5 bytes"
usage "limit of zero" "rate: packets 0 is too little: it is 1 at least; .rate none. is no limit" "job set id 7 rate packets 0"
usage "limit below a byte" "rate: bytes 7bit is too little" "job set id 7 rate bytes 7bit"
usage "limit beyond 32 bits" "rate: packets 4294967296 is out of range" "job set id 7 rate packets 4294967296"
usage "limit beyond 64 bits" "rate: bytes 99999999999999tbit is out of range" "job set id 7 rate bytes 99999999999999tbit"
usage "packets with a unit" "rate: packets takes a number of packets, not '5k'" "job set id 7 rate packets 5k"
usage "bytes without a unit" "rate: bytes 100 has no unit; units are bit, kbit, .* and gbps" "job set id 7 rate bytes 100"
usage "bytes of an unknown unit" "rate: bytes has the unknown unit 'Mbit'; units are bit," "job set id 7 rate bytes 1Mbit"
usage "burst of bytes without a unit" "rate: burst 70000 has no unit; units are b, kb, k, mb, m, gb and g" "job set id 7 rate bytes 1mbit burst 70000"
usage "size of an unknown unit" "rate: burst has the unknown unit 'kib'; units are b, kb, k, mb, m, gb and g" "job set id 7 rate bytes 1mbit burst 1kib"
usage "rate twice" "job set: rate is given twice" "job set id 7 rate none rate packets 5"
usage "VLAN too large" "vlan 4096 is out of range: it is 0 to 4095" "source set job 7 id 0 vlan 4096"
usage "VLAN that is none" "vlan takes a number, untagged or any, not 'red'" "source set job 7 id 0 vlan red"
usage "timers of a live job" "job set does not know the word 'timers'" "job set id 7 timers 5"
usage "block of a number" "block show does not know the word 'id'; it takes: job" "block show id 5"
usage "no looks" "count 0 is out of range" "top count 0"
usage "looks too close" "interval 9ms is too short: it is 10ms at least" "top interval 9ms"
usage "unknown format" "no format 'rio' \(did you mean trio\?\): format is trio" "job add $job format rio"
usage "unknown type" "no data type 'int8': dtype is int32, float32, bfloat16, float16, int64 or float64" "job add $job dtype int8"
usage "unknown operation" "no operation 'mean': op is sum, min or max" "job add $job op mean"
usage "unknown mode" "no mode 'skb': mode is xdp, generic or tc" "port attach dev lo mode skb"
usage "device with a long name" "of 1 to 15 characters" "port show dev abcdefghijklmnop"
usage "verb of trim" "trim has no verb 'add'; verbs are: set, replace, del, show, queues, counters, clear, flush" "trim add"
usage "trim without a device" "trim set lacks the key dev: add .dev DEVICE." "trim set hook qdisc"
usage "trim: unknown hook" "no hook 'skb': hook is qdisc, tc, xdp or none" "trim set dev lo hook skb"
usage "trim: unknown length" "no length 'cut': length is update or keep" "trim set dev lo length cut"
usage "trim: unknown victim" "no victim 'head': victim is arriving, tail or coin" "trim set dev lo victim head"
usage "trim: unknown meter" "no meter 'cpu': meter is shared, percpu or backlog" "trim set dev lo meter cpu"
usage "trim: neither drop nor return" "full is drop, return or return always" "trim set dev lo full pass"
usage "trim: edge that is neither" "edge is off or on" "trim set dev lo edge yes"
usage "trim: hook twice" "hook is given twice" "trim set dev lo hook tc hook tc"
usage "trim: rule 17 times" "rule is given more than 16 times" \
	"trim set dev lo $(printf 'rule dscp=%d ' {1..17})"
usage "trim: DSCP too large" "dscp takes a DSCP, 0 to 63 .* or from-tc, not '64'" "trim set dev lo dscp 64"
usage "trim: DSCP of no name" "not 'af14'" "trim set dev lo dscp af14"
usage "trim: return-dscp from a class" "return-dscp takes a DSCP, 0 to 63 or a name .*af11, not 'from-tc'" \
	"trim set dev lo return-dscp from-tc"
usage "trim: DSCPs of no name" "trimmed-dscp takes DSCPs, 0 to 63 .*or none, not '13,af14'" "trim set dev lo trimmed-dscp 13,af14"
usage "trim: DSCPs with a gap" "control-dscp takes DSCPs.*not '1,,2'" "trim set dev lo control-dscp 1,,2"
usage "trim: class too large" "tc 16 is out of range: it is 0 to 15" "trim set dev lo tc 16"
usage "trim: map without a DSCP" "tc-dscp takes pairs of a traffic class.*not '6'" "trim set dev lo tc-dscp 6"
usage "trim: map with a class twice" "each class once, not '6:1,6:2'" "trim set dev lo tc-dscp 6:1,6:2"
usage "trim: map with a class too large" "not '16:1'" "trim set dev lo tc-dscp 16:1"
usage "trim: DSCP with two classes" "each DSCP once, not '6:1,6:2'" "trim set dev lo dscp-tc 6:1,6:2"
usage "trim: DSCP with a class too large" "not '1:16'" "trim set dev lo dscp-tc 1:16"
usage "trim: map with a DSCP too large" "not '1:64'" "trim set dev lo tc-dscp 1:64"
usage "trim: match without its words" "rule lacks its value: write rule any.dscp=" "trim set dev lo rule"
usage "trim: match of nothing known" "does not understand 'mac=5': it takes dscp=" "trim set dev lo rule mac=5"
usage "trim: match of no address" "src is an address, as 10.0.0.1" "trim set dev lo rule src=5"
usage "trim: match of too long a prefix" "src is an address" "trim set dev lo rule src=10.0.0.0/33"
usage "trim: match of no prefix" "dst is an address" "trim set dev lo rule dst=::/0"
usage "trim: match of two sources" "src is there twice" "trim set dev lo rule src=::1,src=::2"
usage "trim: match of a source port too large" "a port is 1 to 65535" "trim set dev lo rule sport=65536"
usage "trim: match of two devices" "from is there twice" "trim set dev lo rule from=a,from=b"
usage "trim: match of no device" "from is the name of a network device" "trim set dev lo rule from="
usage "trim: match without a value" "does not understand 'dscp': it takes dscp=" "trim set dev lo rule dscp"
usage "trim: match with a blank part" "it takes dscp=" "trim set dev lo rule dscp=1,"
usage "trim: match with a field twice" "proto is there twice" "trim set dev lo rule proto=udp,proto=tcp"
usage "trim: match with a DSCP twice" "dscp is there twice" "trim set dev lo rule dscp=0,dscp=0"
usage "trim: match of a range upside down" "of two the lower comes first" "trim set dev lo rule dscp=5-4"
usage "trim: match of DSCPs too large" "a DSCP is 0 to 63" "trim set dev lo disable-trim dscp=5-64"
usage "trim: match of no protocol" "a protocol is udp, tcp, ndp or 1 to 255" "trim set dev lo rule proto=0"
usage "trim: match of no port" "a port is 1 to 65535" "trim set dev lo rule port=65536"
usage "trim: match of no VLAN" "a VLAN is 1 to 4094" "trim set dev lo rule vlan=4095"
usage "trim: the name of an ACL too long" "acl is 1 to 31 characters|acl .*31 bytes at most" "trim set dev lo acl $(printf 'a%.0s' {1..32})"
usage "ACL: a rule without a match" "say which packets the rule matches: write disable-trim MATCH, or pass MATCH" "trim-acl set name a prio 1"
usage "ACL: a rule with two actions" "either disable-trim or pass" "trim-acl set name a prio 1 disable-trim any pass port=22"
usage "ACL: a rule with two matches" "disable-trim is given twice" "trim-acl set name a prio 1 disable-trim port=1 disable-trim port=2"
usage "ACL: a rule without a place" "lacks the key prio" "trim-acl set name a disable-trim any"
usage "ACL: no place" "prio 0 is out of range: it is 1 to 65535" "trim-acl set name a prio 0 pass any"
usage "ACL: a place too far" "prio 65536 is out of range: it is 1 to 65535" "trim-acl set name a prio 65536 pass any"
usage "ACL: a match of nothing known" "pass does not understand 'mac=5': it takes dscp=.*or any for all packets" "trim-acl set name a prio 1 pass mac=5"
usage "ACL: the name that stands for none" "give the ACL another name" "trim-acl set name none prio 1 pass any"
usage "ACL: without its name" "lacks the key name" "trim-acl del prio 1"
usage "trim: limit of words" "limit takes packets, a size, a time or dynamic.*not 'many'" "trim set dev lo limit many"
usage "trim: limit of an unknown unit" "limit has the unknown unit 'min': a size has b, kb" "trim set dev lo limit 5min"
usage "trim: an alpha of words" "limit dynamic takes a number up to 256 or a fraction in 256ths.*not 'half'" "trim set dev lo limit dynamic half"
usage "trim: an alpha too large" "limit dynamic takes.*not '257'" "trim set dev lo limit dynamic 257"
usage "trim: an alpha too fine" "limit dynamic takes.*not '1/3'" "trim set dev lo limit dynamic 1/3"
usage "trim: no alpha" "limit dynamic lacks its value" "trim set dev lo limit dynamic"
usage "trim: limit too long" "limit 4295s is too long" "trim set dev lo limit 4295s"
usage "trim: limit of too many" "limit 4294967296 is out of range" "trim set dev lo limit 4294967296"
usage "trim: limit beyond 64 bits" "limit 99999999999gb is out of range" "trim set dev lo limit 99999999999gb"
usage "trim: no headers" "headers 0 is out of range" "trim set dev lo headers 0"
usage "trim: share of nothing" "share takes strict, headers for each data packet.*not '0:1'" "trim set dev lo share 0:1"
usage "trim: share of all" "1% to 99%.*not '100%'" "trim set dev lo share 100%"
usage "trim: share for two" "not '1:2'" "trim set dev lo share 1:2"
usage "trim: share too large" "not '1001:1'" "trim set dev lo share 1001:1"
usage "trim: rate without a unit" "rate 100 has no unit; units are bit, kbit" "trim set dev lo rate 100"
usage "trim: percentage of nothing" "half takes a percentage of the rate.*not '0%'" "trim set dev lo half 0%"
usage "trim: percentage above all" "not '101'" "trim set dev lo optimistic 101"
usage "trim: time without a unit" "t0 6 has no unit" "trim set dev lo t0 6"
usage "unknown option" "no option -x" "-x job show"
usage "unknown long option" "no option --frob" "--frob job show"
usage "shortened long option" "no option --js; write --json in full" "--js job show"
usage "option without its value" "option -n lacks its value" "-n"
usage "unknown colouring" "auto, always or never, not 'red'" "--color=red stats"
usage "namespace of no name" "is no name of a network namespace" "-n ../proc/1 stats"
usage "help for nothing" "no object 'jobs'" "help jobs"
ktap_run "unknown namespace" refuses 1 "no network namespace no-such-one" -n no-such-one stats

# Without the module.
if [[ -e /sys/module/weir ]]; then
	ktap_skip "module missing" "the module is loaded"
else
	misses() {
		# shellcheck disable=SC2086 # words
		refuses 1 "$1" $2 && refuses_json 1 $2 >/dev/null
	}
	missing() {
		local words
		for words in "job show" "job add $job" "job flush" "source show" "port show" \
			"block show" "job set id 7 quorum 88%" \
			"port attach dev lo mode xdp" "port detach dev lo" "port flush"; do
			misses "the weir module is not loaded in this kernel: run .modprobe weir." "$words" || return
		done
		for words in "trim set dev lo hook none edge on" "trim show" "trim del dev lo" "trim flush" "trim clear"; do
			misses "the sch_weir module is not loaded in this kernel: run .modprobe sch_weir." "$words" || return
		done
		for words in "filter show" "flow show" "order show" "chain show"; do
			misses "the weir_xdp module is not loaded in this kernel: run .modprobe weir_xdp." "$words" || return
		done
		for words in "top count 1" stats monitor; do
			misses "no module of weir is loaded in this kernel: run .modprobe weir., sch_weir or weir_xdp" "$words" || return
		done
	}
	doctor() {
		local out
		out=$("$weir" -j doctor)
		(($? == 1)) || return 1
		gojq -e '.fail >= 1 and (.checks | any(.check == "module" and .status == "fail"
			and (.fix | contains("modprobe weir"))))
			and (.checks | length) == .ok + .warn + .fail' <<<"$out"
	}
	ktap_run "module missing" missing
	ktap_run "module missing, says doctor" doctor
fi

# Help, compared with the table.
mapfile -t table < <("$weir" complete table)
objects=$(printf '%s\n' "${table[@]}" | awk '{ print $1 }' | sort -u)

helps() {
	local object=$1 text verb key words
	text=$("$weir" help "$object") || return 1
	[[ $text == "$("$weir" "$object" help 2>/dev/null)" || $object == help ]] || return 1
	for words in "${table[@]}"; do
		read -r -a words <<<"$words"
		[[ ${words[0]} == "$object" ]] || continue
		verb=${words[1]} key=${words[2]-}
		[[ $verb == - ]] && verb=
		grep -qE "^  weir $object( $verb)?( |$)" <<<"$text" || { echo "no $verb"; return 1; }
		[[ -z $key ]] || grep -qE "^  $key +[^ ]" <<<"$text" || { echo "no key $key"; return 1; }
	done
}
for object in $objects; do
	ktap_run "help of $object" helps "$object"
done
verb_help() {
	[[ $("$weir" help job set) == "$("$weir" job set help)" ]] && "$weir" help job set | grep -q '^  quorum ' &&
		! "$weir" help job set | grep -q '^  blocks '
}
ktap_run "help of a verb has its keys alone" verb_help
ktap_run "help of all" bash -c '[[ $("$1" help) == "$("$1" --help)" ]] && "$1" help | grep -q "^usage: weir "' - "$weir"
ktap_run "version" bash -c '"$1" --version | grep -qE "^weir [0-9]+\.[0-9]+"' - "$weir"
ktap_run "no colours in a pipe" bash -c '! "$1" doctor 2>/dev/null | grep -q $'\''\033'\' - "$weir"
ktap_run "colours when asked" bash -c '"$1" -c doctor | grep -q $'\''\033'\' - "$weir"
full_disk() {
	local err
	err=$("$weir" help 2>&1 >/dev/full) && return 1
	[[ $err == "weir: cannot write to standard output" ]]
}
ktap_run "full disk" full_disk

# Names of the spec.
names() {
	local python=/usr/bin/python3
	"$python" -c 'import yaml' 2>/dev/null || { echo "no python3-yaml"; return 4; }
	diff <("$python" - "$root/selftests/lib" <<-'END'
		import sys
		sys.path.insert(0, sys.argv[1])
		import specs
		spec = specs.read()
		for d in spec["definitions"]:
		    if d["name"] == "reason":
		        for e in d["entries"]:
		            print(e["name"], " ".join(e["doc"].split()))
	END
	) <("$weir" help stats | sed -n '/^reasons of refusal:/,$p' | sed 1d | sed 's/^ *//; s/  */ /')
}
ktap_run "reasons are those of the spec" names

ktap_run "plans are the best of small networks" /usr/bin/python3 "$here/plan.py" "$weir"

# The manual pages: weir(8), and one for each kind of objects.
pages=("$man"/weir.8 "$man"/weir-{chain,filter,flow,job,kv,order,plan,port,source,trim}.8 "$man/weir-formats.7")
ktap_run "manual pages are well formed" bash -c '! mandoc -Tlint -W warning "$@" | grep .' - "${pages[@]}"

page_of() {
	case $1 in
	block) echo job ;;
	trim-default | trim-pool | trim-acl) echo trim ;;
	*) echo "$1" ;;
	esac
}
# Formatted without line breaks, markup and the hyphens of line ends, and without the table of keys
# that is made of what the tool says.
page_text() { sed '/^\.\\" keys: [^e]/,/^\.\\" keys: end/d' "$1" | mandoc -Tascii -O width=900 | col -bx | tr -s ' '; }

in_page() {
	local words page
	local -A text=()
	for words in "${table[@]}"; do
		read -r -a words <<<"$words"
		[[ ${words[1]} == - ]] && words[1]=
		page=$man/weir-$(page_of "${words[0]}").8
		[[ -e $page ]] || page=$man/weir.8
		[[ -n ${text[$page]-} ]] || text[$page]=$(page_text "$page")
		if [[ -z ${words[2]-} ]]; then
			grep -qE "^ *weir ${words[0]}( ${words[1]})?( |$)" <<<"${text[$page]}" ||
				{ echo "not in ${page##*/}: ${words[*]}"; return 1; }
		else
			grep -qE "(^| |\[)${words[2]}( |$)" <<<"${text[$page]}" ||
				{ echo "key not in ${page##*/}: ${words[2]}"; return 1; }
		fi
	done
}
ktap_run "manual pages have every verb and key" in_page

each_has_examples() {
	local page bad=0
	for page in "${pages[@]}"; do
		grep -qx '\.Sh EXAMPLES' "$page" || { echo "${page##*/} has no examples"; bad=1; }
		[[ $page == */weir.8 ]] || grep -qF ".Xr $(basename "$page" | sed 's/\(.*\)\./\1 /')" "$man/weir.8" ||
			{ echo "weir(8) does not list ${page##*/}"; bad=1; }
	done
	return "$bad"
}
ktap_run "manual pages have examples, and weir(8) lists them" each_has_examples

# counters_in PAGE SET: a page has each counter of an attribute set.
counters_in() {
	local text name
	/usr/bin/python3 -c 'import yaml' 2>/dev/null || { echo "no python3-yaml"; return 4; }
	text=$(mandoc -Tascii "$man/$1" | col -bx)
	for name in $(/usr/bin/python3 -c 'import sys
sys.path.insert(0, sys.argv[1])
import specs
for s in specs.read()["attribute-sets"]:
    if s["name"] == sys.argv[2]:
        print(*[a["name"] for a in s["attributes"] if a["type"] == "uint"])' "$root/selftests/lib" "$2"); do
		grep -qE "^ +$name( |$)" <<<"$text" || { echo "not in the page: $name"; return 1; }
	done
}
ktap_run "weir-job(8) has every counter" counters_in weir-job.8 stats
ktap_run "weir-trim(8) has every counter" counters_in weir-trim.8 trim-stats

reasons_in_page() {
	local text reason
	text=$(mandoc -Tascii "$man/weir.8" | col -bx)
	for reason in $("$weir" help stats | sed -n '/^reasons of refusal:/,$p' | awk 'NR > 1 { print $1 }'); do
		grep -qE "^ +$reason( |$)" <<<"$text" || { echo "not in the page: $reason"; return 1; }
	done
}
ktap_run "weir(8) has every reason of refusal" reasons_in_page

# completions LINE...: how each can go on, by way of the shell's own function: "LINE: WORD...".
completions() {
	PATH=${weir%/*}:$PATH bash -c '
		. "$1"
		for COMP_LINE in "${@:2}"; do
			COMP_POINT=${#COMP_LINE} COMPREPLY=()
			_weir
			echo "$COMP_LINE: ${COMPREPLY[*]}"
		done
	' - "$completion" "$@"
}

completes() {
	local line=$1 got
	shift
	got=$(completions "$line")
	got=$(tr ' ' '\n' <<<"${got#"$line: "}" | sort | tr '\n' ' ')
	[[ ${got% } == "$*" ]] || { echo "$line: $got"; return 1; }
}
ktap_run "completes objects" completes "weir s" save source stats
ktap_run "completes files of plans" completes "weir plan $root/READ" "$root/README.md"
ktap_run "completes options" completes "weir --n" --netns
ktap_run "completes colours" completes "weir --color=a" always auto
ktap_run "completes verbs" completes "weir port " attach detach flush help show
ktap_run "completes verbs behind options" completes "weir -j -n none job s" set show
ktap_run "completes keys" completes "weir source add job 7 " address dev id port rate vlan
ktap_run "completes keys of ACLs" completes "weir trim-acl set name a " disable-trim pass prio
ktap_run "completes names" completes "weir job add id 7 dtype " bfloat16 float16 float32 float64 int32 int64
ktap_run "completes none" completes "weir job set id 7 group n" none
ktap_run "completes words for numbers" completes "weir source set job 7 vlan " any untagged
ktap_run "completes no device" completes "weir source set job 7 dev an" any
ktap_run "completes a rate" completes "weir source set job 7 id 1 rate " bytes none packets
ktap_run "completes no number of a rate" completes "weir source set rate packets "
ktap_run "completes a burst and other keys" completes "weir source set id 1 address 10.0.0.1 rate packets 5 " \
	burst bytes dev job port vlan
ktap_run "completes the rest of a rate" completes "weir job set rate bytes 1gbit burst 5m p" packets policy port
ktap_run "completes keys behind a rate" completes "weir job set rate packets 5 burst 5 bytes 1gbit id 7 g" group
ktap_run "completes keys behind no rate" completes "weir source set rate none v" vlan
ktap_run "completes a value behind a rate" completes "weir job set rate packets 5 policy w" wait
ktap_run "completes a key again" completes "weir port attach udp 1 u" udp
ktap_run "completes hooks" completes "weir trim set dev lo hook " none qdisc tc xdp
ktap_run "completes DSCPs" completes "weir trim set dev lo dscp af4" af41 af42 af43
ktap_run "completes a share" completes "weir trim set dev lo share " strict
ktap_run "completes a match" completes "weir trim set dev lo rule proto=udp disable-trim a" any
ktap_run "completes a rule again" completes "weir trim set dev lo rule any r" rate return-dscp rule
ktap_run "completes devices" completes "weir port show dev lo" lo
ktap_run "completes objects of help" completes "weir help mo" monitor
ktap_run "completes verbs of help" completes "weir help port a" attach

# Names of devices in network namespaces of the test's own: words to the shell, and no more.
names_are_words() {
	local work tenant=weir-tenant-$$ here='' name
	((EUID == 0)) || { echo "not root"; return 4; }
	work=$(mktemp -d) || return
	# shellcheck disable=SC2016 # not to be expanded
	name='$(id>x)'
	ip netns add "$tenant" && ip -n "$tenant" link add "$name" type veth peer name '#c' &&
		here=$(cd "$work" && completions "weir -n $tenant port show dev " "weir -jn $tenant port show dev " "weir --netns=$tenant port show dev #" \
			"weir -n$tenant port show dev '\$" "weir -n nowhere port show dev " "weir --netns nowhere port show dev l" | sed 's/: $/:/')
	set -- "$(ls "$work")"
	ip netns del "$tenant"
	rm -rf "$work"
	echo "$here"
	[[ -z $1 && $here == "weir -n $tenant port show dev : lo '#c' '$name'
weir -jn $tenant port show dev : lo '#c' '$name'
weir --netns=$tenant port show dev #: '#c'
weir -n$tenant port show dev '\$: '$name'
weir -n nowhere port show dev :
weir --netns nowhere port show dev l:" ]]
}
ktap_run "completes names as words, and from the namespace that is named" names_are_words

# One shell for all, as a user has one.
complete_table() {
	local words line lines=() got i=0
	for words in "${table[@]}"; do
		read -r -a words <<<"$words"
		line="weir ${words[0]}"
		[[ ${words[1]} == - ]] || line+=" ${words[1]}"
		((${#words[@]} > 2)) && line+=" ${words[2]}"
		lines+=("$line")
	done
	while IFS= read -r got; do
		line=${lines[i++]}
		[[ "${got#"$line:"} " == *" ${line##* } "* ]] || { echo "not completed: $line"; return 1; }
	done < <(completions "${lines[@]}")
	((i == ${#lines[@]}))
}
ktap_run "completes every verb and key" complete_table

# dkms.mk with headers of a kernel in whose place files stand: its modules have type information or none.
dkms_modules=(kmod/core/weir_core.ko kmod/agg/weir.ko kmod/trim/sch_weir.ko kmod/xdp/weir_xdp.ko)
dkms_makes() {
	local work=$1
	make -s -C "$work" -f dkms.mk HEADERS="$work/headers" >"$work/said" 2>&1 && [[ -e $work/kmod/agg/weir.ko && -e $work/kmod/xdp/weir_xdp.ko ]]
}
dkms_refuses_untyped() {
	local work status=0 module
	work=$(mktemp -d) || return
	mkdir -p "$work"/headers "$work"/kmod/{core,agg,trim,xdp} && cp "$root/packaging/dkms.mk" "$work/" && echo 'int weir;' >"$work/weir.c" &&
		cc -c "$work/weir.c" -o "$work/plain.o" && objcopy --add-section .BTF="$work/weir.c" "$work/plain.o" "$work/typed.o" || return
	{
		echo modules:
		for module in "${dkms_modules[@]}"; do
			printf '\tcp %s/typed.o $(M)/%s\n' "$work" "$module"
		done
	} >"$work/headers/Makefile"
	dkms_makes "$work" && sed -i '/sch_weir/s/typed/plain/' "$work/headers/Makefile" && ! dkms_makes "$work" && [[ ! -e $work/kmod/agg/weir.ko ]] &&
		grep -q "sch_weir.ko has no type information.*vmlinux" "$work/said" || status=1
	cat "$work/said"
	rm -rf "$work"
	return "$status"
}
ktap_run "DKMS makes no module without type information" dkms_refuses_untyped

dkms_takes() { # RELEASE
	# shellcheck disable=SC2034 # dkms.conf has it
	local kernel_source_dir='' BUILD_EXCLUSIVE_KERNEL=''
	# shellcheck source=/dev/null
	. "$root/packaging/debian/weir-dkms.dkms"
	[[ $1 =~ $BUILD_EXCLUSIVE_KERNEL ]]
}
dkms_takes_kernels() {
	local release
	for release in 6.12.117+deb12-amd64 6.12-rc1 6.20.1 7.0.1-amd64 10.1.0; do
		dkms_takes "$release" || { echo "not taken: $release"; return 1; }
	done
	for release in 6.1.0-30-amd64 6.11.9 5.10.0-8-amd64 6.9.1; do
		! dkms_takes "$release" || { echo "taken: $release"; return 1; }
	done
}
ktap_run "DKMS builds for kernels that are supported" dkms_takes_kernels

# The script of the package on a machine with another kernel.
postinst() { # RELEASE
	local work
	work=$(mktemp -d) || return
	printf '#!/bin/sh\necho %s\n' "$1" >"$work/uname" && chmod +x "$work/uname" &&
		PATH=$work:$PATH sh "$root/packaging/debian/weir-dkms.postinst" configure 2>&1
	rm -rf "$work"
}
old_kernel_is_named() {
	local said
	command -v dpkg >/dev/null || { echo "no dpkg"; return 4; }
	said=$(postinst 6.1.0-30-amd64)
	echo "$said"
	[[ $said == *"is Linux 6.1.0-30-amd64"*"apt install linux-image-"*" linux-headers-"* && -z $(postinst 6.12.117+deb12-amd64) ]]
}
ktap_run "the package names a kernel where an older one runs" old_kernel_is_named

ktap_run "completion keeps quiet about errors" bash -c '[[ -z $("$1" complete -- -n nowhere job show id "" 2>&1) ]]' - "$weir"

ktap_end
