# SPDX-License-Identifier: GPL-2.0
# What DKMS makes: the module, with the type information by which BPF programs find its functions.
# kbuild leaves that out without an error if the kernel's headers have no vmlinux. HEADERS: their directory.
.PHONY: module
module:
	$(MAKE) -C $(HEADERS) M=$(CURDIR) modules
	@readelf -SW weir.ko | grep -q ' \.BTF ' || { \
		echo "weir.ko has no type information (BTF), without which no program can call it: put the vmlinux of this kernel into $(HEADERS), and run 'dkms install' again" >&2; \
		rm -f weir.ko; exit 1; }
