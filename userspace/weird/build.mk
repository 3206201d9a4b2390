# SPDX-License-Identifier: GPL-2.0
# weird, the daemon that gives jobs to workers; and its dashboard.

weird_dir := userspace/weird
weird_shared := $(addprefix userspace/weir/,base/addr.c base/quote.c grammar/names.c job/lateness.c metrics/list.c metrics/text.c netlink/genl.c netlink/module.c netlink/nl.c netlink/put.c)
weird_sources := $(wildcard $(weird_dir)/*.c $(weird_dir)/*/*.c) $(weird_shared)
weird_flags := -D_GNU_SOURCE -I$(weird_dir) -Iuserspace/weir
weird_libs := -lmicrohttpd -lgnutls -ljson-c -lmnl

$(eval $(call program,weird,$(weird_sources),$(weird_flags),$(weird_libs),$(B)/weir/names_gen.h))
INSTALL_SBIN += $(B)/bin/weird

$(B)/weird/weird.service: $(weird_dir)/weird.service.in FORCE
	@mkdir -p $(@D)
	@sed -e 's|@PREFIX@|$(PREFIX)|' $< | cmp -s - $@ || sed -e 's|@PREFIX@|$(PREFIX)|' $< >$@

# For Grafana, from the daemon's own list of metrics; where it runs on another machine, by hand.
$(B)/weird/dashboard.json: $(B)/bin/weird
	$(call say,GEN,$@)
	@mkdir -p $(@D)
	$(Q)$< --dashboard >$@

weird_dashboard := $(if $(filter $(MACHINE),$(shell uname -m)),$(B)/weird/dashboard.json)

ALL += $(B)/weird/weird.service $(weird_dashboard)
INSTALL_UNIT += $(B)/weird/weird.service
INSTALL_SHARE += $(weird_dashboard) $(weird_dir)/openapi.yaml
