// SPDX-License-Identifier: GPL-2.0
/* The tracepoints' bodies. */
#define CREATE_TRACE_POINTS
#include "trace.h"
