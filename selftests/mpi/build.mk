# SPDX-License-Identifier: GPL-2.0
# Programs of MPI that know nothing of weir, for each MPI whose compilers are there.

mpitests_dir := selftests/mpi

# MPICH's MPI_STATUSES_IGNORE is the address 1, which the compiler takes for an array of no room.
mpitests_c_flags := -Wall $(if $(WERROR),-Werror) -Wno-stringop-overflow
# Its module for Fortran says nothing of vectors of any type.
mpitests_fortran_flags := -w -fallow-argument-mismatch

# $(call mpi_test,MPI,PROGRAM,SOURCE,COMPILER)
define mpi_test
$(B)/mpi-tests/$(1)/$(2): $(mpitests_dir)/$(3) $(mpitests_dir)/pause.h
	$$(call say,MPI,$$@)
	@mkdir -p $$(@D)
	$$(Q)$(4) $$(CFLAGS) -o $$@ $$<
ALL += $(B)/mpi-tests/$(1)/$(2)
endef

# Parts of the library by themselves.
# $(call mpi_part,MPI,LIBRARY,PROGRAM,OBJECTS)
define mpi_part
$(B)/mpi-tests/$(1)/$(3): $(mpitests_dir)/$(3).c $(addprefix $(B)/obj/$(2)/$(mpi_dir)/,$(4))
	$$(call say,MPI,$$@)
	@mkdir -p $$(@D)
	$$(Q)mpicc.$(1) $(mpitests_c_flags) $$(CFLAGS) -D_GNU_SOURCE -Iuserspace/lib -I$(mpi_dir) -o $$@ $$^
ALL += $(B)/mpi-tests/$(1)/$(3)
endef

mpi_tests = $(eval $(call mpi_part,$(1),$(2),apart,buffers.o channel.o say.o)) \
	$(eval $(call mpi_part,$(1),$(2),imports,imports.o)) \
	$(eval $(call mpi_test,$(1),kmeans,kmeans.c,mpicc.$(1) $(mpitests_c_flags))) \
	$(eval $(call mpi_test,$(1),reductions,reductions.c,mpicc.$(1) $(mpitests_c_flags))) \
	$(foreach program,eight errors lost memory refused twins windows,\
		$(eval $(call mpi_test,$(1),$(program),$(program).c,mpicc.$(1) $(mpitests_c_flags)))) \
	$(eval $(call mpi_test,$(1),fortran,fortran.f90,mpif90.$(1) $(mpitests_fortran_flags)))

$(if $(mpi_open),$(call mpi_tests,openmpi,libweir-mpi))
$(if $(mpi_mpich),$(call mpi_tests,mpich,libweir-mpich))
# Open MPI has sessions from version 5 on.
$(if $(mpi_mpich),$(eval $(call mpi_test,mpich,session,session.c,mpicc.mpich $(mpitests_c_flags))))
