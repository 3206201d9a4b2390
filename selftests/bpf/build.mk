# SPDX-License-Identifier: GPL-2.0
# Tests that run the BPF programs on packets.
$(eval $(call program,test-packets,$(wildcard selftests/bpf/*.c),-Iselftests/bpf,-lbpf -lmnl,$(bpf_skeletons)))
