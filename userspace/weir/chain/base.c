// SPDX-License-Identifier: GPL-2.0
/* The program on the device that a chain hangs on. */
#include <bpf/libbpf.h>
#include <errno.h>
#include <string.h>

#include <weir.h>

#include "base/tool.h"
#include "bpf/weir_chain.skel.h"
#include "chain/chain.h"
#include "grammar/names.h"

static const char *base_name(bool flat)
{
	return flat ? WEIR_CHAIN_FLAT_NAME : WEIR_CHAIN_NAME;
}

/* Only the kind that is asked for: a kernel may lack what the other one needs. */
static struct weir_chain_bpf *load(bool flat)
{
	struct weir_chain_bpf *skeleton = weir_chain_bpf__open();
	int err;

	if (!skeleton)
		return NULL;
	bpf_program__set_autoload(skeleton->progs.weir_chain, !flat);
	bpf_program__set_autoload(skeleton->progs.weir_chain_flat, flat);
	err = weir_chain_bpf__load(skeleton);
	if (err) {
		weir_chain_bpf__destroy(skeleton);
		errno = -err;
		return NULL;
	}
	return skeleton;
}

static int attach_refused(const struct chain *chain, bool flat, int err)
{
	const char *why = *bpf_said() ? bpf_said() : strerror(-err);

	switch (-err) {
	case EPERM:
		return refused(err, "not permitted to attach a program to %s: this takes CAP_NET_ADMIN; run it as root",
			       chain->dev);
	case EBUSY:
	case EEXIST:
		return refused(err, "another XDP program came to %s meanwhile (%s): look with `ip link show dev %s` and try again",
			       chain->dev, why, chain->dev);
	case EOPNOTSUPP:
		return refused(err, "the driver of %s has no XDP of its own (%s): say mode generic",
			       chain->dev, why);
	default:
		return refused(err, "%s does not take the chain's program (%s)%s", chain->dev, why,
			       flat ? ": a program of the chain takes no fragments, so lower the MTU, or compile it for the section xdp.frags" : "");
	}
}

int base_fit(struct chain *chain, bool flat)
{
	const char *name = base_name(flat);
	struct weir_chain_bpf *skeleton;
	int err, fd;

	if (chain->hook.chain && !strcmp(chain->hook.name, name))
		return WEIR_OK;
	skeleton = load(flat);
	if (!skeleton)
		return program_refused(-errno, name);
	fd = bpf_program__fd(flat ? skeleton->progs.weir_chain_flat : skeleton->progs.weir_chain);
	err = xdp_attach(chain->ifindex, chain->mode, fd, &chain->hook);
	weir_chain_bpf__destroy(skeleton);
	return err ? attach_refused(chain, flat, err) : WEIR_OK;
}

int base_detach(struct chain *chain)
{
	int err = xdp_detach(chain->ifindex, &chain->hook);

	if (!err)
		return WEIR_OK;
	return refused(err, "cannot detach the chain's program from %s: %s", chain->dev,
		       *bpf_said() ? bpf_said() : strerror(-err));
}
