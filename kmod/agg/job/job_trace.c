// SPDX-License-Identifier: GPL-2.0
/* The bodies of jobs' tracepoints. */
#define CREATE_TRACE_POINTS
#include "agg/job/job_trace.h"
