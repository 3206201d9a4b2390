// SPDX-License-Identifier: GPL-2.0
/* /metrics. */
#include <stdlib.h>

#include "http/reply.h"
#include "http/request.h"
#include "metrics/metrics.h"

enum MHD_Result answer_metrics(struct request *request, struct refusal *refusal)
{
	enum MHD_Result result = MHD_NO;
	char *text = NULL;
	size_t size;
	FILE *to;
	int err;

	to = open_memstream(&text, &size);
	if (!to) {
		refuse(refusal, 500, "no memory");
		return MHD_NO;
	}
	err = metrics_write(to, request->server->jobs);
	if (fclose(to) || err)
		refuse(refusal, 503, "the weir module does not answer: is it loaded?");
	else
		result = reply_text(request->connection, MHD_HTTP_OK,
				    "text/plain; version=0.0.4", text);
	free(text);
	return result;
}
