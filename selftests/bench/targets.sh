# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# Names of figures and their targets: reads the file "figures".

targets_file=${BASH_SOURCE[0]%/*}/figures

# describe NAME: sets $figure_unit, $figure_target ("-" for none) and $figure_text. The
# first line that matches counts.
# shellcheck disable=SC2034
describe() {
	local pattern
	while read -r pattern figure_unit figure_target figure_text; do
		# shellcheck disable=SC2053 # it is a pattern
		[[ $pattern != '#'* && -n $pattern && $1 == $pattern ]] && return
	done <"$targets_file"
	figure_unit=- figure_target=- figure_text=''
	return 1
}

# meets VALUE TARGET: one of >=N, <=N, <N, or N-N, a range
meets() {
	local op=${2%%[0-9.]*}
	case $op in
	'<' | '<=' | '>=') awk -v value="$1" -v limit="${2#"$op"}" "BEGIN { exit !(value $op limit) }" ;;
	'') awk -v value="$1" -v least="${2%-*}" -v most="${2#*-}" 'BEGIN { exit !(value >= least && value <= most) }' ;;
	*) [[ $2 == - ]] ;;
	esac
}
