// SPDX-License-Identifier: GPL-2.0
/*
 * weir-perf-mpi: the allreduces of weir-perf by MPI, for its option --compare. Each rank is a
 * process that mpirun has started, or a child of it. Prints a line for each size: bytes, and the
 * mean time of an allreduce in microseconds, by this rank's clock.
 */
#include <getopt.h>
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* As it says so itself, so does this: none of its own. */
#define UNFIT	3

/**
 * struct job - what is measured
 * @type: of elements
 * @size: bytes of one
 * @op: operation that combines them
 * @iterations: measured, each size
 * @warmup: not measured, each size
 */
struct job {
	MPI_Datatype type;
	int size;
	MPI_Op op;
	unsigned long iterations;
	unsigned long warmup;
};

__attribute__((noreturn))
static void die(const char *sentence, int status)
{
	fprintf(stderr, "weir-perf-mpi: %s\n", sentence);
	MPI_Abort(MPI_COMM_WORLD, status);
	exit(status);
}

static void set_type(struct job *job, const char *name)
{
	if (!strcmp(name, "int32"))
		job->type = MPI_INT32_T;
	else if (!strcmp(name, "float32"))
		job->type = MPI_FLOAT;
	else
		die("MPI has no such type", UNFIT);
	MPI_Type_size(job->type, &job->size);
}

static void set_op(struct job *job, const char *name)
{
	if (!strcmp(name, "sum"))
		job->op = MPI_SUM;
	else if (!strcmp(name, "min"))
		job->op = MPI_MIN;
	else if (!strcmp(name, "max"))
		job->op = MPI_MAX;
	else
		die("MPI has no such operation", UNFIT);
}

/*
 * Exit if a number is not the one that MPI has: the ranks were not started by mpirun then, and each is a
 * world of its own.
 */
static void check(const char *text, int (*get)(MPI_Comm, int *))
{
	int number;

	get(MPI_COMM_WORLD, &number);
	if (number != atoi(text))
		die("its ranks are not those of MPI: start weir-perf by mpirun, with --rank as there", 2);
}

static void read_options(struct job *job, int argc, char **argv)
{
	static const struct option options[] = {
		{ "rank", required_argument, NULL, 'r' }, { "ranks", required_argument, NULL, 'n' },
		{ "iterations", required_argument, NULL, 'i' },
		{ "warmup", required_argument, NULL, 'w' },
		{ "dtype", required_argument, NULL, 't' }, { "op", required_argument, NULL, 'o' },
		{ 0 },
	};
	int option;

	while ((option = getopt_long(argc, argv, "", options, NULL)) >= 0) {
		switch (option) {
		case 'r': check(optarg, MPI_Comm_rank); break;
		case 'n': check(optarg, MPI_Comm_size); break;
		case 'i': job->iterations = strtoul(optarg, NULL, 10); break;
		case 'w': job->warmup = strtoul(optarg, NULL, 10); break;
		case 't': set_type(job, optarg); break;
		case 'o': set_op(job, optarg); break;
		default: die("it is started by weir-perf --compare mpi", 2);
		}
	}
}

static double measure(const struct job *job, const void *in, void *out, int count)
{
	double start = 0;

	for (unsigned long i = 0; i < job->warmup + job->iterations; i++) {
		if (i == job->warmup)
			start = MPI_Wtime();
		MPI_Allreduce(in, out, count, job->type, job->op, MPI_COMM_WORLD);
	}
	return (MPI_Wtime() - start) / (double)job->iterations * 1e6;
}

static void measure_size(const struct job *job, const char *text)
{
	unsigned long bytes = strtoul(text, NULL, 10);
	void *in = calloc(1, bytes), *out = calloc(1, bytes);

	if (!in || !out)
		die("no memory for the vectors", 1);
	printf("%lu %.3f\n", bytes, measure(job, in, out, (int)(bytes / (unsigned long)job->size)));
	fflush(stdout);
	free(in);
	free(out);
}

int main(int argc, char **argv)
{
	struct job job = { MPI_INT32_T, sizeof(int32_t), MPI_SUM, 20, 5 };

	MPI_Init(&argc, &argv);
	read_options(&job, argc, argv);
	for (int i = optind; i < argc; i++)
		measure_size(&job, argv[i]);
	MPI_Finalize();
	return 0;
}
