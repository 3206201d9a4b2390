/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The program on a device: what is there, what is ours, and how it comes and
 * goes.
 *
 * XDP: the program is set on the device itself, with no link and no pin, so it
 * goes with the device and lasts beyond the tool. tc: a bpf filter in direct
 * action at clsact, with a fixed priority and one of two handles, by which
 * detaching knows whether clsact was there before.
 */
#ifndef WEIR_ATTACH_H
#define WEIR_ATTACH_H

#include <linux/types.h>

#include <weir_bpf.h>
#include <stdbool.h>
#include <stdint.h>

#include <weir_bpf.h>

#include "args.h"
#include "rtnl.h"

#define WEIR_TC_PRIORITY	100
#define WEIR_TC_HANDLE		1	/* clsact was there before */
#define WEIR_TC_HANDLE_MADE	2	/* clsact came with a filter of ours */

#define WEIR_XDP_NAME		"weir_xdp"
#define WEIR_TC_NAME		"weir_tc"
#define WEIR_TRIM_NAME		"weir_trim"
#define WEIR_FORWARD_NAME	"weir_forward"

/* weir_formats[] of the programs' read-only data */
struct format_ports {
	struct weir_format_entry entry[WEIR_FORMATS_MAX];
};

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
 * @handle: of a tc filter
 */
struct hook {
	uint32_t id;
	int fd;
	bool ours;
	char name[32];
	uint32_t mode;
	uint32_t handle;
};

/**
 * struct tc_place - where in clsact a program of ours sits
 * @hook: TC_H_MIN_INGRESS or TC_H_MIN_EGRESS
 * @name: of the program
 */
struct tc_place {
	uint32_t hook;
	const char *name;
};

extern const struct tc_place tc_ingress;	/* of a port: hands packets over */
extern const struct tc_place tc_egress;		/* of a trimming policy */

/* What is on a device. */
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

/* attach_xdp.c, attach_tc.c: those that return int return a negative errno */
int xdp_load(const struct format_ports *ports, unsigned int ifindex, uint32_t mode,
	     struct program *program);
int xdp_attach(unsigned int ifindex, uint32_t mode, int fd, const struct hook *old);
int xdp_detach(unsigned int ifindex, const struct hook *hook);
int tc_load(const struct format_ports *ports, struct program *program);
int tc_attach(struct nl *rtnl, unsigned int ifindex, const struct tc_place *place, int fd,
	      const struct hook *old);
int tc_detach(struct nl *rtnl, unsigned int ifindex, const struct tc_place *place,
	      const struct hook *hook);
int tc_find(struct nl *rtnl, unsigned int ifindex, const struct tc_place *place,
	    struct hook *hook);

/* formats.c */
int formats_of(struct nl *rtnl, unsigned int ifindex, uint32_t mode,
	       struct format_ports *ports);

/* attach.c: exit statuses, with the reason told */
int attached_look(struct nl *rtnl, unsigned int ifindex, struct attached *attached);
void attached_free(struct attached *attached);
int attached_remove(struct nl *rtnl, const struct attached *attached, bool *any);

#endif
