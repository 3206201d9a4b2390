/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _WEIR_TRIMS_H
#define _WEIR_TRIMS_H

#include "trim/trim.h"

u64 weir_trim_counter(const struct weir_trim *trim,
		      enum weir_trim_counter counter);
bool weir_trim_class_count(const struct weir_trim *trim, unsigned int class,
			   struct weir_trim_class_count *count);
void weir_trim_hits(const struct weir_trim *trim, unsigned int slot,
		    struct weir_trim_hits *hits);
void weir_trim_device(const struct net_device *dev,
		      struct weir_trim_device *device);
bool weir_trim_bounces(struct weir_trim_net *wn, int ifindex,
		       const struct weir_trim_config *config);
int weir_trim_set(struct weir_trim_net *wn, struct net_device *dev,
		  const struct weir_trim_config *config);
const struct weir_trim_config *weir_trim_untold(void);
const struct weir_trim_config *weir_trim_default(const struct weir_trim_net *wn);
int weir_trim_set_default(struct weir_trim_net *wn,
			  const struct weir_trim_config *def, int *ifindex,
			  const char **why);
void weir_trim_totals(struct weir_trim_net *wn, struct weir_trim_totals *totals);
void weir_trim_clear(struct weir_trim_net *wn, struct weir_trim *trim);
void weir_trim_clear_all(struct weir_trim_net *wn);
bool weir_trim_del(struct weir_trim_net *wn, int ifindex);
void weir_trim_flush(struct net *net);
int weir_trim_init(void);
int weir_trim_net_init(struct net *net);
void weir_trim_net_uninit(struct net *net);
int weir_trim_dev_event(struct net_device *dev, unsigned long event, void *info);

#endif /* _WEIR_TRIMS_H */
