/* SPDX-License-Identifier: GPL-2.0 */
/* Counters of the box for Prometheus, and a dashboard of the same for Grafana. */
#ifndef WEIRD_METRICS_H
#define WEIRD_METRICS_H

#include <stdio.h>

#include "jobs/jobs.h"

/* Prints the dashboard. Returns an exit status. */
int metrics_dashboard(void);

/* Writes all that there is now. Returns 0 or a negative errno. */
int metrics_write(FILE *to, const struct jobs *jobs);

#endif
