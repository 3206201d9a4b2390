#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# The netlink families driven from outside of this project: the kernel's own ynl tool
# reads the specs in uapi/ and makes, shows and removes objects.
set -u

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd) || exit 1
root=$(cd "$here/../.." && pwd) || exit 1
# shellcheck source=../lib/ktap.sh
. "$here/../lib/ktap.sh"
# shellcheck source=../lib/netns.sh
. "$here/../lib/netns.sh"

linux=$("$root/scripts/linux-source") || exit 1
spec=$root/uapi/weir.yaml

# cli WORD...: the answer of the kernel's own tool, as JSON.
cli() {
	in_ns box /usr/bin/python3 "$linux/tools/net/ynl/cli.py" --spec "$spec" \
		--schema "$linux/Documentation/netlink/genetlink.yaml" --output-json "$@"
}

# ynl --do|--dump OPERATION [JSON]: the same of its library, which stays.
ynl() {
	local answer none='{}'
	echo "${1#--} $2 ${3:-$none}" >&"$to" && IFS= read -r -t 120 answer <&"$from" || return
	echo "$answer"
	[[ $answer != refused:* ]]
}

# is FILTER WORD...: the filter must hold for the answer.
is() {
	local filter=$1 out
	shift
	out=$(ynl "$@") || return
	gojq -e "$filter" <<<"$out" >/dev/null || { echo "$* | $filter: $out"; return 1; }
}

# refused PATTERN WORD...
refused() {
	local pattern=$1 out
	shift
	if out=$(ynl "$@" 2>&1); then
		echo "was not refused: $out"
		return 1
	fi
	grep -qE -e "$pattern" <<<"$out" || { echo "$out"; return 1; }
}

job='{"id":7,"sources":2,"blocks":64,"grads":256,"address":"0a4d01fe"}'
# The tool reads the spec each time, so it has one request.
dumps_agree() {
	is 'length == 0' --dump job-get &&
		ynl --do job-add "$job" >/dev/null &&
		cli --dump job-get | gojq -e 'length == 1 and .[0].id == 7 and .[0].blocks == 64
			and .[0].dtype == "int32" and .[0].port == 12000' >/dev/null &&
		is '.id == 7 and .stats.contributions == 0' --do job-get '{"id":7}'
}

sources() {
	ynl --do source-add '{"job":7,"id":1,"address":"0a4d0101","port":5000}' >/dev/null &&
		is 'length == 1 and .[0].port == 5000' --dump source-get '{"job":7}' &&
		refused 'no job 8' --dump source-get '{"job":8}' &&
		ynl --do source-set '{"job":7,"id":1,"port":5001}' >/dev/null &&
		is '.port == 5001' --do source-get '{"job":7,"id":1}' &&
		ynl --do source-del '{"job":7,"id":1}' >/dev/null &&
		refused 'no address' --do source-get '{"job":7,"id":1}'
}

ports() {
	ynl --do port-add '{"ifindex":1,"mode":"tc"}' >/dev/null &&
		is '.[0].ifname == "lo" and .[0].mode == "tc"' --dump port-get &&
		ynl --do port-set '{"ifindex":1,"mode":"generic"}' >/dev/null &&
		is '.mode == "generic"' --do port-get '{"ifindex":1}' &&
		ynl --do port-flush >/dev/null &&
		is 'length == 0' --dump port-get
}

trims() {
	ynl --do weir-trim/set '{"ifindex":1,"hook":"qdisc","dscp":11,"rule":[{"dscp":10,"dscp-last":12}]}' >/dev/null 2>&1 && return 1
	ynl --do weir-trim/set '{"ifindex":1,"hook":"qdisc","dscp":11,"rule":[{"dscp":10}]}' >/dev/null &&
		is '.[0].ifname == "lo" and .[0].rule[0].dscp == 10 and .[0].stats.whole == 0' --dump weir-trim/get &&
		is '.trim == 0 and ."dropped-trim" == 0' --do weir-trim/total-get &&
		ynl --do weir-trim/pool-set '{"name":"a","size":5000}' >/dev/null && ynl --do weir-trim/set '{"ifindex":1,"pool":"a","limit-dynamic":128}' >/dev/null &&
		is '.[0].name == "a" and .[0].ports == 1 and .[0].used == 0' --dump weir-trim/pool-get && is '.size == 5000' --do weir-trim/pool-get '{"name":"a"}' &&
		refused 'policies name the pool' --do weir-trim/pool-del '{"name":"a"}' &&
		ynl --do weir-trim/acl-set '{"name":"a","prio":5,"rule":{"proto":6,"disable":true}}' >/dev/null && ynl --do weir-trim/set '{"ifindex":1,"acl":"a"}' >/dev/null &&
		is '.[0].name == "a" and .[0].prio == 5 and .[0].ports == 1 and .[0].rule.proto == 6 and .[0].rule.packets == 0' --dump weir-trim/acl-get '{"name":"a"}' &&
		is '.prio == 5' --do weir-trim/acl-get '{"name":"a"}' && refused 'no rule with this prio' --do weir-trim/acl-get '{"name":"a","prio":6}' &&
		refused 'policies name the ACL' --do weir-trim/acl-del '{"name":"a"}' &&
		ynl --do weir-trim/flush >/dev/null && ynl --do weir-trim/acl-del '{"name":"a","prio":5}' >/dev/null && ynl --do weir-trim/pool-del '{"name":"a"}' >/dev/null &&
		is 'length == 0' --dump weir-trim/get
}

filters() {
	ynl --do weir-xdp/filter-add '{"ifindex":1,"prio":7,"action":"drop","match":[{"rule":{"proto":17}}]}' >/dev/null &&
		is '.[0].ifname == "lo" and .[0].prio == 7 and .[0].action == "drop"' --dump weir-xdp/filter-get &&
		ynl --do weir-xdp/filter-flush >/dev/null &&
		is 'length == 0' --dump weir-xdp/filter-get
}

totals() {
	is '.jobs == 1 and .memory > 262144 and ."memory-limit" > .memory' --do stats-get
}

gone() {
	ynl --do job-del '{"id":7}' >/dev/null &&
		refused 'no job 7' --do job-get '{"id":7}' &&
		is 'length == 0' --dump job-get
}

# The dead-after that is shown of a job with a long timeout can be set again.
dead_after_does_not_wrap() {
	local job='{"id":7,"sources":2,"blocks":64,"grads":256,"address":"0a4d01fe","timeout":4000000000'

	ynl --do job-add "$job}" >/dev/null &&
		is '."dead-after" == 4294967295' --do job-get '{"id":7}' &&
		ynl --do job-del '{"id":7}' >/dev/null &&
		ynl --do job-add "$job,\"dead-after\":4294967295}" >/dev/null &&
		ynl --do job-del '{"id":7}' >/dev/null
}

many_jobs() {
	local i
	for ((i = 0; i < 256; i++)); do
		ynl --do job-add "{\"id\":$i,\"sources\":1,\"blocks\":1,\"grads\":1,\"address\":\"0a4d01fe\"}" >/dev/null || return
	done
	is 'length == 256 and ([.[].id] | . == (sort | unique))' --dump job-get &&
		ynl --do job-flush >/dev/null &&
		is 'length == 0' --dump job-get
}

# Each refusal names the thing; most also point at the attribute.
refusals() {
	refused 'id the job' --do job-add '{"sources":2}' &&
		refused 'how many sources' --do job-add '{"id":1}' &&
		refused 'address of this box' --do job-add '{"id":1,"sources":1,"blocks":1,"grads":1}' &&
		refused 'power of two: take 8' --do job-add '{"id":1,"sources":1,"blocks":5,"grads":1,"address":"0a4d01fe"}' &&
		refused 'range' --do job-add '{"id":1,"sources":1,"blocks":4,"grads":1,"address":"0a4d01fe","dtype":7}' &&
		refused 'unicast' --do job-add '{"id":1,"sources":1,"blocks":4,"grads":1,"address":"e0000001"}' &&
		refused '4 bytes' --do job-add '{"id":1,"sources":1,"blocks":4,"grads":1,"address":"e00000"}' &&
		refused 'no multicast' --do job-add '{"id":1,"sources":1,"blocks":4,"grads":1,"address":"0a4d01fe","group":"0a000001"}' &&
		refused 'range' --do job-add '{"id":256,"sources":1,"blocks":4,"grads":1,"address":"0a4d01fe"}' &&
		refused 'range' --do job-add '{"id":1,"sources":257,"blocks":4,"grads":1,"address":"0a4d01fe"}' &&
		refused 'fewer blocks' --do job-add '{"id":1,"sources":1,"blocks":65536,"grads":2048,"address":"0a4d01fe"}' &&
		refused 'no device 999' --do port-add '{"ifindex":999}' &&
		is 'length == 0' --dump job-get
}

ktap_header
ns_create box || ktap_fail "set up"
pipes=$(mktemp -d) || exit 1
at_exit rm -rf "$pipes"
mkfifo "$pipes/to" "$pipes/from" || exit 1
in_ns box /usr/bin/python3 "$here/ynl-talk" "$linux" "$spec" "$root"/uapi/weir_{trim,xdp}.yaml <"$pipes/to" >"$pipes/from" &
exec {to}>"$pipes/to" {from}<"$pipes/from"
ktap_run "a job is added and shown" dumps_agree
ktap_run "sources come, change and go" sources
ktap_run "ports come, change and go" ports
ktap_run "trimming policies come, change and go" trims
ktap_run "filters come and go" filters
ktap_run "totals" totals
ktap_run "a job goes" gone
ktap_run "the default of dead-after does not wrap" dead_after_does_not_wrap
ktap_run "256 jobs in one dump" many_jobs
ktap_run "refusals have words" refusals
exec {to}>&- {from}<&-
wait
ktap_end
