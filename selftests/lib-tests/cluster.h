/* SPDX-License-Identifier: GPL-2.0 */
/* A reference box and its workers, each in a thread, on loopback addresses. */
#ifndef CLUSTER_H
#define CLUSTER_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "libweir.h"
#include "refbox.h"

#define CLUSTER_JOB	7
#define CLUSTER_GRADS	64
#define CLUSTER_BLOCKS	256

#define CLUSTER_BOX	"127.77.0.254"
#define CLUSTER_BOX6	"fd77::fe"
#define CLUSTER_GROUP	"239.77.0.1"
#define CLUSTER_GROUP6	"ff05::77"
#define CLUSTER_GROUP6_DEVICE	"weir-group"

struct cluster;

/**
 * struct worker - one rank, in its thread
 * @cluster: where it belongs
 * @rank: its number
 * @comm: opened
 * @data: the test's own
 * @stats: its counters, when it has ended
 */
struct worker {
	struct cluster *cluster;
	unsigned int rank;
	struct weir *comm;
	void *data;
	struct weir_stats stats;
};

/**
 * struct cluster - the box and workers of a test
 * @box: options of the box
 * @options: options of all workers; rank and bind_address are filled in
 * @v6: over IPv6
 * @workers: one a rank, after cluster_run()
 * @counters: the box's, after cluster_run()
 * @faults: the faults of its links, after cluster_run()
 */
struct cluster {
	struct refbox_options box;
	struct weir_options options;
	bool v6;
	struct worker workers[REFBOX_SOURCES];
	struct refbox_counters counters;
	struct faults_counters faults;
	struct refbox *running;
	pthread_t thread;
};

/* Makes the loopback network; returns whether it is the tests' own. */
bool cluster_network(void);

/* Fills in the usual options. */
void cluster_init(struct cluster *cluster, unsigned int ranks);

/* Starts the box, opens all ranks, calls @work in each, closes, stops the box. */
void cluster_run(struct cluster *cluster, void (*work)(struct worker *worker), void *data);

/* The same in parts, for tests that do without some. */
bool cluster_start_box(struct cluster *cluster);
void cluster_stop_box(struct cluster *cluster);
void cluster_worker_options(const struct cluster *cluster, unsigned int rank, char address[64],
			    struct weir_options *options);

/* Waits as an event loop does, which knows only the result of weir_get_poll(). */
void cluster_wait_for_news(struct worker *worker);

/* Sums of a member over all workers. */
uint64_t cluster_retransmits(const struct cluster *cluster);
uint64_t cluster_malformed(const struct cluster *cluster);
uint64_t cluster_queries(const struct cluster *cluster);

#endif
