# SPDX-License-Identifier: BSD-2-Clause
# libweir-ask, which libweir loads to ask weird(8) for a job.

libweirask := $(B)/lib/libweir-ask.so.0

$(eval $(call objects,libweir-ask,userspace/ask/ask.c userspace/ask/http.c,\
	-Iuserspace/lib -D_GNU_SOURCE -fPIC -fvisibility=hidden))

$(libweirask): $(libweir-ask_objects)
	$(call say,LD,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) -shared -Wl,-soname,$(@F) -Wl,-z,defs -o $@ \
		$(filter %.o,$^) -lcurl -ljson-c

ALL += $(libweirask)
INSTALL_LIB += $(libweirask)
