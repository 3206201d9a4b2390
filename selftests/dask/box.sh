#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Reductions of weir.dask through a box: workers of Dask's in a star, whose router has the scheduler and
# the box. To be run in the virtual machine.
set -u

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd) || exit 1
# shellcheck source=../lib/at_exit.sh
. "$here/../lib/at_exit.sh"
# shellcheck source=../lib/netns.sh
. "$here/../lib/netns.sh"

star_create 4 || exit 1
in_router /usr/bin/python3 "$here/box.py" "$ns_prefix"
