// SPDX-License-Identifier: GPL-2.0
/*
 * Measure whether contributions to different blocks of one job get in each other's way. The module's block
 * code, compiled for speed, in threads that stand for the CPUs of receive queues: each has four
 * workers, and sums and answers blocks that no other thread touches. They work for one job, or
 * for a job each, where nothing is shared but caches and memory.
 *
 * The machine may be shared, too: so the rivals take turns in short batches, and their processor
 * time counts. Throughput is that of as many processors as there are. Prints "NAME VALUE" a line.
 */
#include <err.h>
#include <time.h>
#include <unistd.h>

#include "kernel.h"

#include "agg/base/payload.h"
#include "agg/slots/block.h"
#include "agg/slots/pool.h"
#include "agg/type/reduce.h"
#include "agg/type/vector.h"

#define THREADS		4
#define PER_THREAD	4		/* workers, as many as complete a block */
#define SOURCES		(THREADS * PER_THREAD + 1)
#define AHEAD		(SOURCES - 1)
#define SLOTS		512
#define GRADS		256
#define BATCH_NS	10000000
#define ROUNDS		100

/*
 * Where the gradients of a frame begin in a page: behind XDP's headroom, Ethernet, IPv4, UDP and
 * Trio-ML. Where it lies by the sums' page matters: loads wait for stores to the same place of
 * another page.
 */
#define PACKET_OFFSET	(256 + 14 + 20 + 8 + 12)

/**
 * struct cpu - a thread, in pages of its own
 * @frame: a packet
 * @number: which one
 * @next: its next block's id
 * @blocks: the job that it works for
 * @done: contributions of this batch
 * @thread: the thread
 */
struct cpu {
	u8 frame[PAGE_SIZE];
	unsigned int number;
	u32 next;
	struct weir_blocks *blocks;
	unsigned long done;
	pthread_t thread;
} __aligned(PAGE_SIZE);

static struct cpu cpus[THREADS];
static struct weir_blocks jobs[THREADS] __aligned(128);
static bool over __aligned(128);

static u64 clock_ns(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return t.tv_sec * NSEC_PER_SEC + t.tv_nsec;
}

/* One block, from its first contribution to its result, which nobody reads. */
static void block(struct cpu *cpu)
{
	struct weir_payload pl = {
		.n = 1, .seg = { { cpu->frame + PACKET_OFFSET, GRADS * sizeof(__be32) } },
	};
	struct weir_block_key key = { .id = cpu->next, .count = GRADS };
	struct weir_outcome out;
	unsigned int i;
	int verdict;

	for (i = 0; i < PER_THREAD; i++) {
		key.source = cpu->number * PER_THREAD + i;
		verdict = weir_block_contribute(cpu->blocks, &key, &pl, cpu->next, &out);
		if (verdict != (i < PER_THREAD - 1 ? WEIR_VERDICT_SUMMED : WEIR_VERDICT_COMPLETE))
			errx(1, "block %u of thread %u: verdict %d", key.id, cpu->number, verdict);
	}
	weir_result_put(&out.res);
	cpu->next += THREADS;
	cpu->done += PER_THREAD;
}

static void *work(void *data)
{
	struct cpu *cpu = data;

	cpu->done = 0;
	while (!READ_ONCE(over))
		block(cpu);
	return NULL;
}

/**
 * struct rival - a way to run
 * @threads: how many
 * @own: on a job each
 * @done: contributions so far
 * @took: processor time of all threads so far, ns
 */
struct rival {
	unsigned int threads;
	bool own;
	unsigned long done;
	u64 took;
};

static void batch(struct rival *rival)
{
	const struct timespec wait = { .tv_nsec = BATCH_NS };
	u64 start = clock_ns(CLOCK_PROCESS_CPUTIME_ID);
	unsigned int i;

	WRITE_ONCE(over, false);
	for (i = 0; i < rival->threads; i++) {
		cpus[i].blocks = &jobs[rival->own ? i : 0];
		if (pthread_create(&cpus[i].thread, NULL, work, &cpus[i]))
			errx(1, "no thread");
	}
	nanosleep(&wait, NULL);
	WRITE_ONCE(over, true);
	for (i = 0; i < rival->threads; i++) {
		pthread_join(cpus[i].thread, NULL);
		rival->done += cpus[i].done;
	}
	rival->took += clock_ns(CLOCK_PROCESS_CPUTIME_ID) - start;
}

/* Processor time of a contribution, ns. */
static double cost(const struct rival *rival)
{
	return (double)rival->took / rival->done;
}

/*
 * A source that is far ahead of all others was the least at the last look: as in a job whose
 * sources keep together, no look at all of them is due.
 */
static void job_init(struct weir_blocks *blocks)
{
	const struct weir_blocks_config config = {
		.size = SLOTS, .slots = SLOTS, .sources = SOURCES, .grads = GRADS,
		.reduction = weir_reduction_find(WEIR_DTYPE_INT32, WEIR_OP_SUM,
						 WEIR_ORDER_ARRIVAL),
	};

	if (weir_blocks_init(blocks, &config))
		errx(1, "no memory");
	blocks->quorum = PER_THREAD;
	weir_blocks_advance(blocks, 0, 0);
	weir_retention_return(&blocks->retention, AHEAD);
	weir_retention_sent(&blocks->retention, AHEAD, 1U << 30, true);
}

int main(void)
{
	struct rival shared = { .threads = THREADS }, own = { .threads = THREADS, .own = true };
	struct rival alone = { .threads = 1 };
	long cores = min(sysconf(_SC_NPROCESSORS_ONLN), THREADS);
	unsigned int i;

	mock_cpu_has_vectors = true;
	mock_fpu_usable = true;
	weir_vector_init();
	weir_pool_init();
	for (i = 0; i < THREADS; i++) {
		job_init(&jobs[i]);
		cpus[i].number = i;
		cpus[i].next = i;
	}
	for (i = 0; i < ROUNDS; i++) {
		batch(&alone);
		batch(&own);
		batch(&shared);
	}
	printf("# a contribution of %d gradients, ns of a processor: %.1f in one thread alone,\n",
	       GRADS, cost(&alone));
	printf("# %.1f in each of %d on jobs of their own, %.1f in each of %d on one job\n",
	       cost(&own), THREADS, cost(&shared), THREADS);
	printf("# %ld processors for them: at most %ld times a thread's throughput\n", cores, cores);
	printf("scale_threads_4 %.3f\n", cores * cost(&alone) / cost(&shared));
	printf("scale_threads_4_limit %ld\n", cores);
	return 0;
}
