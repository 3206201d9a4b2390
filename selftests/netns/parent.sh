#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# An adversary in the place of a job's parent: what it forges from another link, with the parent's
# address (parent.py).
set -u

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd) || exit 1
root=$(cd "$here/../.." && pwd) || exit 1
# shellcheck source=../lib/netns.sh
. "$here/../lib/netns.sh"
# shellcheck source=box.sh
. "$here/box.sh"

linux=$("$root/scripts/linux-source") || exit 1
box_up 4 1500 xdp || exit 1
/usr/bin/python3 "$here/parent.py" "$linux" "$root/uapi/weir.yaml" "$(box_addr)" \
	"$(ns_name router)" "$(ns_name w1)" "$(ns_name w2)" "$(ns_name w3)" "$(ns_name w4)"
