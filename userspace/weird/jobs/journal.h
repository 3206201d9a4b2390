/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The journal: a file a job, which is written before the module is asked for anything and
 * goes after the module's job has. So a daemon that is killed at any moment finds in it each
 * job that it may have made.
 */
#ifndef WEIRD_JOURNAL_H
#define WEIRD_JOURNAL_H

#include "jobs/jobs.h"

/* Returns 0 or a negative errno. @ending: the job is to be taken away. */
int journal_write(const struct jobs *jobs, const struct job *job, bool ending);
void journal_erase(const struct jobs *jobs, const struct job *job);

/* The job that a file of this id tells of; NULL where there is none, or no whole one. */
struct job *journal_read(const struct jobs *jobs, unsigned int id, bool *ending);

#endif
