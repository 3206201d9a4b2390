#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Reduce-scatters and all-gathers (shares.py): of each type, over links that lose packets, and by boxes
# below a box. A link carries shares alone.
set -u

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd) || exit 1
root=$(cd "$here/../.." && pwd) || exit 1
# shellcheck source=../lib/ktap.sh
. "$here/../lib/ktap.sh"
# shellcheck source=../lib/netns.sh
. "$here/../lib/netns.sh"
# shellcheck source=box.sh
. "$here/box.sh"
# shellcheck source=tree.sh
. "$here/tree.sh"

export LD_LIBRARY_PATH=$root/build/lib PYTHONPATH=$root/userspace/python PYTHONDONTWRITEBYTECODE=1

names=("$(ns_name w1)" "$(ns_name w2)" "$(ns_name w3)" "$(ns_name w4)")
job=7

# shares BOX OPTION...: sets $out to what shares.py prints of the ranks in $names
shares() { out=$(/usr/bin/python3 "$here/shares.py" "${@:2}" "$1" "$job" "${names[@]}"); }

# of_type DTYPE [KEY VALUE...]
of_type() {
	local status
	box_job "$job" 4 blocks 256 grads 1024 dtype "$1" "${@:2}" || return
	shares "$(box_addr)" --dtype "$1" --bytes 400000 --iterations 3
	status=$?
	weir job del id "$job"
	((status == 0)) || return
	ktap_note "$out"
}

# A share of the vector goes up, or comes down, and the rest the other way; both together are one vector
# each way, and packets without gradients.
shares_alone() {
	of_type float32 && [[ $(gojq '.sent < 1.25 and .received < 1.25' <<<"$out") == true ]]
}

over_losses() {
	local status
	box_netem 4 loss 3% duplicate 3% || return
	of_type int32
	status=$?
	box_no_netem 4
	return "$status"
}

in_xdp() {
	local status
	box_attach 4 xdp || return
	of_type int64
	status=$?
	box_attach 4 tc || return
	return "$status"
}

# Boxes below the root send whole sums up, and their sources get and give shares.
below_a_root() {
	local names=() rack i status
	tree_up 2 2 9000 tc && tree_job "$job" blocks 256 grads 1024 dtype float32 || return
	for rack in 1 2; do
		for i in 1 2; do
			names+=("$(ns_name "r$rack-w$i"),$(rack_addr "$rack"),$((i - 1))")
		done
	done
	shares "$(root_addr)" --bytes 400000 --iterations 3
	status=$?
	tree_job_del "$job"
	tree_down
	ktap_note "${out-}"
	return "$status"
}

ktap_header 7
box_up 4 9000 tc || exit 1
ktap_run "a link carries shares alone" shares_alone
for dtype in int32 float64; do
	ktap_run "shares of $dtype" of_type "$dtype"
done
ktap_run "shares in fixed order" of_type float32 order fixed
ktap_run "shares of int64, mode xdp" in_xdp
ktap_run "shares over links that lose packets" over_losses
ktap_run "shares by boxes below a root" below_a_root
ktap_end
