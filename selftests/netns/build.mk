# SPDX-License-Identifier: GPL-2.0
# A port that tests have instead of a fast one: slow, with several queues. And traffic to be trimmed.

$(eval $(call test_module,slow-port,selftests/netns/slow_port/slow_port.c))

$(eval $(call program,trim-traffic,selftests/netns/trim_traffic.c))
$(eval $(call program,sample-listen,selftests/netns/sample_listen.c selftests/lib/genl.c,-Iselftests,-lmnl))
$(eval $(call program,order-traffic,selftests/netns/order_traffic.c))

# The names of what a trimming policy has, each with the first one of its enum.
$(B)/trim-policy/names.h: uapi/weir_trim_nl.h
	$(call say,GEN,$@)
	@mkdir -p $(@D)
	@sed -n 's/^enum .*{/enum/p; s/^\t\(WEIR_\(A_\)\?TRIM_[A-Z0-9_]*\)\( = 1\)\?,$$/\1/p' $< | \
		awk '$$1 == "enum" { first = ""; next } { if (!first) first = $$1; \
			printf "{ \"%s\", \"%s\", %s },\n", first, $$1, $$1 }' >$@

$(eval $(call program,trim-policy,selftests/netns/trim_policy.c selftests/lib/genl.c,-Iselftests,-lmnl,$(B)/trim-policy/names.h))

# A packet of the host's, next to a tenant.
$(eval $(call bpf_program,selftests/netns/tenant/tenant.bpf.c))

# Programs of users in chains.
$(eval $(call bpf_program,selftests/netns/chain/users.bpf.c))
