/* SPDX-License-Identifier: GPL-2.0 */
/*
 * `weir doctor`: checks everything that a packet needs on its way, and reports
 * each finding with a fix.
 */
#ifndef WEIR_DOCTOR_H
#define WEIR_DOCTOR_H

#include <stdbool.h>
#include <stdint.h>

#include "grammar/args.h"
#include "netlink/genl.h"
#include "netlink/rtnl.h"

enum verdict { DOCTOR_OK, DOCTOR_WARN, DOCTOR_FAIL, DOCTOR_VERDICTS };

/**
 * struct finding - one check's outcome
 * @check: name of the check, one word for programs
 * @subject: the object: "job 7", "port eth0", or "" for the machine
 * @fix: advice; NULL if all is well
 */
struct finding {
	enum verdict verdict;
	const char *check;
	const char *subject;
	const char *fix;
};

/**
 * struct patient - the state that the checks look at
 * @only: the job to look at, or -1 for all
 */
struct patient {
	struct weir weir;
	struct nl rtnl;
	bool loaded;
	int only;
	struct nl_replies jobs;
	struct nl_replies sources;
	struct nl_replies ports;
	struct nl_replies blocks;
	struct nl_replies trims;
	struct nl_replies acls;
	struct nl_replies chains;
	struct nl_replies flows;
	struct nl_replies filters;
	struct nl_replies orders;
};

/* The fields of a job that the checks need. */
struct job {
	uint32_t id;
	uint32_t sources;
	uint32_t ranks;		/* of all boxes of the job */
	uint32_t blocks;
	uint32_t grads;
	uint32_t bound;
	uint32_t answers_after;	/* us, without sources that are late; 0 is never */
	uint32_t parent_timeout;	/* us until the parent answers without sources that are late; 0 if never, or unknown */
	uint32_t port;
	uint32_t format;
	uint32_t dtype;
	struct addr address;
	struct addr group;
};

/* doctor_report.c: text comes at report_end(), where findings that are alike are one. */
void report(const struct finding *finding, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
void report_end(void);
unsigned int reported(enum verdict verdict);

/* A fix with values in it; lasts until the next call. */
const char *fix(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* A device's name as a word of a shell, for a fix that has up to four. */
const char *quoted(const char *name);

void job_read(const struct nlmsghdr *message, struct job *job);
uint32_t job_mtu(const struct job *job);	/* that its largest frame needs */
uint32_t job_grad_size(const struct job *job);	/* bytes */
bool job_wanted(const struct patient *patient, uint32_t id);

/* Check that the device is up. */
void doctor_device(const struct link *link, const char *subject);

/* doctor_trim.c: check that packets that XDP redirects from a veth have whole checksums. @links: all links */
void doctor_sender(const struct link *link, const struct link *links, size_t count);

/* Return true if this device is a weir port. */
bool port_known(const struct patient *patient, unsigned int ifindex);

void doctor_host(struct patient *patient);
void doctor_ports(struct patient *patient);
void doctor_chains(struct patient *patient);
void doctor_flows(struct patient *patient);
void doctor_filters(struct patient *patient);
void doctor_orders(struct patient *patient);
void doctor_trims(struct patient *patient);
void doctor_weird(void);
void doctor_jobs(struct patient *patient);
void doctor_late(struct patient *patient);
void doctor_refusals(struct patient *patient);

/* Reads a number from /proc; -1 where it is not there. */
long doctor_number(const char *path);

#endif
