#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# The attribute mass of objects, which selftests/attribute/objects has added to their specs and to nothing else:
# the tool sends it, checks its range, completes it, and shows and saves it. A stand-in answers for the module.
set -u

# A network namespace of its own, whose lo programs may be attached to.
if [[ ! ${WEIR_ATTRIBUTE_APART-} ]]; then
	WEIR_ATTRIBUTE_APART=1 exec unshare --user --map-root-user --net -- "$0" "$@"
fi

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd) || exit 1
root=$(cd "$here/../.." && pwd) || exit 1
# shellcheck source=../lib/ktap.sh
. "$root/selftests/lib/ktap.sh"

stand_in=$root/selftests/cli/stand-in
WEIR_STAND_IN=$(mktemp -d) || exit 1
export WEIR_STAND_IN
at_exit rm -rf "$WEIR_STAND_IN"

weir() { LD_PRELOAD="$root/build/cli/stand-in.so" "$root/build/bin/weir" "$@"; }

# sends WORD...: the request has the mass, and one that is out of range is refused.
sends() {
	local said
	rm -f "$WEIR_STAND_IN/requests"
	weir "$@" mass 42 >/dev/null 2>&1
	"$stand_in" requests "$WEIR_STAND_IN" | gojq -es 'any(.[]; .mass == 42)' >/dev/null || { echo "not sent: $*"; return 1; }
	said=$(weir "$@" mass 101 2>&1) && return 1
	grep -qF "mass 101 is out of range: it is 1 to 100" <<<"$said" && [[ $(weir complete "$@" "") == *mass* ]] && return
	echo "$said"
	weir complete "$@" ""
	return 1
}

# shows OPERATION ANSWER PATTERN WORD...: the object is shown with the mass, and saved so as PATTERN.
shows() {
	local operation=$1 answer=$2 pattern=$3
	shift 3
	rm -f "${WEIR_STAND_IN:?}"/*
	echo "$answer" | "$stand_in" answer "$WEIR_STAND_IN" "$operation" || return
	weir "$@" | grep -qE "\bmass 42\b" && weir -j "$@" | gojq -e '.. | objects | select(.mass == 42)' >/dev/null &&
		weir save | grep -qE "^weir $pattern .*\bmass 42\b" && return
	weir "$@"
	weir save
	return 1
}

source_has_it() {
	sends source add job 7 id 0 address 10.0.0.1 && sends source set job 7 id 0 &&
		shows source-get '[{"job": 7, "id": 0, "address": "10.0.0.1", "mass": 42}]' "source add" source show
}
filter_has_it() {
	sends filter add dev lo rule any action drop && sends filter replace dev lo prio 1 rule any action drop &&
		shows filter-get '[{"ifindex": 1, "ifname": "lo", "prio": 1, "action": 1, "mass": 42}]' "filter add" filter show
}
flow_has_it() {
	sends flow on dev lo && shows flow-get '[{"ifindex": 1, "ifname": "lo", "flows": 16, "sample": 1, "mass": 42}]' "flow on" flow stats
}
order_has_it() {
	sends order add dev lo prio 1 cpus 0 mode generic &&
		shows order-get '[{"ifindex": 1, "ifname": "lo", "prio": 1, "hold": 1, "packets": 2, "bytes": 1, "flows": 1, "mass": 42}]' "order add" order show
}
trim_has_it() {
	# Bit i of said is attribute i: the mass was given, which is the last one.
	local mass
	mass=$(sed -n '/^\tWEIR_A_TRIM_IFINDEX/,/^\tWEIR_A_TRIM_MASS/p' "$root/uapi/weir_trim_nl.h" | wc -l)
	sends trim set dev lo hook none && sends trim-default set &&
		shows trim-get "[{\"ifindex\": 1, \"ifname\": \"lo\", \"hook\": 1, \"mass\": 42, \"said\": $((1 << mass))}]" "trim set" trim show
}
pool_has_it() {
	sends trim-pool set name p size 1mb && shows trim-pool-get '[{"name": "p", "size": 1000000, "mass": 42}]' "trim-pool set" trim-pool show
}

ktap_header 6
for object in source filter flow order trim pool; do
	ktap_run "$object: sent, completed, shown and saved" "${object}_has_it"
done
ktap_end
