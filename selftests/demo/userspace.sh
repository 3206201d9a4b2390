#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# The demo as a test, with the program that takes the box's place: no module is needed.
set -u
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd) || exit 1
# shellcheck source=../lib/ktap.sh
. "$here/../lib/ktap.sh"

ktap_header
if ((EUID == 0)); then
	ktap_run "four workers learn digits through a program" "$here/demo.sh" --userspace
else
	ktap_skip "four workers learn digits through a program" "namespaces need root"
fi
ktap_end
