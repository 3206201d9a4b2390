// SPDX-License-Identifier: GPL-2.0
/*
 * The XDP program of one port alone: bound to its device, so that it may ask the
 * driver which VLAN tag it has taken off.
 */
#define WEIR_XDP_BOUND

#include "weir_xdp.bpf.c"
