// SPDX-License-Identifier: GPL-2.0
/*
 * Measure whether packets that threads have at random times leave the queue of the Reorder Engine in order:
 * the module's own queue, with a lock as in the module. Prints "NAME VALUE" a line.
 */
#include <err.h>
#include <time.h>

#include "kernel.h"

#include "xdp/order/queue.h"

#define THREADS		8
#define PACKETS		10000000
#define SLOTS		1024
#define DALLY		64

static struct weir_queue_slot slots[SLOTS];
static struct weir_queue queue = { .mask = SLOTS - 1, .slot = slots };
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static u64 next, left, violations, missed;

/* Under the lock: those whose turn it is leave. */
static void leave(void)
{
	struct weir_queue_slot slot;

	for (slot = weir_queue_take(&queue); slot.item; slot = weir_queue_take(&queue)) {
		violations += (u64)(unsigned long)slot.item != left + 1;
		left++;
	}
}

/* Under the lock, as the module has it: the packet leaves, or waits. */
static void come(u64 mine)
{
	void *packet = (void *)(unsigned long)(mine + 1);

	if (weir_queue_pass(&queue, mine)) {
		violations += mine != left++;
		return;
	}
	missed += weir_queue_put(&queue, mine, packet, 1) != WEIR_QUEUE_TURN;
	leave();
}

/* Nobody may be further ahead than there are slots: threads stand for CPUs with as many packets. */
static u64 number(void)
{
	u64 mine;

	while (__atomic_load_n(&next, __ATOMIC_RELAXED) >=
	       __atomic_load_n(&queue.head, __ATOMIC_RELAXED) + SLOTS - THREADS)
		sched_yield();
	mine = __atomic_fetch_add(&next, 1, __ATOMIC_RELAXED);
	return mine;
}

static void *cpu(void *arg)
{
	unsigned int seed = (unsigned long)arg;
	volatile unsigned int i;
	u64 mine;

	for (mine = number(); mine < PACKETS; mine = number()) {
		for (i = rand_r(&seed) % DALLY; i; i--)
			;
		if (!(rand_r(&seed) % 4096))
			sched_yield();
		pthread_mutex_lock(&lock);
		come(mine);
		pthread_mutex_unlock(&lock);
	}
	return NULL;
}

int main(void)
{
	pthread_t threads[THREADS];
	unsigned long i;

	for (i = 0; i < THREADS; i++)
		if (pthread_create(&threads[i], NULL, cpu, (void *)(i + 1)))
			err(1, "a thread");
	for (i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	printf("order_violations %llu\n", violations);
	printf("order_lost %llu\n", PACKETS - left + missed);
	return 0;
}
