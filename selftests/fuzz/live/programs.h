/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The BPF programs of weir: loaded once, as their verification takes a minute on a kernel
 * with all detectors on, and attached where they are wanted.
 */
#ifndef PROGRAMS_H
#define PROGRAMS_H

#include <stdbool.h>
#include <stdint.h>

enum program { PROGRAM_XDP, PROGRAM_TC, PROGRAM_FORWARD, PROGRAM_TRIM, PROGRAMS };

void programs_load(void);

/* In the driver, or generic. */
void program_xdp(unsigned int ifindex, enum program program, bool generic);
void program_no_xdp(unsigned int ifindex, bool generic);

/* At clsact's ingress or egress, before anything else. */
void program_tc(unsigned int ifindex, enum program program, bool egress);
void program_no_tc(unsigned int ifindex, bool egress);

#endif
