/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Callbacks for events without a request. netlink/ fills them in, so that packets and
 * devices do not depend on netlink.
 */
#ifndef _WEIR_NOTIFY_H
#define _WEIR_NOTIFY_H

#include <linux/types.h>

struct weir_job;
struct weir_net;
struct weir_port;

/**
 * struct weir_notify - callbacks for events
 * @port_gone: a port is gone from its namespace, and is there until this returns; sleeps
 * @generation: a generation of a job begins; any context
 * @source: a source has changed its state: enum weir_event, the source's id, and in how
 *	many blocks it was missing in the last period; any context
 */
struct weir_notify {
	void (*port_gone)(struct weir_net *wn, const struct weir_port *port);
	void (*generation)(const struct weir_job *job);
	void (*source)(const struct weir_job *job, u32 event, u32 source,
		       u64 straggles);
};

/* Set before the first event, and never changed. */
extern const struct weir_notify *weir_notify;

#endif /* _WEIR_NOTIFY_H */
