// SPDX-License-Identifier: GPL-2.0
/* The switch of switch.h: events in the order of time. */
#include <err.h>
#include <stdlib.h>
#include <string.h>

#include <weir_trim_nl.h>

#include "switch.h"
#include "trim/bands.h"
#include "trim/weir_meter.h"

#define PS	1000		/* picoseconds a nanosecond: the clock's unit */
#define SLOW_MAX	(1 << 17)
#define EVENTS_MAX	(1 << 17)

enum event_kind {
	EV_SEND,		/* a frame arrives from sender @a */
	EV_PORT,		/* port @a has sent what it was sending */
	EV_SLOW,		/* CPU @a has taken a frame of its slow path */
	EV_HEADER,		/* a header of the slow path arrives at port @a */
	EV_SIGNAL,		/* CPU @b hears of an overflow of port @a */
};

struct event {
	int64_t at;
	uint64_t order;
	enum event_kind kind;
	int a;
	int b;
};

/*
 * An egress port: two bands of a queue, and a link. Frames for which the queue of whole
 * ones had no room wait in a qdisc, which has the link in turn with it.
 */
struct port {
	int data[SWITCH_PORTS + 64];	/* senders, a ring */
	int head;
	int waiting;
	int headers;
	int headers_in_turn;
	bool busy;
	bool turn;
	struct weir_bands qdisc;
	int deflected[SWITCH_PORTS + 64];	/* senders of its whole frames, a ring */
	int deflected_head;
};

/* A CPU's slow path: frames that found no room, one after the other. */
struct slow {
	int *frame;			/* the ports they go to, a ring */
	int head;
	int waiting;
	bool busy;
};

struct box {
	const struct switch_config *c;
	struct switch_result *r;
	struct event heap[EVENTS_MAX];
	int events;
	uint64_t order;
	int64_t now;
	uint64_t random;
	struct weir_bands_limits limits;
	struct port port[SWITCH_PORTS];
	struct slow slow[SWITCH_CPUS];
	struct weir_trim_port meter[SWITCH_CPUS][SWITCH_PORTS];
	struct weir_trim_cpu cpu[SWITCH_CPUS][SWITCH_PORTS];
	int sent[SWITCH_PORTS];
	int64_t due[SWITCH_PORTS];
	int64_t since[SWITCH_PORTS];	/* of the pessimistic mode, or -1 */
	void (*pessimistic)(int port, int64_t from, int64_t to);
};

static bool before(const struct event *a, const struct event *b)
{
	return a->at != b->at ? a->at < b->at : a->order < b->order;
}

static void push(struct box *s, int64_t at, enum event_kind kind, int a, int b)
{
	struct event ev = { .at = at, .order = s->order++, .kind = kind,
			    .a = a, .b = b };
	int i = s->events++, up;

	if (i == EVENTS_MAX)
		errx(1, "too many events");
	for (; i; i = up) {
		up = (i - 1) / 2;
		if (before(&s->heap[up], &ev))
			break;
		s->heap[i] = s->heap[up];
	}
	s->heap[i] = ev;
}

static struct event pop(struct box *s)
{
	struct event top = s->heap[0], last = s->heap[--s->events];
	int i = 0, down;

	for (; (down = 2 * i + 1) < s->events; i = down) {
		if (down + 1 < s->events &&
		    before(&s->heap[down + 1], &s->heap[down]))
			down++;
		if (before(&last, &s->heap[down]))
			break;
		s->heap[i] = s->heap[down];
	}
	s->heap[i] = last;
	return top;
}

/* xorshift64: the same on every machine. */
static double unit(struct box *s)
{
	s->random ^= s->random << 13;
	s->random ^= s->random >> 7;
	s->random ^= s->random << 17;
	return (s->random >> 11) * 0x1p-53;
}

static int64_t bytes_time(const struct box *s, int bytes)
{
	return bytes * 1e12 / s->c->rate;
}

static bool counts(const struct box *s)
{
	return s->now >= s->c->warmup * PS;
}

static void port_next(struct box *s, int p);

static void port_start(struct box *s, int p, int bytes)
{
	s->port[p].busy = true;
	push(s, s->now + bytes_time(s, bytes), EV_PORT, p, 0);
}

static bool qdisc_waits(const struct port *port)
{
	return port->qdisc.packets[WEIR_BAND_DATA] || port->qdisc.packets[WEIR_BAND_HEADER];
}

/* As the module's qdisc: kmod/trim/bands.c says which is the next.  */
static void qdisc_next(struct box *s, int p)
{
	struct port *port = &s->port[p];
	enum weir_band_id band = weir_bands_next(&port->qdisc, &s->limits);
	int len = band == WEIR_BAND_HEADER ? s->c->trim : s->c->frame;
	int sender = 0;

	if (band == WEIR_BAND_DATA) {
		sender = port->deflected[port->deflected_head];
		port->deflected_head = (port->deflected_head + 1) % s->c->queue;
	}
	weir_bands_sent(&port->qdisc, &s->limits, band, len);
	if (counts(s) && band == WEIR_BAND_HEADER)
		s->r->headers++;
	else if (counts(s))
		s->r->whole[sender]++;
	port_start(s, p, len);
}

/* Headers first; with a ratio, after so many of them one frame. */
static void port_next(struct box *s, int p)
{
	struct port *port = &s->port[p];
	bool turn = s->c->ratio && port->headers_in_turn >= s->c->ratio;

	port->busy = false;
	port->turn = !port->turn;
	if (qdisc_waits(port) && (port->turn || !(port->headers || port->waiting))) {
		qdisc_next(s, p);
	} else if (port->headers && !(port->waiting && turn)) {
		port->headers--;
		port->headers_in_turn++;
		if (counts(s))
			s->r->headers++;
		port_start(s, p, s->c->trim);
	} else if (port->waiting) {
		port->waiting--;
		port->headers_in_turn = 0;
		if (counts(s))
			s->r->whole[port->data[port->head]]++;
		port->head = (port->head + 1) % s->c->queue;
		port_start(s, p, s->c->frame);
	}
}

static void header_arrives(struct box *s, int p)
{
	struct port *port = &s->port[p];

	if (++port->headers > s->r->header_max)
		s->r->header_max = port->headers;
	if (!port->busy)
		port_next(s, p);
}

static void trimmed(struct box *s)
{
	if (counts(s))
		s->r->trimmed++;
}

static void signal_overflow(struct box *s, int p, int cpu)
{
	int i;

	s->r->signals++;
	for (i = 0; i < SWITCH_CPUS; i++)
		if (s->c->signal == SIGNAL_ALL ||
		    (s->c->signal == SIGNAL_ONE && i == cpu))
			push(s, s->now + s->c->delay * PS, EV_SIGNAL, p, i);
}

static void slow_start(struct box *s, int cpu)
{
	struct slow *slow = &s->slow[cpu];

	slow->busy = slow->waiting;
	if (slow->busy)
		push(s, s->now + bytes_time(s, s->c->frame), EV_SLOW, cpu, 0);
}

static void slow_arrives(struct box *s, int cpu, int p)
{
	struct slow *slow = &s->slow[cpu];

	if (slow->waiting == SLOW_MAX)
		errx(1, "a slow path grows without end");
	slow->frame[(slow->head + slow->waiting++) % SLOW_MAX] = p;
	if (slow->waiting > s->r->slow_max)
		s->r->slow_max = slow->waiting;
	if (!slow->busy)
		slow_start(s, cpu);
}

/* A frame that has left the slow path is trimmed, and all CPUs get the signal (figure 4). */
static void slow_left(struct box *s, int cpu)
{
	struct slow *slow = &s->slow[cpu];
	int p = slow->frame[slow->head];

	slow->head = (slow->head + 1) % SLOW_MAX;
	slow->waiting--;
	trimmed(s);
	push(s, s->now + s->c->delay * PS, EV_HEADER, p, 0);
	signal_overflow(s, p, cpu);
	slow_start(s, cpu);
}

static void deflected(struct box *s, int p, int len)
{
	struct port *port = &s->port[p];
	int waiting;

	weir_bands_add(&port->qdisc,
		       len == s->c->frame ? WEIR_BAND_DATA : WEIR_BAND_HEADER, len);
	waiting = port->qdisc.packets[WEIR_BAND_DATA] + port->qdisc.packets[WEIR_BAND_HEADER];
	if (waiting > s->r->slow_max)
		s->r->slow_max = waiting;
	if (!port->busy)
		port_next(s, p);
}

/* A frame that the ring did not take is a signal, and is queued, or trimmed and queued. */
static void deflect(struct box *s, int p, int sender, int cpu)
{
	struct port *port = &s->port[p];
	int waiting = port->qdisc.packets[WEIR_BAND_DATA];

	signal_overflow(s, p, cpu);
	s->r->deflected += counts(s);
	if (!weir_bands_data_full(&port->qdisc, &s->limits, s->c->frame, 0)) {
		port->deflected[(port->deflected_head + waiting) % s->c->queue] = sender;
		deflected(s, p, s->c->frame);
		return;
	}
	waiting += port->qdisc.packets[WEIR_BAND_HEADER];
	if (waiting >= WEIR_TRIM_DEFLECTED_MAX ||
	    weir_bands_header_full(&port->qdisc, &s->limits, 0)) {
		s->r->lost += counts(s);
		return;
	}
	trimmed(s);
	deflected(s, p, s->c->trim);
}

/* The real queue of a port, which may be full although a meter had room. */
static void data_arrives(struct box *s, int p, int sender, int cpu)
{
	struct port *port = &s->port[p];

	if (port->waiting < s->c->queue) {
		port->data[(port->head + port->waiting++) % s->c->queue] = sender;
		if (port->waiting > s->r->data_max)
			s->r->data_max = port->waiting;
		if (!port->busy)
			port_next(s, p);
		return;
	}
	switch (s->c->kind) {
	case SWITCH_IDEAL:
	case SWITCH_SHARED:
		trimmed(s);
		header_arrives(s, p);
		return;
	case SWITCH_PERCPU:
		slow_arrives(s, cpu, p);
		return;
	case SWITCH_DEFLECT:
		deflect(s, p, sender, cpu);
		return;
	case SWITCH_DROP:
		if (counts(s))
			s->r->lost++;
		signal_overflow(s, p, cpu);
	}
}

static int verdict(struct box *s, int p, int cpu)
{
	const struct weir_meter_packet packet = {
		.len = s->c->frame, .trimmed = s->c->trim, .eligible = true,
	};

	if (s->c->kind == SWITCH_IDEAL)
		return WEIR_METER_WHOLE;
	if (s->c->kind == SWITCH_SHARED)
		cpu = 0;
	return weir_meter(&s->meter[cpu][p], &s->cpu[cpu][p], s->now / PS,
			  &packet);
}

static void send_next(struct box *s, int sender)
{
	int64_t gap = bytes_time(s, s->c->frame), early;

	if (s->c->packets && s->sent[sender] >= s->c->packets)
		return;
	s->sent[sender]++;
	s->due[sender] += gap;
	early = gap * s->c->jitter / 100 * (2 * unit(s) - 1);
	push(s, s->due[sender] + early, EV_SEND, sender, 0);
}

static void arrives(struct box *s, int sender)
{
	int cpu = s->c->spread ? sender % SWITCH_CPUS :
				 sender / (SWITCH_PORTS / SWITCH_CPUS);
	int p = sender % s->c->receivers;

	if (counts(s))
		s->r->offered++;
	switch (verdict(s, p, cpu)) {
	case WEIR_METER_WHOLE:
		data_arrives(s, p, sender, cpu);
		break;
	case WEIR_METER_TRIM:
		trimmed(s);
		header_arrives(s, p);
		break;
	default:
		if (counts(s))
			s->r->lost++;
	}
	send_next(s, sender);
}

/* The meters read the overflow's time from the port, as on a real box. */
static void hear(struct box *s, int p, int cpu)
{
	s->meter[cpu][p].overflow = s->now / PS;
	if (!cpu && s->since[p] < 0)
		s->since[p] = s->now / PS;
}

/* The time since the last event, by the mode that each port was in. */
static void tally(struct box *s, int64_t until)
{
	int64_t ns = until / PS - s->now / PS;
	int p, mode;

	if (s->c->kind == SWITCH_IDEAL || s->c->kind == SWITCH_SHARED)
		return;
	for (p = 0; p < s->c->receivers && p < s->c->senders; p++) {
		mode = weir_meter_mode(&s->meter[0][p], s->now / PS);
		if (counts(s))
			s->r->mode[mode] += ns;
		if (s->since[p] >= 0 && mode != WEIR_TRIM_PESSIMISTIC) {
			if (s->pessimistic)
				s->pessimistic(p, s->since[p], s->now / PS);
			s->since[p] = -1;
		}
	}
}

static void handle(struct box *s, const struct event *ev)
{
	switch (ev->kind) {
	case EV_SEND:
		arrives(s, ev->a);
		break;
	case EV_PORT:
		port_next(s, ev->a);
		break;
	case EV_SLOW:
		slow_left(s, ev->a);
		break;
	case EV_HEADER:
		header_arrives(s, ev->a);
		break;
	case EV_SIGNAL:
		hear(s, ev->a, ev->b);
	}
}

static uint64_t cost(const struct switch_config *c, double percent)
{
	return 1e9 / (c->rate * percent / 100) * (1 << WEIR_TRIM_TICK_SHIFT) *
	       (1 << WEIR_TRIM_COST_SHIFT);
}

static void set_meters(struct box *s)
{
	const struct switch_config *c = s->c;
	struct weir_trim_meters m = {
		.cost = { cost(c, 100), cost(c, c->half), cost(c, c->pessimistic) },
		.t0 = c->t0, .t1 = c->t1,
		.kind = c->kind == SWITCH_SHARED ? WEIR_TRIM_METER_SHARED :
						   WEIR_TRIM_METER_PERCPU,
	};
	int cpu, p;

	m.limit = weir_meter_ticks(m.cost[0], c->frame * c->meter);
	/* The headers' band has no limit here. */
	m.header_limit = 1ULL << 40;
	for (cpu = 0; cpu < SWITCH_CPUS; cpu++)
		for (p = 0; p < SWITCH_PORTS; p++)
			s->meter[cpu][p].meters = m;
}

/**
 * switch_run() - let a switch work
 * @config: the switch and its load
 * @result: filled
 * @pessimistic: called for each pessimistic time of a port, ns; or NULL
 */
void switch_run(const struct switch_config *config,
		struct switch_result *result,
		void (*pessimistic)(int port, int64_t from, int64_t to))
{
	struct box *s = calloc(1, sizeof(*s));
	struct event ev;
	int i;

	if (!s)
		err(1, "memory");
	memset(result, 0, sizeof(*result));
	s->c = config;
	s->r = result;
	s->random = config->seed * 0x9e3779b97f4a7c15 + 1;
	s->pessimistic = pessimistic;
	set_meters(s);
	s->limits = (struct weir_bands_limits) {
		.packets = config->queue, .headers = WEIR_TRIM_HEADERS_DEFAULT,
		.share = WEIR_TRIM_SHARE_RATIO, .share_value = WEIR_TRIM_RATIO_DEFAULT,
	};
	for (i = 0; i < SWITCH_CPUS; i++)
		if (!(s->slow[i].frame = calloc(SLOW_MAX, sizeof(int))))
			err(1, "memory");
	for (i = 0; i < SWITCH_PORTS; i++)
		s->since[i] = -1;
	/* A time before which no clock of a running machine is. */
	s->now = 1000 * PS;
	for (i = 0; i < config->senders; i++) {
		s->due[i] = s->now + bytes_time(s, config->frame) * unit(s);
		send_next(s, i);
	}
	while (s->events) {
		ev = pop(s);
		if (ev.at > config->end * PS)
			break;
		if (ev.at > s->now) {
			tally(s, ev.at);
			s->now = ev.at;
		}
		handle(s, &ev);
	}
	tally(s, config->end * PS);
	for (i = 0; i < SWITCH_CPUS; i++)
		free(s->slow[i].frame);
	free(s);
}
