// SPDX-License-Identifier: GPL-2.0
/* Per-CPU counters of rules. */
#include "trim/hits.h"

/**
 * weir_trim_hits_sum() - sum up the counters of a rule over all CPUs
 * @of: the counters
 * @sum: set to their sum since they were allocated
 */
void weir_trim_hits_sum(const struct weir_trim_hits __percpu *of, struct weir_trim_hits *sum)
{
	const struct weir_trim_hits *one;
	int cpu;

	*sum = (struct weir_trim_hits) {};
	for_each_possible_cpu(cpu) {
		one = per_cpu_ptr(of, cpu);
		sum->packets += READ_ONCE(one->packets);
		sum->bytes += READ_ONCE(one->bytes);
	}
}

/**
 * weir_trim_hits_since() - read the counters of a rule since they were set to zero
 * @of: the counters
 * @cleared: weir_trim_hits_sum() at that time
 * @hits: set to the difference
 */
void weir_trim_hits_since(const struct weir_trim_hits __percpu *of,
			  const struct weir_trim_hits *cleared, struct weir_trim_hits *hits)
{
	weir_trim_hits_sum(of, hits);
	hits->packets -= cleared->packets;
	hits->bytes -= cleared->bytes;
}
