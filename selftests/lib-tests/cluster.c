// SPDX-License-Identifier: GPL-2.0
#include "cluster.h"

#include <errno.h>
#include <net/if.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "ktap.h"

/* So long, on a machine that does many other things. */
#define PATIENCE_MS 20000

static bool loopback_up(void)
{
	struct ifreq request = { .ifr_name = "lo", .ifr_flags = IFF_UP | IFF_RUNNING | IFF_MULTICAST };
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	bool up = fd >= 0 && !ioctl(fd, SIOCSIFFLAGS, &request);

	if (fd >= 0)
		close(fd);
	return up;
}

/* All of 127/8 is there by itself; IPv6 has one loopback address only. */
static bool add_addresses(void)
{
	char command[128];

	for (unsigned int i = 1; i <= 16; i++) {
		snprintf(command, sizeof(command),
			 "ip address add fd77::%x/128 dev lo nodad 2>/dev/null", i);
		if (system(command))
			return false;
	}
	return !system("ip address add " CLUSTER_BOX6 "/128 dev lo nodad && "
		       "ip route add 239.0.0.0/8 dev lo");
}

/* IPv6 discards packets to a group that leave by the loopback interface. */
static bool add_group_device(void)
{
	return !system("ip link add " CLUSTER_GROUP6_DEVICE " type veth peer name weir-peer && "
		       "ip link set " CLUSTER_GROUP6_DEVICE " up && ip link set weir-peer up && "
		       "ip -6 route add multicast ff05::/16 dev " CLUSTER_GROUP6_DEVICE " table local");
}

bool cluster_network(void)
{
	if (unshare(CLONE_NEWNET) && unshare(CLONE_NEWUSER | CLONE_NEWNET))
		return false;
	return loopback_up() && add_addresses() && add_group_device();
}

void cluster_init(struct cluster *cluster, unsigned int ranks)
{
	memset(cluster, 0, sizeof(*cluster));
	cluster->box = (struct refbox_options) {
		.address = CLUSTER_BOX,
		.port = 12000,
		.job = CLUSTER_JOB,
		.sources = (uint16_t)ranks,
		.blocks = CLUSTER_BLOCKS,
		.grads = CLUSTER_GRADS,
		/* So that it wraps before a worker sees it. */
		.generation = UINT16_MAX,
		.faults.seed = 77,
	};
	cluster->options = (struct weir_options) {
		.size = sizeof(struct weir_options),
		.address = CLUSTER_BOX,
		.job = CLUSTER_JOB,
		.ranks = (uint16_t)ranks,
		.grads = CLUSTER_GRADS,
		.timeout_ms = PATIENCE_MS,
		.ranks_timeout_ms = PATIENCE_MS,
	};
}

static void *box_thread(void *data)
{
	CHECK_EQ(refbox_run(data), 0);
	return NULL;
}

bool cluster_start_box(struct cluster *cluster)
{
	cluster->running = refbox_open(&cluster->box);
	if (!cluster->running) {
		ktap_complain(__FILE__, __LINE__, "no box at %s: %s", cluster->box.address,
			      strerror(errno));
		return false;
	}
	return CHECK(!pthread_create(&cluster->thread, NULL, box_thread, cluster->running));
}

void cluster_stop_box(struct cluster *cluster)
{
	refbox_stop(cluster->running);
	pthread_join(cluster->thread, NULL);
	cluster->counters = *refbox_counters(cluster->running);
	cluster->faults = *refbox_faults(cluster->running);
	refbox_close(cluster->running);
	cluster->running = NULL;
}

void cluster_worker_options(const struct cluster *cluster, unsigned int rank, char address[64],
			    struct weir_options *options)
{
	if (cluster->v6)
		snprintf(address, 64, "fd77::%x", rank + 1);
	else
		snprintf(address, 64, "127.77.%u.%u", 1 + rank / 250, 1 + rank % 250);
	*options = cluster->options;
	options->rank = (uint16_t)rank;
	options->bind_address = address;
}

struct start {
	struct worker *worker;
	void (*work)(struct worker *worker);
};

static void *worker_thread(void *data)
{
	struct start *start = data;
	struct worker *worker = start->worker;
	struct weir_options options;
	char address[64];
	int err;

	cluster_worker_options(worker->cluster, worker->rank, address, &options);
	err = weir_open(&worker->comm, &options);
	if (err) {
		ktap_complain(__FILE__, __LINE__, "rank %u: %s", worker->rank, weir_error(NULL));
		return NULL;
	}
	start->work(worker);
	worker->stats.size = sizeof(worker->stats);
	CHECK_EQ(weir_get_stats(worker->comm, &worker->stats), 0);
	weir_close(worker->comm);
	return NULL;
}

void cluster_run(struct cluster *cluster, void (*work)(struct worker *worker), void *data)
{
	pthread_t threads[REFBOX_SOURCES];
	struct start starts[REFBOX_SOURCES];

	if (!cluster_start_box(cluster))
		return;
	for (unsigned int i = 0; i < cluster->options.ranks; i++) {
		cluster->workers[i] = (struct worker) {
			.cluster = cluster, .rank = i, .data = data,
		};
		starts[i] = (struct start) { .worker = &cluster->workers[i], .work = work };
		CHECK(!pthread_create(&threads[i], NULL, worker_thread, &starts[i]));
	}
	for (unsigned int i = 0; i < cluster->options.ranks; i++)
		pthread_join(threads[i], NULL);
	cluster_stop_box(cluster);
}

void cluster_wait_for_news(struct worker *worker)
{
	struct weir_poll wanted = { .size = sizeof(wanted) };
	struct pollfd news[2];

	if (!CHECK_EQ(weir_get_poll(worker->comm, &wanted), 0))
		return;
	news[0] = (struct pollfd) {
		.fd = wanted.fd, .events = POLLIN | (wanted.writable ? POLLOUT : 0),
	};
	news[1] = (struct pollfd) { .fd = wanted.group_fd, .events = POLLIN };
	poll(news, 2, (int)(wanted.timeout_us / 1000 + 1));
}

uint64_t cluster_retransmits(const struct cluster *cluster)
{
	uint64_t sum = 0;

	for (unsigned int i = 0; i < cluster->options.ranks; i++)
		sum += cluster->workers[i].stats.retransmits;
	return sum;
}

uint64_t cluster_malformed(const struct cluster *cluster)
{
	uint64_t sum = 0;

	for (unsigned int i = 0; i < cluster->options.ranks; i++)
		sum += cluster->workers[i].stats.malformed;
	return sum;
}

uint64_t cluster_queries(const struct cluster *cluster)
{
	uint64_t sum = 0;

	for (unsigned int i = 0; i < cluster->options.ranks; i++)
		sum += cluster->workers[i].stats.queries;
	return sum;
}
