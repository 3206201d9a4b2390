#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# A student's lab at a host bridge that sums: workers of formats lab and lab-ethernet (lab.py).
#
#	lab.sh [MODE...]	with these, by default with XDP and with tc
set -u

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd) || exit 1
# shellcheck source=../lib/netns.sh
. "$here/../lib/netns.sh"

workers=8 names=()

lab_up() {
	local i
	ns_create router && ns_ip router <<-END || return
		link add br0 mtu 9000 type bridge forward_delay 0 mcast_snooping 0
		address add 10.0.0.254/24 dev br0
		link set br0 up
	END
	for ((i = 1; i <= workers; i++)); do
		ns_create "w$i" && ns_link "w$i" eth0 router "w$i" 9000 && ns_ip "w$i" <<-END || return
			link set eth0 address 02:00:00:00:00:0$i
			address add 10.0.0.$i/24 dev eth0
		END
		ip -n "$(ns_name router)" link set "w$i" master br0 || return
		names+=("$(ns_name "w$i")")
	done
}

lab_up || exit 1
WEIR_MODES=${*:-xdp tc} /usr/bin/python3 "$here/lab.py" "$(ns_name router)" "${names[@]}"
