// SPDX-License-Identifier: GPL-2.0
#include "http/reply.h"

#include <string.h>

enum MHD_Result reply_text(struct MHD_Connection *connection, int status, const char *type,
			   const char *text)
{
	struct MHD_Response *response;
	enum MHD_Result result;

	response = MHD_create_response_from_buffer(strlen(text), (void *)text,
						   MHD_RESPMEM_MUST_COPY);
	if (!response)
		return MHD_NO;
	MHD_add_response_header(response, MHD_HTTP_HEADER_CONNECTION, "close");
	if (*text)
		MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_TYPE, type);
	if (status == MHD_HTTP_UNAUTHORIZED)
		MHD_add_response_header(response, MHD_HTTP_HEADER_WWW_AUTHENTICATE, "Bearer");
	result = MHD_queue_response(connection, status, response);
	MHD_destroy_response(response);
	return result;
}

enum MHD_Result reply_json(struct MHD_Connection *connection, int status,
			   struct json_object *object)
{
	const int flags = JSON_C_TO_STRING_PLAIN | JSON_C_TO_STRING_NOSLASHESCAPE;
	enum MHD_Result result;

	result = reply_text(connection, status, "application/json",
			    json_object_to_json_string_ext(object, flags));
	json_object_put(object);
	return result;
}

enum MHD_Result reply_refusal(struct MHD_Connection *connection, const struct refusal *refusal)
{
	struct json_object *object = json_object_new_object();

	json_object_object_add(object, "error", json_object_new_string(refusal->text));
	return reply_json(connection, refusal->status, object);
}
