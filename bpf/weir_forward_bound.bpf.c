// SPDX-License-Identifier: GPL-2.0
/*
 * The program that forwards what comes in by one device alone: bound to it, so that it may
 * ask the driver which VLAN tag it has taken off.
 */
#define WEIR_FORWARD_BOUND

/* Who looks at a device sees which of the two it has. */
#define weir_forward weir_forward_on

#include "weir_forward.bpf.c"
