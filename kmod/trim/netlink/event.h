/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _WEIR_TRIM_EVENT_H
#define _WEIR_TRIM_EVENT_H

int weir_trim_event_init(void);

#endif /* _WEIR_TRIM_EVENT_H */
