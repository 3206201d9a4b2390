/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Records of flows. The module keeps them, a table a device; weir's program in the device's chain
 * hands it the packets.
 */
#ifndef WEIR_FLOW_H
#define WEIR_FLOW_H

#include <libmnl/libmnl.h>
#include <stdbool.h>
#include <stdint.h>

/* Number of records that `flow show` shows by default. */
#define FLOW_TOP 20

/* show.c: a device's table, or one record. @brief leaves the counters to JSON. */
void flow_table_print(const struct nlmsghdr *message, bool brief);
void flow_record_print(const struct nlmsghdr *message, bool brief);
void flow_alarm_print(const struct nlmsghdr *message, bool brief);

/* As the command that begins it. */
void flow_save(const struct nlmsghdr *message, uint32_t mode);

#endif
