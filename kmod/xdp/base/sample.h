/* SPDX-License-Identifier: GPL-2.0 */
/* One packet in so many, chosen at random: traffic has a beat of its own. */
#ifndef _WEIR_SAMPLE_H
#define _WEIR_SAMPLE_H

#include <linux/kernel.h>
#include <linux/percpu.h>
#include <linux/random.h>

/**
 * weir_sample_takes() - test whether a packet is one of the sample
 * @skip: this CPU's packets until the next one that is
 * @sample: one in so many; 1 is each
 *
 * Between two there are from 0 to 2 * (sample - 1) others, any number of them as likely as
 * another. Called with bottom halves disabled.
 */
static inline bool weir_sample_takes(u32 __percpu *skip, u32 sample)
{
	u32 left = this_cpu_read(*skip);

	if (left) {
		this_cpu_write(*skip, left - 1);
		return false;
	}
	if (sample > 1)
		this_cpu_write(*skip, get_random_u32_below(2 * sample - 1));
	return true;
}

#endif /* _WEIR_SAMPLE_H */
