#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Every allocation of the modules fails once, in each request, at load, and in the way of
# a packet (allocations.py). Takes a kernel with fault injection: scripts/debug-kernel.
# To be run in the virtual machine: it unloads and loads the modules.
set -u

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd) || exit 1
root=$(cd "$here/../.." && pwd) || exit 1
# shellcheck source=../lib/ktap.sh
. "$here/../lib/ktap.sh"
# shellcheck source=../lib/module.sh
. "$here/../lib/module.sh"
# shellcheck source=../lib/netns.sh
. "$here/../lib/netns.sh"

release=$(uname -r)
faults=${WEIR_MODULE%/*}
faults=$root/build/faults-${faults##*/kmod-}

skip() {
	ktap_header 1
	ktap_skip "every allocation of the modules fails once" "$1"
	ktap_end
}

[[ -d /sys/kernel/debug/failslab && -e /sys/kernel/debug/failslab/require-start ]] ||
	skip "kernel $release has no fault injection by who calls: take the one that scripts/debug-kernel makes"
slow_port=$root/build/slow-port-${faults##*/faults-}/slow_port.ko
[[ -e $faults/fail_percpu.ko && -e $faults/sites && -e $slow_port ]] ||
	skip "make KERNEL=$release has not been run"

insmod "$faults/fail_percpu.ko" || exit 1
at_exit rmmod fail_percpu
star_create 4 9000 || exit 1
# A driver that hands redirected frames back.
insmod "$slow_port" queues=1 batch=64 || exit 1
at_exit rmmod slow_port
ip link set slow0 netns "$(ns_name router)" && ns_ip router <<-END || exit 1
	addr add 10.99.0.254/24 dev slow0
	link set slow0 up
	neigh add 10.99.0.2 lladdr 02:00:00:00:00:02 dev slow0 nud permanent
END
/usr/bin/python3 "$here/allocations.py" "$faults/sites" "${WEIR_MODULE%/*}" \
	"$(ns_name router)" "$(ns_name w1)" "$(ns_name w2)" "$(ns_name w3)" "$(ns_name w4)"
