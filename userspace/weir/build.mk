# SPDX-License-Identifier: GPL-2.0
# The command line tool.

weir_headers := uapi/weir.h uapi/weir_trim_nl.h uapi/weir_xdp_nl.h
$(B)/weir/names_gen.h: userspace/weir/grammar/names.awk $(weir_headers)
	$(call say,GEN,$@)
	@mkdir -p $(@D)
	$(Q)awk -f userspace/weir/grammar/names.awk $(weir_headers) >$@.tmp && mv $@.tmp $@

# It carries the BPF programs in itself, and of the library the streams.
ifneq ($(wildcard bpf/weir_xdp.bpf.c),)
ifneq ($(wildcard bpf/weir_tc.bpf.c),)
weir_sources := $(wildcard userspace/weir/*.c userspace/weir/*/*.c)
$(eval $(call program,weir,$(weir_sources),-Iuserspace/weir -Iuserspace/lib,\
	-lmnl -lbpf -ljson-c -lm,$(bpf_skeletons) $(B)/weir/names_gen.h))
$(B)/bin/weir: $(libweir_kv)
$(B)/obj/weir/userspace/weir/grammar/names.o: $(B)/weir/names_gen.h
INSTALL_SBIN += $(B)/bin/weir
endif
endif
