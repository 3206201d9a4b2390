// SPDX-License-Identifier: GPL-2.0
/* Format toy: what stands before a result, and its DSCP. */
#include <linux/build_bug.h>
#include <uapi/weir.h>
#include <uapi/weir_wire.h>

#include "core/base/compat.h"
#include "agg/format/format.h"
#include "agg/slots/block.h"

static unsigned int weir_toy_result(void *head, u8 job, const struct weir_result *res)
{
	struct weir_toy *hdr = head;

	BUILD_BUG_ON(sizeof(*hdr) > WEIR_HEAD_MAX);
	hdr->kind = WEIR_TOY_DOWN;
	hdr->job = job;
	put_unaligned_be16(res->received, hdr->worker);
	put_unaligned_be32(res->id, hdr->block);
	return sizeof(*hdr);
}

const struct weir_format_ops weir_format_toy = {
	.id	= WEIR_FORMAT_TOY,
	.words	= true,
	.udp	= 12100,
	.result	= weir_toy_result,
	.dscp	= WEIR_TOY_DSCP,
};
