// SPDX-License-Identifier: BSD-2-Clause
#include "ask/url.h"

#include <stdio.h>
#include <string.h>

#define PORT_DEFAULT	12080

static const struct { const char *scheme, *http; } schemes[] = {
	{ "weird://", "http://" },
	{ "weirds://", "https://" },
};

/* The length of the scheme at the start of the text; 0 where there is none. */
static size_t read_scheme(const char *text, const char **http)
{
	size_t i;

	for (i = 0; i < sizeof(schemes) / sizeof(schemes[0]); i++) {
		size_t length = strlen(schemes[i].scheme);

		*http = schemes[i].http;
		if (!strncmp(text, schemes[i].scheme, length))
			return length;
	}
	return 0;
}

/* Of "[fd00::1]:80" the colon behind the bracket counts. */
static bool has_port(const char *host, size_t length)
{
	const char *bracket = memchr(host, ']', length);
	const char *from = bracket ? bracket : host;

	return memchr(from, ':', length - (size_t)(from - host));
}

static bool read_host(struct url *url, const char *http, const char *host, size_t length)
{
	if (!length || length > URL_TEXT - 32 || memchr(host, '@', length))
		return false;
	if (has_port(host, length))
		snprintf(url->http, URL_TEXT, "%s%.*s", http, (int)length, host);
	else
		snprintf(url->http, URL_TEXT, "%s%.*s:%u", http, (int)length, host, PORT_DEFAULT);
	return true;
}

static bool read_name(struct url *url, const char *name, size_t length)
{
	if (length >= URL_NAME || memchr(name, '/', length))
		return false;
	memcpy(url->name, name, length);
	url->name[length] = '\0';
	return true;
}

bool url_read(struct url *url, const char *text)
{
	const char *http, *host, *name;
	size_t scheme, length;

	memset(url, 0, sizeof(*url));
	scheme = read_scheme(text, &http);
	if (!scheme)
		return false;
	host = text + scheme;
	length = strcspn(host, "/?");
	if (!read_host(url, http, host, length))
		return false;
	name = host + length;
	if (*name == '/')
		name++;
	length = strcspn(name, "?");
	if (!read_name(url, name, length))
		return false;
	name += length;
	if (*name == '?')
		name++;
	if (strlen(name) >= URL_TEXT)
		return false;
	strcpy(url->query, name);
	return true;
}
