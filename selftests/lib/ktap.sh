# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# Test results in KTAP, for suites in bash. Use:
#
#	. "$(dirname "$0")/../lib/ktap.sh"
#	ktap_header
#	ktap_run "adds two and two" test $((2 + 2)) = 4
#	ktap_skip "adds on the moon" "no moon"
#	ktap_end
#
# The suite's exit status is 0 (all passed), 1 (something failed, or nothing ran) or
# 4 (all were skipped). With WEIR_NO_SKIP=1 a skip counts as a failure. With WEIR_ONLY
# ktap_run leaves out the tests whose names do not match that regular expression.

# shellcheck source=at_exit.sh
. "${BASH_SOURCE[0]%/*}/at_exit.sh"

ktap_pass=0 ktap_fail=0 ktap_skip=0 ktap_planned='' ktap_ended=no
declare -A ktap_names=()

# Starts the report; with a number, also promises so many results.
ktap_header() {
	echo "KTAP version 1"
	[[ -n ${WEIR_ONLY-} ]] || ktap_planned=${1-}
	[[ -n $ktap_planned ]] && echo "1..$ktap_planned"
	at_exit ktap_check_ended
}

# A line for the reader, which is no result.
ktap_note() {
	printf '%s\n' "$*" | sed 's/^/# /'
}

# ktap_result ok|"not ok" NAME [DIRECTIVE]
ktap_result() {
	local verdict=$1 name=$2 directive=${3-} number
	if [[ -n ${ktap_names[$name]-} ]]; then
		verdict='not ok' directive=''
		ktap_note "two tests are named '$name'"
	fi
	ktap_names[$name]=1
	if [[ $verdict != ok ]]; then
		ktap_fail=$((ktap_fail + 1))
	elif [[ -n $directive ]]; then
		ktap_skip=$((ktap_skip + 1))
	else
		ktap_pass=$((ktap_pass + 1))
	fi
	number=$((ktap_pass + ktap_fail + ktap_skip))
	echo "$verdict $number $name${directive:+ # $directive}"
}

ktap_pass() {
	ktap_result ok "$1"
}

# ktap_fail NAME [REASON]
ktap_fail() {
	[[ -n ${2-} ]] && ktap_note "$2"
	ktap_result 'not ok' "$1"
}

# ktap_skip NAME [REASON]
ktap_skip() {
	if [[ ${WEIR_NO_SKIP-} == 1 ]]; then
		ktap_fail "$1" "skips count as failures here: ${2-}"
	else
		ktap_result ok "$1" "SKIP${2:+ $2}"
	fi
}

# ktap_run NAME COMMAND [ARGUMENT...]: the command's status is the result, 4 a skip.
# Its output is shown when it fails, and how long it took from ten seconds on. It runs in a
# subshell: what it sets is lost.
ktap_run() {
	local name=$1 output status since=$SECONDS
	shift
	[[ -z ${WEIR_ONLY-} || $name =~ $WEIR_ONLY ]] || return 0
	output=$("$@" 2>&1)
	status=$?
	since=$((SECONDS - since))
	((since < 10)) || echo "# $since s: $name"
	case $status in
	0) ktap_pass "$name" ;;
	4) ktap_skip "$name" "${output##*$'\n'}" ;;
	*)
		[[ -n $output ]] && ktap_note "$output"
		ktap_fail "$name" "status $status"
		;;
	esac
}

# Ends the report, and the suite with its exit status.
ktap_end() {
	local total=$((ktap_pass + ktap_fail + ktap_skip)) status=0
	if [[ -z $ktap_planned ]]; then
		echo "1..$total"
	elif ((total != ktap_planned)); then
		ktap_note "$ktap_planned results were promised, $total came"
		status=1
	fi
	echo "# Totals: pass:$ktap_pass fail:$ktap_fail xfail:0 xpass:0 skip:$ktap_skip error:0"
	ktap_ended=yes
	if ((ktap_fail || total == 0)); then
		status=1
	elif ((ktap_pass == 0 && status == 0)); then
		status=4
	fi
	exit "$status"
}

# A suite that stops half way must not look as if it were through.
ktap_check_ended() {
	[[ $ktap_ended == yes ]] && return
	echo "Bail out! the suite ended early, with status $AT_EXIT_STATUS"
	return 1
}

# Where nothing ever comes: to wait there starts no process, which takes an emulated
# processor as long as the pause.
exec {ktap_nothing}<> <(:)

# poll SECONDS COMMAND [ARGUMENT...]: waits until COMMAND succeeds, for so long at
# most. Tests wait for conditions, never for a time.
poll() {
	local limit=$1 end
	shift
	end=$((${EPOCHREALTIME/./} + limit * 1000000))
	until "$@"; do
		((${EPOCHREALTIME/./} < end)) || return 1
		read -rt 0.05 -u "$ktap_nothing" _ || :
	done
}

# process_is_gone PID: as poll waits for it.
process_is_gone() { ! kill -0 "$1" 2>/dev/null; }

# rises_by N SECONDS COMMAND [ARGUMENT...]: the number that it prints becomes more than it
# is and N, within so long; rises: more than it is.
rises_by() {
	local before
	before=$("${@:3}") && [[ -n $before ]] || return
	poll "$2" is_more_than $((before + $1)) "${@:3}"
}
rises() { rises_by 0 "$@"; }

# is_more_than NUMBER COMMAND [ARGUMENT...]: the number that it prints, now.
is_more_than() { (($("${@:2}") > $1)); }
