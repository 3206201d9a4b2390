/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Callbacks for events without a request. netlink/ fills them in, so that packets and
 * devices do not depend on netlink.
 */
#ifndef _WEIR_TRIM_NOTIFY_H
#define _WEIR_TRIM_NOTIFY_H

#include <linux/types.h>

struct weir_trim;
struct weir_trim_net;

/**
 * struct weir_trim_notify - callbacks for events
 * @changed: a policy has changed; RTNL is held
 * @gone: a policy is gone; RTNL is held
 */
struct weir_trim_notify {
	void (*changed)(struct weir_trim_net *wn, const struct weir_trim *trim);
	void (*gone)(struct weir_trim_net *wn, const struct weir_trim *trim);
};

/* Set before the first event, and never changed. */
extern const struct weir_trim_notify *weir_trim_notify;

#endif /* _WEIR_TRIM_NOTIFY_H */
