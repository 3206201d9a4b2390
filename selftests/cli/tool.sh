# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# Shared by tests of the tool. Sourced after ktap.sh, with the project's root in $root.
# The sourcing script defines weir, which runs the tool as the test wants it; and for
# refused also state, which prints the state that a refusal must not change.

# shellcheck disable=SC2034,SC2154 # the callers use it; root is theirs
tool=${WEIR:-$root/build/bin/weir}

# json FILTER WORD...: the filter must hold for the output of the words.
json() {
	local filter=$1 out
	shift
	out=$(weir -j "$@") || return
	gojq -e "$filter" <<<"$out" >/dev/null || { echo "$* | $filter: $out"; return 1; }
}

# refused STATUS PATTERN COMMAND...: it fails with one sentence that matches, and changes
# nothing, since $unchanged where the caller has taken that state.
refused() {
	local status=$1 pattern=$2 before=${unchanged-} after err got
	shift 2
	[[ -n $before ]] || before=$(state)
	err=$("$@" 2>&1)
	got=$?
	after=$(state)
	((got == status)) || { echo "status $got instead of $status: $err"; return 1; }
	[[ $(wc -l <<<"$err") == 1 ]] || { echo "no single sentence: $err"; return 1; }
	grep -qE -e "$pattern" <<<"$err" || { echo "'$err' does not match '$pattern'"; return 1; }
	[[ $before == "$after" ]] || { diff <(echo "$before") <(echo "$after"); return 1; }
}

# refuse NAME PATTERN WORDS: a test that the tool refuses the words.
refuse() {
	local words
	read -r -a words <<<"$3"
	ktap_run "$1" refused 1 "$2" weir "${words[@]}"
}

# tcx_list DEVICE ingress|egress: programs in tcx, of the network namespace $net
# shellcheck disable=SC2154 # the callers'
tcx_list() { nsenter --net="/run/netns/$net" -- "$root/build/bin/tcx-list" "$@"; }
