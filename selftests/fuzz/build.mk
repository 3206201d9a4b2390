# SPDX-License-Identifier: GPL-2.0
# Fuzzers: libFuzzer, ASan and UBSan. They are built when they are asked for.
fuzz_dir := selftests/fuzz
fuzz_B := $(B)/fuzz
# Headers of packets lie as drivers lay them, which is enough for the machines weir
# runs on; -fno-sanitize-recover, so that what is found is kept.
fuzz_flags := -g -O1 -std=gnu11 -D_GNU_SOURCE -Wall -Wextra -Wno-unused-parameter \
	-Wno-macro-redefined $(if $(WERROR),-Werror) -fsanitize=fuzzer,address,undefined \
	-fno-sanitize=alignment -fno-sanitize-recover=all -DWEIR_VERSION='"$(VERSION)"' \
	-I$(fuzz_dir) -Iuapi -Ibpf/lib

# $(call fuzzer,NAME,SOURCES[,FLAGS[,PREREQUISITES]])
define fuzzer
$(fuzz_B)/$(1): $(2) $(wildcard $(fuzz_dir)/*.h bpf/lib/*/*.h uapi/*.h) | $(4)
	$$(call say,FUZZ,$$@)
	@mkdir -p $$(@D)
	$$(Q)$$(CLANG) $$(fuzz_flags) -o $$@ $(2) $(3)
fuzzers += $(fuzz_B)/$(1)
endef

$(eval $(call fuzzer,contrib,$(fuzz_dir)/contrib.c $(fuzz_dir)/slow.c))
$(eval $(call fuzzer,trim,$(addprefix $(fuzz_dir)/,trim.c trim_check.c slow.c),-fno-strict-aliasing -Iselftests))
$(eval $(call fuzzer,receive,$(fuzz_dir)/receive.c $(libweir_sources),-Iuserspace/lib -lm \
	$(addprefix -Wl$(comma)--wrap=,send recv sendmsg sendmmsg recvmmsg ppoll clock_gettime getrandom)))
$(eval $(call fuzzer,args,$(fuzz_dir)/args.c $(fuzz_dir)/quiet.c $(filter-out %/main.c,$(weir_sources)),\
	-Iuserspace/weir -Iuserspace/lib -I$(B) $(libweir_kv) -lmnl -lbpf -ljson-c -lm,\
	$(bpf_skeletons) $(B)/weir/names_gen.h $(libweir_kv)))
$(eval $(call fuzzer,ask,$(fuzz_dir)/ask.c $(addprefix userspace/weird/,ask/ask.c base/fields.c base/refusal.c)\
	userspace/weir/base/addr.c userspace/weir/grammar/names.c,\
	-Iuserspace/weird -Iuserspace/weir -I$(B) -ljson-c,$(B)/weir/names_gen.h))

$(eval $(call fuzzer,plan,$(fuzz_dir)/plan.c $(fuzz_dir)/quiet.c $(filter-out %/main.c,$(weir_sources)),\
	-Iuserspace/weir -Iuserspace/lib -I$(B) $(libweir_kv) -lmnl -lbpf -ljson-c -lm,\
	$(bpf_skeletons) $(B)/weir/names_gen.h $(libweir_kv)))

.PHONY: fuzzers
fuzzers: $(fuzzers)

# Fuzzers of the live module, in a virtual machine; see live.sh.
fuzz_live := selftests/fuzz/live
fuzz_live_flags := -I$(fuzz_live) -Iselftests

$(B)/fuzz/grammar_gen.h: uapi/weir.yaml $(fuzz_dir)/grammar.py
	$(call say,GEN,$@)
	@mkdir -p $(@D)
	$(Q)$(PYTHON) $(fuzz_dir)/grammar.py $< >$@.tmp && mv $@.tmp $@

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
