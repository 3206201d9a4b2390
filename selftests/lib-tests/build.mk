# SPDX-License-Identifier: GPL-2.0
# The library's tests, on the host, without the module: its sources compiled anew
# beside them, plain and with the sanitizers, that of threads for tests of threads; and the reference box as a program.

libtests_dir := selftests/lib-tests
libtests_B := $(B)/lib-tests
libtests_flags := $(libweir_flags) -I$(libtests_dir)
# An error that a sanitizer finds ends the program, so that no test can pass over it.
libtests_sanitize := -O1 -fno-omit-frame-pointer -fsanitize=address,undefined \
	-fno-sanitize-recover=all

libtests_comm := $(addprefix $(libtests_dir)/,agree.c behind.c comm-main.c comm.c congestion.c driver.c guard.c merged.c \
	missing.c numbers.c partial.c reload.c share.c standby.c trees.c vectors.c cluster.c kernel.c ktap.c tables.c refbox.c refsum.c faults.c) \
	$(libweir_sources)
libtests_unit := $(addprefix $(libtests_dir)/,unit.c pace.c recovery.c ktap.c tables.c) $(libweir_sources)
libtests_kv := $(addprefix $(libtests_dir)/,kv-main.c kv-parts.c kv-streams.c kv-bad.c kv-relay.c kv-served.c ktap.c tables.c faults.c) $(libweir_sources)
libtests_refbox := $(addprefix $(libtests_dir)/,refbox-main.c refbox.c refsum.c faults.c) $(libweir_dir)/base/address.c

# A kernel that lacks things, see kernel.h.
libtests_kernel := $(addprefix -Wl$(comma)--wrap=,sendmsg sendmmsg setsockopt)

# Sources that several programs share are compiled once a flavour.
libtests_flavours := plain sanitized threads
libtests_cflags_plain :=
libtests_cflags_sanitized := $(libtests_sanitize)
libtests_cflags_threads := -g -O1 -fsanitize=thread
libtests_all := $(sort $(libtests_unit) $(libtests_comm) $(libtests_kv) $(libtests_refbox))
$(foreach flavour,$(libtests_flavours),\
	$(eval $(call objects,lib-tests/$(flavour),$(libtests_all),$(libtests_flags) $(libtests_cflags_$(flavour)))))

# $(call libtest,NAME,SOURCES,FLAVOUR,LDFLAGS)
define libtest
$(libtests_B)/$(1): $(patsubst %.c,$(B)/obj/lib-tests/$(3)/%.o,$(2))
	$$(call say,LD,$$@)
	@mkdir -p $$(@D)
	$$(Q)$$(CC) $$(CFLAGS) $(libtests_cflags_$(3)) $$(LDFLAGS) $(4) -o $$@ $$(filter %.o,$$^) -lm -lpthread
libtests_programs += $(libtests_B)/$(1)
endef

$(eval $(call libtest,unit,$(libtests_unit),plain))
$(eval $(call libtest,unit-sanitized,$(libtests_unit),sanitized))
$(eval $(call libtest,comm,$(libtests_comm),plain,$(libtests_kernel)))
$(eval $(call libtest,comm-sanitized,$(libtests_comm),sanitized,$(libtests_kernel)))
$(eval $(call libtest,comm-threads,$(libtests_comm),threads,$(libtests_kernel)))
$(eval $(call libtest,kv,$(libtests_kv),plain))
$(eval $(call libtest,kv-sanitized,$(libtests_kv),sanitized))
$(eval $(call libtest,refbox,$(libtests_refbox),plain))

.PHONY: lib-tests
lib-tests: $(libtests_programs) $(libweir_shared) $(libweir_links) $(libweir_static)
ALL += $(libtests_programs)
