/* SPDX-License-Identifier: GPL-2.0 */
/* The actions of the grammar's verbs. Each returns an exit status. */
#ifndef WEIR_COMMANDS_H
#define WEIR_COMMANDS_H

struct args;

int request_run(const struct args *args);
int job_add(const struct args *args);
int job_set(const struct args *args);
int job_show(const struct args *args);
int source_show(const struct args *args);
int block_show(const struct args *args);
int chain_add_run(const struct args *args);
int chain_replace_run(const struct args *args);
int chain_move_run(const struct args *args);
int chain_adopt_run(const struct args *args);
int chain_del_run(const struct args *args);
int chain_show_run(const struct args *args);
int chain_flush_run(const struct args *args);
int flow_on(const struct args *args);
int flow_off(const struct args *args);
int flow_show(const struct args *args);
int flow_stats(const struct args *args);
int flow_flush(const struct args *args);
int filter_add_run(const struct args *args);
int filter_replace_run(const struct args *args);
int filter_load_run(const struct args *args);
int filter_guard_run(const struct args *args);
int filter_sources_run(const struct args *args);
int filter_del_run(const struct args *args);
int filter_show_run(const struct args *args);
int filter_flush_run(const struct args *args);
int order_add_run(const struct args *args);
int order_del_run(const struct args *args);
int order_show_run(const struct args *args);
int order_flush_run(const struct args *args);
int port_attach(const struct args *args);
int port_detach(const struct args *args);
int port_show(const struct args *args);
int port_flush(const struct args *args);
int trim_set(const struct args *args);
int trim_del(const struct args *args);
int trim_show(const struct args *args);
int trim_counters(const struct args *args);
int trim_queues(const struct args *args);
int trim_flush(const struct args *args);
int trim_pool_set(const struct args *args);
int trim_pool_show(const struct args *args);
int trim_acl_set(const struct args *args);
int trim_acl_show(const struct args *args);
int trim_default_set(const struct args *args);
int trim_default_show(const struct args *args);
int trim_default_del(const struct args *args);
int stats_show(const struct args *args);
int top_run(const struct args *args);
int monitor_run(const struct args *args);
int doctor_run(const struct args *args);
int plan_run(const struct args *args);
int import_sonic_run(const struct args *args);
int save_run(const struct args *args);
int restore_run(const struct args *args);
int upgrade_run(const struct args *args);
int metrics_run(const struct args *args);
int kv_put(const struct args *args);
int kv_get(const struct args *args);
int flush_all(const struct args *args);
int help_run(const struct args *args);
int complete_run(const struct args *args);

#endif
