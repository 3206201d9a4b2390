// SPDX-License-Identifier: GPL-2.0
#include <stdio.h>

#include <weir_trim_nl.h>

#include "base/alpha.h"

bool alpha_read(const char *word, uint32_t *alpha)
{
	uint64_t over, under = 1;
	char *end;

	if (!units_digits(word, &end, &over) || over > WEIR_TRIM_ALPHA_MAX)
		return false;
	if (*end == '/' && (!units_digits(end + 1, &end, &under) || !under))
		return false;
	over *= WEIR_TRIM_ALPHA_ONE;
	if (*end || over % under || over / under > WEIR_TRIM_ALPHA_MAX)
		return false;
	*alpha = over / under;
	return true;
}

const char *alpha_text(char text[static UNITS_TEXT], uint32_t alpha)
{
	uint32_t under = WEIR_TRIM_ALPHA_ONE;

	while (!(alpha & 1) && under > 1) {
		alpha /= 2;
		under /= 2;
	}
	snprintf(text, UNITS_TEXT, under > 1 ? "%u/%u" : "%u", alpha, under);
	return text;
}
