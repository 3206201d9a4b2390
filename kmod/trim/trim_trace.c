// SPDX-License-Identifier: GPL-2.0
/* The bodies of the qdisc's tracepoints. */
#define CREATE_TRACE_POINTS
#include "trim/trim_trace.h"
