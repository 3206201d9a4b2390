/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Ranks that were refused a place. The others of their job wait until all are there, so each of
 * them is told: those that wait already, and those that come soon after, also where there was no
 * job yet that the rank could have been refused in.
 */
#ifndef WEIRD_REFUSED_H
#define WEIRD_REFUSED_H

#include "jobs/jobs.h"

/* Remembers it, and tells the ranks that are there. */
void refused_note(struct jobs *jobs, const struct tenant *tenant, const struct ask *ask,
		  const char *why);

/* The rank has its place now. */
void refused_forget(struct jobs *jobs, const struct tenant *tenant, const struct ask *ask);

/* Tells a rank that has just come. */
void refused_tell(struct jobs *jobs, const struct job *job, struct lease *lease);

#endif
