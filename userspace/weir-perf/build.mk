# SPDX-License-Identifier: GPL-2.0
# weir-perf, with the library inside: it runs wherever it is copied to.

perf_sources := $(wildcard userspace/weir-perf/*.c)

$(eval $(call program,weir-perf,$(perf_sources),-D_GNU_SOURCE -Iuserspace/lib,$(B)/lib/libweir.a -lm))
$(B)/bin/weir-perf: $(B)/lib/libweir.a
INSTALL_BIN += $(B)/bin/weir-perf
