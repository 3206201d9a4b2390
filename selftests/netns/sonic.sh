#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# The commands of docs/how-to/sonic.md, as they are written there, on a box with the devices of the page:
# they work, print what the page says, and trim. To be run in the virtual machine.
set -u

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd) || exit 1
root=$(cd "$here/../.." && pwd) || exit 1
# shellcheck source=../lib/ktap.sh
. "$here/../lib/ktap.sh"
# shellcheck source=../lib/netns.sh
. "$here/../lib/netns.sh"

work=$(mktemp -d) || exit 1
at_exit rm -rf "$work"

# block KIND N: the N-th block of the page below a comment of this kind.
block() {
	awk -v kind="<!-- $1 -->" -v wanted="$2" '
		$0 == kind { here = ++n == wanted; next }
		here && /^    / { open = 1; print substr($0, 5); next }
		here && open && $0 != "" { exit }
		here && open { print "" }' "$root/docs/how-to/sonic.md" | sed -e :a -e '/^\n*$/{$d;N;ba' -e '}'
}

weir_box() { weir -n "$ns_prefix-box" "$@"; }

set_up() {
	ns_create box && ns_ip box <<-END
		link add eth1 type veth peer name peer1
		link add eth2 type veth peer name peer2
		link set eth1 up
		link set peer1 up
		link set eth2 up
		link set peer2 up
	END
}

run() { (cd "$work" && in_ns box bash -e -c "$(block "run: box" "$1")") >"$work/said" 2>&1 || { cat "$work/said"; return 1; }; }

imports() { run 1 && diff "$work/said" <(block printed 1); }

restores() {
	run 2 && weir_box -j trim show | gojq -e 'map([.dev, .size, .dscp, ."limit-dynamic", .pool, .share]) ==
		[["eth1", 128, 48, 0.5, "egress_lossy_pool", "strict"], ["eth2", 128, 48, 0.5, "egress_lossy_pool", "strict"]]
		and .[0].rule == [{"dscp": 10, "dscp-last": 12}] and .[1].acl == "KEEP" and .[1]."disable-trim" == []' >/dev/null &&
		[[ $(tc -n "$ns_prefix-box" qdisc show dev eth1) == *"qdisc weir 7765: root"* ]]
}

# A table of all ports, with the names of both.
counters() {
	diff <(weir_box trim counters | tr -s ' ') - <<-END &&
		IFACE TRIM_PKTS TRIM_TX_PKTS TRIM_DRP_PKTS
		dev trim tx-trim dropped-trim
		eth1 0 0 0
		eth2 0 0 0
	END
		weir_box -j trim counters dev eth2 | gojq -e '. == [{"dev": "eth2", "TRIM_PKTS": 0, "TRIM_TX_PKTS": 0, "TRIM_DRP_PKTS": 0}]' >/dev/null
}

# The lines are commands for a shell as well.
shell_takes() {
	weir_box flush all && (cd "$work" && in_ns box bash -e trimming.conf) &&
		weir_box -j trim show | gojq -e 'length == 2' >/dev/null && weir_box flush all
}

ktap_header
set_up || ktap_fail "set up"
ktap_run "a switch's configuration is imported as the page says" imports
ktap_run "what was imported is restored, and trims" restores
ktap_run "counters have SONiC's names" counters
ktap_run "a shell takes it, too" shell_takes
ktap_end
