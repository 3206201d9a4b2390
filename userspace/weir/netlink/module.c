// SPDX-License-Identifier: GPL-2.0
/* Find out which of weir's modules are loaded, and load them with modprobe. */
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "netlink/genl.h"

bool module_is_loaded(const char *module)
{
	char path[64];

	snprintf(path, sizeof(path), "/sys/module/%s", module);
	return !access(path, F_OK);
}

bool module_is_built_in(const char *module)
{
	char path[64];

	/* A module that was loaded from a file has a state. */
	snprintf(path, sizeof(path), "/sys/module/%s/initstate", module);
	return access(path, F_OK);
}

bool module_is_single(void)
{
	return module_is_loaded("weir") && !module_is_loaded("weir_core");
}

bool modules_are_loaded(void)
{
	int i;

	for (i = 0; i < FAMILIES; i++) {
		if (module_is_loaded(weir_module(i)))
			return true;
	}
	return false;
}

bool module_load(const char *module)
{
	pid_t pid;
	int status;

	if (geteuid())
		return false;
	pid = fork();
	if (!pid) {
		execlp("modprobe", "modprobe", "-q", module, NULL);
		execl("/sbin/modprobe", "modprobe", "-q", module, NULL);
		_exit(127);
	}
	return pid > 0 && waitpid(pid, &status, 0) == pid && !status;
}
