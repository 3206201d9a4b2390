# SPDX-License-Identifier: GPL-2.0
# Benchmarks.
bench_dir := selftests/bench

# The module's own loops, compiled as Kbuild compiles them, with no vector registers but
# where Kbuild lets them.

ifeq ($(MACHINE),x86_64)
$(eval $(call program,bench-reduce,$(bench_dir)/reduce.c $(bench_dir)/plain.c \
	$(type_loops),-Ikmod -I$(bench_dir) -Wno-pointer-arith))
$(B)/obj/bench-reduce/kmod/%.o: CFLAGS = $(kernel_flags)
$(B)/obj/bench-reduce/kmod/agg/type/%_scalar.o: CFLAGS += -mgeneral-regs-only
$(B)/obj/bench-reduce/kmod/agg/type/%_avx2.o: CFLAGS += $(vector_flags)
$(B)/obj/bench-reduce/$(bench_dir)/plain.o: CFLAGS = -O3 -mavx2 -mf16c
endif

# Its plain C loops of 16-bit floats, for their rounding.
$(eval $(call program,bench-rounding,$(bench_dir)/rounding.c \
	$(wildcard kmod/agg/type/*float16_scalar.c),-Ikmod -Wno-pointer-arith,-lm))

# A packet's cost: what sends, what sets up, and what is compared with.
$(eval $(call program,bench-blast,$(bench_dir)/blast.c))
$(eval $(call program,bench-setup,$(bench_dir)/setup.c selftests/lib/genl.c,-Iselftests,-lmnl))

# A module that keeps a CPU as long as a heavy program does with a packet.
$(eval $(call test_module,bench-work,$(bench_dir)/work/work.c))

# Short flows beside training.
$(eval $(call program,bench-short,$(bench_dir)/short.c selftests/sim/lengths.c,-Iselftests/sim,-lm))

# Pairs by TCP, for comparison; reduced by libweir's own table.
$(eval $(call program,bench-kv-tcp,$(bench_dir)/kv_tcp.c $(addprefix $(libweir_dir)/kv/,hash.c table.c value.c wire.c),\
	-I$(libweir_dir) -D_GNU_SOURCE))

$(foreach name,bench spread work holds,$(eval $(call bpf_program,$(bench_dir)/$(name).bpf.c)))

# Measures the time for which RTNL and softirqs hold others up.
$(eval $(call program,bench-holds,$(bench_dir)/holds.c,,-lbpf,$(B)/bpf/holds.skel.h))
