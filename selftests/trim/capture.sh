#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Trimmed packets as another program sees them: where lengths are updated, all lengths
# and checksums must be right; where they are kept, what IP says must still be.
set -u
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd) || exit 1
cd "$root" || exit 1
# shellcheck source=../lib/ktap.sh
. selftests/lib/ktap.sh

work=$(mktemp -d) || exit 1
at_exit rm -rf "$work"

ktap_header
command -v tshark >/dev/null || { ktap_skip "trimmed packets in tshark" "tshark is not installed"; ktap_end; }
build/bin/test-trim "$work/pcap" || exit 1

# The microseconds of a packet's time say that its lengths are kept. A status is 1 for
# right, 0 for wrong, 3 for none, 4 for none over IPv6; nothing where there is no header.
tshark -n -r "$work/pcap" -o ip.check_checksum:TRUE -o udp.check_checksum:TRUE \
	-o tcp.check_checksum:TRUE -T fields -E separator=, -E occurrence=f \
	-e frame.number -e frame.time_epoch -e frame.len -e ip.version -e ip.len -e ipv6.plen \
	-e ip.checksum.status -e udp.checksum.status -e tcp.checksum.status -e udp.length \
	-e ip.dsfield.dscp -e ipv6.tclass.dscp -e vlan.id >"$work/fields" 2>"$work/err"

# rows KEPT: the packets whose lengths are updated (0) or kept (1).
rows() {
	awk -F, -v kept="$1" '{ split($2, t, "."); if (substr(t[2], 1, 6) + 0 == kept) print }' \
		"$work/fields"
}

all_there() {
	local n
	n=$(wc -l <"$work/fields")
	((n >= 40)) || { echo "$n packets"; cat "$work/err"; return 1; }
}

# none KEPT CONDITION: no row of them may be so; awk's fields are those above.
none() {
	local found
	found=$(rows "$1" | awk -F, "$2")
	[[ -z $found ]] || { echo "$found"; return 1; }
}

ktap_run "all packets are read" all_there
ktap_run "IP checksums are right" none 0 '$7 != "" && $7 != 1'
ktap_run "IP checksums are right, lengths kept" none 1 '$7 != "" && $7 != 1'
ktap_run "UDP checksums are right or none" none 0 '$8 != "" && $8 != 1 && $8 != 3 && $8 != 4'
ktap_run "TCP checksums are right" none 0 '$9 != "" && $9 != 1'
ktap_run "UDP fits in IP, and IP in the frame" none 0 \
	'{ ip = $5 != "" ? $5 : $6 + 40 } ip + 14 > $3 || ($10 != "" && $10 + 20 > ip)'
ktap_run "lengths that are kept are longer than the frame" none 1 \
	'{ ip = $5 != "" ? $5 : $6 + 40 } ip + 14 <= $3'
ktap_run "all carry the mark" none 0 '$11 != 11 && $12 != 11'
ktap_run "all carry the mark, lengths kept" none 1 '$11 != 11 && $12 != 11'
ktap_end
