// SPDX-License-Identifier: GPL-2.0
/* The kfuncs of this module, described in uapi/weir_bpf.h: each part has its own. */
#include <linux/bpf.h>
#include <linux/btf.h>
#include <linux/btf_ids.h>
#include <linux/module.h>

#include "core/base/compat.h"
#include "xdp/base/kfunc.h"
#include "xdp/chain/chain.h"
#include "xdp/filter/filter.h"
#include "xdp/flow/flows.h"
#include "xdp/order/order_kfunc.h"

/* A module has one set for a type of program: the kfuncs of all of its parts are in it. */
BTF_KFUNCS_START(weir_xdp_kfuncs)
BTF_ID_FLAGS(func, weir_chain_xdp)
BTF_ID_FLAGS(func, weir_flow_xdp)
BTF_ID_FLAGS(func, weir_filter_xdp)
BTF_ID_FLAGS(func, weir_order_xdp)
BTF_KFUNCS_END(weir_xdp_kfuncs)

static const struct btf_kfunc_id_set weir_xdp_kfunc_set = {
	.owner	= THIS_MODULE,
	.set	= &weir_xdp_kfuncs,
};

/**
 * weir_xdp_kfunc_init() - offer the functions to BPF programs
 *
 * They go with the module's BTF; programs that use them hold the module.
 *
 * Return: 0 or an error.
 */
int weir_xdp_kfunc_init(void)
{
	return register_btf_kfunc_id_set(BPF_PROG_TYPE_XDP, &weir_xdp_kfunc_set);
}
