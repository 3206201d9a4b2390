#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# A box that boots again has its jobs, ports and policies as before. Two boots of a virtual
# machine, which share nothing but what was saved; to be run on the host.
set -u

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd) || exit 1
root=$(cd "$here/../.." && pwd) || exit 1
# shellcheck source=../lib/ktap.sh
. "$here/../lib/ktap.sh"

vm_run=${WEIR_VM_RUN:-$root/selftests/vm/run}

# Names alone are the same: the numbers of devices are others in the second boot.
networks() {
	local device
	for device in "$@"; do
		ip link add "$device" type veth peer name "$device-peer" && ip link set "$device" up && ip link set "$device-peer" up || return
	done
	ip address add 10.77.1.254/24 dev "$1"
}

# Print what users see of a box, without what is counted and numbered.
shown() {
	local what
	for what in "job show" "source show" "port show" "trim show" "trim-default show"; do
		# shellcheck disable=SC2086 # words
		weir -j $what | gojq 'walk(if type == "object" then del(.stats, .ifindex, .generation, .lateness,
			."data-depth", ."header-depth", .direct) else . end)' || return
	done
}

first() {
	networks eth1 eth2 && weir trim-default set dscp 45 &&
		weir job add id 7 sources 2 blocks 64 grads 256 address 10.77.1.254 policy partial timeout 5ms &&
		weir source add job 7 id 0 address 10.77.1.1 dev eth1 && weir source add job 7 id 1 address 10.77.2.1 dev eth2 &&
		weir job add id 8 sources 1 blocks 2 grads 32 address 10.0.0.0 format lab &&
		weir port attach dev eth1 mode tc && weir port attach dev eth2 mode xdp &&
		weir trim set dev eth1 hook qdisc rule dscp=af11 limit 18kb share 10:1 edge on &&
		weir save >"$WEIR_OUT/weir.conf" && shown >"$WEIR_OUT/before" &&
		cp /proc/sys/kernel/random/boot_id "$WEIR_OUT/boot"
}

# The units' own command lines, eth2 being late: it comes when the rest is there.
run_unit() {
	local words
	read -r -a words < <(sed -n 's|^ExecStart=[^ ]*/weir |weir |p' "$WEIR_ROOT/userspace/units/$1" | sed "s/%i/${2-}/g")
	"${words[@]}"
}
second() {
	cp "$WEIR_OUT/boot" "$WEIR_OUT/first-boot" && ! cmp -s /proc/sys/kernel/random/boot_id "$WEIR_OUT/boot" && [[ $(weir save) == *"end of 0 commands" ]] || return
	mkdir -p /etc/weir && cp "$WEIR_OUT/weir.conf" /etc/weir/ && ip link add shift type dummy && networks eth1 || return
	run_unit weir-restore.service.in && networks eth2 && ip address del 10.77.1.254/24 dev eth2 || return
	run_unit weir-restore-device@.service.in eth2 && shown >"$WEIR_OUT/after" &&
		diff "$WEIR_OUT/before" "$WEIR_OUT/after" && diff "$WEIR_OUT/weir.conf" <(weir save)
}

case ${1-} in
first | second) "$1"; exit ;;
esac

out=$(mktemp -d) || exit 1
at_exit rm -rf "$out"
boot() { "$vm_run" --share "$out" -- selftests/cli/boot.sh "$1"; }

# The units, as far as systemd can tell without running them.
units() {
	local unit
	command -v systemd-analyze >/dev/null || { echo "no systemd-analyze"; return 4; }
	mkdir "$out/units" || return
	for unit in "$root"/userspace/units/*.in "$root"/userspace/weird/*.in; do
		sed 's|@PREFIX@/sbin/weird\?|/bin/true|' "$unit" >"$out/units/$(basename "${unit%.in}")"
	done
	systemd-analyze verify "$out/units/weir-restore.service" "$out/units/weir-restore@blue.service" \
		"$out/units/weir-restore-device@eth1.service" "$out/units/weird.service" "$out/units/weir-monitor.service" 2>&1 | grep "$out/units" && return 1
	return 0
}

ktap_header
restored=0
ktap_run "a box is set up and saved" boot first
if output=$(boot second 2>&1); then
	restored=1
	ktap_pass "the next boot has all of it"
else
	ktap_note "$output"
	ktap_fail "the next boot has all of it"
fi
ktap_note "figure boot_restored $restored"
ktap_run "the units are sound" units
ktap_end
