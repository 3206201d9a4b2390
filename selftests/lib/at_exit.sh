# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# One exit trap for all that need one: at_exit COMMAND [ARGUMENT...] has COMMAND run
# when the script ends, the last one registered first. The script's exit status is
# kept, unless a command fails: then it is 1 at least.

[[ -n ${at_exit_commands+set} ]] && return
at_exit_commands=()

at_exit() {
	at_exit_commands+=("$(printf '%q ' "$@")")
}

at_exit_run() {
	local status=$? i
	trap - EXIT
	for ((i = ${#at_exit_commands[@]} - 1; i >= 0; i--)); do
		AT_EXIT_STATUS=$status
		eval "${at_exit_commands[i]}" || { ((status)) || status=1; }
	done
	exit "$status"
}

# shellcheck disable=SC2034
# The status that the script ended with, for commands at exit.
AT_EXIT_STATUS=0
trap at_exit_run EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP
