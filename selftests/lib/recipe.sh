# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# A recipe of docs/how-to is followed on a copy of the tree, by a script that prints each file that it
# changes. The changes are those that the page names, and are entries of tables alone.
#
#	. "$root/selftests/lib/ktap.sh"
#	. "$root/selftests/lib/recipe.sh"
#	recipe_begin docs/how-to/add-a-format.md selftests/format/add toy
#	recipe_entries 2 uapi/weir.yaml
#
# The copy is in $recipe_tree. To be sourced in the root of the project.

recipe_work=$(mktemp -d) || exit 1
at_exit rm -rf "$recipe_work"

# All files that are ours: those git knows or would take, or all there are.
recipe_sources() {
	git ls-files -co --exclude-standard 2>/dev/null ||
		find . -path ./build -prune -o -type f -printf '%P\n'
}
recipe_copy() {
	rm -rf "$recipe_tree" && mkdir -p "$recipe_tree" &&
		recipe_sources | while IFS= read -r file; do [[ -e $file ]] && echo "$file"; done |
			tar -c --no-recursion -T - | tar -x -C "$recipe_tree" && cp -r "$recipe_tree" "$recipe_work/before"
}

# Files that another has changed, or that are new.
recipe_changed() {
	diff -rq "$recipe_work/before" "$recipe_tree" | sed -n -e "s|^Files $recipe_work/before/\(.*\) and .*|\1|p" \
		-e "s|^Only in $recipe_tree/\?\(.*\): \(.*\)|\1/\2|p" | sort
}
recipe_only_what_is_printed() { diff "$recipe_work/printed" <(recipe_changed); }
recipe_named_by_the_page() {
	local file bad=0
	while read -r file; do
		grep -qF "$file" "$recipe_page" || { echo "$recipe_page does not name $file"; bad=1; }
	done < <(recipe_changed | sed "s|\<$recipe_name\([._]\)|NAME\1|; s|_$recipe_name\.|_NAME.|")
	return "$bad"
}

# recipe_begin PAGE SCRIPT NAME: copies the tree, has SCRIPT add NAME to it as PAGE says, and tests that
# PAGE names all files.
recipe_begin() {
	recipe_page=$1 recipe_name=$3
	# Built each time from nothing, as by the author.
	recipe_tree=$PWD/build/recipe-$recipe_name
	if ! recipe_copy || ! "$recipe_tree/$2" "$recipe_tree" >"$recipe_work/output"; then
		ktap_fail "$recipe_name is added"
		ktap_end
	fi
	sort -u "$recipe_work/output" >"$recipe_work/printed"
	ktap_pass "$recipe_name is added"
	ktap_run "nothing else is changed" recipe_only_what_is_printed
	ktap_run "the page names all of it" recipe_named_by_the_page
}

# recipe_entries N FILE: tests that N lines were added to FILE, each as the page has it, and none removed.
recipe_entries() { ktap_run "$2: lines: $1" recipe_lines "$@"; }
recipe_lines() {
	local lines line
	mapfile -t lines < <(diff "$recipe_work/before/$2" "$recipe_tree/$2" | sed -n 's/^> //p')
	! diff "$recipe_work/before/$2" "$recipe_tree/$2" | grep '^<' || return
	[[ ${#lines[@]} == "$1" ]] || { echo "${#lines[@]} lines, not $1"; return 1; }
	for line in "${lines[@]}"; do
		grep -qxF -e "$line" "$recipe_page" || { echo "$recipe_page does not have: $line"; return 1; }
	done
}

# recipe_builds TARGET...: warnings of the module are only printed, those of others are errors.
recipe_builds() {
	make -s -C "$recipe_tree" WERROR=1 -j"$(nproc)" "$@" >"$recipe_work/log" 2>&1
	local status=$?
	grep -v '^  ' "$recipe_work/log" && return 1
	return "$status"
}
