# SPDX-License-Identifier: GPL-2.0
# What has a box come back as it was when it boots: units of systemd, and a rule of udev.

units_dir := userspace/units
unit_files := $(patsubst $(units_dir)/%.in,$(B)/units/%,$(wildcard $(units_dir)/*.in))

$(B)/units/%: $(units_dir)/%.in FORCE
	@mkdir -p $(@D)
	@sed -e 's|@PREFIX@|$(PREFIX)|' $< | cmp -s - $@ || sed -e 's|@PREFIX@|$(PREFIX)|' $< >$@

ALL += $(unit_files)
INSTALL_UNIT += $(unit_files)
INSTALL_RULES += $(units_dir)/90-weir.rules
