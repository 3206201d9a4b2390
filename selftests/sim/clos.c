// SPDX-License-Identifier: GPL-2.0
#include "clos.h"

/* Ports are numbered by kind; there are as many of each as there are servers. */
enum kind { FROM_SERVER, TO_SERVER, EDGE_UP, MIDDLE_DOWN, MIDDLE_UP, CORE_DOWN };

void clos_init(struct clos *clos, unsigned int ports)
{
	unsigned int half = ports / 2;

	*clos = (struct clos) {
		.half = half,
		.pods = ports,
		.servers = ports * half * half,
		.edges = ports * half,
		.cores = half * half,
	};
}

static unsigned int port(const struct clos *clos, enum kind kind, unsigned int number)
{
	return kind * clos->servers + number;
}

unsigned int clos_port(const struct clos *clos, unsigned int from, unsigned int to)
{
	unsigned int half = clos->half, edge = clos->servers, middle = edge + clos->edges;
	unsigned int core = middle + clos->edges;

	if (from < edge)
		return port(clos, FROM_SERVER, from);
	if (to < edge)
		return port(clos, TO_SERVER, to);
	if (from < middle)
		return port(clos, EDGE_UP, (from - edge) * half + (to - middle) % half);
	if (to < middle)
		return port(clos, MIDDLE_DOWN, (from - middle) * half + (to - edge) % half);
	if (from < core)
		return port(clos, MIDDLE_UP, (from - middle) * half + (to - core) % half);
	return port(clos, CORE_DOWN, (from - core) * clos->pods + (to - middle) / half);
}

/* A step to the next node, whose number is returned. */
static unsigned int step(const struct clos *clos, struct path *path, unsigned int from,
			 unsigned int to)
{
	path->ports[path->count++] = clos_port(clos, from, to);
	return to;
}

void clos_path(const struct clos *clos, unsigned int from, unsigned int to, unsigned int core,
	       struct path *path)
{
	unsigned int middle = core / clos->half, at = from;

	path->count = 0;
	at = step(clos, path, at, clos_edge(clos, clos_rack(clos, from)));
	if (clos_rack(clos, from) != clos_rack(clos, to)) {
		at = step(clos, path, at, clos_middle(clos, clos_pod(clos, from), middle));
		if (clos_pod(clos, from) != clos_pod(clos, to)) {
			at = step(clos, path, at, clos_core(clos, core));
			at = step(clos, path, at, clos_middle(clos, clos_pod(clos, to), middle));
		}
		at = step(clos, path, at, clos_edge(clos, clos_rack(clos, to)));
	}
	step(clos, path, at, to);
}
