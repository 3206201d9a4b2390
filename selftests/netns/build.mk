# SPDX-License-Identifier: GPL-2.0
# A port that tests have instead of a fast one: slow, with several queues. And a sender.

slow_port_dir := $(farm:$(B)/kmod-%=$(B)/slow-port-%)
slow_port_kernel := $(shell scripts/kernel-release --build $(KERNEL) 2>/dev/null)

$(slow_port_dir)/slow_port.ko: selftests/netns/slow_port/slow_port.c selftests/netns/slow_port/Kbuild
	$(call say,KMOD,$@)
	@mkdir -p $(@D)
	@cp $^ $(@D)/
	$(Q)"$$(scripts/kernel-release --make $(KERNEL))" -C $(slow_port_kernel) --no-print-directory \
		M=$(CURDIR)/$(@D) CC=$(KCC) W=1 -s modules

.PHONY: slow-port
slow-port: $(slow_port_dir)/slow_port.ko
ALL += slow-port

$(eval $(call program,send-marked,selftests/netns/send_marked.c))
