# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# The modules themselves, for suites that unload and load them. Sourced after ktap.sh, in the
# project's root.

WEIR_MODULE=${WEIR_MODULE:-build/kmod-$(uname -r)/weir.ko}
# The modules, in the order in which they are loaded.
weir_modules=(weir_core weir sch_weir weir_xdp)

# modules_go SECONDS: all of them; their last holders have so long to let go.
modules_go() {
	local name
	for name in weir_xdp sch_weir weir weir_core; do
		[[ ! -e /sys/module/$name ]] || poll "$1" rmmod "$name" || return
	done
}

modules_come() {
	local name
	for name in "${weir_modules[@]}"; do
		[[ -e /sys/module/$name ]] || insmod "${WEIR_MODULE%/*}/$name.ko" || return
	done
}

# module_goes SECONDS: all go and come back, knowing nothing.
module_goes() { modules_go "$1" && modules_come; }

# Asked outside of all namespaces of the tests: the module's memory is one for all.
all_memory_is_back() { [[ $(command weir -j stats | gojq '."memory-used"') == 0 ]]; }
