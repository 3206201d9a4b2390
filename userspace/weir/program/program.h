/* SPDX-License-Identifier: GPL-2.0 */
/*
 * BPF programs on a device: find weir's among those that are there, load and attach them.
 *
 * XDP and tcx: the program is set on the device itself, with no link and no pin, so it goes
 * with the device and lasts beyond the tool. clsact, where that is taken for tcx: a bpf
 * filter in direct action, with a fixed priority and one of two handles: they record
 * whether clsact was there before, for detaching.
 */
#ifndef WEIR_PROGRAM_H
#define WEIR_PROGRAM_H

#include <linux/types.h>
#include <stdbool.h>
#include <stdint.h>

#include <weir.h>
#include <weir_bpf.h>

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
#define WEIR_FILTER_NAME	"weir_filter"
#define WEIR_ORDER_NAME		"weir_order"
#define WEIR_CHAIN_NAME		"weir_chain"
#define WEIR_CHAIN_FLAT_NAME	"weir_chain_flat"	/* takes no fragments */
#define WEIR_FLOW_NAME		"weir_flow"

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
 * @chain: of XDP, the device has a chain; ours is in it, with the kernel's number @member
 * @shared: of XDP, the device has a chain, or another program of weir's: ours goes into it
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
	bool chain;
	bool shared;
	uint32_t member;
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

/*
 * look.c: the XDP program of a device, and weir's with this place in a chain (WEIR_CHAIN_PRIO_*),
 * on the device itself or in its chain; @hook->fd is the caller's to close where it is not -1.
 * A negative errno.
 */
int xdp_look(const struct link *link, uint32_t prio, struct hook *hook);
void hook_close(struct hook *hook);

/* The program's number in the kernel; 0 where the chain has none there. */
uint32_t chain_program_id(unsigned int ifindex, uint32_t prio);

/* Return true if the module has a chain for the device, also if somebody took its program off. */
bool chain_there(unsigned int ifindex);

/* bpf.c */
void bpf_quiet(void);
const char *bpf_said(void);		/* the kernel's sentence, or "" */
void bpf_forget(void);
/* Load the module that programs are to call. Return an exit status, WEIR_OK if they can. */
int bpf_ready(enum family_of family);
int bpf_identify(uint32_t id, char *name, size_t size, int *fd);
void program_close(struct program *program);
int program_refused(int err, const char *name);
int tc_find_refused(const char *dev, int err);

/* xdp.c, member.c, tc.c, tcx.c: those that return int return a negative errno */
int xdp_load(const struct format_ports *ports, unsigned int bind_to, struct program *program);
int forward_load(struct program *program, unsigned int bind_to);
int filter_load(struct program *program);
int flow_load(struct program *program);
int order_load(struct program *program);
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

/* formats.c */
bool formats_have(const struct format_ports *ports, uint32_t port, uint32_t format);
int formats_of(struct nl *rtnl, unsigned int ifindex, uint32_t mode,
	       struct format_ports *ports);

#endif
