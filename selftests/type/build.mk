# SPDX-License-Identifier: GPL-2.0
# The module's inner loops over numbers, compiled as Kbuild compiles them, against this
# machine's own floating point.

# Its widest float is that of x86.
ifeq ($(MACHINE),x86_64)
$(eval $(call program,test-types,selftests/type/test_types.c $(type_loops), \
	-Ikmod -ffp-contract=off -Wno-pointer-arith,-lm))
$(B)/obj/test-types/kmod/type/%.o: CFLAGS = -g $(kernel_flags)
$(B)/obj/test-types/kmod/type/%_avx2.o: CFLAGS += $(avx2_flags)
endif
