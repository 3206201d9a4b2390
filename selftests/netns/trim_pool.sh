#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Ports that share a pool of buffer: dynamic thresholds, the pool's bound, and what becomes of the
# bytes when packets, qdiscs, policies and devices go.
# To be run in the virtual machine.
set -u

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd) || exit 1
root=$(cd "$here/../.." && pwd) || exit 1
# shellcheck source=../lib/ktap.sh
. "$here/../lib/ktap.sh"
# shellcheck source=../lib/netns.sh
. "$here/../lib/netns.sh"
# shellcheck source=traffic.sh
. "$here/traffic.sh"

# Bytes of a frame: 1400 of payload and the headers.
frame=1442

weir() { command weir -n "$ns_prefix-router" "$@"; }

# slow DEV RATE [QDISC...]: weir's is the only queue that fills. At 8bit, a byte a second, nothing leaves but a burst.
slow() {
	in_router tc qdisc del dev "$1" root 2>/dev/null
	in_router tc qdisc add dev "$1" root handle 1: tbf rate "$2" burst 4000 limit 10000000 &&
		in_router tc qdisc add dev "$1" parent 1:1 handle 10: weir
}

# fast DEV: what slow has kept back leaves. A packet makes tbf look at its new rate.
fast() {
	in_router tc qdisc change dev "$1" root handle 1: tbf rate 100mbit burst 4000 limit 10000000 &&
		in_router ping -c 1 -W 60 "$(worker_addr "${1#w}")" >/dev/null
}

# shares DEV WORD...: a new policy, of which nothing waits yet.
shares() {
	weir trim del dev "$1" 2>/dev/null
	slow "$1" 8bit && weir trim set dev "$1" hook qdisc dscp 11 rule dscp=10 header-time never headers 3000 "${@:2}"
}

# fresh SIZE [WORD...]: both ports share a pool of so many bytes.
fresh() {
	weir trim-pool set name a size "$1" && shares w3 pool a "${@:2}" && shares w4 pool a "${@:2}" && weir trim clear
}

# fill WORKER [WORD...]: more than any pool here takes; all of it has come to the port.
fill() {
	local before
	before=$(came "w$1")
	in_worker 1 trim-traffic send "$(worker_addr "$1")" --count 60 --size 1400 "${@:2}" >/dev/null && poll 60 came_since "w$1"
}
# came DEV: eligible packets that have come to the port. What waits in a child is in `whole` already.
came() {
	shown "$1" | gojq --argjson child "$(in_router tc -j qdisc show dev "$1" | gojq 'any(.handle == "20:")')" \
		'.stats.trim + .stats.whole + .direct + if $child then 0 else ."data-depth" end'
}
came_since() { (($(came "$1") >= before + 60)); }

of_pool() { weir -j trim-pool show name a | gojq ".[0].\"$1\""; }

# waits DEV: bytes in the data bands of its weir qdiscs.
waits() { TC_LIB_DIR=$root/build/tc in_router tc -s -j qdisc show dev "$1" | gojq '[.[] | select(.kind == "weir") | .data_bytes] | add'; }

# is VALUE LEAST MOST
is() {
	(($1 >= $2 && $1 <= $3)) && return
	echo "$1 is not $2 to $3"
	weir trim-pool show
	in_router tc -s qdisc show
	return 1
}

# The pool has what waits at both ports, to the byte.
agrees() { [[ $(of_pool used) == $(($(waits w3) + $(waits w4))) ]] && return; echo "used $(of_pool used): $(waits w3) + $(waits w4)"; return 1; }
drained() { [[ $(waits "$1") == 0 ]]; }

# A queue alone gets alpha / (1 + alpha) of the pool, the next one so much of the rest; when the
# first has drained, the second gets as much as that had.
thresholds() {
	fresh 60000 limit dynamic 1 && fill 3 && is "$(waits w3)" $((30000 - frame)) 30000 && agrees &&
		fill 4 && is "$(waits w4)" $((15000 - 2 * frame)) 15000 && agrees &&
		fast w3 && poll 60 drained w3 && agrees && fill 4 && is "$(waits w4)" $((30000 - frame)) 30000 && agrees &&
		fast w4 && poll 60 drained w4 && [[ $(of_pool used) == 0 ]] && is "$(of_pool used-max)" 40000 45000
}
fractions() {
	fresh 60000 limit dynamic 1/4 && fill 3 && is "$(waits w3)" $((12000 - frame)) 12000 &&
		weir trim set dev w4 limit dynamic 4 && fill 4 && is "$(waits w4)" $(((60000 - 12000) * 4 / 5 - frame)) $(((60000 - 10000) * 4 / 5)) && agrees
}
# Packets that wait beyond a new threshold wait on; another limit holds besides.
changes() {
	fresh 60000 limit dynamic 4 && fill 3 && is "$(waits w3)" $((48000 - frame)) 48000 && weir trim-pool set name a size 30000 &&
		[[ $(of_pool size) == 30000 ]] && agrees && fill 4 && is "$(waits w4)" 0 0 &&
		weir trim-pool set name a size 100000 && weir trim set dev w4 limit 5 && fill 4 && is "$(waits w4)" $((5 * frame)) $((5 * frame)) &&
		weir trim set dev w4 limit 0 && fill 4 && is "$(waits w4)" 30000 50000 && agrees
}
# Without a threshold the size alone bounds what waits, however many send at once.
bound() {
	local i senders=()
	fresh 50000 limit 1mb || return
	for i in 3 4; do
		in_router tc qdisc change dev "w$i" root handle 1: tbf rate 2mbit burst 4000 limit 10000000 || return
	done
	for i in 1 2; do
		in_worker "$i" trim-traffic send "$(worker_addr $((i + 2)))" --size 1400 --seconds 5 >"$out/sent.$i" &
		senders+=($!)
	done
	wait_all "${senders[@]}" && is "$(of_pool used-max)" $((50000 - frame)) 50000 && shown w3 | gojq -e '.stats.trim > 0' >/dev/null &&
		shown w4 | gojq -e '.stats.trim > 0' >/dev/null && fast w3 && fast w4 && poll 60 drained w3 && poll 60 drained w4 && [[ $(of_pool used) == 0 ]]
}
# A victim that waits makes room for one that is no longer.
victims() {
	fresh 30000 limit dynamic 1 victim tail && fill 3 && fill 3 --size 1000 && agrees && is "$(of_pool used-max)" 10000 15000
}
# A qdisc in which whole packets wait instead.
children() {
	fresh 40000 limit 1mb && in_router tc qdisc add dev w3 parent 10:1 handle 20: fq_codel && fill 3 && fill 4 && agrees &&
		is "$(of_pool used-max)" $((40000 - 2 * frame)) 40000 && is "$(waits w3)" $((40000 - 2 * frame)) 40000 &&
		in_router tc qdisc del dev w3 parent 10:1 && agrees && is "$(waits w3)" 0 0 && fill 4 && is "$(waits w4)" $((40000 - frame)) 40000
}
# Waiting packets move to another pool with the policy, and go with the policy and with the qdisc.
goes() {
	fresh 40000 limit dynamic 1 && fill 3 && fill 4 && agrees && weir trim-pool set name b size 100000 &&
		weir trim set dev w3 pool b && [[ $(weir -j trim-pool show name b | gojq '.[0].used') == $(waits w3) && $(of_pool used) == $(waits w4) ]] &&
		weir trim set dev w3 pool a && agrees && refused 'pool is missing' weir trim set dev w3 pool none && agrees &&
		weir trim set dev w3 pool none limit dynamic 0 limit 20kb && [[ $(of_pool used) == $(waits w4) && $(of_pool ports) == 1 ]] &&
		weir trim-pool del name b && weir trim replace dev w3 hook qdisc dscp 11 rule dscp=10 limit dynamic 1 pool a && agrees &&
		in_router tc qdisc del dev w3 root && [[ $(of_pool used) == $(waits w4) ]] && weir trim del dev w4 && [[ $(of_pool used) == 0 && $(of_pool ports) == 1 ]]
}
# Classes have alphas of their own, and without a pool room for one packet.
classes() {
	weir trim del dev w3
	in_router tc qdisc del dev w3 root 2>/dev/null
	in_router tc qdisc add dev w3 root handle 1: tbf rate 8bit burst 4000 limit 10000000 &&
		in_router tc qdisc add dev w3 parent 1:1 handle 5: prio bands 2 priomap 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 &&
		weir trim-pool set name a size 60000 && weir trim clear &&
		weir trim set dev w3 hook qdisc dscp 11 rule dscp=10 header-time never headers 3000 limit dynamic 1 pool a class 5:1,limit=dynamic:1/4 class 5:2 &&
		fill 3 && is "$(waits w3)" $((12000 - frame)) 12000 && weir save >"$out/saved" && grep -q ' limit dynamic 1 pool a .*class 5:1,limit=dynamic:1/4 class 5:2$' "$out/saved" &&
		weir trim set dev w3 limit dynamic 0 limit 100 pool none class 5:1,limit=dynamic:1/4 class 5:2 && fast w3 && poll 60 drained w3 &&
		in_router tc qdisc change dev w3 root handle 1: tbf rate 8bit burst 4000 limit 10000000 && fill 3 && is "$(waits w3)" 0 "$frame" && weir trim del dev w3
}


keeps() {
	fresh 40000 limit dynamic 1/2 && weir trim-pool set name b size 1mb && weir save >"$out/saved" && cat "$out/saved" &&
		grep -qx 'weir trim-pool set name a size 40000b' "$out/saved" && grep -q '^weir trim set dev w3 .* limit dynamic 1/2 pool a ' "$out/saved" || return
	weir flush all && [[ $(weir -j trim-pool show | gojq length) == 0 ]] && weir restore "$out/saved" && diff "$out/saved" <(weir save) &&
		[[ -z $(weir restore --diff "$out/saved") ]] || return
	# Pools come before policies name them, and go after these name others.
	sed -e '/name b/d' -e 's/name a size 40000b/name c size 1mb/' -e 's/pool a/pool c/' "$out/saved" | grep -v '^#' >"$out/other"
	fill 3 && shown w3 | gojq .stats.trim >"$out/trims" && weir restore --diff "$out/other" && weir restore "$out/other" &&
		[[ $(weir -j trim-pool show | gojq -c 'map([.name, .size, .ports])') == '[["c",1048576,2]]' ]] && shown w3 | gojq .stats.trim | diff "$out/trims" - &&
		weir restore "$out/saved" && diff "$out/saved" <(weir save)
}

refusals() {
	local i
	weir flush all && fresh 40000 limit dynamic 1 &&
		refused 'policies name the pool' weir trim-pool del name a && refused 'there is no such pool' weir trim-pool del name none-such &&
		refused 'there is no such pool' weir trim-pool show name none-such && refused 'there is no such pool: add it first' weir trim set dev w3 pool none-such &&
		refused 'give the pool another name' weir trim-pool set name none size 1mb && refused 'visible ASCII' weir trim-pool set name 'a b' size 1mb &&
		refused '31 bytes at most' weir trim-pool set name "$(printf 'a%.0s' {1..32})" size 1mb && refused 'lacks the key size' weir trim-pool set name b &&
		refused 'limit dynamic takes' weir trim set dev w3 limit dynamic -1 && refused 'limit dynamic takes' weir trim set dev w3 limit dynamic 257 &&
		refused 'limit dynamic takes' weir trim set dev w3 limit dynamic 1/3 && refused 'lacks its value' weir trim set dev w3 limit dynamic &&
		refused 'of one kind' weir trim set dev w3 limit dynamic 1 limit dynamic 2 && refused 'only a port' weir trim-default set limit dynamic 1 &&
		refused 'pool is missing' weir trim set dev w2 hook qdisc dscp 11 rule dscp=10 limit dynamic 1 &&
		refused 'only hook qdisc shares' weir trim set dev w2 hook tc rate 1gbit dscp 11 rule dscp=10 pool a || return
	weir trim set dev w2 hook none edge on pool a && [[ $(of_pool ports) == 3 ]] && weir trim del dev w2 && [[ $(of_pool ports) == 2 ]] || return
	refused 'size' weir trim-pool set name b size 0 && refused 'size' weir trim-pool set name b size 1025gb || return
	for ((i = 1; i < 64; i++)); do
		echo "trim-pool set name p$i size 1mb"
	done >"$out/pools"
	(weir save | grep -v '^#'; cat "$out/pools") >"$out/all" && weir restore "$out/all" &&
		refused '64 pools at most' weir trim-pool set name one-more size 1mb && weir trim-pool set name p7 size 2mb && [[ $(weir -j trim-pool show | gojq length) == 64 ]] &&
		weir trim flush && weir flush all && [[ $(weir save) == *"end of 0 commands" ]]
}

metrics() {
	fresh 40000 limit dynamic 1 && fill 3 && weir metrics >"$out/metrics" && grep -qx 'weir_trim_pool_size_bytes{pool="a"} 40000' "$out/metrics" &&
		grep -qx "weir_trim_pool_used_bytes{pool=\"a\"} $(waits w3)" "$out/metrics" && weir trim-pool show | grep -q "^pool a size 40000b used $(waits w3)b " &&
		[[ $(weir -j trim show dev w3 | gojq -c '.[0] | [."limit-dynamic", .pool]') == '[1,"a"]' ]] && weir trim show dev w3 | grep -q ' limit dynamic 1 pool a '
}

# Devices that go, then the namespace while packets wait.
devices() {
	fresh 40000 limit dynamic 1 && fill 3 && fill 4 && agrees && in_router ip link set w3 down && [[ $(of_pool used) == $(waits w4) ]] &&
		in_router ip link del w3 && [[ $(of_pool used) == $(waits w4) && $(of_pool ports) == 1 ]] && fill 4 && is "$(waits w4)" $((20000 - frame)) 20000
}

set_up() {
	star_create 4 1500 && ns_backlog 10000 && star_believes router w3 w4 && star_each ethtool -K eth0 tso off gso off >/dev/null || return
	in_worker 1 ping -c 1 -W 60 "$(worker_addr 3)" >/dev/null && in_worker 1 ping -c 1 -W 60 "$(worker_addr 4)" >/dev/null &&
		in_worker 2 ping -c 1 -W 60 "$(worker_addr 4)" >/dev/null
}

ktap_header
set_up || ktap_fail "set up"
ktap_run "a threshold shrinks when another port fills the pool" thresholds
ktap_run "each port has an alpha of its own" fractions
ktap_run "pools and limits change while packets wait" changes
ktap_run "what waits never exceeds the pool" bound
ktap_run "victims that wait" victims
ktap_run "a child" children
ktap_run "what waits goes with its policy and its qdisc" goes
ktap_run "classes" classes
ktap_run "save and restore" keeps
ktap_run "metrics, JSON and text" metrics
ktap_run "what is refused" refusals
ktap_run "devices and namespaces go" devices
ktap_end
