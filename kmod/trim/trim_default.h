/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _WEIR_TRIM_DEFAULT_H
#define _WEIR_TRIM_DEFAULT_H

#include "trim/trim_config.h"

u64 weir_trim_default_attrs(void);
void weir_trim_default_own(struct weir_trim_config *config, u64 attrs,
			   const struct weir_trim_config *plain);
void weir_trim_default_apply(struct weir_trim_config *config,
			     const struct weir_trim_config *def);

#endif /* _WEIR_TRIM_DEFAULT_H */
