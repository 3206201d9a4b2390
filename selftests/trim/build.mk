# SPDX-License-Identifier: GPL-2.0
# Tests of the trimming code: in userspace, plain and with the sanitizers, and as BPF.

trim_flags := -fno-strict-aliasing -Iselftests -Iselftests/trim -Ibpf/lib -Wno-pointer-arith -Wno-sign-compare
trim_sources := selftests/trim/unit.c selftests/trim/acl.c selftests/trim/cases.c
trim_sanitize := -O1 -fno-omit-frame-pointer -fsanitize=address,undefined -fno-sanitize-recover=all

$(eval $(call program,test-trim,$(trim_sources),$(trim_flags),-lpthread))
$(eval $(call program,test-trim-sanitized,$(trim_sources),$(trim_flags) $(trim_sanitize),$(trim_sanitize) -lpthread))
$(eval $(call program,test-trim-bpf,$(addprefix selftests/trim/,bpf.c policy.c cases.c) selftests/lib/genl.c,$(trim_flags),-lbpf -lmnl,$(bpf_skeletons)))
