/* SPDX-License-Identifier: GPL-2.0 */
/* /events: those who hear what happens, as server-sent events. */
#ifndef WEIRD_EVENTS_H
#define WEIRD_EVENTS_H

#include <json-c/json.h>

void events_tell(struct json_object *event);

#endif
