# SPDX-License-Identifier: GPL-2.0
# The module's own files against a mocked kernel (kernel.h), under ASan and UBSan.

unit_module := agg/base/payload core/base/rate core/packet/classifier core/packet/hash core/packet/rule_key agg/hook/merged \
	$(patsubst kmod/%.c,%,$(wildcard $(patsubst %,kmod/agg/%/*.c,config engine format kv member rx slots tree tx))) \
	agg/job/join agg/job/path \
	$(addprefix xdp/,filter/classify filter/match filter/sources order/flow order/queue order/sequence \
		packet/headers packet/rule) \
	trim/acl trim/bands trim/pool trim/trim_config trim/trim_default \
	$(type_sources:kmod/%.c=%)
unit_sources := $(wildcard selftests/unit/*.c) selftests/lib-tests/ktap.c $(unit_module:%=kmod/%.c)
# Every kernel header stands for kernel.h, but for those that userspace has too.
unit_headers := $(shell grep -ho '^\#include <\(linux\|net\|asm\)/[^>]*>' $(unit_module:%=kmod/%.c) \
	$(shell find kmod -name "*.h") | sed 's/.*<\(.*\)>/\1/' | sort -u)
unit_headers := $(filter-out linux/types.h linux/in.h linux/in6.h linux/udp.h linux/errno.h,$(unit_headers))
unit_forward := $(unit_headers:%=$(B)/unit/include/%)
unit_forward += $(B)/unit/include/uapi/weir.h $(B)/unit/include/uapi/weir_trim_nl.h $(B)/unit/include/uapi/weir_xdp_nl.h $(B)/unit/include/uapi/weir_bpf.h $(B)/unit/include/uapi/weir_trim.h $(B)/unit/include/uapi/weir_wire.h $(B)/unit/include/trace/define_trace.h

$(B)/unit/include/uapi/%.h:
	@mkdir -p $(@D)
	@echo '#include "../../../../uapi/$*.h"' >$@

$(B)/unit/include/%.h:
	@mkdir -p $(@D)
	@echo '/* kernel.h, which each file includes first, has it. */' >$@

# The vector files are the module's: their target is set as Kbuild sets it.
unit_vectors := $(patsubst %.c,%.o,$(filter %_$(vector_unit).c,$(type_loops)))
$(unit_vectors:%=$(B)/obj/test-unit/%): CFLAGS += $(vector_flags)
unit_flags := -g -funsigned-char -fno-strict-overflow -include selftests/unit/kernel.h -Iselftests/unit -Iselftests/lib-tests -I$(B)/unit/include -Ikmod -Ibpf/lib \
	-Wno-unused-parameter -Wno-sign-compare -Wno-missing-prototypes -Wno-pointer-arith \
	-Wno-address-of-packed-member
unit_sanitizers := -fsanitize=address -fsanitize=undefined
$(eval $(call program,test-unit,$(unit_sources),$(unit_flags) $(unit_sanitizers) -fno-sanitize-recover=undefined,$(unit_sanitizers),$(unit_forward)))

# The same with its lines counted, as they are written: nothing is inlined or moved.
$(unit_vectors:%=$(B)/obj/unit-gcov/%): CFLAGS += $(vector_flags)
$(eval $(call objects,unit-gcov,$(unit_sources),$(unit_flags) -O0 --coverage,$(unit_forward)))
$(B)/unit-gcov/test-unit: $(unit-gcov_objects)
	$(call say,LD,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) --coverage -o $@ $^

# The block table with threads, under ThreadSanitizer.
threads_sources := $(wildcard selftests/unit/threads/*.c) \
	kmod/agg/base/payload.c $(wildcard kmod/agg/slots/*.c) $(type_sources)
$(unit_vectors:%=$(B)/obj/test-threads/%): CFLAGS += $(vector_flags)
threads_flags := -include selftests/unit/threads/kernel.h -Iselftests/unit -I$(B)/unit/include -Ikmod \
	-Wno-unused-parameter -Wno-sign-compare -Wno-missing-prototypes -Wno-pointer-arith
$(eval $(call program,test-threads,$(threads_sources),-g -O1 -fsanitize=thread $(threads_flags) \
	-Wno-tsan,-fsanitize=thread -lpthread,$(unit_forward)))

# And compiled as Kbuild compiles it, to be measured.
$(B)/obj/bench-threads/%.o: CFLAGS = $(kernel_flags)
$(unit_vectors:%=$(B)/obj/bench-threads/%): CFLAGS += $(vector_flags)
$(B)/obj/bench-order/%.o: CFLAGS = $(kernel_flags)
$(eval $(call program,bench-order,selftests/bench/order.c kmod/xdp/order/queue.c,$(threads_flags),-lpthread,$(unit_forward)))

$(eval $(call program,bench-threads,selftests/bench/threads.c selftests/unit/threads/mock.c \
	$(filter kmod/%,$(threads_sources)),$(threads_flags),-lpthread,$(unit_forward)))
