# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# Traffic through a port that trims, and what came of it. Sourced after ktap.sh and netns.sh;
# files go to $out.

out=$(mktemp -d) || exit 1
at_exit rm -rf "$out"
pids=()

# policy set|get|del DEV [KEY=VALUE...]: of the router.
policy() { in_router trim-policy "$@"; }

# policies [dev DEV]: the router's, as the tool has them, with the counters of rules. shown DEV: one of them.
# shellcheck disable=SC2154 # ns_prefix is netns.sh's
policies() { weir -n "$ns_prefix-router" -j -s trim show "$@"; }
shown() {
	local json
	json=$(policies dev "$1") || return
	json=${json#[}
	echo "${json%]}"
}

# refused PATTERN COMMAND [ARGUMENT...]: it fails, and what it says matches.
refused() {
	local pattern=$1 said
	shift
	if said=$("$@" 2>&1); then
		echo "$*: was not refused"
		return 1
	fi
	grep -qE -e "$pattern" <<<"$said" || { echo "$*: $said"; return 1; }
}

# An emulated machine starts a program in the time of many lines of bash: what is asked all the
# time, while a test waits, is read here.

# seen FILE DSCP: packets that came with it.
seen() {
	local text n=0
	text=$(<"$out/$1") || return
	[[ $text =~ \"$2\":\ \{\"packets\":\ ([0-9]+) ]] && n=${BASH_REMATCH[1]}
	echo "$n"
}

# looked DEV: frames that the XDP program of the router's device has looked at.
looked() {
	local name value n=0
	while read -r name value; do
		[[ $name == rx_queue_*_xdp_packets: ]] && n=$((n + value))
	done < <(in_router ethtool -S "$1")
	echo "$n"
}
looked_at() { (($(looked "$1") >= $2)); }

# behind LABEL FILE COMMAND [ARGUMENT...]: in a namespace, until end_all; a simple command,
# so that its process is the one to end.
behind() {
	nsenter --net="/run/netns/$(ns_name "$1")" -- "${@:3}" >"$2" 2>"$2.errors" &
	pids+=($!)
}

# receive LABEL: counts there what arrives.
receive() {
	rm -f "$out/arrived"
	behind "$1" "$out/log" trim-traffic count "$out/arrived"
	poll 60 test -s "$out/arrived"
}

# from_workers N ADDRESS WORD...: the first N workers send there at once; the sum is in
# $sent.
from_workers() {
	local i senders=()
	for ((i = 1; i <= $1; i++)); do
		in_worker "$i" trim-traffic send "${@:2}" >"$out/sent.$i" &
		senders+=($!)
	done
	wait "${senders[@]}" || return
	# shellcheck disable=SC2034 # it is the caller's
	sent=$(awk '{ n += $1 } END { print n }' "$out"/sent.*)
	rm -f "$out"/sent.*
}

end_all() {
	local pid
	for pid in "${pids[@]}"; do
		kill "$pid" 2>/dev/null
		wait "$pid" 2>/dev/null
	done
	pids=()
}
