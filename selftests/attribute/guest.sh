#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# The attribute weight of a job, from the command line to the module and back, to be run in its tree's virtual
# machine by touches.sh.
set -u

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd) || exit 1
# shellcheck source=../lib/ktap.sh
. "$here/../lib/ktap.sh"

saved=$(mktemp) || exit 1
at_exit rm -f "$saved"

job() { weir job add id "$1" sources 1 blocks 16 grads 32 address 127.0.0.1 port "1200$1" "${@:2}"; }
is() { [[ $(weir -j job show id "$1" | gojq '.[0].weight') == "$2" ]] && weir job show id "$1" | grep -qE "\bweight $2\b"; }

is_set() { job 1 weight 42 && is 1 42; }
is_default() { job 2 && is 2 1; }
out_of_range() {
	local said
	said=$(job 3 weight 101 2>&1) && return 1
	grep -qF "weight 101 is out of range: it is 1 to 100" <<<"$said" || { echo "$said"; return 1; }
}
is_completed() { [[ $(weir complete job add id 3 weight 4 "") == *retain* && $(weir complete job add id 3 "") == *weight* ]]; }
is_restored() {
	weir save -o "$saved" && grep -qE "^weir job add id 1 .*\bweight 42\b" "$saved" &&
		weir job flush && weir restore "$saved" && is 1 42 && is 2 1 &&
		[[ -z $(weir restore --diff "$saved") ]]
}

ktap_header 5
ktap_run "it is set, and shown in text and JSON" is_set
ktap_run "absent, it has its default" is_default
ktap_run "a value out of range is refused" out_of_range
ktap_run "it is completed" is_completed
ktap_run "it is saved and restored" is_restored
ktap_end
