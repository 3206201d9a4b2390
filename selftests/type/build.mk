# SPDX-License-Identifier: GPL-2.0
# The module's inner loops over numbers, compiled as Kbuild compiles them, against this
# machine's own floating point.

ifneq ($(vector_unit),)
$(eval $(call program,test-types,selftests/type/test_types.c \
	selftests/type/types64.c $(type_loops), \
	-Ikmod -ffp-contract=off -Wno-pointer-arith,-lm))
$(B)/obj/test-types/kmod/agg/type/%.o: CFLAGS = -g $(kernel_flags)
$(B)/obj/test-types/kmod/agg/type/%_$(vector_unit).o: CFLAGS += $(vector_flags)
endif
