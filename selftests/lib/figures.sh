# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# Keeps figures in build/figures.json, beside those that others keep there.

figures_root=$(cd "${BASH_SOURCE[0]%/*}/../.." && pwd) || exit 1

# figures_keep NAME VALUE [NAME VALUE...]
figures_keep() {
	local file=$figures_root/build/figures.json new
	(($#)) || return 0
	new=$(while (($#)); do
		gojq -n --arg name "$1" --argjson value "$2" '{($name): $value}'
		shift 2
	done | gojq -s add) || return
	mkdir -p "${file%/*}" || return
	[[ -s $file ]] || echo '{}' >"$file"
	gojq --argjson new "$new" '. + $new' "$file" >"$file.tmp" && mv "$file.tmp" "$file"
}
