// SPDX-License-Identifier: GPL-2.0
/* Messages to the events group that devices and changes of the default cause. */
#include "trim/netlink/event.h"
#include "trim/netlink/netlink.h"
#include "trim/notify.h"

static void weir_event_trim_changed(struct weir_trim_net *wn,
				    const struct weir_trim *trim)
{
	weir_trim_nl_notify(wn, trim, WEIR_CMD_TRIM_NTF);
}

static void weir_event_trim_gone(struct weir_trim_net *wn,
				 const struct weir_trim *trim)
{
	weir_trim_nl_notify(wn, trim, WEIR_CMD_TRIM_DEL_NTF);
}

static const struct weir_trim_notify weir_trim_event_notify = {
	.changed	= weir_event_trim_changed,
	.gone		= weir_event_trim_gone,
};

/**
 * weir_trim_event_init() - send events that no request causes
 *
 * Return: 0.
 */
int weir_trim_event_init(void)
{
	weir_trim_notify = &weir_trim_event_notify;
	return 0;
}
