// SPDX-License-Identifier: GPL-2.0
/* The sets of kfuncs of this module, described in uapi/weir_bpf.h. */
#include <linux/bpf.h>
#include <linux/btf.h>
#include <linux/btf_ids.h>
#include <linux/module.h>

#include "core/base/compat.h"
#include "trim/trim_kfunc.h"

/* A module has one set for a type of program. */
BTF_KFUNCS_START(weir_trim_xdp_kfuncs)
BTF_ID_FLAGS(func, weir_trim_port_xdp, KF_RET_NULL)
BTF_ID_FLAGS(func, weir_trim_cpu_xdp, KF_RET_NULL)
BTF_ID_FLAGS(func, weir_trim_from_xdp)
BTF_ID_FLAGS(func, weir_trim_edge_xdp)
BTF_ID_FLAGS(func, weir_trim_acl_xdp)
BTF_ID_FLAGS(func, weir_trim_acl_count_xdp)
BTF_ID_FLAGS(func, weir_trim_backlog_xdp)
BTF_ID_FLAGS(func, weir_trim_bridge_xdp)
BTF_ID_FLAGS(func, weir_trim_frags_xdp)
BTF_ID_FLAGS(func, weir_trim_note_xdp)
BTF_KFUNCS_END(weir_trim_xdp_kfuncs)

BTF_KFUNCS_START(weir_trim_skb_kfuncs)
BTF_ID_FLAGS(func, weir_trim_port_skb, KF_RET_NULL)
BTF_ID_FLAGS(func, weir_trim_cpu_skb, KF_RET_NULL)
BTF_ID_FLAGS(func, weir_trim_edge_skb)
BTF_ID_FLAGS(func, weir_trim_acl_skb)
BTF_ID_FLAGS(func, weir_trim_acl_count_skb)
BTF_ID_FLAGS(func, weir_trim_plain_skb)
BTF_ID_FLAGS(func, weir_trim_length_skb)
BTF_ID_FLAGS(func, weir_trim_queue_skb)
BTF_ID_FLAGS(func, weir_trim_class_skb)
BTF_KFUNCS_END(weir_trim_skb_kfuncs)

static const struct btf_kfunc_id_set weir_trim_xdp_set = {
	.owner	= THIS_MODULE,
	.set	= &weir_trim_xdp_kfuncs,
};

static const struct btf_kfunc_id_set weir_trim_skb_set = {
	.owner	= THIS_MODULE,
	.set	= &weir_trim_skb_kfuncs,
};

/**
 * weir_trim_kfunc_init() - offer the functions to BPF programs
 *
 * They go with the module's BTF; programs that use them hold the module.
 *
 * Return: 0 or an error.
 */
int weir_trim_kfunc_init(void)
{
	int err;

	err = register_btf_kfunc_id_set(BPF_PROG_TYPE_XDP, &weir_trim_xdp_set);
	if (err)
		return err;
	return register_btf_kfunc_id_set(BPF_PROG_TYPE_SCHED_CLS, &weir_trim_skb_set);
}
