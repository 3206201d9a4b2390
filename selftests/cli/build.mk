# SPDX-License-Identifier: GPL-2.0
# The stand-in for the module in the tool's tests, and what they ask the kernel.

$(eval $(call objects,cli,selftests/cli/stand-in.c,-fPIC))
$(B)/cli/stand-in.so: $(cli_objects)
	$(call say,LD,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) -shared -o $@ $^ -ldl
ALL += $(B)/cli/stand-in.so

$(eval $(call program,tcx-list,selftests/cli/tcx_list.c))

# A program of somebody else's.
$(eval $(call bpf_program,selftests/cli/foreign.bpf.c))

$(eval $(call program,quoting,selftests/cli/quoting.c userspace/weir/base/quote.c,-Iuserspace/weir))
$(eval $(call program,test-put,selftests/cli/put.c userspace/weir/netlink/nl.c userspace/weir/netlink/put.c,-Iuserspace/weir,-lmnl))
