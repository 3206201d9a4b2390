// SPDX-License-Identifier: GPL-2.0
/* The XDP program: in the driver, or behind it on socket buffers. */
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <linux/if_link.h>
#include <string.h>

#include <weir.h>
#include <weir_bpf.h>

#include "bpf/weir_xdp.skel.h"
#include "bpf/weir_xdp_bound.skel.h"
#include "program/program.h"

static void destroy(void *skeleton)
{
	weir_xdp_bpf__destroy(skeleton);
}

static void destroy_bound(void *skeleton)
{
	weir_xdp_bound_bpf__destroy(skeleton);
}

/*
 * Bound to the device, a program in the driver can read the VLAN tag that was taken
 * off; not all kernels have that.
 */
static int load_bound(const struct format_ports *ports, unsigned int ifindex,
		      struct program *program)
{
	struct weir_xdp_bound_bpf *skeleton = weir_xdp_bound_bpf__open();
	int err;

	_Static_assert(sizeof(skeleton->rodata->weir_formats) == sizeof(*ports),
		       "the program's table of formats");
	if (!skeleton)
		return -errno;
	memcpy((void *)skeleton->rodata->weir_formats, ports, sizeof(*ports));
	bpf_program__set_ifindex(skeleton->progs.weir_xdp, ifindex);
	bpf_program__set_flags(skeleton->progs.weir_xdp, BPF_F_XDP_DEV_BOUND_ONLY);
	err = weir_xdp_bound_bpf__load(skeleton);
	if (err) {
		weir_xdp_bound_bpf__destroy(skeleton);
		return err;
	}
	program->skeleton = skeleton;
	program->destroy = destroy_bound;
	program->fd = bpf_program__fd(skeleton->progs.weir_xdp);
	return 0;
}

static int load_any(const struct format_ports *ports, struct program *program)
{
	struct weir_xdp_bpf *skeleton;
	int err;

	_Static_assert(sizeof(skeleton->rodata->weir_formats) == sizeof(*ports),
		       "the program's table of formats");
	skeleton = weir_xdp_bpf__open();
	if (!skeleton)
		return -errno;
	memcpy((void *)skeleton->rodata->weir_formats, ports, sizeof(*ports));
	err = weir_xdp_bpf__load(skeleton);
	if (err) {
		weir_xdp_bpf__destroy(skeleton);
		return err;
	}
	program->skeleton = skeleton;
	program->destroy = destroy;
	program->fd = bpf_program__fd(skeleton->progs.weir_xdp);
	return 0;
}

/* @bind_to: the device that it may be bound to, 0 for none */
int xdp_load(const struct format_ports *ports, unsigned int bind_to, struct program *program)
{
	if (bind_to && !load_bound(ports, bind_to, program))
		return 0;
	return load_any(ports, program);
}

static __u32 flags_of(uint32_t mode)
{
	return mode == WEIR_MODE_GENERIC ? XDP_FLAGS_SKB_MODE : XDP_FLAGS_DRV_MODE;
}

/*
 * Only the program that was seen is replaced, and where none was seen none is: a
 * program attached meanwhile stays.
 */
int xdp_attach(unsigned int ifindex, uint32_t mode, int fd, const struct hook *old)
{
	LIBBPF_OPTS(bpf_xdp_attach_opts, opts);
	__u32 flags = flags_of(mode);

	if (old && old->id) {
		opts.old_prog_fd = old->fd;
		flags |= XDP_FLAGS_REPLACE;
	} else {
		flags |= XDP_FLAGS_UPDATE_IF_NOEXIST;
	}
	bpf_forget();
	return bpf_xdp_attach(ifindex, fd, flags, &opts);
}

int xdp_detach(unsigned int ifindex, const struct hook *hook)
{
	LIBBPF_OPTS(bpf_xdp_attach_opts, opts, .old_prog_fd = hook->fd);

	bpf_forget();
	return bpf_xdp_detach(ifindex, flags_of(hook->mode) | XDP_FLAGS_REPLACE, &opts);
}
