// SPDX-License-Identifier: GPL-2.0
#include "base/refusal.h"

#include <stdarg.h>
#include <stdio.h>

bool refuse(struct refusal *refusal, int status, const char *format, ...)
{
	va_list args;

	if (refusal->status)
		return false;
	refusal->status = status;
	va_start(args, format);
	vsnprintf(refusal->text, sizeof(refusal->text), format, args);
	va_end(args);
	return false;
}
