# SPDX-License-Identifier: GPL-2.0
# weir-flow-export: records of flows as IPFIX. It is left out where there is no libfixbuf.

ifneq ($(shell pkg-config --exists libfixbuf && echo y),)
flow_export_sources := $(wildcard userspace/flow-export/*.c) $(addprefix userspace/weir/netlink/,genl.c module.c nl.c put.c)
$(eval $(call program,weir-flow-export,$(flow_export_sources),\
	-D_GNU_SOURCE -Iuserspace/flow-export -Iuserspace/weir $(shell pkg-config --cflags libfixbuf | sed 's/-I/-isystem /g'),\
	$(shell pkg-config --libs libfixbuf) -lmnl))
INSTALL_SBIN += $(B)/bin/weir-flow-export
endif
