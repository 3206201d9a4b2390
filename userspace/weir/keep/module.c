// SPDX-License-Identifier: GPL-2.0
/* Select the modules that an upgrade replaces, unload them and load the new ones. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "base/tool.h"
#include "keep/keep.h"
#include "keep/module.h"

#define CORE		"weir_core"
/* The kernel lets go of programs and devices a moment after they are gone. */
#define UNLOAD_MS	10000
#define PAUSE_MS	10

/* The text of a module's file; the caller frees it. */
static char *read_file(const char *path, size_t *size)
{
	FILE *in = fopen(path, "re");
	char *bytes = NULL;
	struct stat stat;

	*size = 0;
	if (!in)
		return NULL;
	if (!fstat(fileno(in), &stat) && stat.st_size > 0) {
		bytes = malloc(stat.st_size);
		*size = bytes ? fread(bytes, 1, stat.st_size, in) : 0;
	}
	fclose(in);
	return bytes ?: strdup("");
}

/* A module's file says its name and which kernel it is for. */
static bool is_module(const char *bytes, size_t size, const char *module)
{
	char magic[128], name[64];
	struct utsname kernel;

	uname(&kernel);
	snprintf(magic, sizeof(magic), "vermagic=%s ", kernel.release);
	snprintf(name, sizeof(name), "name=%s", module);
	return memmem(bytes, size, magic, strlen(magic)) &&
	       memmem(bytes, size, name, strlen(name) + 1);
}

static int choose_file(struct modules *modules, const char *path)
{
	struct utsname kernel;
	char *bytes;
	size_t size;
	int i;

	bytes = read_file(path, &size);
	if (!bytes)
		return refused(errno, "cannot open %s: %s", path, strerror(errno));
	for (i = 0; i < FAMILIES && !is_module(bytes, size, weir_module(i)); i++)
		;
	if (i == FAMILIES && is_module(bytes, size, CORE)) {
		free(bytes);
		return refused(EINVAL, "%s is what the modules share, which goes with all of them: name its directory", path);
	}
	free(bytes);
	uname(&kernel);
	if (i == FAMILIES)
		return refused(EINVAL, "%s is no weir module for this kernel, %s: build it with `make module`",
			       path, kernel.release);
	modules->file = path;
	modules->family[i] = true;
	return WEIR_OK;
}

static int choose_all(struct modules *modules)
{
	bool single = module_is_single();
	int i;

	if (!modules_are_loaded())
		return weir_refuse_none();
	for (i = 0; i < FAMILIES; i++)
		modules->family[i] = single || module_is_loaded(weir_module(i));
	modules->core = true;
	return WEIR_OK;
}

static void path_in(char path[static PATH_MAX], const char *dir, const char *module)
{
	snprintf(path, PATH_MAX, "%s/%s.ko", dir, module);
}

static int check_in(const char *dir, const char *module)
{
	char path[PATH_MAX], *bytes;
	struct utsname kernel;
	size_t size;
	bool fits;

	path_in(path, dir, module);
	bytes = read_file(path, &size);
	if (!bytes)
		return refused(errno, "cannot open %s: %s", path, strerror(errno));
	fits = is_module(bytes, size, module);
	free(bytes);
	uname(&kernel);
	return fits ? WEIR_OK : refused(EINVAL, "%s is not the module %s for this kernel, %s: build it with `make module`",
					path, module, kernel.release);
}

int modules_choose(struct modules *modules, const char *path)
{
	struct stat stat_of;
	int status, i;

	*modules = (struct modules){};
	if (path && (stat(path, &stat_of) || !S_ISDIR(stat_of.st_mode)))
		return choose_file(modules, path);
	modules->dir = path;
	status = choose_all(modules);
	if (!path || status)
		return status;
	status = check_in(path, CORE);
	for (i = 0; !status && i < FAMILIES; i++) {
		if (modules->family[i])
			status = check_in(path, weir_module(i));
	}
	return status;
}

static uint64_t now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000ull + now.tv_nsec / 1000000;
}

static int unload(const char *module)
{
	uint64_t end = now_ms() + UNLOAD_MS;

	while (syscall(SYS_delete_module, module, O_NONBLOCK)) {
		if (errno == ENOENT)
			return WEIR_OK;
		if ((errno != EAGAIN && errno != EBUSY) || now_ms() > end)
			return refused(errno, "the module %s cannot be unloaded: %s%s", module, strerror(errno),
				       errno == EAGAIN ? "; something else holds it: look with `lsmod`, `bpftool prog` and `tc qdisc show`" : "");
		nanosleep(&(struct timespec){ .tv_nsec = PAUSE_MS * 1000000L }, NULL);
	}
	return WEIR_OK;
}

int modules_unload(const struct modules *modules)
{
	int status = WEIR_OK, i;

	for (i = FAMILIES - 1; !status && i >= 0; i--) {
		if (modules->family[i])
			status = unload(weir_module(i));
	}
	return status || !modules->core ? status : unload(CORE);
}

static int load_file(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC), err;

	if (fd >= 0 && !syscall(SYS_finit_module, fd, "", 0)) {
		close(fd);
		return 0;
	}
	err = -errno;
	if (fd >= 0)
		close(fd);
	return err == -EEXIST ? 0 : err;
}

/*
 * Load a module from @path, or by modprobe if @path is NULL or does not load: another module is better than
 * none. Return an exit status.
 */
static int load(const char *path, const char *module)
{
	int err = path ? load_file(path) : 0;

	if (path && !err)
		return WEIR_OK;
	if (module_load(module)) {
		if (path)
			warning("%s does not load (%s): the module that is installed was loaded instead",
				path, strerror(-err));
		return WEIR_OK;
	}
	if (!path)
		return refused(0, "`modprobe %s` failed: what there was is in " KEEP_STATE_DIR, module);
	return refused(err, "%s does not load: %s; what there was is in " KEEP_STATE_DIR, path, strerror(-err));
}

static int load_from(const struct modules *modules, const char *module)
{
	char path[PATH_MAX];

	if (!modules->dir)
		return load(modules->file, module);
	path_in(path, modules->dir, module);
	return load(path, module);
}

int modules_load(const struct modules *modules)
{
	int status = WEIR_OK, i;

	if (modules->core)
		status = load_from(modules, CORE);
	for (i = 0; !status && i < FAMILIES; i++) {
		if (modules->family[i])
			status = load_from(modules, weir_module(i));
	}
	return status;
}
