/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _WEIR_FLOW_SCAN_H
#define _WEIR_FLOW_SCAN_H

struct weir_flow_table;

void weir_flow_scan_start(struct weir_flow_table *table);
void weir_flow_scan_hurry(struct weir_flow_table *table);
void weir_flow_scan_end(struct weir_flow_table *table);

#endif /* _WEIR_FLOW_SCAN_H */
