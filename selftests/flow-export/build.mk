# SPDX-License-Identifier: GPL-2.0
# The exporter of flows is tested with these, if there is libfixbuf.

ifneq ($(shell pkg-config --exists libfixbuf && echo y),)
$(eval $(call program,test-flow-feed,selftests/flow-export/feed.c userspace/flow-export/ipfix.c \
	$(addprefix userspace/weir/netlink/,genl.c module.c nl.c put.c),\
	-D_GNU_SOURCE -Iuserspace/flow-export -Iuserspace/weir $(shell pkg-config --cflags libfixbuf | sed 's/-I/-isystem /g'),\
	$(shell pkg-config --libs libfixbuf) -lmnl))
endif
