// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <weir.h>
#include <weir_trim_nl.h>
#include <weir_xdp_nl.h>
#include <weir_wire.h>

#include "base/print.h"
#include "base/tool.h"
#include "doctor/doctor.h"
#include "grammar/commands.h"
#include "port/attach.h"

void job_read(const struct nlmsghdr *message, struct job *job)
{
	const struct nlattr *table[WEIR_A_JOB_MAX + 1];

	memset(job, 0, sizeof(*job));
	weir_attributes(message, table, WEIR_A_JOB_MAX);
	job->id = nl_uint(table[WEIR_A_JOB_ID]);
	job->sources = nl_uint(table[WEIR_A_JOB_SOURCES]);
	job->ranks = nl_uint(table[WEIR_A_JOB_RANKS]) ?: job->sources;
	job->blocks = nl_uint(table[WEIR_A_JOB_BLOCKS]);
	job->grads = nl_uint(table[WEIR_A_JOB_GRADS]);
	job->port = nl_uint(table[WEIR_A_JOB_PORT]);
	job->format = nl_uint(table[WEIR_A_JOB_FORMAT]);
	job->dtype = nl_uint(table[WEIR_A_JOB_DTYPE]);
	job->bound = nl_uint(table[WEIR_A_JOB_BOUND]);
	if (nl_uint(table[WEIR_A_JOB_POLICY]) != WEIR_POLICY_WAIT)
		job->answers_after = nl_uint(table[WEIR_A_JOB_TIMEOUT]);
	job->parent_timeout = nl_uint(table[WEIR_A_JOB_PARENT_TIMEOUT]);
	nl_addr(table[WEIR_A_JOB_ADDRESS], &job->address);
	nl_addr(table[WEIR_A_JOB_GROUP], &job->group);
}

/* Bytes before the gradients, behind those of IP and UDP: of the longest variant. */
static uint32_t head_of(const struct job *job)
{
	if (job->format == WEIR_FORMAT_TRIO)
		return sizeof(struct weir_trio);
	if (job->format == WEIR_FORMAT_SWITCHML)
		return sizeof(struct weir_switchml);
	if (job->format == WEIR_FORMAT_PANAMA)
		return sizeof(struct weir_panama);
	if (job->format == WEIR_FORMAT_KV)
		return sizeof(struct weir_kv);
	return sizeof(struct weir_lab) + sizeof(struct weir_lab_chunk) + 4;
}

uint32_t job_grad_size(const struct job *job)
{
	switch (job->dtype) {
	case WEIR_DTYPE_INT64:
	case WEIR_DTYPE_FLOAT64:
		return 8;
	case WEIR_DTYPE_BFLOAT16:
	case WEIR_DTYPE_FLOAT16:
		return 2;
	default:
		return 4;
	}
}

/*
 * IP header, UDP header, the format's header, gradients, and the bitmap of the ranks behind
 * a result that lacks some. Any policy may come to a live job, so workers leave room for the
 * bitmap under all of them.
 */
uint32_t job_mtu(const struct job *job)
{
	uint32_t bitmap = job->format == WEIR_FORMAT_TRIO ? (job->ranks + 31) / 32 * 4 : 0;
	uint32_t ip = job->address.len == 16 ? 40 + 8 : 20 + 8;

	if (addr_is_link(&job->address))
		ip = 0;
	return ip + head_of(job) + job_grad_size(job) * job->grads + bitmap;
}

bool job_wanted(const struct patient *patient, uint32_t id)
{
	return patient->only < 0 || (uint32_t)patient->only == id;
}

bool port_known(const struct patient *patient, unsigned int ifindex)
{
	const struct nlattr *port[WEIR_A_PORT_MAX + 1];
	size_t i;

	for (i = 0; i < patient->ports.count; i++) {
		weir_attributes(patient->ports.message[i], port, WEIR_A_PORT_MAX);
		if (nl_uint(port[WEIR_A_PORT_IFINDEX]) == ifindex)
			return true;
	}
	return false;
}

static int dump(struct weir *weir, uint8_t command, struct nl_replies *replies)
{
	char buffer[NL_REQUEST_SIZE];

	weir_begin(weir, buffer, command, NLM_F_DUMP);
	return nl_talk(&weir->nl, buffer, replies);
}

static int read_all(struct patient *patient)
{
	int err;

	err = dump(&patient->weir, WEIR_CMD_JOB_GET, &patient->jobs);
	err = err ?: dump(&patient->weir, WEIR_CMD_SOURCE_GET, &patient->sources);
	err = err ?: dump(&patient->weir, WEIR_CMD_PORT_GET, &patient->ports);
	err = err ?: dump(&patient->weir, WEIR_CMD_TRIM_GET, &patient->trims);
	err = err ?: dump(&patient->weir, WEIR_CMD_TRIM_ACL_GET, &patient->acls);
	err = err ?: dump(&patient->weir, WEIR_XDP_CMD_CHAIN_GET, &patient->chains);
	err = err ?: dump(&patient->weir, WEIR_XDP_CMD_FLOW_GET, &patient->flows);
	err = err ?: dump(&patient->weir, WEIR_XDP_CMD_FILTER_GET, &patient->filters);
	err = err ?: dump(&patient->weir, WEIR_XDP_CMD_ORDER_GET, &patient->orders);
	err = err ?: dump(&patient->weir, WEIR_CMD_BLOCK_GET, &patient->blocks);
	if (err == -EPERM) {
		report(&(struct finding){ DOCTOR_WARN, "blocks", "", "run weir as root" },
		       "which blocks wait for whom takes CAP_NET_ADMIN to see");
		return 0;
	}
	if (err)
		report(&(struct finding){ DOCTOR_FAIL, "netlink", "",
			"load a module of the same version as the tool" },
		       "the module does not list its objects: %s",
		       *patient->weir.nl.error.text ? patient->weir.nl.error.text :
		       strerror(-err));
	return err;
}

/* The module's sockets belong to the namespace, so they are opened in it. */
static int examine(struct patient *patient)
{
	int status, err;

	status = netns_enter(opt.netns);
	if (status)
		return status;
	err = weir_try_open(&patient->weir);
	patient->loaded = !err;
	if (err == -EPROTO) {
		report(&(struct finding){ DOCTOR_FAIL, "module", "", "run `weir upgrade`" },
		       WEIR_SINGLE);
		return WEIR_OK;
	}
	if (err) {
		report(&(struct finding){ DOCTOR_FAIL, "module", "",
			"run `modprobe weir`, sch_weir or weir_xdp" },
		       "no module of weir is loaded in this kernel");
		return WEIR_OK;
	}
	status = rtnl_open(&patient->rtnl);
	if (status)
		return status;
	if (!read_all(patient)) {
		doctor_ports(patient);
		doctor_chains(patient);
		doctor_flows(patient);
		doctor_filters(patient);
		doctor_orders(patient);
		doctor_trims(patient);
		doctor_jobs(patient);
		doctor_late(patient);
		doctor_refusals(patient);
		doctor_weird();
	}
	nl_replies_free(&patient->jobs);
	nl_replies_free(&patient->sources);
	nl_replies_free(&patient->ports);
	nl_replies_free(&patient->blocks);
	nl_replies_free(&patient->trims);
	nl_replies_free(&patient->acls);
	nl_replies_free(&patient->chains);
	nl_replies_free(&patient->flows);
	nl_replies_free(&patient->filters);
	nl_replies_free(&patient->orders);
	nl_close(&patient->rtnl);
	weir_close(&patient->weir);
	return WEIR_OK;
}

static void summary(void)
{
	print_end();
	if (!opt.json) {
		print_line(0);
		print_text("%u ok, %u to look at, %u to mend", reported(DOCTOR_OK),
			   reported(DOCTOR_WARN), reported(DOCTOR_FAIL));
	} else {
		print_uint("ok", reported(DOCTOR_OK));
		print_uint("warn", reported(DOCTOR_WARN));
		print_uint("fail", reported(DOCTOR_FAIL));
	}
	print_done();
}

int doctor_run(const struct args *args)
{
	const struct value *only = args_get(args, "job");
	struct patient patient = { .only = only ? (int)only->number : -1 };
	int status;

	bpf_quiet();
	print_object(NULL);
	print_list("checks");
	doctor_host(&patient);
	status = examine(&patient);
	report_end();
	if (status)
		return status;
	summary();
	return reported(DOCTOR_FAIL) ? WEIR_REFUSED : WEIR_OK;
}
