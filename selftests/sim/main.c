// SPDX-License-Identifier: GPL-2.0
/*
 * plan-sim: figures 8 and 9 of PANAMA's paper, with the planner of weir(8) and the congestion window of
 * libweir. Prints figures as "NAME VALUE".
 */
#include <err.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "background.h"
#include "cluster.h"
#include "flow.h"
#include "noise.h"

static const char usage[] =
	"usage: plan-sim [KEY VALUE]...\n"
	"\n"
	"  ports NUMBER    of each switch; 16 make 1,024 servers\n"
	"  scheme NAME     how jobs reduce: ring, deaf (a ring that hears no marks), weir,\n"
	"                  free (without the rule), or the part of a quorum\n"
	"  trees NUMBER    of each job\n"
	"  only TREE       one of these takes all blocks\n"
	"  load PART       of each server's link that jobs would have by rings\n"
	"  others PART     and that other traffic has\n"
	"  scale NUMBER    lengths and times of computing are divided by it\n"
	"  iterations NUM  of each job\n"
	"  ranks NUMBER    of each job; else 16 to 96\n"
	"  window NUMBER   packets of a rank under way without the rule\n"
	"  buffer BYTES    of each queue\n"
	"  mark BYTES      in a queue from which on it marks\n"
	"  from, until MS  what begins then is measured\n"
	"  seed NUMBER     of all that is drawn by lot\n"
	"  noise NUMBER    figure 9: one job beside so many senders of long flows\n"
	"  drain 1         runs until no packet is under way, and checks that none was lost sight of\n"
	"  worst 1         boxes pass on the marks of that source alone which has most of them\n"
	"  fault 1         boxes sum twice: the check has to see it\n";

/**
 * struct setting - a key of the command line, and its value
 */
struct setting {
	const char *key;
	double value;
};

enum {
	PORTS, TREES, ONLY, LOAD, OTHERS, SCALE, WINDOW, BUFFER, MARK, FROM, UNTIL, SEED, NOISE, DRAIN,
	FAULT, ITERATIONS, RANKS, WORST,
};

/* A mark at 85 packets of 1,500 bytes is the paper's. */
static struct setting settings[] = {
	[PORTS] = { "ports", 16 }, [TREES] = { "trees", 4 }, [ONLY] = { "only", -1 },
	[LOAD] = { "load", 0.6 }, [OTHERS] = { "others", 0.2 }, [SCALE] = { "scale", 16 },
	[WINDOW] = { "window", 128 }, [BUFFER] = { "buffer", 4 << 20 }, [MARK] = { "mark", 85 * 1500 },
	[FROM] = { "from", 45 }, [UNTIL] = { "until", 150 }, [SEED] = { "seed", 1 },
	[NOISE] = { "noise", -1 }, [DRAIN] = { "drain", 0 }, [FAULT] = { "fault", 0 },
	[ITERATIONS] = { "iterations", 1 }, [RANKS] = { "ranks", 0 },
	[WORST] = { "worst", 0 },
};

/* Ports of 10 Gbit/s, as the paper's; a wire and what is at its end take a microsecond. */
#define MBPS		10000
#define DELAY		USEC

/* The window of libweir's where the caller says none. */
#define RULE_WINDOW	4096

/* Time after the last measured arrival in which all that is measured has to be done. */
#define PATIENCE	(200 * MSEC)

static struct job_config job = { .gang = { .quorum = 1 } };

static double value(unsigned int setting)
{
	return settings[setting].value;
}

static void set_scheme(const char *name)
{
	char *end;

	job.is_deaf = !strcmp(name, "deaf");
	job.is_ring = job.is_deaf || !strcmp(name, "ring");
	job.gang.has_rule = strcmp(name, "free");
	if (job.is_ring || !job.gang.has_rule || !strcmp(name, "weir"))
		return;
	job.gang.quorum = strtod(name, &end);
	if (*end || job.gang.quorum <= 0 || job.gang.quorum > 1)
		errx(2, "'%s' is no scheme: ring, deaf, weir, free, or a part such as 0.88", name);
}

static void set(const char *key, const char *word)
{
	char *end;

	if (!strcmp(key, "scheme")) {
		set_scheme(word);
		return;
	}
	for (unsigned int i = 0; i < sizeof(settings) / sizeof(settings[0]); i++) {
		if (strcmp(key, settings[i].key))
			continue;
		settings[i].value = strtod(word, &end);
		if (end == word || *end)
			errx(2, "%s is a number, and not '%s'", key, word);
		return;
	}
	errx(2, "'%s' is no key\n%s", key, usage);
}

static bool is_over(void)
{
	return (cluster_is_measured() && background_is_measured()) ||
	       event_now() > (uint64_t)(value(UNTIL) * MSEC) + PATIENCE;
}

/* Looks, from the end of what is measured on, whether all that is done. */
static void look(struct event *event)
{
	if (!is_over()) {
		event_at(event, event_now() + 100 * USEC);
		return;
	}
	cluster_stop();
	background_stop();
	if (!value(DRAIN))
		event_stop();
}

static void run_mix(const struct clos *clos)
{
	const struct cluster_config jobs = {
		.job = job, .ranks = (unsigned int)value(RANKS), .load = value(LOAD),
		.scale = (unsigned int)value(SCALE),
		.from = (uint64_t)(value(FROM) * MSEC), .until = (uint64_t)(value(UNTIL) * MSEC),
		.mbps = MBPS,
	};
	const struct background_config others = {
		.load = value(OTHERS), .scale = jobs.scale, .from = jobs.from, .until = jobs.until,
		.mbps = MBPS, .delay = DELAY,
	};
	static struct event end = { .run = look };

	cluster_start(clos, &jobs, (uint64_t)value(SEED));
	background_start(clos, &others, (uint64_t)value(SEED) << 32);
	event_at(&end, jobs.until);
	printf("events %ju\n", (uintmax_t)event_run_all());
	cluster_print();
	background_print();
}

static double share(uint64_t part, uint64_t all)
{
	return all ? (double)part / (double)all : 0;
}

static void print_counts(void)
{
	printf("packets %ju\n", (uintmax_t)net_counts.sent);
	printf("gigabytes_hops %.3f\n", (double)net_counts.bytes / 1e9);
	printf("lost %ju\n", (uintmax_t)net_counts.lost);
	printf("marked %.5f\n", share(net_counts.marked, net_counts.hops));
	printf("longest_queue_kb %.0f\n", (double)net_counts.longest / 1000);
	printf("tcp_again %ju\n", (uintmax_t)flow_counts.again);
	printf("tcp_timeouts %ju\n", (uintmax_t)flow_counts.timeouts);
	printf("contributed %ju\n", (uintmax_t)gang_counts.contributed);
	printf("contributed_again %ju\n", (uintmax_t)gang_counts.again);
	printf("contributed_marked %.5f\n",
	       share(gang_counts.contributed_marked, gang_counts.contributed));
	printf("results_marked %.5f\n", share(gang_counts.results_marked, gang_counts.results));
	printf("gang_timeouts %ju\n", (uintmax_t)gang_counts.timeouts);
	printf("results %ju\n", (uintmax_t)gang_counts.results);
	printf("results_wrong %ju\n", (uintmax_t)gang_counts.wrong);
	printf("ranks_lacking %ju\n", (uintmax_t)gang_counts.lacking);
	printf("late %ju\n", (uintmax_t)gang_counts.late);
	printf("ms %.3f\n", (double)event_now() / MSEC);
}

/* Check that nothing is left when nothing may be under way. Return 0, or 1 after a warning. */
static int check_drained(void)
{
	int status = 0;

	if (net_counts.sent != net_counts.arrived + net_counts.lost ||
	    net_counts.sent_bytes != net_counts.arrived_bytes + net_counts.lost_bytes) {
		warnx("packets were lost sight of");
		status = 1;
	}
	if (!cluster_is_done()) {
		warnx("jobs are not done, and nothing is under way");
		status = 1;
	}
	return status;
}

int main(int argc, char **argv)
{
	struct clos clos;
	struct net_config net = { .mbps = MBPS, .delay = DELAY };
	int status = 0;

	job.gang.has_rule = true;
	if (argc % 2 == 0)
		errx(2, "a key lacks its value\n%s", usage);
	for (int i = 1; i < argc; i += 2)
		set(argv[i], argv[i + 1]);
	job.iterations = (unsigned int)value(ITERATIONS);
	job.gang.trees = (unsigned int)value(TREES);
	job.gang.only = value(ONLY) < 0 ? FOREST_NONE : (unsigned int)value(ONLY);
	job.gang.window = job.gang.has_rule ? RULE_WINDOW : (unsigned int)value(WINDOW);
	job.gang.only_worst = value(WORST);
	job.gang.fault = value(FAULT);
	net.mark = (uint64_t)value(MARK);
	net.buffer = (uint64_t)value(BUFFER);
	clos_init(&clos, (unsigned int)value(PORTS));
	net_init(clos_ports(&clos), &net);
	if (value(NOISE) >= 0)
		noise_run(&clos, &job, (unsigned int)value(NOISE), (uint64_t)value(SEED));
	else
		run_mix(&clos);
	print_counts();
	if (value(DRAIN))
		status = check_drained();
	return status || gang_counts.wrong;
}
