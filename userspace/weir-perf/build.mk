# SPDX-License-Identifier: GPL-2.0
# weir-perf, with the library inside: it runs wherever it is copied to.

perf_sources := $(wildcard userspace/weir-perf/*.c) userspace/weir/grammar/near.c

$(eval $(call program,weir-perf,$(perf_sources),-D_GNU_SOURCE -Iuserspace/lib -Iuserspace/weir,$(B)/lib/libweir.a -lm))
$(B)/bin/weir-perf: $(B)/lib/libweir.a
INSTALL_BIN += $(B)/bin/weir-perf

# What its option --compare starts: by MPI where there is its compiler, and by PyTorch.
ifneq ($(if $(MPI),$(shell command -v mpicc)),)
$(B)/bin/weir-perf-mpi: userspace/weir-perf/others/mpi.c
	$(call say,MPICC,$@)
	@mkdir -p $(@D)
	$(Q)mpicc -std=gnu11 $(CFLAGS) $(warnings) $(LDFLAGS) -o $@ $<
ALL += $(B)/bin/weir-perf-mpi
INSTALL_BIN += $(B)/bin/weir-perf-mpi
endif

$(B)/bin/weir-perf-gloo: userspace/weir-perf/others/gloo
	@mkdir -p $(@D)
	$(Q)install -m 755 $< $@
ALL += $(B)/bin/weir-perf-gloo
INSTALL_BIN += $(B)/bin/weir-perf-gloo
