// SPDX-License-Identifier: GPL-2.0
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <err.h>
#include <linux/if_link.h>
#include <string.h>

#include <weir.h>
#include <weir_bpf.h>
#include <weir_trim.h>

#include "bpf/weir_forward.skel.h"
#include "bpf/weir_tc.skel.h"
#include "bpf/weir_trim.skel.h"
#include "bpf/weir_xdp.skel.h"
#include "programs.h"

#define TC_PRIORITY	1
#define TC_HANDLE	1

static int fds[PROGRAMS];

static void load_ports(void)
{
	static const struct weir_format_entry formats[] = { { 12000, WEIR_FORMAT_TRIO, 0 } };
	struct weir_xdp_bpf *xdp = weir_xdp_bpf__open();
	struct weir_tc_bpf *tc = weir_tc_bpf__open();

	if (!xdp || !tc)
		err(1, "open BPF objects");
	memcpy((void *)xdp->rodata->weir_formats, formats, sizeof(formats));
	memcpy((void *)tc->rodata->weir_formats, formats, sizeof(formats));
	if (weir_xdp_bpf__load(xdp) || weir_tc_bpf__load(tc))
		err(1, "load BPF objects");
	fds[PROGRAM_XDP] = bpf_program__fd(xdp->progs.weir_xdp);
	fds[PROGRAM_TC] = bpf_program__fd(tc->progs.weir_tc);
}

void programs_load(void)
{
	struct weir_forward_bpf *forward = weir_forward_bpf__open_and_load();
	struct weir_trim_bpf *trim = weir_trim_bpf__open_and_load();

	if (!forward || !trim)
		err(1, "load BPF objects");
	fds[PROGRAM_FORWARD] = bpf_program__fd(forward->progs.weir_forward);
	fds[PROGRAM_TRIM] = bpf_program__fd(trim->progs.weir_trim);
	load_ports();
}

static void set_xdp(unsigned int ifindex, int fd, bool generic)
{
	if (bpf_xdp_attach(ifindex, fd, generic ? XDP_FLAGS_SKB_MODE : XDP_FLAGS_DRV_MODE, NULL))
		err(1, "XDP");
}

void program_xdp(unsigned int ifindex, enum program program, bool generic)
{
	set_xdp(ifindex, fds[program], generic);
}

void program_no_xdp(unsigned int ifindex, bool generic)
{
	set_xdp(ifindex, -1, generic);
}

void program_tc(unsigned int ifindex, enum program program, bool egress)
{
	LIBBPF_OPTS(bpf_tc_hook, hook, .ifindex = ifindex,
		    .attach_point = egress ? BPF_TC_EGRESS : BPF_TC_INGRESS);
	LIBBPF_OPTS(bpf_tc_opts, opts, .prog_fd = fds[program], .priority = TC_PRIORITY,
		    .handle = TC_HANDLE);

	if (bpf_tc_attach(&hook, &opts))
		err(1, "tc");
}

void program_no_tc(unsigned int ifindex, bool egress)
{
	LIBBPF_OPTS(bpf_tc_hook, hook, .ifindex = ifindex,
		    .attach_point = egress ? BPF_TC_EGRESS : BPF_TC_INGRESS);
	LIBBPF_OPTS(bpf_tc_opts, opts, .priority = TC_PRIORITY, .handle = TC_HANDLE);

	if (bpf_tc_detach(&hook, &opts))
		err(1, "tc");
}
