/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _WEIR_EVENT_H
#define _WEIR_EVENT_H

int weir_event_init(void);

#endif /* _WEIR_EVENT_H */
