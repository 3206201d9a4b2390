/* SPDX-License-Identifier: GPL-2.0 */
#ifndef WEIRD_QUOTA_H
#define WEIRD_QUOTA_H

#include "jobs/jobs.h"

/*
 * Check that the tenant may have this job besides those that it has, and set the rate of the job. Return
 * false, and fill @refusal, if it may not.
 */
bool quota_allows(const struct jobs *jobs, const struct tenant *tenant, struct box_job *box,
		  struct refusal *refusal);

/* The module has said how much memory the new job takes. */
bool quota_holds(const struct jobs *jobs, const struct tenant *tenant, const struct job *made,
		 struct refusal *refusal);

#endif
