// SPDX-License-Identifier: GPL-2.0
/*
 * trim-sim: the cases of the trimming paper, sections 6.1 to 6.3, and the closed
 * forms, on the simulated switch. Prints figures as "NAME VALUE", and tables
 * for the plots.
 */
#include <err.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "switch.h"

#define LINE_RATE	12.5e9	/* bytes a second: 100 Gbit/s */

static const char usage[] =
	"usage: trim-sim figures|senders|response|modes|timeline SENDERS\n"
	"\n"
	"  figures           the closed forms, and the paper's bounds (KEY VALUE)\n"
	"  senders           1 to 64 senders to 16 receivers (paper, figure 6)\n"
	"  response          how long an overflow is answered (figure 8)\n"
	"  modes             other answers to an overflow, 32 and 64 senders (figure 9)\n"
	"  timeline SENDERS  when which port is pessimistic (figure 7)\n";

/* The paper's switch: 64 ports of 100 Gbit/s, 12 frames of 1500 bytes. */
static const struct switch_config paper = {
	.kind = SWITCH_PERCPU, .signal = SIGNAL_ALL,
	.senders = 64, .receivers = 16, .frame = 1500, .trim = 64,
	.rate = LINE_RATE, .queue = 12, .meter = 12,
	.half = 50, .pessimistic = 25, .t0 = 6000, .t1 = 24000,
	.delay = 1000, .end = 500000, .jitter = 50, .seed = 1,
};

static uint64_t sum_whole(const struct switch_result *r)
{
	uint64_t sum = 0;
	int i;

	for (i = 0; i < SWITCH_PORTS; i++)
		sum += r->whole[i];
	return sum;
}

/* Ports that are sent to. */
static int targets(const struct switch_config *c)
{
	return c->senders < c->receivers ? c->senders : c->receivers;
}

/* The share of frames that came whole, of those that the links could carry. */
static double whole_share(const struct switch_config *c,
			  const struct switch_result *r)
{
	double frames = (c->end - c->warmup) / 1e9 * c->rate / c->frame;

	return sum_whole(r) / (frames * targets(c));
}

/* Strict priority while N t < M; else, and with k:1, k headers a frame. */
static double closed_form(const struct switch_config *c)
{
	double n = (double)c->senders / targets(c), t = c->trim, m = c->frame;
	double strict = (1 - n * t / m) / (1 - t / m);

	if (!c->ratio || (n - strict) / strict < c->ratio)
		return strict;
	return m / (m + c->ratio * t);
}

static double jain(const struct switch_config *c, const struct switch_result *r)
{
	double sum = 0, squares = 0;
	int i;

	for (i = 0; i < c->senders; i++) {
		sum += r->whole[i];
		squares += (double)r->whole[i] * r->whole[i];
	}
	return sum * sum / (c->senders * squares);
}

static struct switch_result run(const struct switch_config *c)
{
	struct switch_result r;

	switch_run(c, &r, NULL);
	return r;
}

/* Frames trimmed or lost beyond those that the ideal queue has to trim, relative. */
static double excess(const struct switch_config *c, const struct switch_result *r)
{
	struct switch_config ideal = *c;
	struct switch_result best;

	ideal.kind = SWITCH_IDEAL;
	best = run(&ideal);
	return best.trimmed ? (double)(r->trimmed + r->lost) / best.trimmed - 1 : 0;
}

static const char *const kinds[] = {
	[SWITCH_IDEAL] = "queue", [SWITCH_SHARED] = "shared meter",
	[SWITCH_PERCPU] = "per-CPU meters", [SWITCH_DROP] = "per-CPU meters, no slow path",
	[SWITCH_DEFLECT] = "per-CPU meters, deflected",
};

/* The worst over the incasts for which the strict form holds. */
struct worst {
	double error;
	double excess;
	double jain;
	uint64_t lost;
	int deflected;
};

static void worst_case(const struct switch_config *c, struct worst *w)
{
	struct switch_result r = run(c);
	double form = closed_form(c), share = whole_share(c, &r);
	double over = excess(c, &r);

	printf("# %s, %2d to %2d, frame %4d, trim %3d: whole %.4f, closed form %.4f, excess %.4f, Jain %.3f\n",
	       kinds[c->kind], c->senders, targets(c), c->frame, c->trim, share,
	       form, over, jain(c, &r));
	if (r.slow_max || r.lost)
		printf("#   overflow behind the meters: %llu packets signalled, at most %d waited, %llu of %llu lost\n",
		       (unsigned long long)r.signals, r.slow_max,
		       (unsigned long long)r.lost, (unsigned long long)r.offered);
	w->error = fmax(w->error, fabs(share / form - 1));
	w->excess = fmax(w->excess, over);
	w->jain = fmin(w->jain, jain(c, &r));
	w->lost += r.lost;
	if (r.slow_max > w->deflected)
		w->deflected = r.slow_max;
}

static void incasts(enum switch_kind kind, struct worst *w)
{
	static const int senders[] = { 4, 16, 64 }, frames[] = { 1514, 9014 },
			 trims[] = { 64, 128 };
	struct switch_config c = paper;
	unsigned int i, j, k;

	c.kind = kind;
	c.receivers = 1;
	c.spread = true;
	c.warmup = 200000;
	for (i = 0; i < 3; i++)
		for (j = 0; j < 2; j++)
			for (k = 0; k < 2; k++) {
				c.senders = senders[i];
				c.frame = frames[j];
				c.trim = trims[k];
				/* So that each sender has some hundred whole frames. */
				c.end = c.warmup + 5000000LL * c.senders / 4;
				if (c.senders * c.trim < c.frame)
					worst_case(&c, w);
			}
}

/* Many ports at once, senders of each on several CPUs: the paper's worst case. */
static void parallel(enum switch_kind kind, struct worst *w)
{
	static const int senders[] = { 18, 32, 48, 64 };
	struct switch_config c = paper;
	unsigned int i;

	c.kind = kind;
	c.warmup = 50000;
	for (i = 0; i < 4; i++) {
		c.senders = senders[i];
		worst_case(&c, w);
	}
}

static void figures(void)
{
	struct worst shared = { .jain = 1 }, one = { .jain = 1 };
	struct worst many = { .jain = 1 }, ring = { .jain = 1 };
	struct worst deflect = { .jain = 1 };

	incasts(SWITCH_SHARED, &shared);
	incasts(SWITCH_PERCPU, &one);
	parallel(SWITCH_PERCPU, &many);
	incasts(SWITCH_DROP, &ring);
	parallel(SWITCH_DROP, &ring);
	incasts(SWITCH_DEFLECT, &deflect);
	parallel(SWITCH_DEFLECT, &deflect);
	printf("trim_sim_error_shared_meter %.4f\n", shared.error);
	printf("trim_sim_excess_shared_meter %.4f\n", shared.excess);
	printf("trim_whole_error_percpu_meter %.4f\n", one.error);
	printf("trim_whole_error_percpu_parallel %.4f\n", many.error);
	printf("trim_excess_percpu_meter %.4f\n", fmax(one.excess, many.excess));
	printf("trim_percpu_lost_simulated %llu\n", (unsigned long long)deflect.lost);
	printf("trim_deflected_depth_simulated %d\n", deflect.deflected);
}

static void row(const struct switch_config *c, double x)
{
	struct switch_config ideal = *c;
	struct switch_result r = run(c), best;

	ideal.kind = SWITCH_IDEAL;
	best = run(&ideal);
	printf("%g %.4f %.4f %llu %llu %d %.4f\n", x, whole_share(c, &r),
	       whole_share(&ideal, &best), (unsigned long long)r.trimmed,
	       (unsigned long long)best.trimmed, r.slow_max, jain(c, &r));
}

static void senders(void)
{
	struct switch_config c = paper;

	printf("# senders whole whole_ideal trimmed trimmed_ideal slow_max jain\n");
	for (c.senders = 1; c.senders <= 64; c.senders++)
		row(&c, c.senders);
}

/* @t0 of 0 is no answer at all; t1 keeps the paper's proportion. */
static void response_of(struct switch_config c, const char *name)
{
	enum switch_signal told = c.signal;
	int us;

	printf("# %s: t0_us whole whole_ideal trimmed trimmed_ideal slow_max jain\n", name);
	for (us = 0; us <= 30; us += us < 6 ? 1 : 2) {
		c.signal = us ? told : SIGNAL_NONE;
		c.t0 = us * 1000;
		c.t1 = c.half ? 4 * c.t0 : c.t0;
		row(&c, us);
	}
	printf("\n\n");
}

static void response(void)
{
	struct switch_config c = paper;

	response_of(c, "64 senders");
	c.senders = 32;
	response_of(c, "32 senders");
	c.senders = 18;
	response_of(c, "18 senders");
}

static void modes(void)
{
	struct switch_config c = paper;

	c.senders = 32;
	response_of(c, "32 senders, pessimistic and half");
	c.half = 100;
	response_of(c, "32 senders, pessimistic only");
	c.half = 100;
	c.pessimistic = 0.1;
	response_of(c, "32 senders, all trimmed");
	c = paper;
	c.senders = 32;
	c.signal = SIGNAL_ONE;
	response_of(c, "32 senders, one CPU told");
	c.senders = 64;
	response_of(c, "64 senders, one CPU told");
}

static void print_span(int port, int64_t from, int64_t to)
{
	printf("%.3f %d\n%.3f %d\n\n", from / 1e3, port + 1, to / 1e3, port + 1);
}

static void timeline(int n)
{
	struct switch_config c = paper;
	struct switch_result r;

	c.senders = n;
	c.packets = 1000;
	switch_run(&c, &r, print_span);
	fprintf(stderr, "%d senders: pessimistic %.2f, half %.2f, optimistic %.2f of the time\n", n,
		(double)r.mode[2] / (r.mode[0] + r.mode[1] + r.mode[2]),
		(double)r.mode[1] / (r.mode[0] + r.mode[1] + r.mode[2]),
		(double)r.mode[0] / (r.mode[0] + r.mode[1] + r.mode[2]));
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";
	int n = argc > 2 ? atoi(argv[2]) : 0;

	if (!strcmp(what, "figures"))
		figures();
	else if (!strcmp(what, "senders"))
		senders();
	else if (!strcmp(what, "response"))
		response();
	else if (!strcmp(what, "modes"))
		modes();
	else if (!strcmp(what, "timeline") && n > 0 && n <= SWITCH_PORTS)
		timeline(n);
	else {
		fputs(usage, stderr);
		return 2;
	}
	return 0;
}
