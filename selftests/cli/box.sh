# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# The tools in a namespace that the suite has made by the name "box". lib/netns.sh comes before.

# shellcheck disable=SC2154 # ns_prefix is netns.sh's
box() { weir -n "$ns_prefix-box" "$@"; }
# shellcheck disable=SC2154
tc_box() { tc -n "$ns_prefix-box" "$@"; }

# The commands of what is saved.
saved() { box save | grep -v '^#'; }

# refused PATTERN WORD...: by the tool, and nothing has changed.
refused() {
	local pattern=$1 said before
	before=$(box save; tc_box qdisc show)
	if said=$(box "${@:2}" 2>&1); then
		echo "${*:2}: was not refused"
		return 1
	fi
	grep -qE -e "$pattern" <<<"$said" || { echo "${*:2}: $said"; return 1; }
	[[ $(box save; tc_box qdisc show) == "$before" ]] && return
	diff <(echo "$before") <(box save; tc_box qdisc show)
	return 1
}
