#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# A box under all weathers, for as long as one likes: jobs come and go, workers crash,
# links lose, the module is reloaded, trimming is on (soak.py).
# To be run in the virtual machine: it unloads and loads the module.
#
#	selftests/vm/run --timeout 4000 -- selftests/soak/soak.sh 60 [--seed N]
set -u

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd) || exit 1
# shellcheck source=../lib/ktap.sh
. "$here/../lib/ktap.sh"
# shellcheck source=../lib/module.sh
. "$here/../lib/module.sh"
# shellcheck source=../lib/netns.sh
. "$here/../lib/netns.sh"

[[ ${1-} =~ ^[1-9][0-9]*$ ]] || { echo "usage: selftests/soak/soak.sh MINUTES [--seed N]" >&2; exit 2; }

# Freed memory that KASAN holds back counts as the kernel's: it grew by 14 MB in
# three reloads of the module, and in none of the next nine. So it is filled before.
for ((i = 0; i < 5; i++)); do
	module_goes 60 || exit 1
done

# Workers 1 to 4 sum; 1 to 3 also send to worker 5, through a port that trims.
star_create 5 9000 && echo 10000 >/proc/sys/net/core/netdev_max_backlog || exit 1
export WEIR_MODULE
/usr/bin/python3 "$here/soak.py" "$ns_prefix" "$@"
