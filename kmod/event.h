/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _WEIR_EVENT_H
#define _WEIR_EVENT_H

struct weir_job;

void weir_event_generation(const struct weir_job *job);

#endif /* _WEIR_EVENT_H */
