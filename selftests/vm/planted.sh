#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Tests the debug kernel and the runner's gate together: of each kind of fault one is
# committed by a module, in a machine of its own, and the run must fail for it and say
# what it was. Without a fault the same run passes. "planted.sh race": the same of the kernel
# that watches for data races.
set -u
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd) || exit 1
root=$(cd "$here/../.." && pwd) || exit 1
# shellcheck source=../lib/ktap.sh
. "$here/../lib/ktap.sh"

what=${1:-debug}
release=$("$root/scripts/debug-kernel" "$what") || exit 1
built=$root/build/planted-$release
dir=$(mktemp -d) || exit 1
at_exit rm -rf "$dir"

build() {
	mkdir -p "$built" && ln -sf "$here"/planted/* "$built/" &&
		make -s -C "$("$root/scripts/kernel-release" --build "$release")" M="$built" modules
}

# commits NAME FAULT...: a machine in which they are committed, one after the other.
commits() {
	local name=$1
	shift
	# shellcheck disable=SC2016 # expanded in the machine
	"$here/run" --kernel "$release" --no-module --timeout 1800 --append kasan_multi_shot --share "$dir/$name" \
		--log "$dir/$name.log" -- bash -c 'for fault in "${@:2}"; do
			insmod "$1" fault="$fault" && rmmod planted || exit; done' \
		- "$built/planted.ko" "$@" >"$dir/$name.out" 2>&1
}

# shown NAME PATTERN: what the kernel said of a fault is there, and is by itself among
# what fails a run.
shown() {
	grep -E -e "$2" "$dir/$1.log" | grep -q -E -f <(grep -v -e '^#' -e '^$' "$here/splats") ||
		{ cat "$dir/$1.out"; return 1; }
}

# fails NAME PATTERN: the run of that name failed for its one fault.
fails() {
	commits "$1" "$1"
	local status=$?
	cat "$dir/$1.out"
	((status == 124)) && grep -q -E -e "$2" "$dir/$1.out"
}

passes() {
	commits none none || {
		cat "$dir/none.out"
		return 1
	}
}

ktap_header
if ! build >"$dir/build" 2>&1; then
	ktap_fail "the module of planted faults builds" "$(<"$dir/build")"
	ktap_end
fi
ktap_run "nothing planted, nothing found" passes
if [[ $what == race ]]; then
	ktap_run "race" fails race 'BUG: KCSAN: data-race in planted_add'
	ktap_end
fi

# These can share a machine. Lock debugging ends with the first fault that it or another
# finds, other than rcu's, and the machine ends with the last.
commits many rcu lock-order after-free out-of-bounds shift sleep preempt object refcount ref-tracker warning list
ktap_run "the machine with them fails" test "$?" = 124
while read -r fault pattern; do
	ktap_run "$fault" shown many "$pattern"
done <<-'END'
	rcu	suspicious RCU usage
	lock-order	possible circular locking dependency
	after-free	KASAN: slab-use-after-free in planted
	out-of-bounds	KASAN: slab-out-of-bounds in planted
	shift	UBSAN: shift-out-of-bounds
	sleep	sleeping function called from invalid context
	preempt	BUG: using smp_processor_id\(\) in preemptible
	object	ODEBUG: free active .* timer_list
	refcount	refcount_t: underflow
	ref-tracker	ref_tracker: planted.* has 1/1 users
	warning	WARNING: CPU: .*planted_warning
	list	list_del corruption
END

# One that lock debugging finds after insmod, and one that only the end of a run shows.
ktap_run "lock-kept" fails lock-kept 'lock held when returning to user space'
ktap_run "leak" fails leak 'unreferenced object'
ktap_end
