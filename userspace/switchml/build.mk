# SPDX-License-Identifier: GPL-2.0
# weir-switchml, and the modules that it finds in ../switchml here, or ../lib/weir/switchml.

switchml_dir := userspace/switchml
switchml_modules := $(patsubst $(switchml_dir)/%,$(B)/switchml/%,$(wildcard $(switchml_dir)/*.py))

$(B)/bin/weir-switchml: $(switchml_dir)/weir-switchml
	@mkdir -p $(@D)
	$(Q)install -m 755 $< $@

$(switchml_modules): $(B)/switchml/%: $(switchml_dir)/%
	@mkdir -p $(@D)
	$(Q)install -m 644 $< $@

$(B)/switchml/switchml_pb2.py: $(switchml_dir)/switchml.proto
	$(call say,PROTOC,$@)
	@mkdir -p $(@D)
	$(Q)protoc -I$(<D) --python_out=$(@D) $<

ALL += $(B)/bin/weir-switchml $(switchml_modules) $(B)/switchml/switchml_pb2.py
INSTALL_SBIN += $(B)/bin/weir-switchml
INSTALL_SWITCHML := $(switchml_modules) $(B)/switchml/switchml_pb2.py
