/* SPDX-License-Identifier: GPL-2.0 */
#ifndef WEIRD_IDENTITY_H
#define WEIRD_IDENTITY_H

#include <microhttpd.h>

#include "tenant/tenant.h"

/*
 * Look up the tenant of a request by its token or client certificate. Return NULL, with the reason in
 * @refusal, if no tenant matches.
 */
const struct tenant *identity_find(const struct tenants *tenants,
				   struct MHD_Connection *connection, struct refusal *refusal);

#endif
