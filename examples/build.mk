# SPDX-License-Identifier: GPL-2.0
# Programs of users, to learn from: built and tested, not installed.
$(B)/bpf/trio_filter.bpf.o: examples/trio-filter/trio_filter.bpf.c $(B)/bpf/flags
	$(call say,BPF,$@)
	$(Q)$(CLANG) $(bpf_flags) -MMD -MP -MF $(@:.o=.d) -c $< -o $@
-include $(B)/bpf/trio_filter.bpf.d
ALL += $(B)/bpf/trio_filter.bpf.o
