# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# Keeps figures in build/figures.json, beside those that others keep there.

# figures_keep NAME VALUE [NAME VALUE...]; to be called in the project's root.
figures_keep() {
	local old=build/figures.json new
	(($#)) || return 0
	new=$(while (($#)); do
		jq -n --arg name "$1" --argjson value "$2" '{($name): $value}'
		shift 2
	done | jq -s add) || return
	mkdir -p build || return
	[[ -s $old ]] || echo '{}' >"$old"
	jq --argjson new "$new" '. + $new' "$old" >"$old.tmp" && mv "$old.tmp" "$old"
}
