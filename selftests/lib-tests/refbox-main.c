// SPDX-License-Identifier: GPL-2.0
/* The reference box as a program: an aggregator in userspace. */
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <weir.h>

#include "refbox.h"

static struct refbox *running;

static void on_signal(int number)
{
	(void)number;
	refbox_stop(running);
}

static const char usage[] =
	"usage: refbox --address A --sources N [OPTION...]\n"
	"\n"
	"Sums as the module does, in userspace. Prints \"ready\" when it listens, and its\n"
	"counters in JSON when SIGTERM or SIGINT ends it.\n"
	"\n"
	"  --address A      where to listen\n"
	"  --sources N      workers, 1 to 256\n"
	"  --job I          job id (default 7)\n"
	"  --blocks B       slots, a power of two (default 1024)\n"
	"  --grads G        gradients a block at most (default 1024)\n"
	"  --port P         UDP port (default 12000)\n"
	"  --group G        multicast group for results\n"
	"  --dtype T        int32, float32, bfloat16, float16, int64 or float64 (default int32)\n"
	"  --op O           sum, min or max (default sum)\n"
	"  --loss P         lose so many packets, 0 to 1, each way\n"
	"  --duplicate P    double so many\n"
	"  --reorder P      hold so many back\n"
	"  --malformed P    follow so many results by a forged one\n"
	"  --merge          take merged messages, and answer with such\n"
	"  --timeout MS     answer a block so long after its first contribution, with\n"
	"                   those who are in it (default: never)\n"
	"  --network        have gradients in network byte order, as an older box\n"
	"  --acks           take acknowledgments of results\n"
	"  --no-shares      refuse contributions without gradients, and do not leave out those\n"
	"                   of results, as an older box\n"
	"  --evict          with --timeout: evict results that are older when their slots are\n"
	"                   needed, and do not wait for sources that missed a block\n"
	"  --seed S         of these decisions (default 1)\n"
	"  --help           this text\n";

static long number(const char *name, const char *text, long least, long most)
{
	char *end;
	long value;

	errno = 0;
	value = strtol(text, &end, 10);
	if (errno || *end || end == text || value < least || value > most) {
		fprintf(stderr, "refbox: --%s is '%s': it must be %ld to %ld\n", name, text, least,
			most);
		exit(2);
	}
	return value;
}

static double probability(const char *name, const char *text)
{
	char *end;
	double value = strtod(text, &end);

	if (*end || end == text || !(value >= 0 && value <= 1)) {
		fprintf(stderr, "refbox: --%s is '%s': it must be 0 to 1\n", name, text);
		exit(2);
	}
	return value;
}

static const char *const dtypes[] = {
	[WEIR_DTYPE_INT32] = "int32",
	[WEIR_DTYPE_FLOAT32] = "float32",
	[WEIR_DTYPE_BFLOAT16] = "bfloat16",
	[WEIR_DTYPE_FLOAT16] = "float16",
	[WEIR_DTYPE_INT64] = "int64",
	[WEIR_DTYPE_FLOAT64] = "float64",
};

static const char *const ops[] = {
	[WEIR_OP_SUM] = "sum",
	[WEIR_OP_MIN] = "min",
	[WEIR_OP_MAX] = "max",
};

#define CHOICE(name, text, words) choice(name, text, words, sizeof(words) / sizeof((words)[0]))

static uint8_t choice(const char *name, const char *text, const char *const *words, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (words[i] && !strcmp(words[i], text))
			return (uint8_t)i;
	fprintf(stderr, "refbox: --%s is '%s' (see --help)\n", name, text);
	exit(2);
}

enum word {
	ADDRESS = 1, SOURCES, JOB, BLOCKS, GRADS, PORT, GROUP, LOSS, DUPLICATE, REORDER,
	MALFORMED, TIMEOUT, SEED, HELP, DTYPE, OP, MERGE, NETWORK, ACKS, EVICT,
	NO_SHARES,
};

static const struct option words[] = {
	{ "address", required_argument, NULL, ADDRESS },
	{ "sources", required_argument, NULL, SOURCES },
	{ "job", required_argument, NULL, JOB },
	{ "blocks", required_argument, NULL, BLOCKS },
	{ "grads", required_argument, NULL, GRADS },
	{ "port", required_argument, NULL, PORT },
	{ "group", required_argument, NULL, GROUP },
	{ "loss", required_argument, NULL, LOSS },
	{ "duplicate", required_argument, NULL, DUPLICATE },
	{ "reorder", required_argument, NULL, REORDER },
	{ "malformed", required_argument, NULL, MALFORMED },
	{ "timeout", required_argument, NULL, TIMEOUT },
	{ "seed", required_argument, NULL, SEED },
	{ "dtype", required_argument, NULL, DTYPE },
	{ "op", required_argument, NULL, OP },
	{ "merge", no_argument, NULL, MERGE },
	{ "network", no_argument, NULL, NETWORK },
	{ "acks", no_argument, NULL, ACKS },
	{ "evict", no_argument, NULL, EVICT },
	{ "no-shares", no_argument, NULL, NO_SHARES },
	{ "help", no_argument, NULL, HELP },
	{ NULL, 0, NULL, 0 },
};

static void set(struct refbox_options *o, int option, const char *name)
{
	switch (option) {
	case ADDRESS:
		o->address = optarg;
		break;
	case GROUP:
		o->group = optarg;
		break;
	case SOURCES:
		o->sources = (uint16_t)number(name, optarg, 1, REFBOX_SOURCES);
		break;
	case JOB:
		o->job = (uint8_t)number(name, optarg, 0, 255);
		break;
	case BLOCKS:
		o->blocks = (uint32_t)number(name, optarg, 1, 65536);
		break;
	case GRADS:
		o->grads = (uint16_t)number(name, optarg, 1, 2048);
		break;
	case PORT:
		o->port = (uint16_t)number(name, optarg, 1, 65535);
		break;
	case LOSS:
		o->faults.loss = probability(name, optarg);
		break;
	case DUPLICATE:
		o->faults.duplicate = probability(name, optarg);
		break;
	case REORDER:
		o->faults.reorder = probability(name, optarg);
		break;
	case MALFORMED:
		o->faults.malformed = probability(name, optarg);
		break;
	case TIMEOUT:
		o->timeout_ms = (uint32_t)number(name, optarg, 1, 1000000);
		break;
	case SEED:
		o->faults.seed = (uint64_t)number(name, optarg, 0, INT64_MAX);
		break;
	case DTYPE:
		o->dtype = CHOICE(name, optarg, dtypes);
		break;
	case OP:
		o->op = CHOICE(name, optarg, ops);
		break;
	case MERGE:
		o->merge = true;
		break;
	case NETWORK:
		o->order = REFBOX_NETWORK;
		break;
	case ACKS:
		o->acks = true;
		break;
	case EVICT:
		o->evict = true;
		break;
	case NO_SHARES:
		o->no_shares = true;
		break;
	case HELP:
		fputs(usage, stdout);
		exit(0);
	default:
		exit(2);
	}
}

static void print_counters(const struct refbox *box)
{
	const struct refbox_counters *c = refbox_counters(box);
	const struct faults_counters *f = refbox_faults(box);

	printf("{ \"contributions\": %" PRIu64 ", \"empty\": %" PRIu64 ", \"blocks\": %" PRIu64 ", \"overflows\": %" PRIu64
	       ", \"degraded\": %" PRIu64 ", \"queries\": %" PRIu64 ", \"replies\": %" PRIu64
	       ", \"notices\": %" PRIu64 ", \"results\": %" PRIu64 ", \"brief\": %" PRIu64
	       ", \"repeats\": %" PRIu64 ", \"duplicates\": %" PRIu64 ", \"joins\": %" PRIu64 ", \"misfits\": %" PRIu64
	       ", \"acks\": %" PRIu64 ", \"behind\": %" PRIu64 ", \"refused\": %" PRIu64
	       ", \"lost\": %" PRIu64 ", \"doubled\": %" PRIu64 ", \"held\": %" PRIu64
	       ", \"forged\": %" PRIu64 " }\n",
	       c->contributions, c->empty, c->blocks, c->overflows, c->degraded,
	       c->queries, c->replies, c->notices, c->results, c->brief, c->repeats, c->duplicates,
	       c->joins, c->misfits, c->acks, c->behind, c->refused, f->lost, f->doubled, f->held, f->forged);
}

int main(int argc, char **argv)
{
	struct refbox_options options = {
		.job = 7, .blocks = 1024, .grads = 1024, .port = 12000, .faults.seed = 1,
	};
	struct sigaction action = { .sa_handler = on_signal };
	int index = 0, option, err;

	while ((option = getopt_long(argc, argv, "", words, &index)) != -1)
		set(&options, option, words[index].name);
	if (optind < argc || !options.address || !options.sources ||
	    (options.blocks & (options.blocks - 1))) {
		fputs("refbox: it takes --address, --sources, and a power of two for --blocks "
		      "(see --help)\n", stderr);
		return 2;
	}
	running = refbox_open(&options);
	if (!running) {
		fprintf(stderr, "refbox: %s port %u: %s\n", options.address, options.port,
			strerror(errno));
		return 1;
	}
	sigaction(SIGTERM, &action, NULL);
	sigaction(SIGINT, &action, NULL);
	puts("ready");
	fflush(stdout);
	err = refbox_run(running);
	print_counters(running);
	refbox_close(running);
	return err ? 1 : 0;
}
