// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <weir_xdp_nl.h>

#include "base/file.h"
#include "base/tool.h"

int file_find(const char *key, const char *name, char path[static PATH_MAX])
{
	if (!realpath(name, path))
		return refused(errno, "cannot open %s: %s", name, strerror(errno));
	if (strlen(path) <= WEIR_XDP_CHAIN_TEXT_MAX)
		return WEIR_OK;
	return usage(key, "%s %s: the full path of the file has %zu bytes, and %u at most are kept",
		     key, name, strlen(path), WEIR_XDP_CHAIN_TEXT_MAX);
}
