// SPDX-License-Identifier: GPL-2.0
/* The families, for a command: it has the module loaded, or tells why there is none. */
#include <errno.h>
#include <string.h>

#include "base/tool.h"
#include "netlink/genl.h"

/* No request of the kernel's own loads the modules, so root's tool does. */
static int open_or_load(struct weir *weir, enum family_of family)
{
	int err = weir_try_open(weir);

	if (!err && weir->family[family].id)
		return 0;
	if (err && err != -ENOENT)
		return err;
	if (!err)
		weir_close(weir);
	if (!module_load(weir_module(family)))
		return -ENOENT;
	err = weir_try_open(weir);
	if (err || weir->family[family].id)
		return err;
	weir_close(weir);
	return -ENOENT;
}

int weir_refuse_none(void)
{
	return refused(ENOENT, "no module of weir is loaded in this kernel: run `modprobe weir`, sch_weir or weir_xdp");
}

int weir_refuse_absent(enum family_of family)
{
	return refused(ENOENT, NL_ABSENT, weir_module(family), weir_module(family));
}

static int refuse_open(int err)
{
	if (err == -EPROTO)
		return refused(err, WEIR_SINGLE ": run `weir upgrade`");
	return refused(err, "cannot open a generic netlink socket: %s", strerror(-err));
}

int weir_open_any(struct weir *weir)
{
	int err = weir_try_open(weir);

	if (err == -ENOENT)
		return weir_refuse_none();
	return err ? refuse_open(err) : WEIR_OK;
}

int weir_open(struct weir *weir, uint8_t command)
{
	enum family_of family = weir_family(command);
	int err = open_or_load(weir, family);

	if (err == -ENOENT)
		return weir_refuse_absent(family);
	return err ? refuse_open(err) : WEIR_OK;
}
