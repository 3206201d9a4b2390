// SPDX-License-Identifier: GPL-2.0
/*
 * The programs of a device in tcx, by name, in the order in which they see packets.
 *
 *	tcx-list DEVICE ingress|egress
 *
 * It lists programs of the script tcx, and others. Tests ask again and again: python would take an
 * emulated machine longer to start than all the rest. The exit status is 1 if the kernel has no tcx.
 */
#include <err.h>
#include <errno.h>
#include <linux/bpf.h>
#include <net/if.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Of linux/bpf.h since 6.6. */
#define TCX_INGRESS 46
#define TCX_EGRESS 47
#define MOST 64

static int bpf(enum bpf_cmd command, union bpf_attr *attr)
{
	return syscall(SYS_bpf, command, attr, sizeof(*attr));
}

static void print_name(__u32 id)
{
	struct bpf_prog_info info = {};
	union bpf_attr attr = { .prog_id = id };
	int fd = bpf(BPF_PROG_GET_FD_BY_ID, &attr);

	if (fd < 0)
		err(2, "program %u", id);
	attr = (union bpf_attr){ .info = { .bpf_fd = fd, .info_len = sizeof(info),
					   .info = (unsigned long)&info } };
	if (bpf(BPF_OBJ_GET_INFO_BY_FD, &attr))
		err(2, "program %u", id);
	puts(info.name);
	close(fd);
}

int main(int argc, char **argv)
{
	__u32 ids[MOST], i;
	union bpf_attr attr = {};

	if (argc != 3)
		errx(2, "usage: tcx-list DEVICE ingress|egress");
	attr.query.target_fd = if_nametoindex(argv[1]);
	attr.query.attach_type = strcmp(argv[2], "ingress") ? TCX_EGRESS : TCX_INGRESS;
	attr.query.prog_ids = (unsigned long)ids;
	attr.query.prog_cnt = MOST;
	if (bpf(BPF_PROG_QUERY, &attr)) {
		if (errno == EINVAL)
			return 1;
		err(2, "%s", argv[1]);
	}
	for (i = 0; i < attr.query.prog_cnt; i++)
		print_name(ids[i]);
	return 0;
}
