#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Fuzzes the live module, in the virtual machine: its netlink family, or its hooks. Whether
# the kernel complains, or leaks, is for the machine's runner to say.
# To be run there: it unloads and loads the module.
set -u

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd) || exit 1
# shellcheck source=../lib/ktap.sh
. "$here/../lib/ktap.sh"
# shellcheck source=../lib/module.sh
. "$here/../lib/module.sh"

usage="usage: selftests/fuzz/live.sh netlink|frames SECONDS [OPTION...]"
[[ ${1-} =~ ^(netlink|frames)$ && ${2-} =~ ^[1-9][0-9]*$ ]] || { echo "$usage" >&2; exit 2; }
target=$1 seconds=$2
shift 2

# Its results are ours, its notes are shown; status is its own.
fuzz() {
	local line
	while IFS= read -r line; do
		case $line in
		'ok '*) line=${line#ok } && ktap_pass "${line#* }" ;;
		'not ok '*) line=${line#not ok } && ktap_fail "${line#* }" ;;
		'status '*) status=${line#status } ;;
		'#'*) echo "$line" ;;
		esac
	done < <("build/bin/fuzz-$target" --seconds "$seconds" "$@"; echo "status $?")
}

ktap_header
status=none
fuzz "$@"
[[ $status == 0 ]] || ktap_fail "the fuzzer ends well" "status $status"
ktap_run "all memory is back" poll 60 all_memory_is_back
ktap_run "the module goes and comes" module_goes 60
ktap_end
