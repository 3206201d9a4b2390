#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# docs/how-to/add-a-format.md, done: a format is added to a copy of the tree, whose module, programs and tool
# build without a warning and sum its packets. The changes are those that the page names, entries
# of tables alone.
set -u
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd) || exit 1
root=$(cd "$here/../.." && pwd) || exit 1
# shellcheck source=../lib/ktap.sh
. "$root/selftests/lib/ktap.sh"
cd "$root" || exit 1

page=docs/how-to/add-a-format.md
release=$(scripts/kernel-release) || exit 1
# Built each time from nothing, as by the author of a format.
tree=$root/build/format-toy
work=$(mktemp -d) || exit 1
at_exit rm -rf "$work"

# All files that are ours: those git knows or would take, or all there are.
sources() {
	git ls-files -co --exclude-standard 2>/dev/null ||
		find . -path ./build -prune -o -type f -printf '%P\n'
}
copy() {
	rm -rf "$tree" && mkdir -p "$tree" &&
		sources | while IFS= read -r file; do [[ -e $file ]] && echo "$file"; done |
			tar -c --no-recursion -T - | tar -x -C "$tree" && cp -r "$tree" "$work/before"
}
add() { "$tree/selftests/format/add" "$tree" | sort >"$work/named"; }

# Files that are another's now, or new.
changed() {
	diff -rq "$work/before" "$tree" | sed -n -e "s|^Files $work/before/\(.*\) and .*|\1|p" \
		-e "s|^Only in $tree/\?\(.*\): \(.*\)|\1/\2|p" | sort
}
only_what_is_named() { diff "$work/named" <(changed); }
named_by_the_page() {
	local file bad=0
	while read -r file; do
		grep -qF "$file" "$page" || { echo "$page does not name $file"; bad=1; }
	done < <(changed | sed 's|\<toy\.|NAME.|; s|_toy\.|_NAME.|')
	return "$bad"
}

# entries FILE N: so many lines were added to a file, each as the page has it, and none went.
entries() {
	local lines line
	mapfile -t lines < <(diff "$work/before/$1" "$tree/$1" | sed -n 's/^> //p')
	! diff "$work/before/$1" "$tree/$1" | grep '^<' || return
	[[ ${#lines[@]} == "$2" ]] || { echo "${#lines[@]} lines, not $2"; return 1; }
	for line in "${lines[@]}"; do
		grep -qxF -e "$line" "$page" || { echo "$page does not have: $line"; return 1; }
	done
}

# Warnings of the module's are only said, those of the others end it.
builds() {
	make -s -C "$tree" WERROR=1 -j"$(nproc)" module bpf build/bin/weir >"$work/log" 2>&1
	local status=$?
	grep -v '^  ' "$work/log" && return 1
	return "$status"
}
# The suite says what of it fails.
sums() { "$tree/selftests/vm/run" --kernel "$release" -- selftests/format/guest.sh; }

ktap_header
if ! copy || ! add; then
	ktap_fail "format toy is added"
	ktap_end
fi
ktap_pass "format toy is added"
ktap_run "nothing else is changed" only_what_is_named
ktap_run "the page names all of it" named_by_the_page
while read -r count file; do
	ktap_run "$file: lines: $count" entries "$file" "$count"
done <<-END
	3 uapi/weir.yaml
	4 bpf/lib/format/weir_datagram.h
	1 kmod/agg/format/format.h
	1 kmod/agg/format/formats.c
	1 Kbuild
END
ktap_run "all builds without a warning" builds
ktap_run "packets are summed" sums
ktap_end
