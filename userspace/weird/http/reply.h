/* SPDX-License-Identifier: GPL-2.0 */
/* Answers that are there at once. */
#ifndef WEIRD_REPLY_H
#define WEIRD_REPLY_H

#include <json-c/json.h>
#include <microhttpd.h>

#include "base/refusal.h"

/* Each queues the answer and ends the connection after it. */
enum MHD_Result reply_text(struct MHD_Connection *connection, int status, const char *type,
			   const char *text);

/* Frees the object. */
enum MHD_Result reply_json(struct MHD_Connection *connection, int status,
			   struct json_object *object);

/* {"error": "the sentence"} */
enum MHD_Result reply_refusal(struct MHD_Connection *connection, const struct refusal *refusal);

#endif
