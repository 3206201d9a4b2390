#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Process 1 of the machine that `run` boots. Runs the command in an overlay over the host's root,
# which is read-only. Writes go to memory.
export PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root

stop() {
	sync
	busybox poweroff -f
	sleep 60
}

# setup_failed TEXT: report to `run` that the command did not start
setup_failed() {
	echo "setup $*" >/run/weir/status
	stop
}

# Build the root in /mnt/root and enter it.
outside() {
	local word work='' modules=''
	mount -t proc proc /proc
	for word in $(</proc/cmdline); do
		[[ $word != weir_work=* ]] || work=${word#*=}
		[[ $word != weir_modules=* ]] || modules=${word#*=}
	done
	mount -t tmpfs -o mode=755 rw /mnt
	mkdir -p /mnt/upper /mnt/work /mnt/root
	mount -t overlay overlay -o lowerdir=/,upperdir=/mnt/upper,workdir=/mnt/work /mnt/root || stop
	cd /mnt/root || stop
	mount -t proc proc proc
	mount -t sysfs sysfs sys
	mount -t devtmpfs dev dev
	[[ -e dev/fd ]] || ln -s /proc/self/fd dev/fd
	mkdir -p dev/pts dev/shm
	mount -t devpts devpts dev/pts
	mount -t tmpfs -o mode=1777 shm dev/shm
	mount -t tmpfs -o mode=755 run run
	mkdir -p run/netns run/lock run/weir
	mount -t bpf bpf sys/fs/bpf
	mount -t cgroup2 cgroup2 sys/fs/cgroup
	mount -t debugfs debugfs sys/kernel/debug
	mount -t hostfs none run/weir -o "$work/io" || stop
	# There is no name server. Without this, programs wait for its answer.
	rm -f etc/resolv.conf
	: >etc/resolv.conf
	echo "127.0.1.1 weir-uml" >>etc/hosts
	hostname weir-uml
	exec chroot . /bin/bash "$work/init" inside "$work" "${modules//,/ }"
}

# The host allocates the machine's memory on the first write. Do this now, not during a measurement.
touch_memory() {
	local free
	free=$(awk '$1 == "MemAvailable:" { print int($2 / 1024) - 100 }' /proc/meminfo)
	mkdir /run/touch
	mount -t tmpfs -o size=100% touch /run/touch
	dd if=/dev/zero of=/run/touch/zeros bs=1M count="$free" 2>/dev/null
	umount /run/touch
}

# For `profile`: which host process runs which guest process, and the memory maps of guest processes.
# A process is read when it is seen for the first, second, fourth, eighth time. This starts no
# programs, which takes milliseconds in UML.
declare -A seen=()
snapshot_maps() {
	local word pid host comm maps
	while read -r word pid host comm; do
		[[ $word == process && $pid != 1 && $pid != "$$" ]] || continue
		seen[$host]=$((${seen[$host]-0} + 1))
		((seen[$host] & (seen[$host] - 1))) && continue
		mapfile -t maps <"/proc/$pid/maps" || continue
		((${#maps[@]})) || continue
		echo "process $host $pid $comm"
		printf '%s\n' "${maps[@]}"
	done </proc/uml >>/run/weir/maps
}

# Take snapshots of maps and of BPF programs until killed.
snapshots() {
	local turn=0
	exec {nothing}<> <(:)
	while :; do
		read -rt 0.5 -u "$nothing" _
		snapshot_maps
		turn=$((turn + 1))
		((turn & (turn - 1))) || grep -F '[bpf]' /proc/kallsyms >>/run/weir/kallsyms
	done
} 2>/dev/null

# mark NAME: write the time and the number of system calls so far
mark() {
	local syscalls
	read -r _ syscalls </proc/uml
	echo "$1 $EPOCHREALTIME $syscalls" >>/run/weir/times
}

inside() {
	local work=$1 module out err status try recorder=''
	ip link set lo up
	for module in $2; do
		try=$(insmod "$work/$module.ko" 2>&1) || setup_failed "$module does not load: $try"
	done
	# Programs write colours to a terminal, so give the command pipes.
	stty -F /dev/tty1 raw -echo
	stty -F /dev/tty2 raw -echo
	mkfifo /run/stdout /run/stderr
	cat </run/stdout >/dev/tty1 &
	out=$!
	cat </run/stderr >/dev/tty2 &
	err=$!
	touch_memory
	if [[ -e /run/weir/record ]]; then
		echo 0 >/proc/sys/kernel/kptr_restrict
		echo 1 >/proc/sys/net/core/bpf_jit_kallsyms
		cat /proc/kallsyms >/run/weir/kallsyms
		snapshots >/dev/null &
		recorder=$!
		mark begin
	fi
	bash "$work/command" </dev/null >/run/stdout 2>/run/stderr
	status=$?
	[[ -z $recorder ]] || { mark end; kill "$recorder"; }
	# Processes that the command left running may hold the pipes open: wait at most 5 seconds.
	for ((try = 0; try < 100; try++)); do
		kill -0 "$out" 2>/dev/null || kill -0 "$err" 2>/dev/null || break
		sleep 0.05
	done
	echo "$status" >/run/weir/status
	stop
}

case ${1-} in
inside) inside "$2" "$3" ;;
*) outside ;;
esac
