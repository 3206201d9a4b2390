// SPDX-License-Identifier: GPL-2.0
/*
 * `weir port attach`: no packet is lost on the way, and a failure leaves the
 * device as it was.
 *
 * The program is loaded first, since loading fails most. Then the module gets
 * the port, then the program is attached: the other way round it would hand over
 * packets of a device that the module does not know yet. Our own program at the
 * same hook is replaced in one step. Between tc and XDP the new one is attached
 * before the old one goes. Native and generic XDP exclude each other in the
 * kernel, so there packets pass to the stack for a moment; workers send them
 * again.
 *
 * If no mode is given the best one is tried, and tc if the driver refuses the program: a driver
 * alone knows all that its XDP asks for (queues, lengths of frames, offloads that are on).
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <weir.h>
#include <weir_xdp_nl.h>

#include "base/device.h"
#include "base/tool.h"
#include "chain/chain.h"
#include "grammar/commands.h"
#include "port/attach.h"
#include "request/request.h"

/* State of one attachment. */
struct attempt {
	const struct args *args;
	const char *dev;
	unsigned int ifindex;
	uint32_t mode;
	uint32_t old_mode;	/* the port's before, 0 where it was none */
	struct choice choice;	/* used if the command line names no mode */
	struct weir weir;
	struct nl rtnl;
	struct attached before;
	struct program program;
};

int attached_look(struct nl *rtnl, unsigned int ifindex, struct attached *attached)
{
	struct hook *xdp = &attached->xdp;
	int err;

	memset(attached, 0, sizeof(*attached));
	attached->xdp.fd = attached->tc.fd = -1;
	err = rtnl_link(rtnl, ifindex, &attached->link);
	if (err)
		return refused(err, "cannot look at device number %u: %s", ifindex,
			       strerror(-err));
	err = xdp_look(&attached->link, WEIR_XDP_CHAIN_PRIO_SUM, xdp);
	if (err)
		return refused(err, "cannot look at XDP program %u on %s: %s; this takes CAP_SYS_ADMIN, run it as root",
			       xdp->id, attached->link.name, strerror(-err));
	xdp->shared |= !xdp->id && chain_there(ifindex);
	err = tc_find(rtnl, ifindex, &tc_ingress, &attached->tc);
	return err ? tc_find_refused(attached->link.name, err) : WEIR_OK;
}

void attached_free(struct attached *attached)
{
	hook_close(&attached->xdp);
}

static int remove_hook(struct nl *rtnl, const struct link *link, const struct hook *hook)
{
	int err;

	if (hook->chain)
		return chain_take(link->name, WEIR_XDP_CHAIN_PRIO_SUM);
	if (hook->mode == WEIR_MODE_TC)
		err = tc_detach(rtnl, link->ifindex, &tc_ingress, hook);
	else
		err = xdp_detach(link->ifindex, hook);
	if (!err)
		return WEIR_OK;
	if (err == -EPERM)
		return refused(err, "not permitted to detach the program from %s: this takes CAP_NET_ADMIN; run it as root",
			       link->name);
	return refused(err, "cannot detach the program from %s: %s", link->name,
		       *bpf_said() ? bpf_said() : strerror(-err));
}

/* Takes weir's programs off a device; other programs stay. */
int attached_remove(struct nl *rtnl, const struct attached *attached, bool *any)
{
	int status = WEIR_OK;

	*any = false;
	if (attached->xdp.ours) {
		*any = true;
		status = remove_hook(rtnl, &attached->link, &attached->xdp);
	}
	if (!status && attached->tc.ours) {
		*any = true;
		status = remove_hook(rtnl, &attached->link, &attached->tc);
	}
	return status;
}

/* Check that no other program is in the place of ours. Return an exit status. */
static int check_foreign(const struct attempt *job)
{
	const struct hook *xdp = &job->before.xdp, *tc = &job->before.tc;

	if (job->mode != WEIR_MODE_TC && xdp->shared && xdp->id && xdp->mode != job->mode)
		return refused(EBUSY, "%s has programs of weir's in mode %s: use that mode, or tc",
			       job->dev, names_word(&mode_names, xdp->mode));
	if (job->mode != WEIR_MODE_TC && xdp->id && !xdp->ours && !xdp->shared)
		return refused(EBUSY, "%s has the XDP program %u (%s) of somebody else: detach it first (`ip link set dev %s xdp off`), or use mode tc",
			       job->dev, xdp->id, xdp->name, job->dev);
	if (job->mode == WEIR_MODE_TC && tc->handle && !tc->ours)
		return refused(EBUSY, "%s has a tc filter of somebody else (%s) at priority %d, handle %u: remove it first, or use mode xdp",
			       job->dev, *tc->name ? tc->name : "no bpf", WEIR_TC_PRIORITY,
			       tc->handle);
	return WEIR_OK;
}

static int load(struct attempt *job)
{
	bool tc = job->mode == WEIR_MODE_TC;
	bool bind = job->mode == WEIR_MODE_XDP && !job->before.xdp.shared;
	struct format_ports ports;
	int err;

	err = listen_ports(&job->weir, job->args, &ports);
	if (err)
		return err;
	err = tc ? tc_load(&ports, &job->program) :
		   xdp_load(&ports, bind ? job->ifindex : 0, &job->program);
	return err ? program_refused(err, tc ? WEIR_TC_NAME : WEIR_XDP_NAME) : WEIR_OK;
}

static int tell_module(struct attempt *job, uint8_t command, uint32_t mode,
		       struct nl_replies *replies)
{
	char buffer[NL_REQUEST_SIZE];
	struct nlmsghdr *message;

	message = weir_begin(&job->weir, buffer, command, 0);
	nl_put_u32(message, WEIR_A_PORT_IFINDEX, job->ifindex);
	if (mode)
		nl_put_u32(message, WEIR_A_PORT_MODE, mode);
	return nl_talk(&job->weir.nl, buffer, replies);
}

static int read_old_mode(struct attempt *job)
{
	const struct nlattr *port[WEIR_A_PORT_MAX + 1];
	struct nl_replies replies = {};
	int err;

	err = tell_module(job, WEIR_CMD_PORT_GET, 0, &replies);
	if (!err && replies.count) {
		weir_attributes(replies.message[0], port, WEIR_A_PORT_MAX);
		job->old_mode = nl_uint(port[WEIR_A_PORT_MODE]);
	}
	nl_replies_free(&replies);
	return err;
}

/* The device becomes a port, or a port notes another mode. */
static int register_port(struct attempt *job)
{
	int err = tell_module(job, WEIR_CMD_PORT_ADD, job->mode, NULL);

	if (err == -EEXIST) {
		err = read_old_mode(job);
		if (!err && job->old_mode != job->mode)
			err = tell_module(job, WEIR_CMD_PORT_SET, job->mode, NULL);
	}
	return err ? request_refused(&job->weir, job->args) : WEIR_OK;
}

/* Best effort: the step that it undoes has worked a moment ago. */
static void unregister_port(struct attempt *job)
{
	if (!job->old_mode)
		tell_module(job, WEIR_CMD_PORT_DEL, 0, NULL);
	else if (job->old_mode != job->mode)
		tell_module(job, WEIR_CMD_PORT_SET, job->old_mode, NULL);
}

static int attach_refused(const struct attempt *job, int err)
{
	const char *why = *bpf_said() ? bpf_said() : strerror(-err);

	switch (-err) {
	case EPERM:
		return refused(err, "not permitted to attach the program to %s: this takes CAP_NET_ADMIN; run it as root",
			       job->dev);
	case EBUSY:
	case EEXIST:
		return refused(err, "another program came to %s meanwhile (%s): look with `ip link show dev %s` and try again",
			       job->dev, why, job->dev);
	case EAGAIN:
		return refused(err, "clsact was taken off %s meanwhile (%s): try again", job->dev, why);
	case ENOSPC:
		return refused(err, "%s has as many tcx programs as the kernel lets it have: detach one, or use mode xdp or generic",
			       job->dev);
	case EOPNOTSUPP:
		return refused(err, "the driver of %s has no XDP of its own (%s): use mode generic or tc",
			       job->dev, why);
	case ERANGE:
	case EINVAL:
		return refused(err, "%s does not take the program (%s): lower its MTU, or use mode generic or tc",
			       job->dev, why);
	default:
		return refused(err, "cannot attach the program to %s: %s", job->dev, why);
	}
}

/* Native to generic XDP or back: the old program has to go before. */
static int switch_xdp(struct attempt *job)
{
	const struct hook *old = &job->before.xdp;
	int err;

	err = xdp_detach(job->ifindex, old);
	if (err)
		return err;
	err = xdp_attach(job->ifindex, job->mode, job->program.fd, NULL);
	if (err && xdp_attach(job->ifindex, old->mode, old->fd, NULL))
		warning("the program that was on %s before could not be attached again",
			job->dev);
	return err;
}

static int attach(struct attempt *job)
{
	const struct hook *xdp = &job->before.xdp;

	if (job->mode == WEIR_MODE_TC)
		return tc_attach(&job->rtnl, job->ifindex, &tc_ingress, job->program.fd);
	if (xdp->id && xdp->mode != job->mode)
		return switch_xdp(job);
	return xdp_attach(job->ifindex, job->mode, job->program.fd, xdp);
}

/* The program of the other way of attaching, now that the new one is there. */
static int remove_other(struct attempt *job)
{
	const struct hook *xdp = &job->before.xdp, *tc = &job->before.tc;

	if (job->mode == WEIR_MODE_TC && xdp->ours)
		return remove_hook(&job->rtnl, &job->before.link, xdp);
	if (job->mode != WEIR_MODE_TC && tc->ours)
		return remove_hook(&job->rtnl, &job->before.link, tc);
	return WEIR_OK;
}

/* Into the device's chain, which begins with it where the device has another program of weir's. */
static int join_chain(struct attempt *job)
{
	return chain_put(job->dev, job->mode, WEIR_XDP_CHAIN_PRIO_SUM, job->program.fd);
}

/* @err: why the kernel did not attach the program; then all is as before */
static int attach_once(struct attempt *job, int *err)
{
	int status;

	*err = 0;
	status = check_foreign(job);
	status = status ?: load(job);
	status = status ?: register_port(job);
	if (status)
		return status;
	if (job->mode != WEIR_MODE_TC && job->before.xdp.shared)
		status = join_chain(job);
	else
		*err = attach(job);
	if (!status && !*err)
		return remove_other(job);
	unregister_port(job);
	program_close(&job->program);
	return WEIR_REFUSED;
}

/* Choose the mode of weir's programs that are on the device already. */
static void choose_shared(struct attempt *job)
{
	job->choice.mode = job->before.xdp.mode;
	snprintf(job->choice.why, sizeof(job->choice.why), "other programs of weir's have it there");
}

static bool is_given(const struct attempt *job)
{
	return args_get(job->args, "mode");
}

/* Choose tc and return true if the driver has refused XDP that the command line does not ask for. */
static bool falls_back(struct attempt *job, int err)
{
	const char *why = *bpf_said() ? bpf_said() : strerror(-err);

	if (is_given(job) || job->mode != WEIR_MODE_XDP || err == -EPERM || err == -EBUSY ||
	    err == -EEXIST)
		return false;
	job->mode = WEIR_MODE_TC;
	snprintf(job->choice.why, sizeof(job->choice.why), "the driver refuses XDP (%s)", why);
	return true;
}

static int attach_all(struct attempt *job)
{
	int status, err;

	status = attached_look(&job->rtnl, job->ifindex, &job->before);
	status = status ?: bpf_ready(FAMILY_WEIR);
	if (status)
		return status;
	if (!is_given(job)) {
		port_choose(&job->before.link, &job->choice);
		if (job->before.xdp.shared && job->before.xdp.id)
			choose_shared(job);
		job->mode = job->choice.mode;
	}
	status = attach_once(job, &err);
	if (err && falls_back(job, err))
		status = attach_once(job, &err);
	if (err)
		return attach_refused(job, err);
	if (!status && !is_given(job))
		note("mode %s for %s: %s", names_word(&mode_names, job->mode), job->dev,
		     job->choice.why);
	return status;
}

int port_attach(const struct args *args)
{
	struct attempt job = {
		.args = args,
		.dev = args_get(args, "dev")->word,
		.mode = args_number(args, "mode", 0),
		.before.xdp.fd = -1,
	};
	int status;

	bpf_quiet();
	status = weir_open(&job.weir, WEIR_CMD_PORT_ADD);
	if (status)
		return status;
	status = device_find(job.dev, &job.ifindex) ?: rtnl_open(&job.rtnl);
	if (status)
		goto close;
	status = attach_all(&job);
	program_close(&job.program);
	attached_free(&job.before);
	nl_close(&job.rtnl);
close:
	weir_close(&job.weir);
	return status;
}
