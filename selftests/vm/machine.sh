# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2034 # what is set here is for selftests/vm/run
# The emulated machine, by the kernel's architecture. machine ARCHITECTURE ACCEL ICOUNT, of
# which ACCEL is kvm, tcg or mttcg and ICOUNT yes or no, sets
#
#	machine		QEMU's words for the machine and its processor
#	console		the kernel's name of the first serial port, which QEMU writes to a file
#	ports		QEMU's words for the second one
#	port		and the device in the machine, for the verdict
#	words		for the kernel's command line

# machine_of RELEASE: QEMU's name of its architecture.
machine_of() {
	case $1 in
	*-arm64) echo aarch64 ;;
	*) echo x86_64 ;;
	esac
}

machine_x86_64() {
	machine=(-machine q35)
	console=ttyS0 ports=(-serial "file:$work/verdict") port=/dev/ttyS1
	# Page tables of five levels take longer to walk than those of four.
	local cpu=max,la57=off
	# QEMU 7.2's cmpxchg16b leaves an operand of an earlier instruction in the flags, where it
	# should leave them alone. SLUB has one for each allocation: the timer that comes just then
	# finds the bit of virtual 8086 mode set, and the kernel dies on its way back.
	[[ $1 == kvm ]] || cpu+=,cx16=off
	# The emulator fills and copies memory byte by byte where an instruction says so, and kernels take
	# that one where a processor is said to be fast at it: a page to clear would be 4,096 instructions
	# instead of 512, to the machine that counts, too.
	[[ $1 == kvm ]] || cpu+=,erms=off,fsrm=off
	machine+=(-cpu "$cpu")
	# All of an emulated machine's clocks are the host's. Where the host is so busy that one is read
	# late, the guest takes its TSC for unstable, sets its clock back by seconds, and may wait for ever.
	# And the kernel complains of a processor that was away for as long as the host was busy.
	[[ $1 == kvm ]] || words="tsc=reliable rcupdate.rcu_cpu_stall_timeout=60 watchdog_thresh=30 $words"
}

# A server's processor, without what is long to emulate: signed pointers, vectors of any length.
machine_aarch64() {
	machine=(-machine "virt,gic-version=3" -cpu neoverse-n1)
	console=ttyAMA0 port=/dev/ttyS0
	ports=(-chardev "file,id=verdict,path=$work/verdict" -device "pci-serial,chardev=verdict")
}

machine() {
	# QEMU keeps what it has translated by the address of the code: a program that lies
	# elsewhere each time takes twice as long to start. The kernel's own tests of its ciphers are a
	# third of a boot.
	words="norandmaps cryptomgr.notests"
	# No memory is cleared that nobody asked for, which shows the use of what was not set, too; jumps
	# go where they lead, not by thunks for processors that nobody has here; and no security module but
	# the one that weir's tools ask about looks at each file of each program, a tenth of what it takes to
	# start one. What is counted is a kernel as Debian has it.
	[[ $2 == kvm || $3 == yes ]] || words="init_on_alloc=0 mitigations=off lsm=lockdown $words"
	"machine_$1" "$2"
}
