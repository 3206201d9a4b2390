#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Every type of network device by every feature that looks at received packets (device_types.py): one rule
# drops one ping, one contribution is summed, or the command is refused with the reason.
# To be run in the virtual machine.
set -u

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd) || exit 1
# shellcheck source=../lib/netns.sh
. "$here/../lib/netns.sh"

modprobe -a tun team_mode_roundrobin || exit 1
[[ -e /dev/net/tun ]] || { mkdir -p /dev/net && mknod /dev/net/tun c 10 200; } || exit 1
ns_create box peer || exit 1
/usr/bin/python3 "$here/device_types.py" "$(ns_name box)" "$(ns_name peer)"
