/* SPDX-License-Identifier: BSD-2-Clause */
/* "weird://10.0.0.254/name?policy=partial": the address of weird(8), and the job to ask it for. */
#ifndef WEIR_URL_H
#define WEIR_URL_H

#include <stdbool.h>

#define URL_TEXT	256
#define URL_NAME	65

/**
 * struct url - its parts
 * @http: the daemon's URL, "http://10.0.0.254:12080"
 * @name: of the job; empty where the launcher is to say
 * @query: further wishes; empty where there are none
 */
struct url {
	char http[URL_TEXT];
	char name[URL_NAME];
	char query[URL_TEXT];
};

/* False where it is none. */
bool url_read(struct url *url, const char *text);

#endif
