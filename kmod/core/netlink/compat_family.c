// SPDX-License-Identifier: GPL-2.0
/*
 * The netlink family in the form of older kernels: one entry a command, and the calls
 * around it the same for all. Kernels that split commands do not build this file.
 */
#include "core/base/compat.h"
#include "agg/netlink/gen.h"

#ifndef WEIR_HAVE_SPLIT_OPS
#undef genl_register_family

static struct genl_ops weir_compat_ops[WEIR_CMD_MAX];

static int weir_compat_pre_doit(const struct genl_ops *ops, struct sk_buff *skb,
				struct genl_info *info)
{
	return weir_nl_pre_doit(NULL, skb, info);
}

static void weir_compat_post_doit(const struct genl_ops *ops,
				  struct sk_buff *skb, struct genl_info *info)
{
	weir_nl_post_doit(NULL, skb, info);
}

/* The rest comes from the specification. */
struct genl_family weir_nl_family __ro_after_init = {
	.netnsok	= true,
	.parallel_ops	= true,
	.module		= THIS_MODULE,
	.ops		= weir_compat_ops,
	.pre_doit	= weir_compat_pre_doit,
	.post_doit	= weir_compat_post_doit,
};

static struct genl_ops *weir_compat_op(u8 cmd)
{
	struct genl_ops *op = weir_compat_ops;

	while (op->cmd && op->cmd != cmd)
		op++;
	return op;
}

/**
 * weir_compat_register_family() - register the family in the older form
 * @family: to be filled
 * @spec: the newer form
 *
 * A command has one entry there, with both of its halves. Where both have attributes,
 * the attributes of "do" include those of "dump".
 *
 * Return: 0 or an error.
 */
int weir_compat_register_family(struct genl_family *family,
				const struct weir_compat_family *spec)
{
	const struct genl_split_ops *split = spec->split_ops;
	unsigned int i;

	strscpy(family->name, spec->name, GENL_NAMSIZ);
	family->version = spec->version;
	family->mcgrps = spec->mcgrps;
	family->n_mcgrps = spec->n_mcgrps;
	for (i = 0; i < spec->n_split_ops; i++, split++) {
		struct genl_ops *op = weir_compat_op(split->cmd);

		if (!op->cmd)
			family->n_ops++;
		op->cmd = split->cmd;
		op->flags |= split->flags & GENL_ADMIN_PERM;
		op->doit = op->doit ?: split->doit;
		op->dumpit = op->dumpit ?: split->dumpit;
		if (!op->policy) {
			op->policy = split->policy;
			op->maxattr = split->maxattr;
		}
	}
	return genl_register_family(family);
}
#endif
