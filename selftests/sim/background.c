// SPDX-License-Identifier: GPL-2.0
#include "background.h"

#include <stdio.h>

#include "figures.h"
#include "flow.h"
#include "lengths.h"
#include "random.h"

/**
 * struct transfer - a flow
 * @next: in the list of all
 * @done: when its last packet came; 0 before
 */
struct transfer {
	struct flow flow;
	struct transfer *next;
	uint64_t started;
	uint64_t done;
	uint64_t bytes;
};

static struct {
	const struct clos *clos;
	struct background_config config;
	struct event arrival;
	uint64_t seed;
	double wait;
	bool is_stopped;
	struct transfer *transfers;
	uint64_t open;
} background;

static bool is_measured(const struct transfer *transfer)
{
	const struct background_config *config = &background.config;

	return transfer->started >= config->from && transfer->started < config->until;
}

static bool is_short(const struct transfer *transfer)
{
	return (double)transfer->bytes * background.config.scale < LENGTHS_SHORT;
}

static bool is_awaited(const struct transfer *transfer)
{
	return is_measured(transfer) && is_short(transfer);
}

static void arrived(struct flow *flow)
{
	struct transfer *transfer = flow->owner;

	if (flow->received < flow->packets || transfer->done)
		return;
	transfer->done = event_now();
	background.open -= is_awaited(transfer);
}

static uint64_t draw_bytes(void)
{
	bool is_websearch = random_below(&background.seed, 2);
	double packets = lengths_at(is_websearch, random_part(&background.seed));

	return (uint64_t)(packets * LENGTHS_PACKET / background.config.scale) + 1;
}

static void begin_flow(uint64_t bytes)
{
	struct transfer *transfer = sim_alloc(1, sizeof(*transfer));
	const struct clos *clos = background.clos;
	struct flow *flow = &transfer->flow;
	unsigned int from = random_below(&background.seed, clos->servers);
	unsigned int ahead = 1 + random_below(&background.seed, clos->servers - 1);
	unsigned int to = (from + ahead) % clos->servers;
	uint32_t packets = (uint32_t)((bytes + FLOW_PAYLOAD - 1) / FLOW_PAYLOAD);

	transfer->started = event_now();
	transfer->bytes = bytes;
	transfer->next = background.transfers;
	background.transfers = transfer;
	background.open += is_awaited(transfer);
	clos_path(clos, from, to, random_below(&background.seed, clos->cores), &flow->there);
	clos_path(clos, to, from, random_below(&background.seed, clos->cores), &flow->back);
	flow_init(flow, packets, FLOW_PAYLOAD);
	flow_end_with(flow, (uint32_t)(bytes - (uint64_t)(packets - 1) * FLOW_PAYLOAD));
	flow->arrived = arrived;
	flow->owner = transfer;
	flow_allow(flow, packets);
}

static void wait_for_next(void)
{
	double wait = random_wait(&background.seed, background.wait);

	event_at(&background.arrival, event_now() + (uint64_t)wait);
}

static void arrive(struct event *event)
{
	(void)event;
	if (background.is_stopped)
		return;
	begin_flow(draw_bytes());
	wait_for_next();
}

void background_start(const struct clos *clos, const struct background_config *config, uint64_t seed)
{
	double mean = lengths_mean() * LENGTHS_PACKET / config->scale;
	double rate = config->load * config->mbps / 8000.0 * clos->servers;

	background.clos = clos;
	background.config = *config;
	background.seed = seed;
	background.arrival.run = arrive;
	if (config->load <= 0)
		return;
	background.wait = mean / rate;
	wait_for_next();
}

void background_stop(void)
{
	background.is_stopped = true;
}

bool background_is_measured(void)
{
	return !background.open;
}

/* Return the time that it would take if all queues were empty, and all of it was sent at once. */
static double alone(const struct transfer *transfer)
{
	const struct flow *flow = &transfer->flow;
	double byte = 8000.0 / background.config.mbps;
	uint32_t first = flow->packets > 1 ? FLOW_PAYLOAD : flow->last_payload;
	double hop = background.config.delay + (first + FLOW_HEADERS) * byte;

	return flow->there.count * hop + (double)(transfer->bytes - first) * byte;
}

void background_print(void)
{
	struct figures times = { 0 }, rates = { 0 }, slow = { 0 };

	for (const struct transfer *t = background.transfers; t; t = t->next) {
		uint64_t took = (t->done ? t->done : event_now()) - t->started;

		if (!is_measured(t))
			continue;
		if (!is_short(t)) {
			figures_add(&rates, (double)t->bytes * 8 / (double)took);
			continue;
		}
		figures_add(&times, (double)took / USEC);
		figures_add(&slow, (double)took / alone(t));
	}
	printf("short_flows %zu\n", times.count);
	printf("short_p50_us %.1f\n", figures_percentile(&times, 0.5));
	printf("short_p99_us %.1f\n", figures_percentile(&times, 0.99));
	printf("short_mean_us %.1f\n", figures_mean(&times));
	printf("short_p99_slowdown %.2f\n", figures_percentile(&slow, 0.99));
	printf("long_flows %zu\n", rates.count);
	printf("long_gbps %.3f\n", figures_mean(&rates));
}
