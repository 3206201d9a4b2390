/* SPDX-License-Identifier: GPL-2.0 */
/* Lengths of flows, as published: half of them those of the web search, half of data mining. */
#ifndef SIM_LENGTHS_H
#define SIM_LENGTHS_H

#include <stdbool.h>

/* PANAMA's bound of short flows, bytes. */
#define LENGTHS_SHORT	40000000.0

/* Bytes of a packet of the tables. */
#define LENGTHS_PACKET	1460

/* The length, in packets, that this part of the flows does not exceed. */
double lengths_at(bool is_websearch, double part);

/* Of both halves together. */
double lengths_mean(void);

#endif
