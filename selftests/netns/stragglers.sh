#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Blocks whose sources are late or gone, packets that say another's address, and packets that
# are too many: packet by packet (stragglers.py).
set -u

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd) || exit 1
root=$(cd "$here/../.." && pwd) || exit 1
# shellcheck source=../lib/netns.sh
. "$here/../lib/netns.sh"
# shellcheck source=box.sh
. "$here/box.sh"

linux=$("$root/scripts/linux-source") || exit 1
# For a guest's device.
modprobe tun
box_up 4 9000 xdp || exit 1
/usr/bin/python3 "$here/stragglers.py" "$linux" "$root/uapi/weir.yaml" "$(box_addr)" \
	"$(ns_name router)" "$(ns_name w1)" "$(ns_name w2)" "$(ns_name w3)" "$(ns_name w4)"
