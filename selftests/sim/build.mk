# SPDX-License-Identifier: GPL-2.0
# A simulated network, which has the planner from weir(8) and the congestion window from libweir: the
# very objects that these are linked from.
sim_dir := selftests/sim

$(eval $(call program,plan-sim,$(wildcard $(sim_dir)/*.c),-Iuserspace/weir -Iuserspace/lib -O3,\
	-lmnl -lbpf -ljson-c -lm))
$(B)/bin/plan-sim: $(filter-out %/main.o,$(weir_objects)) $(libweir_kv) \
	$(filter %/flow/pace.o %/flow/rtt.o,$(libweir_objects))
