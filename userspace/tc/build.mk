# SPDX-License-Identifier: GPL-2.0
# q_weir.so, which tc(8) loads from its own directory. What it calls is tc's.

$(eval $(call objects,tc,userspace/tc/q_weir.c userspace/weir/base/alpha.c userspace/weir/base/units.c,-Iuserspace/weir -fPIC -fvisibility=hidden))

$(B)/tc/q_weir.so: $(tc_objects)
	$(call say,LD,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) -shared -o $@ $^

ALL += $(B)/tc/q_weir.so
INSTALL_TC += $(B)/tc/q_weir.so
