# SPDX-License-Identifier: GPL-2.0
# weird, the daemon that gives jobs to workers; and its dashboard.

weird_dir := userspace/weird
weird_shared := $(addprefix userspace/weir/,base/addr.c grammar/names.c job/lateness.c netlink/genl.c netlink/nl.c)
weird_sources := $(wildcard $(weird_dir)/*.c $(weird_dir)/*/*.c) $(weird_shared)
weird_flags := -D_GNU_SOURCE -I$(weird_dir) -Iuserspace/weir
weird_libs := -lmicrohttpd -lgnutls -ljson-c -lmnl

$(eval $(call program,weird,$(weird_sources),$(weird_flags),$(weird_libs),$(B)/weir/names_gen.h))
INSTALL_SBIN += $(B)/bin/weird
