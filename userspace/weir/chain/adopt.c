// SPDX-License-Identifier: GPL-2.0
/*
 * Take a program that weir has on a device alone into the device's chain: as one that is bound to the
 * device cannot be in a chain, another one of the same kind is loaded.
 */
#include <errno.h>
#include <string.h>

#include <weir_xdp_nl.h>

#include "base/tool.h"
#include "chain/chain.h"

static int adopt_sum(struct chain *chain, struct program *program)
{
	struct format_ports ports;
	int err = formats_of(&chain->rtnl, chain->ifindex, chain->hook.mode, &ports);

	if (err)
		return refused(err, "cannot read which ports the program on %s listens to: %s",
			       chain->dev, strerror(-err));
	err = xdp_load(&ports, 0, program);
	return err ? program_refused(err, WEIR_XDP_NAME) : WEIR_OK;
}

int chain_adopt(struct chain *chain, struct program *program, uint32_t *prio)
{
	int err;

	*prio = 0;
	if (chain->hook.chain)
		return WEIR_OK;
	if (!strcmp(chain->hook.name, WEIR_XDP_NAME)) {
		*prio = WEIR_XDP_CHAIN_PRIO_SUM;
		return adopt_sum(chain, program);
	}
	*prio = WEIR_XDP_CHAIN_PRIO_FORWARD;
	err = forward_load(program, 0);
	return err ? program_refused(err, WEIR_FORWARD_NAME) : WEIR_OK;
}
