// SPDX-License-Identifier: GPL-2.0
/* Helpers around the BPF library for both ways of attaching. */
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/tool.h"
#include "program/program.h"

#define KERNEL_SAYS "Kernel error message: "

static char said[256];

/*
 * The library writes pages where one sentence is enough. Only the kernel's own
 * words are kept; --debug shows all.
 */
static int hear(enum libbpf_print_level level, const char *format, va_list args)
{
	char line[1024], *words;

	if (opt.debug)
		return vfprintf(stderr, format, args);
	if (level == LIBBPF_DEBUG)
		return 0;
	vsnprintf(line, sizeof(line), format, args);
	words = strstr(line, KERNEL_SAYS);
	if (words) {
		snprintf(said, sizeof(said), "%.*s",
			 (int)strcspn(words + strlen(KERNEL_SAYS), "\n"),
			 words + strlen(KERNEL_SAYS));
	}
	return 0;
}

void bpf_quiet(void)
{
	libbpf_set_print(hear);
}

const char *bpf_said(void)
{
	return said;
}

void bpf_forget(void)
{
	*said = '\0';
}

int bpf_ready(enum family_of family)
{
	const char *module = weir_module(family);
	char path[64];

	if (access("/sys/kernel/btf/vmlinux", R_OK))
		return refused(errno, "this kernel has no type information (/sys/kernel/btf/vmlinux is missing): it must be built with CONFIG_DEBUG_INFO_BTF=y");
	if (!module_is_loaded(module) && !module_load(module))
		return weir_refuse_absent(family);
	snprintf(path, sizeof(path), "/sys/kernel/btf/%s", module);
	if (!module_is_built_in(module) && access(path, R_OK))
		return refused(errno, "the %s module has no type information (%s is missing), so no program can call it: build it with pahole installed and the vmlinux of this kernel in its headers, then load it again",
			       module, path);
	return WEIR_OK;
}

/* Name of a program, and a descriptor where the caller wants one. */
int bpf_identify(uint32_t id, char *name, size_t size, int *fd)
{
	struct bpf_prog_info info = {};
	__u32 len = sizeof(info);
	int own, err;

	own = bpf_prog_get_fd_by_id(id);
	if (own < 0)
		return -errno;
	err = bpf_obj_get_info_by_fd(own, &info, &len) ? -errno : 0;
	if (!err)
		snprintf(name, size, "%s", *info.name ? info.name : "(unnamed)");
	if (fd && !err)
		*fd = own;
	else
		close(own);
	return err;
}

void program_close(struct program *program)
{
	if (program->skeleton)
		program->destroy(program->skeleton);
	program->skeleton = NULL;
}

int program_refused(int err, const char *name)
{
	if (err == -EPERM)
		return refused(err, "not permitted to load the program %s: this takes CAP_BPF, CAP_PERFMON and CAP_NET_ADMIN, or to run as root",
			       name);
	if (err == -EACCES)
		return refused(err, "this kernel's verifier refuses the program %s: it may be a kernel that weir was not tried on; `weir --debug` shows what it says",
			       name);
	if (err == -ESRCH)
		return refused(err, "the loaded weir module lacks a function that the program %s calls: module and tool are of different versions, install both from the same one",
			       name);
	if (err == -E2BIG)
		return refused(err, "this kernel's verifier gives up on the program %s: it takes a newer kernel, or another mode",
			       name);
	return refused(err, "the kernel does not take the program %s: %s; `weir --debug` shows what the verifier says",
		       name, strerror(-err));
}

int tc_find_refused(const char *dev, int err)
{
	if (err == -EPERM)
		return refused(err, "not permitted to look at the tc programs of %s: this takes CAP_NET_ADMIN and CAP_SYS_ADMIN; run it as root",
			       dev);
	return refused(err, "cannot list the tc programs of %s: %s", dev, strerror(-err));
}
