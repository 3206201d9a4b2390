// SPDX-License-Identifier: GPL-2.0
/* The program of a device's filter in its chain. */
#include <bpf/libbpf.h>
#include <errno.h>

#include <weir.h>

#include "base/tool.h"
#include "bpf/weir_filter.skel.h"
#include "chain/chain.h"
#include "filter/filter.h"
#include "program/program.h"

int filter_place(const char *dev, uint32_t mode)
{
	struct weir_filter_bpf *skeleton;
	int status;

	bpf_quiet();
	status = bpf_ready();
	if (status)
		return status;
	skeleton = weir_filter_bpf__open_and_load();
	if (!skeleton)
		return program_refused(-errno, WEIR_FILTER_NAME);
	status = chain_put(dev, mode, WEIR_CHAIN_PRIO_FILTER,
			   bpf_program__fd(skeleton->progs.weir_filter));
	weir_filter_bpf__destroy(skeleton);
	return status;
}

int filter_unplace(const char *dev)
{
	return chain_take(dev, WEIR_CHAIN_PRIO_FILTER);
}
