/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _WEIR_NETLINK_FLOW_H
#define _WEIR_NETLINK_FLOW_H

#include <linux/types.h>

struct weir_flow;
struct weir_flow_notice;
struct weir_flow_sum;
struct weir_flow_table;

void weir_nl_flow_notify(const struct weir_flow_table *table, u8 cmd);
void weir_nl_flow_alarm(struct weir_flow_table *table, const struct weir_flow_notice *notice);
void weir_nl_flow_report(struct weir_flow_table *table, const struct weir_flow *flow,
			 const struct weir_flow_sum *since, u8 end);
void weir_nl_flow_reported(struct weir_flow_table *table);
int weir_nl_flow_init(void);
void weir_nl_flow_uninit(void);

#endif /* _WEIR_NETLINK_FLOW_H */
