# SPDX-License-Identifier: GPL-2.0
# Benchmarks.
bench_dir := selftests/bench

# The module's own loops, compiled as Kbuild compiles them: its -O2, no vector
# registers but where Kbuild lets them, and what else in the kernel's flags tells the
# optimiser what it may do.
bench_kernel_flags := -O2 -fno-strict-aliasing -fno-strict-overflow -fno-common \
	-fno-delete-null-pointer-checks -fno-allow-store-data-races -fno-jump-tables \
	-mtune=generic -falign-functions=16 -falign-jumps=1 -falign-loops=1
bench_vector_flags := $(shell sed -n 's|^CFLAGS_kmod/type/reduce_avx2.o := ||p' Kbuild)

ifeq ($(shell uname -m),x86_64)
$(eval $(call program,bench-reduce,$(bench_dir)/reduce.c $(bench_dir)/plain.c \
	kmod/type/reduce_scalar.c kmod/type/reduce_avx2.c,-Ikmod -I$(bench_dir)))
$(B)/obj/bench-reduce/kmod/%.o: CFLAGS = $(bench_kernel_flags)
$(B)/obj/bench-reduce/kmod/type/reduce_scalar.o: CFLAGS += -mgeneral-regs-only
$(B)/obj/bench-reduce/kmod/type/reduce_avx2.o: CFLAGS += $(bench_vector_flags)
$(B)/obj/bench-reduce/$(bench_dir)/plain.o: CFLAGS = -O3 -mavx2
endif

# A packet's cost: what sends, what sets up, and what is compared with.
$(eval $(call program,bench-blast,$(bench_dir)/blast.c))
$(eval $(call program,bench-setup,$(bench_dir)/setup.c selftests/lib/genl.c,-Iselftests,-lmnl))

$(B)/bpf/bench.bpf.o: $(bench_dir)/bench.bpf.c $(B)/bpf/flags
	$(call say,BPF,$@)
	$(Q)$(CLANG) $(bpf_flags) -MMD -MP -MF $(@:.o=.d) -c $< -o $@
-include $(B)/bpf/bench.bpf.d
ALL += $(B)/bpf/bench.bpf.o
