/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The programs on a device: which are there, which are weir's, and how they are attached.
 *
 * XDP and tcx: the program is set on the device itself, with no link and no pin, so it goes
 * with the device and lasts beyond the tool. clsact, where that is taken for tcx: a bpf
 * filter in direct action, with a fixed priority and one of two handles: they record
 * whether clsact was there before, for detaching.
 */
#ifndef WEIR_ATTACH_H
#define WEIR_ATTACH_H

#include <linux/types.h>
#include <stdbool.h>
#include <stdint.h>

#include <weir_bpf.h>

#include "grammar/args.h"
#include "netlink/genl.h"
#include "netlink/rtnl.h"

#define WEIR_TC_PRIORITY	100
#define WEIR_TC_HANDLE		1	/* clsact was there before */
#define WEIR_TC_HANDLE_MADE	2	/* clsact came with a filter of ours */

/* enum bpf_attach_type; linux/bpf.h has them since 6.6. */
#define WEIR_TCX_INGRESS	46
#define WEIR_TCX_EGRESS		47

#define WEIR_XDP_NAME		"weir_xdp"
#define WEIR_TC_NAME		"weir_tc"
#define WEIR_TRIM_NAME		"weir_trim"
#define WEIR_FORWARD_NAME	"weir_forward"
#define WEIR_FORWARD_BOUND_NAME	"weir_forward_on"	/* one device */

/* weir_formats[] of the programs' read-only data */
struct format_ports {
	struct weir_format_entry entry[WEIR_FORMATS_MAX];
};

/* linux/bpf.h has it since 6.3. */
#ifndef BPF_F_XDP_DEV_BOUND_ONLY
#define BPF_F_XDP_DEV_BOUND_ONLY (1U << 6)
#endif

/* A loaded program, not yet attached or attached elsewhere. */
struct program {
	int fd;
	void *skeleton;
	void (*destroy)(void *skeleton);
};

/**
 * struct hook - the program at one hook of a device
 * @id: 0 where there is none
 * @fd: of our own program, else -1
 * @ours: it is the program of this tool
 * @mode: enum weir_mode of the hook
 * @handle: of a filter of clsact
 * @tcx: it is ours, in tcx
 * @has_tcx: of tc, the kernel has tcx
 * @revision: of the list of programs in tcx
 * @after: programs that come after it there
 * @filters: of tc, how many filters clsact has there
 */
struct hook {
	uint32_t id;
	int fd;
	bool ours;
	char name[32];
	uint32_t mode;
	uint32_t handle;
	bool tcx;
	bool has_tcx;
	uint64_t revision;
	unsigned int after;
	unsigned int filters;
};

/**
 * struct tc_place - where a tc program of ours sits
 * @hook: of clsact, TC_H_MIN_INGRESS or TC_H_MIN_EGRESS
 * @tcx: WEIR_TCX_INGRESS or WEIR_TCX_EGRESS
 * @name: of the program
 */
struct tc_place {
	uint32_t hook;
	uint32_t tcx;
	const char *name;
};

extern const struct tc_place tc_ingress;	/* of a port: hands packets over */
extern const struct tc_place tc_egress;		/* of a trimming policy */

#define PORT_WHY	256

/**
 * struct choice - the mode that is best for a device
 * @mode: enum weir_mode
 * @why: what decides, half a sentence
 */
struct choice {
	uint32_t mode;
	char why[PORT_WHY];
};

/* The programs on a device. */
struct attached {
	struct link link;
	struct hook xdp;
	struct hook tc;
};

/* bpf.c */
void bpf_quiet(void);
const char *bpf_said(void);		/* the kernel's sentence, or "" */
void bpf_forget(void);
int bpf_ready(void);			/* exit status: is there BTF? */
int bpf_identify(uint32_t id, char *name, size_t size, int *fd);
void program_close(struct program *program);
int program_refused(int err, const char *name);
int tc_find_refused(const char *dev, int err);

/* attach_xdp.c, attach_tc.c, attach_tcx.c: those that return int return a negative errno */
int xdp_load(const struct format_ports *ports, unsigned int ifindex, uint32_t mode,
	     struct program *program);
int xdp_attach(unsigned int ifindex, uint32_t mode, int fd, const struct hook *old);
int xdp_detach(unsigned int ifindex, const struct hook *hook);
int tc_load(const struct format_ports *ports, struct program *program);
int tc_attach(struct nl *rtnl, unsigned int ifindex, const struct tc_place *place, int fd);
int tc_detach(struct nl *rtnl, unsigned int ifindex, const struct tc_place *place,
	      const struct hook *hook);
int tc_find(struct nl *rtnl, unsigned int ifindex, const struct tc_place *place,
	    struct hook *hook);
int tcx_find(unsigned int ifindex, const struct tc_place *place, struct hook *hook);
int tcx_attach(unsigned int ifindex, const struct tc_place *place, int fd,
	       const struct hook *found);
int tcx_replace(unsigned int ifindex, const struct tc_place *place, int fd,
		const struct hook *old);
int tcx_detach(unsigned int ifindex, const struct tc_place *place, const struct hook *hook);

/* choose.c */
void port_choose(const struct link *link, struct choice *choice);

/* Why packets come merged to a device, where XDP does not prevent it; NULL where they do not. */
const char *port_merged(const struct link *link);

/* listen.c: an exit status, with the reason told */
int listen_ports(struct weir *weir, const struct args *args, struct format_ports *ports);

/* formats.c */
bool formats_have(const struct format_ports *ports, uint32_t port, uint32_t format);
int formats_of(struct nl *rtnl, unsigned int ifindex, uint32_t mode,
	       struct format_ports *ports);

/* attach.c: exit statuses, with the reason told */
int attached_look(struct nl *rtnl, unsigned int ifindex, struct attached *attached);
void attached_free(struct attached *attached);
int attached_remove(struct nl *rtnl, const struct attached *attached, bool *any);

#endif
