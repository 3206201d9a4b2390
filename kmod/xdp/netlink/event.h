/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _WEIR_XDP_EVENT_H
#define _WEIR_XDP_EVENT_H

int weir_xdp_event_init(void);

#endif /* _WEIR_XDP_EVENT_H */
