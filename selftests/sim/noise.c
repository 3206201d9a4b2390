// SPDX-License-Identifier: GPL-2.0
#include "noise.h"

#include <stdio.h>

#include "flow.h"
#include "random.h"

#define ITERATIONS	100

/* Long flows begin at 40 MB, and this job's gradients take 4 ms of a link, as the paper's seem to do. */
#define LONG		40000000
#define GRADIENTS	5000000

/**
 * struct sender - of long flows, one after the other
 */
struct sender {
	const struct clos *clos;
	unsigned int server;
	uint64_t seed;
};

static bool is_over;

static void send_flow(struct sender *sender);

static void arrived(struct flow *flow)
{
	if (flow->received == flow->packets)
		send_flow(flow->owner);
}

/* The second server of a rack other than the sender's own. */
static unsigned int draw_receiver(struct sender *sender)
{
	const struct clos *clos = sender->clos;
	unsigned int rack = clos_rack(clos, sender->server);

	rack = (rack + 1 + random_below(&sender->seed, clos->edges - 1)) % clos->edges;
	return rack * clos->half + 1;
}

static void send_flow(struct sender *sender)
{
	const struct clos *clos = sender->clos;
	unsigned int to = draw_receiver(sender);
	struct flow *flow;

	if (is_over)
		return;
	flow = sim_alloc(1, sizeof(*flow));
	clos_path(clos, sender->server, to, random_below(&sender->seed, clos->cores), &flow->there);
	clos_path(clos, to, sender->server, random_below(&sender->seed, clos->cores), &flow->back);
	flow_init(flow, LONG / FLOW_PAYLOAD, FLOW_PAYLOAD);
	flow->arrived = arrived;
	flow->owner = sender;
	flow_allow(flow, flow->packets);
}

static void ended(struct job *job)
{
	(void)job;
	is_over = true;
	event_stop();
}

void noise_run(const struct clos *clos, const struct job_config *config, unsigned int senders,
	       uint64_t seed)
{
	static const struct model model = { "figure 9", GRADIENTS, 0 };
	struct job_config many = *config;
	unsigned int *servers = sim_alloc(clos->edges, sizeof(*servers));
	struct sender *sender = sim_alloc(senders, sizeof(*sender));
	const struct job *job;

	many.iterations = ITERATIONS;
	for (unsigned int i = 0; i < clos->edges; i++)
		servers[i] = i * clos->half;
	for (unsigned int i = 0; i < senders; i++) {
		sender[i] = (struct sender) {
			.clos = clos,
			.server = i % clos->edges * clos->half + 1,
			.seed = random_mix(seed + i),
		};
		send_flow(&sender[i]);
	}
	job = job_start(&many, clos, &model, servers, clos->edges, &seed, ended);
	event_run_all();
	printf("iteration_ms %.3f\n", (double)(job->ended - job->started) / ITERATIONS / MSEC);
}
