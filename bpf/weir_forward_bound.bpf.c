// SPDX-License-Identifier: GPL-2.0
/*
 * The forwarding program for one ingress device alone: bound to it, so that it may ask the
 * driver which VLAN tag it has taken off.
 */
#define WEIR_FORWARD_BOUND

/* The program's name shows which of the two a device has. */
#define weir_forward weir_forward_on

#include "weir_forward.bpf.c"
