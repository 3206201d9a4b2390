# SPDX-License-Identifier: GPL-2.0
# weir: kernel module, BPF programs, tools and library. "make help" says what there is.
#
# All that is built goes to build/. The module is built in build/kmod-RELEASE, a tree of
# links to its sources, so that several kernels can be served side by side.

VERSION := $(file <VERSION)
.DEFAULT_GOAL := all
.DELETE_ON_ERROR:
MAKEFLAGS += --no-builtin-rules
SHELL := /bin/bash
comma := ,
B := build

# Variables that can be set on the command line.
ifndef KERNEL
KERNEL := $(shell scripts/kernel-release 2>/dev/null)
endif
CC := gcc
# What all of it runs on, as the compiler says: x86_64, aarch64.
MACHINE := $(firstword $(subst -, ,$(shell $(CC) -dumpmachine)))
# The programs that go with it.
AR := $(shell $(CC) -print-prog-name=ar)
LD := $(shell $(CC) -print-prog-name=ld)
OBJCOPY := $(shell $(CC) -print-prog-name=objcopy)
# The module's compiler is the kernel's, whatever the tools are built with.
KCC ?= gcc
# What was compiled before, in this tree or another, is found again, but for modules, whose compiler may
# be in a tree of another release: scripts/kmod-build finds them by itself. Empty, nothing is looked for.
CCACHE ?= $(shell command -v ccache)
export CCACHE_DIR ?= $(or $(XDG_CACHE_HOME),$(HOME)/.cache)/weir/ccache
export CCACHE_BASEDIR := $(CURDIR)
export CCACHE_NOHASHDIR := 1
CLANG ?= $(firstword $(shell command -v clang-19 clang) clang-19)
BPFTOOL ?= $(firstword $(wildcard /usr/sbin/bpftool) bpftool)
PYTHON ?= /usr/bin/python3
PREFIX ?= /usr/local
DESTDIR ?=
# Distributions may have a folder for each architecture's libraries.
LIBDIR ?= $(PREFIX)/lib
# Where this machine's tc(8) looks for plug-ins.
TC_LIB ?= $(firstword $(wildcard /usr/lib/$(shell $(CC) -print-multiarch)/tc /usr/lib64/tc) /usr/lib/tc)
# Likewise Wireshark for dissectors.
WIRESHARK_LIB ?= $(firstword $(wildcard /usr/lib/$(shell $(CC) -print-multiarch)/wireshark/plugins \
	/usr/lib64/wireshark/plugins) $(LIBDIR)/wireshark/plugins)
SYSTEMD_UNITS ?= $(PREFIX)/lib/systemd/system
# udev knows no /usr/local.
UDEV_RULES ?= $(if $(filter /usr,$(PREFIX)),/usr/lib,/etc)/udev/rules.d
CFLAGS ?= -O2 -g
# Empty, nothing is built that takes a compiler of MPI's.
MPI ?= 1
# Warnings are errors with make WERROR=1, as "make check" has it.
WERROR ?=
V ?=

export WEIR_KERNEL := $(KERNEL)
Q := $(if $(V),,@)
say = $(if $(V),,@printf '  %-8s%s\n' '$(1)' '$(2)')
warnings := -Wall -Wextra -Wmissing-prototypes -Wstrict-prototypes -Wold-style-definition \
	-Wvla -Wpointer-arith $(if $(WERROR),-Werror)

# Lists that the parts below, and the build.mk of each folder in userspace/, add to.
ALL :=
INSTALL_BIN :=
INSTALL_SBIN :=
INSTALL_LIB :=
INSTALL_TC :=
INSTALL_HEADERS :=
INSTALL_PC :=
INSTALL_SWITCHML :=
INSTALL_PYTHON :=
INSTALL_PYTHON_TORCH :=
INSTALL_UNIT :=
INSTALL_RULES :=
INSTALL_SHARE :=
INSTALL_WIRESHARK :=
INSTALL_MAN := $(wildcard userspace/man/*.[1-8])
INSTALL_COMPLETION := $(wildcard userspace/completion/*)

##@ Building

.PHONY: all api docs docs-reference check-one tools deb module module-debug bpf help setup demo demo-torch bench bench-native fuzz soak mutate dashboard wheel plots plots-sim top-pages check check-all coverage install install-tools uninstall load unload clean FORCE

all: ## everything: module, BPF programs, tools, library
	@:

help: ## this text
	@awk -F ':.*## ' '/^##@ / { print "\n" substr($$0, 5) } \
		/^[a-z][a-z-]*:.*## / { printf "  %-16s%s\n", $$1, $$2 }' $(firstword $(MAKEFILE_LIST))
	@printf '%s\n' '' 'Variables' \
		'  KERNEL=RELEASE    the kernel that the module is built for and tested on' \
		'                    (now $(KERNEL); scripts/kernel-release --list)' \
		'  PREFIX=, DESTDIR= where to install (now $(PREFIX))' \
		'  TC_LIB=           where tc looks for plug-ins (now $(TC_LIB))' \
		'  WIRESHARK_LIB=    where Wireshark looks for dissectors (now $(WIRESHARK_LIB))' \
		'  LIBDIR=           where libraries go (now $(LIBDIR))' \
		'  PYTHON_LIB=       where Python looks for packages (now $(PYTHON_LIB))' \
		'  CCACHE=           without looking for what was compiled before' \
		'  MPI=              without the libraries for programs of MPI' \
		'  WERROR=1          warnings are errors' \
		'  V=1               show the commands' \
		'' 'A command in a virtual machine with the module loaded:' \
		'  selftests/vm/run -- COMMAND...'

setup: ## install what is needed to build and test (Debian 12 or 13)
	@scripts/setup

# The module. Kbuild knows best what has to be done again, so it is always asked. One that
# counts its lines, for a kernel that can (make coverage), has a tree of its own.
GCOV ?=
# A program that looks at each source, too, as sparse does.
CHECKER ?=
farm := $(B)/kmod-$(KERNEL)$(if $(GCOV),-gcov)

module: ## the kernel modules, build/kmod-RELEASE/{weir_core,weir,sch_weir,weir_xdp}.ko
	@+WERROR='$(WERROR)' V='$(V)' scripts/kmod-build $(farm) '$(KERNEL)' CC=$(KCC) \
		$(if $(GCOV),GCOV_PROFILE=y) $(if $(CHECKER),C=2 CHECK='$(CHECKER)')
ifneq ($(wildcard Kbuild),)
ALL += module
endif

module-debug: ## the module for the debug kernel, which is built if it was not yet (ten minutes)
	@+release=$$(scripts/debug-kernel) && $(MAKE) --no-print-directory module faults slow-port KERNEL=$$release

# BPF. The programs use the types of the uapi headers alone, so no kernel's own
# are needed.
bpf_sources := $(wildcard bpf/*.bpf.c)
bpf_objects := $(bpf_sources:bpf/%.c=$(B)/bpf/%.o)
bpf_skeletons := $(bpf_sources:bpf/%.bpf.c=$(B)/bpf/%.skel.h)
# asm/types.h lies with the headers of the machine's own architecture.
# A packet's bytes are looked at as words and as headers.
bpf_flags := -g -O2 -target bpf -mcpu=v3 -fno-strict-aliasing -Iuapi -Ibpf/lib \
	-idirafter $(shell $(CC) -print-sysroot)/usr/include/$(shell $(CC) -print-multiarch) \
	-Wall -Wextra -Wno-unused-parameter $(if $(WERROR),-Werror)

bpf: $(bpf_objects) $(bpf_skeletons) ## the BPF programs and their skeletons, build/bpf
ALL += bpf

$(B)/bpf/%.bpf.o: bpf/%.bpf.c $(B)/bpf/flags
	$(call say,BPF,$@)
	$(Q)$(CCACHE) $(CLANG) $(bpf_flags) -MMD -MP -MF $(@:.o=.d) -c $< -o $@

$(B)/bpf/%.skel.h: $(B)/bpf/%.bpf.o
	$(call say,SKEL,$@)
	$(Q)$(BPFTOOL) gen skeleton $< >$@.tmp && mv $@.tmp $@

# A file that changes when the flags do, for what was built with them to depend on.
# $(call flags_file,TEXT)
flags_file = @mkdir -p $(@D); printf '%s\n' '$(1)' | cmp -s - $@ || printf '%s\n' '$(1)' >$@

$(B)/bpf/flags: FORCE
	$(call flags_file,$(CLANG) $(bpf_flags))

-include $(bpf_objects:.o=.d)

# A program of the tests', or an example: $(call bpf_program,FOLDER/NAME.bpf.c) is $(B)/bpf/NAME.bpf.o.
define bpf_program
$(B)/bpf/$(notdir $(1:.c=.o)): $(1) $(B)/bpf/flags
	$$(call say,BPF,$$@)
	$$(Q)$$(CCACHE) $$(CLANG) $$(bpf_flags) -MMD -MP -MF $$(@:.o=.d) -c $$< -o $$@
-include $(B)/bpf/$(notdir $(1:.c=.d))
ALL += $(B)/bpf/$(notdir $(1:.c=.o))
endef

# Userspace. Each folder has a build.mk that says what it makes, in these words:
#
#   $(call program,NAME,SOURCES[,CFLAGS[,LIBRARIES[,PREREQUISITES]]])
#	build/bin/NAME; LIBRARIES are the linker's words, PREREQUISITES what must have
#	been made before its sources compile (skeletons: $(bpf_skeletons))
#   $(call objects,NAME,SOURCES[,CFLAGS[,PREREQUISITES]])
#	NAME_objects: build/obj/NAME/*.o, for rules of one's own
#
# each inside $(eval ...), and by adding to ALL and the INSTALL_ lists above.
# Tests and benchmarks compile files of the module, too: what of the kernel's flags tells
# the compiler how to read them and what it may do, and what Kbuild gives those with vector
# instructions.
kernel_flags := -O2 -funsigned-char -fno-strict-aliasing -fno-strict-overflow -fno-common \
	-fno-delete-null-pointer-checks -fno-allow-store-data-races -fno-jump-tables \
	-mtune=generic -falign-functions=16 -falign-jumps=1 -falign-loops=1
# The module's types of numbers, and the vector unit that some loops of theirs are for.
vector_unit := $(patsubst x86_64,avx2,$(patsubst aarch64,neon,$(filter x86_64 aarch64,$(MACHINE))))
type_sources := $(filter-out $(patsubst %,\%_%.c,$(filter-out $(vector_unit),avx2 neon)),$(wildcard kmod/agg/type/*.c))
type_loops := $(filter %_scalar.c %_avx2.c %_neon.c,$(type_sources))
vector_flags := $(if $(vector_unit),$(shell sed -n 's/^weir-$(vector_unit)-flags := //p' kmod/agg/Kbuild))

user_flags = $(CPPFLAGS) -std=gnu11 $(CFLAGS) $(warnings) -Iuapi -I$(B) -DWEIR_VERSION='"$(VERSION)"'

$(B)/obj/flags: FORCE
	$(call flags_file,$(subst ',,$(CC) $(user_flags)))

define objects
$(1)_objects := $(patsubst %.c,$(B)/obj/$(1)/%.o,$(2))
$(patsubst %.c,$(B)/obj/$(1)/%.o,$(2)): $(B)/obj/$(1)/%.o: %.c $(B)/obj/flags $(wildcard $(dir $(firstword $(2)))build.mk) | $(4)
	$$(call say,CC,$$@)
	@mkdir -p $$(@D)
	$$(Q)$$(CCACHE) $$(CC) $$(user_flags) $(3) -MMD -MP -c $$< -o $$@
-include $(patsubst %.c,$(B)/obj/$(1)/%.d,$(2))
endef

define program
$(call objects,$(1),$(2),$(3),$(5))
$(B)/bin/$(1): $(patsubst %.c,$(B)/obj/$(1)/%.o,$(2))
	$$(call say,LD,$$@)
	@mkdir -p $$(@D)
	$$(Q)$$(CC) $$(CFLAGS) $$(LDFLAGS) -o $$@ $$(filter %.o,$$^) $(4)
ALL += $(B)/bin/$(1)
endef

# A module of the tests' own beside the one for $(KERNEL): $(call test_module,TARGET,FOLDER/NAME.c).
# It is $(B)/TARGET-RELEASE/NAME.ko.
test_kernel := $(shell scripts/kernel-release --build $(KERNEL) 2>/dev/null)
define test_module
$(farm:$(B)/kmod-%=$(B)/$(1)-%)/$(basename $(notdir $(2))).ko: $(2) $(dir $(2))Kbuild
	$$(call say,KMOD,$$@)
	@mkdir -p $$(@D)
	@cp $$^ $$(@D)/
	$$(Q)"$$$$(scripts/kernel-release --make $(KERNEL))" -C $(test_kernel) --no-print-directory \
		M=$(CURDIR)/$$(@D) CC=$(KCC) W=1 -s modules

.PHONY: $(1)
$(1): $(farm:$(B)/kmod-%=$(B)/$(1)-%)/$(basename $(notdir $(2))).ko
ALL += $(1)
endef

include $(wildcard userspace/*/build.mk)
TOOLS := $(filter-out module,$(ALL))
include examples/build.mk
include $(wildcard selftests/*/build.mk)

all: $(ALL)

tools: $(TOOLS) ## what is installed, without the module and the tests

##@ Testing

# A job for each processor, where nobody has said how many.
jobs = $(if $(filter -j% --jobserver%,$(MAKEFLAGS)),,-j$(shell nproc))

# The stages, and what each consists of, are in selftests/stages.
check: ## the tests that guard each change (no skips with WEIR_NO_SKIP=1); the last line is "N passed, N failed, N skipped"
	@scripts/setup
	@+$(MAKE) $(jobs) --no-print-directory all fuzzers WERROR=1
	@selftests/run

check-all: ## the same and what takes longer, the stage long of selftests/stages
	@scripts/setup
	@+$(MAKE) $(jobs) --no-print-directory all fuzzers module-debug WERROR=1
	@selftests/run --all

# What is to be tested, and of it which tests.
T ?=
K ?=
check-one: ## T=FILE|SUITE [K=TEST]: build and test one thing, such as T=kmod/agg/slots/retention.c or T=netns-sums
	@+selftests/check-one '$(T)' '$(K)'

check-unit: ## the module's code against mocks, the tools' and the library's
check-bpf: ## the BPF programs on packets
check-netns: ## the module in networks of namespaces, in a virtual machine
check-torch: ## the plug-in for torch.distributed
check-dask: ## reductions by key of Dask's collections
check-mpi: ## the library for MPI, with Open MPI and MPICH
check-style: ## checkpatch, sparse, shellcheck, kernel-doc, generated files
check-vm: ## the tests' own machinery
check-faults: ## allocations that fail, on the debug kernel, and hostile events
	@scripts/setup
	@+$(MAKE) $(jobs) --no-print-directory all module-debug WERROR=1
	@selftests/run faults long-faults-allocations

check-fuzz: fuzzers ## the fuzzers, a third of a minute each

# The suites take several times longer there.
check-debug: ## the suites of bpf, netns, faults and debug on a kernel with all the detectors on
	@scripts/setup
	@+$(MAKE) $(jobs) --no-print-directory all module-debug
	@WEIR_KERNEL=$$(scripts/debug-kernel) selftests/run bpf netns faults long-faults-allocations debug

check-races: ## the suites of bpf and netns on a kernel that tells of data races (KCSAN)
	@scripts/setup
	@+release=$$(scripts/debug-kernel race) && $(MAKE) --no-print-directory KERNEL=$$release all
	@WEIR_KERNEL=$$(scripts/debug-kernel race) selftests/run bpf netns races

# The same, with the unit suite, counted: build/coverage has the report.
coverage: ## which lines and branches of the module the tests run, on a kernel that counts
	@scripts/setup
	@+release=$$(scripts/debug-kernel count) && \
	$(MAKE) --no-print-directory KERNEL=$$release GCOV=1 all faults $(B)/unit-gcov/test-unit && \
	selftests/coverage/run

# How many faults, and which.
FAULTS ?= 300
SEED ?= 1
mutate: ## faults planted into the module's code, FAULTS=300 of them chosen by SEED=1: those that the unit suite does not detect
	@+$(MAKE) $(jobs) --no-print-directory WERROR=1 $(B)/bin/test-unit
	@selftests/mutate/mutate --count $(FAULTS) --seed $(SEED)

# Kernels are fetched on the first call, and kept.
check-kernels: ## the same on Linux 6.12 with and without PREEMPT_RT and for arm64, 7.2 and 7.3, and the table in docs/reference/kernels.md
	@scripts/setup
	@+$(MAKE) $(jobs) --no-print-directory all WERROR=1
	@selftests/kernels/run

series: ## the modules as a series of patches to Linux 7.3, build/series/*.patch: made, checked by the kernel's own checkers, built patch by patch and booted (half an hour)
	@scripts/setup
	@+$(MAKE) $(jobs) --no-print-directory all WERROR=1
	@packaging/series/run

check-arm64: ## compiled for arm64: the suites of unit, bpf and netns, in virtual machines of that architecture
	@scripts/setup
	@selftests/arm64

check-mpi4py: ## mpi4py's own tests of collective calls, with the library for MPI and without
	@scripts/setup
	@+$(MAKE) $(jobs) --no-print-directory all WERROR=1
	@selftests/mpi/mpi4py

check-plugins: ## the plug-ins by PyTorch's own tests, and with the PyTorch and the MPIs of Debian 13, in a tree of it (root)
	@scripts/setup
	@+$(MAKE) $(jobs) --no-print-directory all WERROR=1
	@selftests/torch/conform --all
	@selftests/torch/suite
	@selftests/other-debian trixie

check-training: ## PyTorch trains while the module goes and comes back, in a virtual machine
	@scripts/setup
	@+$(MAKE) $(jobs) --no-print-directory all WERROR=1
	@selftests/vm/run --memory 6G --timeout 3600 -- selftests/torch/module.sh

check-%: FORCE
	@+$(MAKE) $(jobs) --no-print-directory all WERROR=1
	@selftests/run $*

# How long each target is fuzzed.
SECONDS ?= 60
fuzz: ## the fuzzers, each for SECONDS=60: parsers, receive path, command line, block table; netlink and hooks on the debug kernel
	@scripts/setup
	@+$(MAKE) $(jobs) --no-print-directory all fuzzers WERROR=1
	@+release=$$(scripts/debug-kernel) && \
	$(MAKE) --no-print-directory module KERNEL=$$release && \
	WEIR_KERNEL=$$release selftests/fuzz/run $(SECONDS)

# How long the box is soaked.
MINUTES ?= 60
soak: ## MINUTES=60 of jobs, crashes, losses and trimming on the debug kernel; ends with a report
	@scripts/setup
	@+$(MAKE) $(jobs) --no-print-directory all module-debug WERROR=1
	@WEIR_KERNEL=$$(scripts/debug-kernel) selftests/soak/run $(MINUTES)

demo: ## a network of namespaces that sums gradients, in a virtual machine
	@scripts/setup --demo
	@+$(MAKE) $(jobs) --no-print-directory module $(B)/bin/weir $(B)/lib/libweir.so.0
	@selftests/vm/run -- selftests/demo/demo.sh int32

demo-torch: ## torch by Gloo and by weir over links of 200 Mbit/s, in namespaces of this machine (root)
	@scripts/setup
	@+$(MAKE) $(jobs) --no-print-directory all
	@selftests/torch/demo.sh

bench: ## the measurements of docs/benchmarks/
	@scripts/setup
	@+$(MAKE) $(jobs) --no-print-directory all
	@selftests/bench/run

bench-native: ## what costs the clock shows, by real time in User Mode Linux; ratios (an hour or two)
	@scripts/setup
	@+$(MAKE) $(jobs) --no-print-directory all
	@selftests/native/bench

deb: ## packages for this release of Debian, in build/deb (what is committed)
	@packaging/deb $(B)/deb

check-package: ## packages of Debian built, installed, booted, upgraded and removed in trees of bookworm and trixie (root)
	@scripts/setup
	@packaging/check

check-year: check-package ## an operator's year with these packages on booted systems: reloads, reboots, an upgrade under jobs (root)
	@packaging/year

# Which revision that is, a tag says.
SINCE ?=
check-abi: ## SINCE=REVISION: programs that were linked with that libweir run with this one
	@selftests/lib-tests/abi-since '$(SINCE)'

wheel: ## a wheel of the binding for Python, in build/wheel

docs: $(B)/bin/weir ## a site of docs/ and the manual pages with a search, build/site/index.html
	@scripts/docs-site $(B)/site

docs-reference: $(B)/bin/weir ## docs/reference/ and the manual pages' tables of keys, of the specs and what the tool says
	@scripts/docs-reference

api: $(B)/lib/libweir.so ## reference of libweir and of the binding for Python, build/api/index.html
	@LD_LIBRARY_PATH='$(B)/lib' scripts/api-pages $(B)/api

dashboard: $(B)/weird/dashboard.json ## a dashboard for Grafana of all that weird(8) counts, build/weird/dashboard.json

plots: $(B)/bin/trim-sim ## docs/trimming.svg, simulated anew; docs/stragglers.svg, from the last "make bench"
	@mkdir -p $(B)/trim-sim
	for what in senders response modes "timeline 32"; do \
		$(B)/bin/trim-sim $$what >$(B)/trim-sim/$${what% *} || exit; done
	gnuplot -e "dir='$(B)/trim-sim'; to='docs/trimming.svg'" selftests/incast/sim.gp
	@test -s $(B)/stragglers.txt || { echo "plots: no data yet: selftests/bench/run --quick training" >&2; exit 1; }
	gnuplot -e "from='$(B)/stragglers.txt'; to='docs/stragglers.svg'" selftests/demo/stragglers.gp

plots-sim: $(B)/bin/plan-sim ## docs/sharing.svg: 1,024 servers that jobs and others share, simulated (a quarter of an hour)
	selftests/sim/figures $(B)/plan-sim
	gnuplot -e "dir='$(B)/plan-sim'; to='docs/sharing.svg'" selftests/sim/sim.gp

top-pages: $(B)/bin/weir $(B)/cli/stand-in.so ## docs/top.svg, docs/top-trim.svg and docs/top-flows.svg: what "weir top" shows
	@selftests/cli/top-pages docs

##@ Installing

# $(call put,MODE,DIRECTORY,FILES)
put = $(if $(strip $(3)),install -d '$(DESTDIR)$(2)' && install -m $(1) $(3) '$(DESTDIR)$(2)/')
# Libraries come with links, which stay links.
put_links = $(if $(strip $(2)),install -d '$(DESTDIR)$(1)' && cp -d $(2) '$(DESTDIR)$(1)/')
remove = $(foreach file,$(2),rm -f '$(DESTDIR)$(1)/$(notdir $(file))' &&) true
sections = $(sort $(foreach page,$(INSTALL_MAN),$(lastword $(subst ., ,$(page)))))

install: all install-tools ## tools, library, BPF programs, and the module with depmod
	$(Q)DESTDIR='$(DESTDIR)' scripts/module install
	$(Q)$(if $(DESTDIR),,PATH="$$PATH:/usr/sbin:/sbin" ldconfig)

install-tools: tools ## the same without the module
	$(Q)$(call put,755,$(PREFIX)/bin,$(INSTALL_BIN))
	$(Q)$(call put,755,$(PREFIX)/sbin,$(INSTALL_SBIN))
	$(Q)$(call put_links,$(LIBDIR),$(INSTALL_LIB))
	$(Q)$(call put,644,$(TC_LIB),$(INSTALL_TC))
	$(Q)$(call put,644,$(LIBDIR)/pkgconfig,$(INSTALL_PC))
	$(Q)$(call put,644,$(PREFIX)/include,$(INSTALL_HEADERS))
	$(Q)$(call put,644,$(WIRESHARK_LIB),$(INSTALL_WIRESHARK))
	$(Q)$(call put,644,$(PREFIX)/lib/weir,$(bpf_objects))
	$(Q)$(call put,644,$(PREFIX)/lib/weir/switchml,$(INSTALL_SWITCHML))
	$(Q)$(call put,644,$(PREFIX)/lib/weir/mapreduce,$(INSTALL_MAPREDUCE))
	$(Q)$(call put,644,$(PYTHON_LIB)/weir,$(INSTALL_PYTHON))
	$(Q)$(call put,644,$(PYTHON_LIB)/weir/dask,$(INSTALL_PYTHON_DASK))
	$(Q)$(call put,644,$(PYTHON_LIB)/weir/torch,$(INSTALL_PYTHON_TORCH))
	$(Q)$(call put,644,$(SYSTEMD_UNITS),$(INSTALL_UNIT))
	$(Q)$(call put,644,$(UDEV_RULES),$(INSTALL_RULES))
	$(Q)$(call put,644,$(PREFIX)/share/weir,$(INSTALL_SHARE))
	$(Q)$(call put,644,$(PREFIX)/share/bash-completion/completions,$(INSTALL_COMPLETION))
	$(Q)$(foreach s,$(sections),$(call put,644,$(PREFIX)/share/man/man$(s),$(filter %.$(s),$(INSTALL_MAN))) &&) true

uninstall: ## remove what install put there
	$(Q)$(call remove,$(PREFIX)/bin,$(INSTALL_BIN))
	$(Q)$(call remove,$(PREFIX)/sbin,$(INSTALL_SBIN))
	$(Q)$(call remove,$(LIBDIR),$(INSTALL_LIB))
	$(Q)$(call remove,$(TC_LIB),$(INSTALL_TC))
	$(Q)$(call remove,$(LIBDIR)/pkgconfig,$(INSTALL_PC))
	$(Q)$(call remove,$(PREFIX)/include,$(INSTALL_HEADERS))
	$(Q)$(call remove,$(WIRESHARK_LIB),$(INSTALL_WIRESHARK))
	$(Q)$(call remove,$(PREFIX)/lib/weir,$(bpf_objects))
	$(Q)$(call remove,$(PREFIX)/lib/weir/switchml,$(INSTALL_SWITCHML))
	$(Q)$(call remove,$(PREFIX)/lib/weir/mapreduce,$(INSTALL_MAPREDUCE))
	$(Q)$(call remove,$(PYTHON_LIB)/weir,$(INSTALL_PYTHON))
	$(Q)$(call remove,$(PYTHON_LIB)/weir/dask,$(INSTALL_PYTHON_DASK))
	$(Q)$(call remove,$(PYTHON_LIB)/weir/torch,$(INSTALL_PYTHON_TORCH))
	$(Q)$(call remove,$(SYSTEMD_UNITS),$(INSTALL_UNIT))
	$(Q)$(call remove,$(UDEV_RULES),$(INSTALL_RULES))
	$(Q)$(call remove,$(PREFIX)/share/weir,$(INSTALL_SHARE))
	$(Q)$(call remove,$(PREFIX)/share/bash-completion/completions,$(INSTALL_COMPLETION))
	$(Q)$(foreach s,$(sections),$(call remove,$(PREFIX)/share/man/man$(s),$(filter %.$(s),$(INSTALL_MAN))) &&) true
	$(Q)DESTDIR='$(DESTDIR)' scripts/module uninstall

load: ## load the module into this machine's kernel
	@scripts/module load

unload: ## and unload it
	@scripts/module unload

clean: ## remove build/
	rm -rf $(B)

FORCE:
