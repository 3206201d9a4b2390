#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# The demo as a test: its exit status tells; and README's commands. To be run in the virtual
# machine.
set -u
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd) || exit 1
# shellcheck source=../lib/ktap.sh
. "$here/../lib/ktap.sh"
# shellcheck source=readme.sh
. "$here/readme.sh"

ktap_header
ktap_run "four workers learn digits through the router" "$here/demo.sh"
readme_tests
ktap_end
