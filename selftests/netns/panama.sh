#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Workers of format panama at a box that sums (panama.py).
#
#	panama.sh [MODE...]	with these, by default with XDP and with tc
set -u

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd) || exit 1
# shellcheck source=../lib/netns.sh
. "$here/../lib/netns.sh"

workers=4 names=()

panama_up() {
	local i
	ns_create router || return
	for ((i = 1; i <= workers; i++)); do
		ns_create "w$i" && ns_link "w$i" eth0 router "w$i" 9000 && ns_ip "w$i" <<-END &&
			address add 10.0.$i.1/24 dev eth0
			route add default via 10.0.$i.254
		END
			ip -n "$(ns_name router)" address add "10.0.$i.254/24" dev "w$i" || return
		names+=("$(ns_name "w$i")")
	done
	ip -n "$(ns_name router)" address add 10.9.9.9/32 dev lo
}

panama_up || exit 1
WEIR_MODES=${*:-xdp tc} /usr/bin/python3 "$here/panama.py" "$(ns_name router)" "${names[@]}"
