# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# The module itself, for suites that unload and load it. Sourced after ktap.sh, in the
# project's root.

WEIR_MODULE=${WEIR_MODULE:-build/kmod-$(uname -r)/weir.ko}

# module_goes SECONDS: and comes back, knowing nothing; its last holders have so long to let
# go.
module_goes() { poll "$1" rmmod weir && insmod "$WEIR_MODULE"; }

# Asked outside of all namespaces of the tests: the module's memory is one for all.
all_memory_is_back() { [[ $(command weir -j stats | gojq '."memory-used"') == 0 ]]; }
