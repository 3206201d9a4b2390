/* SPDX-License-Identifier: GPL-2.0 */
/* Events of the model, by time. Times are in ns of the model. */
#ifndef SIM_EVENT_H
#define SIM_EVENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define USEC	1000ULL
#define MSEC	1000000ULL
#define SEC	1000000000ULL

#define container_of(pointer, type, member) \
	((type *)((char *)(pointer) - offsetof(type, member)))

/**
 * struct event - one thing that is to happen, part of the struct that it happens to
 * @run: is called when its time has come
 * @is_due: it waits for its time
 */
struct event {
	void (*run)(struct event *event);
	bool is_due;
};

/* The time now. */
uint64_t event_now(void);

/* It does not wait yet. Events of the same time happen in the order of these calls. */
void event_at(struct event *event, uint64_t time);

/* Runs all events, unless one of them ends that; returns how many there were. */
uint64_t event_run_all(void);
void event_stop(void);

/* Memory, or the end of the program. */
void *sim_alloc(size_t count, size_t size);
void *sim_grow(void *array, size_t count, size_t size);

#endif
