# SPDX-License-Identifier: GPL-2.0
# weir-mapreduce, and the modules that it finds in ../mapreduce here, or ../lib/weir/mapreduce.

mapreduce_dir := userspace/mapreduce
mapreduce_modules := $(patsubst $(mapreduce_dir)/%,$(B)/mapreduce/%,$(wildcard $(mapreduce_dir)/*.py))

$(B)/bin/weir-mapreduce: $(mapreduce_dir)/weir-mapreduce
	@mkdir -p $(@D)
	$(Q)install -m 755 $< $@

$(mapreduce_modules): $(B)/mapreduce/%: $(mapreduce_dir)/%
	@mkdir -p $(@D)
	$(Q)install -m 644 $< $@

ALL += $(B)/bin/weir-mapreduce $(mapreduce_modules)
INSTALL_BIN += $(B)/bin/weir-mapreduce
INSTALL_MAPREDUCE := $(mapreduce_modules)
