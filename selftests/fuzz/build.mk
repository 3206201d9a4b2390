# SPDX-License-Identifier: GPL-2.0
# Fuzzers: libFuzzer, ASan and UBSan. They are built when they are asked for.
fuzz_dir := selftests/fuzz
fuzz_B := $(B)/fuzz
# Headers of packets lie as drivers lay them, which is enough for the machines weir
# runs on; -fno-sanitize-recover, so that what is found is kept.
fuzz_sanitizers := -fsanitize=fuzzer,address,undefined
fuzz_flags := -g -O1 -std=gnu11 -D_GNU_SOURCE -Wall -Wextra -Wno-unused-parameter \
	-Wno-macro-redefined $(if $(WERROR),-Werror) $(fuzz_sanitizers) \
	-fno-sanitize=alignment -fno-sanitize-recover=all -DWEIR_VERSION='"$(VERSION)"' \
	-I$(fuzz_dir) -Iuapi -Ibpf/lib -I$(B)

# $(call fuzz_objects,NAME,SOURCES[,FLAGS[,PREREQUISITES]])
define fuzz_objects
$(call objects,fuzz-$(1),$(2),$(3),$(4))
$(patsubst %.c,$(B)/obj/fuzz-$(1)/%.o,$(2)): private CC := $(CLANG)
$(patsubst %.c,$(B)/obj/fuzz-$(1)/%.o,$(2)): private user_flags = $$(fuzz_flags)
endef

# $(call fuzzer,NAME,OBJECTS,SOURCES[,LIBRARIES]): of the SOURCES among these objects
define fuzzer
$(fuzz_B)/$(1): $(patsubst %.c,$(B)/obj/fuzz-$(2)/%.o,$(3))
	$$(call say,FUZZ,$$@)
	@mkdir -p $$(@D)
	$$(Q)$$(CLANG) $$(fuzz_sanitizers) -o $$@ $$^ $(4)
fuzzers += $(fuzz_B)/$(1)
endef

$(eval $(call fuzz_objects,packets,$(addprefix $(fuzz_dir)/,contrib.c trim.c trim_check.c slow.c) selftests/trim/acl.c,\
	-fno-strict-aliasing -Iselftests))
$(eval $(call fuzzer,contrib,packets,$(addprefix $(fuzz_dir)/,contrib.c slow.c)))
$(eval $(call fuzzer,trim,packets,$(addprefix $(fuzz_dir)/,trim.c trim_check.c slow.c) selftests/trim/acl.c))

fuzz_receive_sources := $(fuzz_dir)/receive.c $(libweir_sources)
$(eval $(call fuzz_objects,receive,$(fuzz_receive_sources),-Iuserspace/lib))
$(eval $(call fuzzer,receive,receive,$(fuzz_receive_sources),-lm $(addprefix -Wl$(comma)--wrap=,\
	send recv sendmsg sendmmsg recvmmsg ppoll clock_gettime getrandom)))

# The tool without its main(), which both of its fuzzers have one of their own for.
fuzz_tool_sources := $(fuzz_dir)/quiet.c $(filter-out %/main.c,$(weir_sources))
$(eval $(call fuzz_objects,tool,$(addprefix $(fuzz_dir)/,args.c plan.c) $(fuzz_tool_sources),\
	-Iuserspace/weir -Iuserspace/lib,$(bpf_skeletons) $(B)/weir/names_gen.h))
$(foreach program,args plan,$(eval $(call fuzzer,$(program),tool,$(fuzz_dir)/$(program).c \
	$(fuzz_tool_sources),$(libweir_kv) -lmnl -lbpf -ljson-c -lm)))
$(fuzz_B)/args $(fuzz_B)/plan: | $(libweir_kv)

fuzz_ask_sources := $(fuzz_dir)/ask.c $(addprefix userspace/weird/,ask/ask.c base/fields.c base/refusal.c) \
	userspace/weir/base/addr.c userspace/weir/base/quote.c userspace/weir/grammar/names.c
$(eval $(call fuzz_objects,ask,$(fuzz_ask_sources),-Iuserspace/weird -Iuserspace/weir,$(B)/weir/names_gen.h))
$(eval $(call fuzzer,ask,ask,$(fuzz_ask_sources),-ljson-c))

.PHONY: fuzzers
fuzzers: $(fuzzers)

# Fuzzers of the live module, in a virtual machine; see live.sh.
fuzz_live := selftests/fuzz/live
fuzz_live_flags := -I$(fuzz_live) -Iselftests

$(B)/fuzz/grammar_gen.h: $(wildcard uapi/*.yaml) $(fuzz_dir)/grammar.py selftests/lib/specs.py
	$(call say,GEN,$@)
	@mkdir -p $(@D)
	$(Q)$(PYTHON) $(fuzz_dir)/grammar.py >$@.tmp && mv $@.tmp $@

$(eval $(call program,fuzz-netlink,$(addprefix $(fuzz_live)/,netlink.c grammar.c message.c hints.c \
	break.c talk.c report.c scene.c churn.c traffic.c echo.c) selftests/lib/genl.c,\
	$(fuzz_live_flags),-lmnl,$(B)/fuzz/grammar_gen.h))

# Packets are looked at as words and as headers.
fuzz_frames_flags := $(fuzz_live_flags) -Iselftests/fuzz -Iselftests/bpf -Ibpf/lib -fno-strict-aliasing \
	-Wno-pointer-arith -Wno-sign-compare
$(eval $(call program,fuzz-frames,$(addprefix $(fuzz_live)/,frames.c frame.c tap.c wires.c fate.c programs.c \
	sums.c trims.c scene.c report.c) $(addprefix $(fuzz_dir)/,slow.c trim_check.c) \
	selftests/bpf/packet.c selftests/bpf/counters.c selftests/trim/cases.c selftests/trim/policy.c \
	selftests/lib/genl.c,$(fuzz_frames_flags),\
	-lbpf -lmnl,$(bpf_skeletons)))
