#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# The demo as a test: its exit status decides. To be run in the virtual machine.
#
#	check.sh [DTYPE...]	the demo with these, by default with all
set -u
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd) || exit 1
# shellcheck source=../lib/ktap.sh
. "$here/../lib/ktap.sh"

(($#)) || set -- int32 float32 bfloat16

ktap_header
ktap_run "four workers learn digits through the router: $*" "$here/demo.sh" "$@"
ktap_end
