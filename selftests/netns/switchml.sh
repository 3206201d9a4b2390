#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Format switchml and its session service, by workers that behave as the public one does
# (switchml.py). They have links without addresses: there is no stack at their end.
set -u

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd) || exit 1
# shellcheck source=../lib/netns.sh
. "$here/../lib/netns.sh"
# shellcheck source=box.sh
. "$here/box.sh"

workers=8 namespaces=()
star_create "$workers" 1500 || exit 1
# Whatever a stack says by itself would be taken for a result.
ns_sysctl router ipv6/conf/all/disable_ipv6=1 || exit 1
for ((i = 1; i <= workers; i++)); do
	ns_sysctl "w$i" ipv6/conf/all/disable_ipv6=1 || exit 1
	ns_ip "w$i" <<-END || exit 1
		address flush dev eth0
		link set eth0 arp off
	END
	# So that results have their checksum when they are looked at.
	in_router ethtool -K "w$i" tx off >/dev/null || exit 1
	namespaces+=("$(ns_name "w$i")")
done
WEIR_MODES=${*:-xdp tc} in_router /usr/bin/python3 "$here/switchml.py" "$(box_addr)" "$(ns_name router)" "${namespaces[@]}"
