# SPDX-License-Identifier: BSD-2-Clause
# libweir, the workers' library: static, shared, and described to pkg-config.

libweir_version := $(VERSION)
libweir_soname := libweir.so.0
libweir_dir := userspace/lib
libweir_sources := $(wildcard $(libweir_dir)/*/*.c)

# Conversions are plain loops that the compiler makes vectors of, hence -O3. No
# contraction: a fused multiply-add on some machines only would make the integers
# that a float becomes differ from rank to rank.
libweir_flags := -I$(libweir_dir) -D_GNU_SOURCE -O3 -fPIC -fvisibility=hidden -ffp-contract=off

$(eval $(call objects,libweir,$(libweir_sources),$(libweir_flags)))

libweir_shared := $(B)/lib/libweir.so.$(libweir_version)
libweir_links := $(B)/lib/$(libweir_soname) $(B)/lib/libweir.so
libweir_static := $(B)/lib/libweir.a
libweir_pc := $(B)/lib/pkgconfig/weir.pc

$(libweir_shared): $(libweir_objects) $(libweir_dir)/libweir.map
	$(call say,LD,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) -shared -Wl,-soname,$(libweir_soname) -Wl,-z,defs \
		-Wl,--version-script,$(libweir_dir)/libweir.map -o $@ $(libweir_objects)

$(libweir_links): $(libweir_shared)
	$(Q)ln -sfn $(<F) $@

# One object, in which only what libweir.h names is left to be seen: so that the
# archive cannot clash with the program's own names.
$(libweir_static): $(libweir_objects)
	$(call say,AR,$@)
	@mkdir -p $(@D) $(B)/obj/libweir
	$(Q)$(LD) -r -o $(B)/obj/libweir/whole.o $^
	$(Q)$(OBJCOPY) --wildcard --keep-global-symbol='weir_*' $(B)/obj/libweir/whole.o
	$(Q)rm -f $@
	$(Q)$(AR) rcs $@ $(B)/obj/libweir/whole.o

# The same with the calls of key-value streams alone, for the tool weir: it has names of its own.
libweir_kv := $(B)/obj/libweir/kv.o
$(libweir_kv): $(libweir_static)
	$(Q)$(OBJCOPY) --wildcard --keep-global-symbol='weir_kv_*' $(B)/obj/libweir/whole.o $@

# The file says its folders by the prefix, so that a staged copy of it can be asked, too.
libweir_pc_words := -e 's|@PREFIX@|$(PREFIX)|' -e 's|@VERSION@|$(libweir_version)|' \
	-e 's|@LIBDIR@|$(patsubst $(PREFIX)/%,$${prefix}/%,$(LIBDIR))|'

$(libweir_pc): $(libweir_dir)/weir.pc.in FORCE
	@mkdir -p $(@D)
	@sed $(libweir_pc_words) $< | cmp -s - $@ || sed $(libweir_pc_words) $< >$@

ALL += $(libweir_shared) $(libweir_links) $(libweir_static) $(libweir_pc)
INSTALL_LIB += $(libweir_shared) $(libweir_links) $(libweir_static)
INSTALL_HEADERS += $(libweir_dir)/libweir.h
INSTALL_PC += $(libweir_pc)

