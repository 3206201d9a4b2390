# SPDX-License-Identifier: GPL-2.0
# Programs of users, to learn from: built and tested, not installed.
$(eval $(call bpf_program,examples/trio-filter/trio_filter.bpf.c))
