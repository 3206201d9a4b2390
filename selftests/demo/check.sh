#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# The demo as a test: its exit status tells. To be run in the virtual machine.
set -u
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd) || exit 1
# shellcheck source=../lib/ktap.sh
. "$here/../lib/ktap.sh"

ktap_header 1
ktap_run "four workers learn digits through the router" "$here/demo.sh"
ktap_end
