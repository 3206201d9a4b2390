#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# The demo as a test: its exit status tells; and README's commands. To be run in the virtual
# machine.
#
#	check.sh [DTYPE...]	the demo with these, by default with all
#	check.sh readme		README's commands
set -u
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd) || exit 1
# shellcheck source=../lib/ktap.sh
. "$here/../lib/ktap.sh"
# shellcheck source=readme.sh
. "$here/readme.sh"

(($#)) || set -- int32 float32 bfloat16

ktap_header
if [[ $1 == readme ]]; then
	readme_tests
else
	ktap_run "four workers learn digits through the router: $*" "$here/demo.sh" "$@"
fi
ktap_end
