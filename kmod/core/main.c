// SPDX-License-Identifier: GPL-2.0
/* weir_core.ko: what the modules of weir share. It has no state but rings of pages and a worker. */
#include <linux/module.h>
#include <linux/rcupdate.h>

#include "core/base/cut.h"
#include "core/base/module.h"
#include "core/base/ns.h"
#include "core/packet/hash.h"

static const struct weir_part weir_core_parts[] = {
	{ "hashes", .init = weir_flow_hash_init },
	{ "cut pages", .init = weir_cut_init, .uninit = weir_cut_uninit },
	/* The pages wait for RCU callbacks. */
	{ "callbacks", .uninit = rcu_barrier },
	{ "endings", .init = weir_ns_start, .uninit = weir_ns_stop },
};

static struct weir_module weir_core = {
	.part	= weir_core_parts,
	.count	= ARRAY_SIZE(weir_core_parts),
};

static int __init weir_core_init(void)
{
	return weir_module_init(&weir_core);
}

static void __exit weir_core_exit(void)
{
	weir_module_uninit(&weir_core);
}

module_init(weir_core_init);
module_exit(weir_core_exit);

MODULE_DESCRIPTION("What the modules of weir share");
MODULE_LICENSE("GPL");
MODULE_VERSION(WEIR_VERSION);
