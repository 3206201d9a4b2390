// SPDX-License-Identifier: GPL-2.0
#define _GNU_SOURCE
#include <err.h>
#include <linux/bpf.h>
#include <net/if.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "scene.h"

#define COMMAND_MAX	1024

/* The device that is always there. */
#define LOOPBACK	1

void scene_run(const char *format, ...)
{
	char command[COMMAND_MAX];
	va_list args;

	va_start(args, format);
	vsnprintf(command, sizeof(command), format, args);
	va_end(args);
	if (system(command))
		errx(1, "cannot set up: %s", command);
}

FILE *scene_ip(void)
{
	FILE *ip = popen("ip -batch -", "w");

	if (!ip)
		err(1, "ip");
	return ip;
}

void scene_ip_end(FILE *ip)
{
	if (pclose(ip))
		errx(1, "cannot set a namespace up");
}

static void add_devices(FILE *ip, int devices)
{
	int i;

	for (i = 0; i < devices; i++)
		fprintf(ip, "link add fz%d index %d numtxqueues 2 up type dummy\n", i,
			SCENE_BASE + i);
}

static void add_addresses(FILE *ip)
{
	static const int hosts[] = { 1, 2, 3, 4, 254 };
	unsigned int i;

	for (i = 0; i < sizeof(hosts) / sizeof(*hosts); i++) {
		fprintf(ip, "addr add 10.99.0.%d/24 dev lo\n", hosts[i]);
		fprintf(ip, "addr add fd99::%x/64 dev lo nodad\n", hosts[i]);
	}
}

void scene_make(int devices)
{
	FILE *ip;

	if (unshare(CLONE_NEWNET))
		err(1, "namespace");
	ip = scene_ip();
	fputs("link set lo up\n", ip);
	add_devices(ip, devices);
	add_addresses(ip);
	scene_ip_end(ip);
}

void scene_attach(void)
{
	scene_run("weir port attach dev lo mode tc");
}

static int load_program(uint32_t flags, int verdict)
{
	const struct bpf_insn code[] = {
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0, .imm = verdict },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	union bpf_attr attr;
	int fd;

	memset(&attr, 0, sizeof(attr));
	attr.prog_type = BPF_PROG_TYPE_XDP;
	attr.prog_flags = flags;
	attr.insns = (uint64_t)(uintptr_t)code;
	attr.insn_cnt = sizeof(code) / sizeof(*code);
	attr.license = (uint64_t)(uintptr_t)"GPL";
	fd = syscall(SYS_bpf, BPF_PROG_LOAD, &attr, sizeof(attr));
	if (fd < 0)
		err(1, "a program cannot be loaded");
	return fd;
}

static uint32_t programs[3];

void scene_load(void)
{
	programs[0] = load_program(BPF_F_XDP_HAS_FRAGS, XDP_PASS);
	programs[1] = load_program(BPF_F_XDP_HAS_FRAGS, XDP_DROP);
	programs[2] = load_program(0, XDP_PASS);
}

uint32_t scene_program(struct rng *rng)
{
	return rng_percent(rng, 95) ? RNG_PICK(rng, programs) : rng_below(rng, 64);
}

uint32_t scene_ifindex(struct rng *rng)
{
	static const uint32_t others[] = { 0, 2, 99, 0x7fffffff, 0x80000000, 0xffffffff };

	if (rng_percent(rng, 5))
		return RNG_PICK(rng, others);
	return rng_percent(rng, 15) ? LOOPBACK : SCENE_BASE + rng_below(rng, SCENE_DEVICES);
}
