# SPDX-License-Identifier: GPL-2.0
# Tests that run the BPF programs on packets.
$(eval $(call program,test-packets,$(wildcard selftests/bpf/*.c) selftests/lib/genl.c,-Iselftests/bpf -Iselftests,-lbpf -lmnl,$(bpf_skeletons)))

# And one whose programs hand over memory that another CPU writes to.
$(eval $(call bpf_program,selftests/bpf/hostile/hostile.bpf.c))
$(eval $(call program,test-hostile,selftests/bpf/hostile/test_hostile.c selftests/bpf/packet.c,-Iselftests/bpf,-lbpf,$(B)/bpf/hostile.skel.h))

# And programs that write what the module trusts, and keep pointers while frames are cut.
$(eval $(call bpf_program,selftests/bpf/hostile/author.bpf.c))
$(eval $(call program,test-author,selftests/bpf/hostile/test_author.c selftests/bpf/packet.c selftests/lib/genl.c,-Iselftests/bpf -Iselftests/bpf/hostile -Iselftests,-lbpf -lmnl,$(B)/bpf/author.skel.h))

# The example of a user's program.
$(eval $(call program,test-filter,selftests/bpf/filter/test_filter.c selftests/bpf/packet.c,-Iselftests/bpf,-lbpf,$(B)/bpf/trio_filter.skel.h))

# Chains of programs.
$(eval $(call bpf_program,selftests/bpf/chain/members.bpf.c))
$(eval $(call program,test-chain,selftests/bpf/chain/test_chain.c selftests/lib/genl.c,-Iselftests/bpf -Iselftests,-lbpf -lmnl -lpthread,$(B)/bpf/members.skel.h $(B)/bpf/weir_chain.skel.h))

# Records of flows.
$(eval $(call bpf_program,selftests/bpf/flow/traffic.bpf.c))
$(eval $(call program,test-flow,selftests/bpf/flow/test_flow.c selftests/lib/genl.c,-Iselftests/bpf -Iselftests,-lbpf -lmnl -lpthread,$(B)/bpf/traffic.skel.h $(B)/bpf/weir_chain.skel.h $(B)/bpf/weir_flow.skel.h))
