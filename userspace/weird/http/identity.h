/* SPDX-License-Identifier: GPL-2.0 */
#ifndef WEIRD_IDENTITY_H
#define WEIRD_IDENTITY_H

#include <microhttpd.h>

#include "tenant/tenant.h"

/* Whose request it is, by its token or client certificate; NULL, and @refusal filled. */
const struct tenant *identity_find(const struct tenants *tenants,
				   struct MHD_Connection *connection, struct refusal *refusal);

#endif
