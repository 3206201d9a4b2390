#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# A rank is stopped for longer than its results are retained: the others go on, and it resumes, with the
# right sums for all (stopped.py). What it costs the others is measured by the benchmarks.
set -u

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd) || exit 1
root=$(cd "$here/../.." && pwd) || exit 1
# shellcheck source=../lib/ktap.sh
. "$here/../lib/ktap.sh"
# shellcheck source=../lib/netns.sh
. "$here/../lib/netns.sh"
# shellcheck source=box.sh
. "$here/box.sh"

export LD_LIBRARY_PATH=$root/build/lib PYTHONPATH=$root/userspace/python PYTHONDONTWRITEBYTECODE=1

names=("$(ns_name w1)" "$(ns_name w2)" "$(ns_name w3)" "$(ns_name w4)")

# stopped POLICY [OPTION...]: some ranks go on, and the one that is stopped resumes; options of stopped.py
stopped() {
	local out status
	box_job 7 4 blocks 64 retain 0 grads 1024 policy "$1" timeout 100ms dead-after 600s || return
	out=$(/usr/bin/python3 "$here/stopped.py" --bytes 1048576 --iterations 30 --timeout 0.1 "${@:2}" \
		"$(box_addr)" 7 "${names[@]}")
	status=$?
	weir job del id 7
	((status)) && return "$status"
	ktap_note "$out"
	[[ $(gojq '.resumed >= 1 and .merged > 0.8' <<<"$out") == true ]]
}

ktap_header 3
box_up 4 9000 tc || exit 1
for policy in partial exclude; do
	ktap_run "a rank that is stopped resumes, policy $policy" stopped "$policy"
done
# It acknowledges results that it does not keep: after it has resumed it lacks some that the box evicted.
ktap_run "one that keeps few results" stopped exclude --early-bytes 40000
ktap_end
