// SPDX-License-Identifier: GPL-2.0
#include "http/identity.h"

#include <gnutls/x509.h>
#include <string.h>
#include <strings.h>

#include "http/visitor.h"
#include "tls/tls.h"

#define SCHEME		"Bearer "
#define COMMON_NAME	256

static bool read_common_name(const gnutls_datum_t *der, char name[static COMMON_NAME])
{
	size_t size = COMMON_NAME;
	gnutls_x509_crt_t crt;
	bool good;

	if (gnutls_x509_crt_init(&crt))
		return false;
	good = !gnutls_x509_crt_import(crt, der, GNUTLS_X509_FMT_DER) &&
	       !gnutls_x509_crt_get_dn_by_oid(crt, GNUTLS_OID_X520_COMMON_NAME, 0, 0, name, &size);
	gnutls_x509_crt_deinit(crt);
	return good;
}

/* Copy the common name of the client's certificate; return false if it has shown no valid one. */
static bool common_name(struct MHD_Connection *connection, char name[static COMMON_NAME])
{
	const union MHD_ConnectionInfo *info;
	const gnutls_datum_t *der;

	info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_GNUTLS_SESSION);
	der = info && info->tls_session ? tls_client(info->tls_session) : NULL;
	return der && read_common_name(der, name);
}

const struct tenant *identity_find(const struct tenants *tenants,
				   struct MHD_Connection *connection, struct refusal *refusal)
{
	const char *header = MHD_lookup_connection_value(connection, MHD_HEADER_KIND,
							 MHD_HTTP_HEADER_AUTHORIZATION);
	char name[COMMON_NAME];

	if (header && strncasecmp(header, SCHEME, strlen(SCHEME))) {
		refuse(refusal, 401, "only the scheme Bearer is known here");
		return NULL;
	}
	return tenants_find(tenants, header ? header + strlen(SCHEME) : NULL,
			    common_name(connection, name) ? name : NULL,
			    &visitor_of(connection)->peer, refusal);
}
