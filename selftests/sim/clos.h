/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The network: a folded Clos of three levels without a bottleneck, as Al-Fares et al. (2008) build it
 * of switches that have k ports each. k = 16 has 1,024 servers.
 */
#ifndef SIM_CLOS_H
#define SIM_CLOS_H

#include "net.h"

/**
 * struct clos - how many there are
 * @half: half of a switch's ports: servers of a rack, racks of a pod, and so on
 * @edges: switches that servers are at, as many as there are in the level above
 *
 * Nodes are numbered: servers, edges, middle switches, cores.
 */
struct clos {
	unsigned int half;
	unsigned int pods;
	unsigned int servers;
	unsigned int edges;
	unsigned int cores;
};

void clos_init(struct clos *clos, unsigned int ports);

static inline unsigned int clos_ports(const struct clos *clos)
{
	return 6 * clos->servers;
}

static inline unsigned int clos_nodes(const struct clos *clos)
{
	return clos->servers + 2 * clos->edges + clos->cores;
}

static inline unsigned int clos_rack(const struct clos *clos, unsigned int server)
{
	return server / clos->half;
}

static inline unsigned int clos_pod(const struct clos *clos, unsigned int server)
{
	return clos_rack(clos, server) / clos->half;
}

static inline unsigned int clos_edge(const struct clos *clos, unsigned int rack)
{
	return clos->servers + rack;
}

static inline unsigned int clos_middle(const struct clos *clos, unsigned int pod, unsigned int i)
{
	return clos->servers + clos->edges + pod * clos->half + i;
}

static inline unsigned int clos_core(const struct clos *clos, unsigned int i)
{
	return clos->servers + 2 * clos->edges + i;
}

/* The port of a node that leads to its neighbour. */
unsigned int clos_port(const struct clos *clos, unsigned int from, unsigned int to);

/* The way from a server to another one by such a core, or below it where it need not go so high. */
void clos_path(const struct clos *clos, unsigned int from, unsigned int to, unsigned int core,
	       struct path *path);

#endif
