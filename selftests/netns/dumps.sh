#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Dumps that do not fit into one message (dumps.py).
# To be run in the virtual machine.
set -u

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd) || exit 1
# shellcheck source=../lib/netns.sh
. "$here/../lib/netns.sh"
# shellcheck source=box.sh
. "$here/box.sh"

box_up 1 9000 xdp || exit 1
for i in {1..100}; do
	echo "link add d$i type dummy"
done | ns_ip router && for i in {1..100}; do
	echo "qdisc add dev d$i root weir"
done | in_ns router tc -batch - || exit 1
/usr/bin/python3 -S "$here/dumps.py" "$(ns_name router)" "$(ns_name w1)"
