# SPDX-License-Identifier: GPL-2.0
# Scripts over the module's tracepoints.

INSTALL_SBIN += $(wildcard userspace/bpftrace/*.bt)
