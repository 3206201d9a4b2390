/* SPDX-License-Identifier: GPL-2.0 */
/* Entries of systemd's journal, by its native protocol. */
#ifndef WEIR_JOURNAL_H
#define WEIR_JOURNAL_H

#include <stdint.h>

/**
 * struct entry - one of them
 * @message: a line
 * @event: name of the event
 * @priority: as of syslog(3)
 * @job: the job that it is about, negative for none
 * @source: number of the source that it is about, negative for none
 */
struct entry {
	const char *message;
	const char *event;
	int priority;
	int64_t job;
	int64_t source;
};

/* Returns a socket, or a negative errno. */
int journal_open(void);
int journal_send(int fd, const struct entry *entry);

#endif
