/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _WEIR_TRIM_HITS_H
#define _WEIR_TRIM_HITS_H

#include <linux/percpu.h>
#include <uapi/weir_trim.h>

void weir_trim_hits_sum(const struct weir_trim_hits __percpu *of, struct weir_trim_hits *sum);
void weir_trim_hits_since(const struct weir_trim_hits __percpu *of,
			  const struct weir_trim_hits *cleared, struct weir_trim_hits *hits);

#endif /* _WEIR_TRIM_HITS_H */
