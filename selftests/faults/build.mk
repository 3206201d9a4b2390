# SPDX-License-Identifier: GPL-2.0
# For kernels that have fault injection: that of per-CPU memory, which they have not, and
# the list of the modules' calls that allocate.

# Beside the modules whose calls they are.
faults_modules := weir_core weir sch_weir weir_xdp
faults_dir := $(farm:$(B)/kmod-%=$(B)/faults-%)
faults_kernel := $(shell scripts/kernel-release --build $(KERNEL) 2>/dev/null)

$(faults_dir)/fail_percpu.ko: selftests/faults/percpu/fail_percpu.c selftests/faults/percpu/Kbuild
	$(call say,KMOD,$@)
	@mkdir -p $(@D)
	@cp $^ $(@D)/
	$(Q)"$$(scripts/kernel-release --make $(KERNEL))" -C $(faults_kernel) --no-print-directory \
		M=$(CURDIR)/$(@D) CC=$(KCC) W=1 -s modules

$(faults_dir)/sites: module
	@mkdir -p $(@D)
	$(Q)selftests/faults/sites $(faults_modules:%=$(farm)/%.ko) >$@.tmp && mv $@.tmp $@

.PHONY: faults
ifneq ($(shell grep -s '^CONFIG_FAULT_INJECTION_STACKTRACE_FILTER=y' $(faults_kernel)/.config),)
# And a driver that hands redirected frames back.
faults: $(faults_dir)/fail_percpu.ko $(faults_dir)/sites slow-port
ALL += faults
else
faults:
endif
