// SPDX-License-Identifier: GPL-2.0
#include <string.h>

#include "http/request.h"

static const struct route routes[] = {
	{ "POST", "/jobs", false, false, answer_ask },
	{ "GET", "/jobs", false, false, answer_jobs },
	{ "DELETE", "/jobs/", false, false, answer_delete },
	{ "GET", "/metrics", true, true, answer_metrics },
	{ "GET", "/events", true, false, answer_events },
};

#define ROUTES (sizeof(routes) / sizeof(routes[0]))

static bool is_path(const struct route *route, const char *path)
{
	size_t length = strlen(route->path);

	if (route->path[length - 1] == '/')
		return !strncmp(path, route->path, length) && path[length];
	return !strcmp(path, route->path);
}

const struct route *route_find(const char *method, const char *path, const char **rest,
			       struct refusal *refusal)
{
	bool known = false;
	size_t i;

	for (i = 0; i < ROUTES; i++) {
		if (!is_path(&routes[i], path))
			continue;
		known = true;
		if (strcmp(routes[i].method, method))
			continue;
		*rest = path + strlen(routes[i].path);
		return &routes[i];
	}
	if (known)
		refuse(refusal, 405, "the path does not take this method");
	else
		refuse(refusal, 404, "there is no such path: see weird(8)");
	return NULL;
}
