# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# Scripts of userspace/bpftrace, for suites in bash; to be sourced after ktap.sh.

# bpftrace_start FILE SCRIPT [ARGUMENT...]: writes to FILE what it says, until bpftrace_end;
# returns when it has all of its tracepoints.
bpftrace_start() {
	local file=$1 script=$2 probes
	# A compiler is in it, which an emulated machine takes a while for.
	"${BASH_SOURCE[0]%/*}/../../userspace/bpftrace/$script" "${@:3}" >"$file" 2>&1 &
	bpftrace_pid=$!
	probes=$(grep -c '^tracepoint:' "${BASH_SOURCE[0]%/*}/../../userspace/bpftrace/$script")
	poll 120 bpftrace_has "$bpftrace_pid" "$probes" || { cat "$file"; return 1; }
}
bpftrace_has() {
	(($(bpftool perf show | grep -c "^pid $1 .*tracepoint  *weir_") >= $2))
}

# End bpftrace, which then prints what it has counted. bpftrace 0.17 forgets a signal that comes between two
# of its waits for events, so it is told again; it stays deaf to SIGTERM while it ends, not to SIGINT.
bpftrace_end() {
	poll 120 bpftrace_is_told && wait "$bpftrace_pid"
}
bpftrace_is_told() {
	kill -TERM "$bpftrace_pid" 2>/dev/null
	poll 2 process_is_gone "$bpftrace_pid"
}
