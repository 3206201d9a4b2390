# SPDX-License-Identifier: BSD-2-Clause
# libweir-mpi.so and libweir-mpich.so, for LD_PRELOAD: one for each MPI whose compiler is there.
# The library is inside, and hidden.

mpi_dir := userspace/mpi
mpi_sources := $(wildcard $(mpi_dir)/*.c)

# Where a compiler of MPI's finds headers, which are not held to our warnings.
mpi_headers = $(patsubst -I%,-isystem %,$(filter -I%,$(shell $(1) -show)))

# $(call mpi_preload,NAME,COMPILER)
define mpi_preload
$(call objects,$(1),$(mpi_sources),-Iuserspace/lib -fPIC $(call mpi_headers,$(2)))
$(B)/lib/$(1).so: $$($(1)_objects) $(B)/lib/libweir.a $(mpi_dir)/mpi.map
	$$(call say,LD,$$@)
	@mkdir -p $$(@D)
	$$(Q)$(2) $$(CFLAGS) $$(LDFLAGS) -shared -Wl,-soname,$(1).so \
		-Wl,--version-script,$(mpi_dir)/mpi.map -o $$@ $$(filter %.o,$$^) $(B)/lib/libweir.a -lm
ALL += $(B)/lib/$(1).so
INSTALL_LIB += $(B)/lib/$(1).so
endef

mpi_open := $(if $(MPI),$(firstword $(shell command -v mpicc.openmpi)))
mpi_mpich := $(if $(MPI),$(firstword $(shell command -v mpicc.mpich)))
$(if $(mpi_open),$(eval $(call mpi_preload,libweir-mpi,$(mpi_open))))
$(if $(mpi_mpich),$(eval $(call mpi_preload,libweir-mpich,$(mpi_mpich))))
