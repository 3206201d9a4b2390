// SPDX-License-Identifier: BSD-2-Clause
#include "flow/merging.h"

void merging_lost(struct merging *merging, uint64_t sent)
{
	if (sent <= merging->last)
		return;
	merging->last = sent;
	if (++merging->lost >= MERGING_LOST_MAX)
		merging->is_on = false;
}
