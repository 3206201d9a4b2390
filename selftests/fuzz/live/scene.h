/* SPDX-License-Identifier: GPL-2.0 */
/* A namespace with the devices and addresses that requests speak of, and traffic. */
#ifndef SCENE_H
#define SCENE_H

#include <stdbool.h>
#include <stdio.h>

#include "rng.h"

#define SCENE_DEVICES	6
#define SCENE_BASE	100	/* their indices are this one and those behind it */

/* A new namespace with the first of the devices, which this process enters. */
void scene_make(int devices);

/* Lets its loopback device hand packets over. */
void scene_attach(void);

/* A device that is there, most of the time. */
uint32_t scene_ifindex(struct rng *rng);

/* XDP programs that requests speak of, in this process and its children. */
void scene_load(void);

/* The descriptor of one of them, most of the time. */
uint32_t scene_program(struct rng *rng);

/* A device comes, goes, changes, moves to the namespace @elsewhere, or has a qdisc. */
void scene_churn(struct rng *rng, int elsewhere);

/* Sockets of workers on this machine, and their packets. */
void scene_traffic_open(void);
void scene_traffic(struct rng *rng, unsigned int packets);
void scene_traffic_close(void);

/* Feeds lines to one "ip", which is much quicker than one for each. */
FILE *scene_ip(void);
void scene_ip_end(FILE *ip);

/* Runs a command; ends the program where it fails. */
void scene_run(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
