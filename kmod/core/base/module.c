// SPDX-License-Identifier: GPL-2.0
/* Starts and stops a module's parts in order, in the module and in each namespace. */
#include <linux/netdevice.h>
#include <net/net_namespace.h>

#include "core/base/compat.h"
#include "core/base/module.h"
#include "core/base/ns.h"

static int weir_part_start(const struct weir_part *part, struct weir_module *module)
{
	if (part->attach)
		return part->attach(module);
	return part->init ? part->init() : 0;
}

static void weir_module_stop(struct weir_module *module, unsigned int started)
{
	while (started--) {
		const struct weir_part *part = &module->part[started];

		if (part->detach)
			part->detach(module);
		else if (part->uninit)
			part->uninit();
	}
}

/**
 * weir_module_init() - start all parts
 * @module: the module
 *
 * Return: 0, or the error of the first part that cannot start; then none is started.
 */
int weir_module_init(struct weir_module *module)
{
	unsigned int i;
	int err;

	for (i = 0; i < module->count; i++) {
		err = weir_part_start(&module->part[i], module);
		if (err) {
			pr_err("weir: part %s cannot start: error %d\n", module->part[i].name,
			       err);
			weir_module_stop(module, i);
			return err;
		}
	}
	return 0;
}
EXPORT_SYMBOL_NS_GPL(weir_module_init, "WEIR");

/**
 * weir_module_uninit() - stop all parts, the last first
 * @module: the module
 */
void weir_module_uninit(struct weir_module *module)
{
	weir_module_stop(module, module->count);
}
EXPORT_SYMBOL_NS_GPL(weir_module_uninit, "WEIR");

static void weir_module_net_stop(const struct weir_module *module, unsigned int started,
				 struct net *net)
{
	while (started--)
		if (module->part[started].net_uninit)
			module->part[started].net_uninit(net);
}

/**
 * weir_module_net_init() - take part in a namespace
 * @module: the module
 * @net: the namespace; what the module has in it is all zero
 *
 * Return: 0 or an error.
 */
int weir_module_net_init(const struct weir_module *module, struct net *net)
{
	unsigned int i;
	int err;

	weir_ns_init(module->ns(net), net);
	for (i = 0; i < module->count; i++) {
		err = module->part[i].net_init ? module->part[i].net_init(net) : 0;
		if (err) {
			weir_module_net_stop(module, i, net);
			return err;
		}
	}
	return 0;
}
EXPORT_SYMBOL_NS_GPL(weir_module_net_init, "WEIR");

/**
 * weir_module_net_flush() - take all objects of a namespace away, and wait until they have ended
 * @module: the module
 * @net: the namespace
 *
 * Sleeps.
 */
void weir_module_net_flush(const struct weir_module *module, struct net *net)
{
	struct weir_ns *ns = module->ns(net);
	unsigned int i = module->count;

	mutex_lock(&ns->lock);
	while (i--)
		if (module->part[i].net_flush)
			module->part[i].net_flush(net);
	mutex_unlock(&ns->lock);
	weir_ns_endings_wait(ns);
}
EXPORT_SYMBOL_NS_GPL(weir_module_net_flush, "WEIR");

/**
 * weir_module_net_uninit() - leave a namespace, which has been flushed
 * @module: the module
 * @net: the namespace
 */
void weir_module_net_uninit(const struct weir_module *module, struct net *net)
{
	weir_module_net_stop(module, module->count, net);
}
EXPORT_SYMBOL_NS_GPL(weir_module_net_uninit, "WEIR");

/**
 * weir_module_attach_netns() - register the module's callbacks for namespaces
 * @module: the module
 *
 * Return: 0 or an error.
 */
int weir_module_attach_netns(struct weir_module *module)
{
	return register_pernet_subsys(module->net_ops);
}
EXPORT_SYMBOL_NS_GPL(weir_module_attach_netns, "WEIR");

/**
 * weir_module_detach_netns() - unregister them: flush all namespaces and leave them
 * @module: the module
 */
void weir_module_detach_netns(struct weir_module *module)
{
	unregister_pernet_subsys(module->net_ops);
}
EXPORT_SYMBOL_NS_GPL(weir_module_detach_netns, "WEIR");

/* Returns NOTIFY_DONE, or the first error of a part. */
static int weir_module_dev_event(struct notifier_block *nb, unsigned long event, void *info)
{
	const struct weir_module *module = container_of(nb, struct weir_module, devices);
	struct net_device *dev = netdev_notifier_info_to_dev(info);
	unsigned int i;
	int err;

	for (i = 0; i < module->count; i++) {
		err = module->part[i].dev_event ? module->part[i].dev_event(dev, event, info) : 0;
		if (err)
			return notifier_from_errno(err);
	}
	return NOTIFY_DONE;
}

/**
 * weir_module_attach_devices() - register the module's netdevice notifier
 * @module: the module
 *
 * Return: 0 or an error.
 */
int weir_module_attach_devices(struct weir_module *module)
{
	module->devices.notifier_call = weir_module_dev_event;
	return register_netdevice_notifier(&module->devices);
}
EXPORT_SYMBOL_NS_GPL(weir_module_attach_devices, "WEIR");

/**
 * weir_module_detach_devices() - unregister it
 * @module: the module
 */
void weir_module_detach_devices(struct weir_module *module)
{
	unregister_netdevice_notifier(&module->devices);
}
EXPORT_SYMBOL_NS_GPL(weir_module_detach_devices, "WEIR");
