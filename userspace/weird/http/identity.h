/* SPDX-License-Identifier: GPL-2.0 */
#ifndef WEIRD_IDENTITY_H
#define WEIRD_IDENTITY_H

#include <microhttpd.h>

#include "tenant/tenant.h"

/*
 * Find the tenant of a request by its token or client certificate. Return NULL, and fill @refusal, if there
 * is none.
 */
const struct tenant *identity_find(const struct tenants *tenants,
				   struct MHD_Connection *connection, struct refusal *refusal);

#endif
