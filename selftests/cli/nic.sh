#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# The mode of a port on a device with a driver of its own, which takes XDP, and refuses it with
# some MTUs. To be run in a virtual machine that has such a device:
#
#	selftests/vm/run --qemu -device --qemu vmxnet3 -- selftests/cli/nic.sh
set -u

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd) || exit 1
root=$(cd "$here/../.." && pwd) || exit 1
# shellcheck source=../lib/ktap.sh
. "$here/../lib/ktap.sh"
# shellcheck source=tool.sh
. "$here/tool.sh"

weir() { "$tool" "$@"; }

# The first device whose driver is this one.
device_of() {
	local device
	for device in /sys/class/net/*/device/driver; do
		[[ $(readlink -f "$device") == */"$1" ]] || continue
		device=${device%/device/driver}
		echo "${device##*/}"
		return
	done
	return 1
}

ktap_header
modprobe -q vmxnet3
if [[ ! -e /sys/module/weir ]] || ! nic=$(device_of vmxnet3); then
	ktap_skip "port attach on a network card" "no module, or no device of driver vmxnet3"
	ktap_end
fi
ip link set "$nic" up || ktap_fail "the device comes up"

# chooses MODE WHY: without a mode given, the port gets this one, for this reason.
chooses() {
	local said
	said=$(weir port attach dev "$nic" 2>&1) || { echo "$said"; return 1; }
	grep -qE "^weir: mode $1 for $nic: $2" <<<"$said" || { echo "$said"; return 1; }
	json ".[0].mode == \"$1\"" port show
}
# says CHECK STATUS FOUND FIX: doctor does, of the port
says() {
	local out
	out=$(weir -j doctor)
	gojq -e --arg check "$1" --arg status "$2" --arg found "$3" --arg fix "$4" \
		'.checks | any(.check == $check and .status == $status and (.found | test($found))
			and ((.fix // "") | test($fix)))' <<<"$out" >/dev/null ||
		{ gojq -c '.checks[]' <<<"$out"; return 1; }
}
plain() {
	chooses xdp "packets come one by one" && json '.[0] | .best == "xdp" and (.why | test("one by one"))' port show &&
		says merging ok "to XDP in the driver" "" &&
		says segmentation ok "by $nic are cut in software" ""
}
# The port is taken off first, as the driver does not change its MTU under XDP.
refused_by_driver() {
	weir port flush && ip link set "$nic" mtu 3500 && chooses tc "the driver refuses XDP .*MTU 3500 too large" &&
		says merging warn "GRO does not merge UDP" "ethtool -K $nic gro on rx-udp-gro-forwarding on"
}
explicit() {
	local said
	said=$(weir port attach dev "$nic" mode xdp 2>&1) && { echo "attached: $said"; return 1; }
	grep -q "MTU 3500 too large" <<<"$said" && json '.[0].mode == "tc"' port show
}
long_frames() {
	ip link set "$nic" mtu 9000 && chooses tc "the driver's XDP takes frames of a page, and the MTU is 9000" &&
		json '.[0].best == "tc"' port show && ip link set "$nic" mtu 1500
}
merged() {
	chooses xdp "packets come one by one" && ethtool -K "$nic" rx-udp-gro-forwarding on >/dev/null &&
		says merging warn "XDP gets packets one by one that would come merged to tc: GRO" "weir port attach dev $nic mode tc" &&
		chooses tc "packets come merged: GRO merges them" &&
		says merging ok "come merged: GRO merges them" "" &&
		ethtool -K "$nic" rx-udp-gro-forwarding off >/dev/null && weir port flush
}
ktap_run "XDP where packets come plain" plain
ktap_run "tc where the driver refuses XDP" refused_by_driver
ktap_run "a mode that is given is the one tried" explicit
ktap_run "tc where frames are longer than a page" long_frames
ktap_run "tc where GRO merges UDP" merged

ktap_end
