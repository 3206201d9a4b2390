/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _WEIR_CONTRIBUTE_H
#define _WEIR_CONTRIBUTE_H

#include <linux/types.h>

#include "agg/job/path.h"
#include "agg/tx/merged.h"

struct net_device;
struct weir_contrib;
struct weir_payload;

/**
 * struct weir_pass - the datagrams of a merged packet, one after the other
 * @path: of the last one; its tally and its packets to send are those below
 * @ifindex: the device that the packet came in on
 * @now: time of its arrival, ns of the monotonic clock
 * @tally: contributions of @path's source that are not counted yet
 * @merged: packets to send for the datagrams
 */
struct weir_pass {
	struct weir_path	path;
	int			ifindex;
	u64			now;
	struct weir_tally	tally;
	struct weir_merged	merged;
};

int weir_contribute(struct net_device *dev, struct weir_contrib *c,
		    struct weir_payload *datagram, bool verified);
int weir_refuse(struct net_device *dev, const struct weir_contrib *c,
		u32 reason);

void weir_pass_begin(struct weir_pass *pass, struct net_device *dev);
int weir_pass_take(struct weir_pass *pass, struct weir_contrib *c,
		   struct weir_payload *payload, bool verified);
int weir_pass_refuse(struct weir_pass *pass, const struct weir_contrib *c, u32 reason);
void weir_pass_end(struct weir_pass *pass);

bool weir_contrib_copy(struct weir_contrib *c, const struct weir_contrib *from,
		       u32 size);

#endif /* _WEIR_CONTRIBUTE_H */
