/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _WEIR_SOURCES_H
#define _WEIR_SOURCES_H

#include "agg/job/source.h"

int weir_source_bind(struct weir_job *job, u32 id,
		     const struct weir_source_config *config);
void weir_source_unbind(struct weir_job *job, u32 id);
void weir_source_flush(struct weir_job *job);
void weir_source_free(struct weir_source *source);
bool weir_source_taken(const struct weir_job *job,
		       const struct weir_source_config *config, u32 *id);
bool weir_source_is_box(const struct weir_job *job,
			const struct weir_source_config *config, u16 port);

#endif /* _WEIR_SOURCES_H */
