# SPDX-License-Identifier: GPL-2.0
# DKMS makes the modules, with the type information by which BPF programs find their functions.
# kbuild leaves that out without an error if the kernel's headers have no vmlinux. HEADERS: their directory.
modules := kmod/core/weir_core.ko kmod/agg/weir.ko kmod/trim/sch_weir.ko kmod/xdp/weir_xdp.ko

.PHONY: modules
modules:
	$(MAKE) -C $(HEADERS) M=$(CURDIR) modules
	@for module in $(modules); do \
		readelf -SW $$module | grep -q ' \.BTF ' && continue; \
		echo "$${module##*/} has no type information (BTF), without which no program can call it: put the vmlinux of this kernel into $(HEADERS), and run 'dkms install' again" >&2; \
		rm -f $(modules); exit 1; \
	done
