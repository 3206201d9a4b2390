# SPDX-License-Identifier: GPL-2.0
# Tests that run the BPF programs on packets.
$(eval $(call program,test-packets,$(wildcard selftests/bpf/*.c) selftests/lib/genl.c,-Iselftests/bpf -Iselftests,-lbpf -lmnl,$(bpf_skeletons)))
