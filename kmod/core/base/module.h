/* SPDX-License-Identifier: GPL-2.0 */
/* A module's parts, and their order. */
#ifndef _WEIR_MODULE_H
#define _WEIR_MODULE_H

#include <linux/notifier.h>

struct net;
struct net_device;
struct pernet_operations;
struct weir_module;
struct weir_ns;

/**
 * struct weir_part - a part of a module; each member but @name may be absent
 * @name: for people
 * @init: make it ready; returns 0 or an error. A part that needs another one stands behind it
 * @uninit: undo @init; called in reverse order, also if @init of a later part fails
 * @attach: as @init, but takes the module: for the parts below, which all modules have
 * @detach: undo @attach
 * @net_init: make its state of a namespace; returns 0 or an error
 * @net_flush: take away all of its objects in a namespace. The namespace's lock is held, RTNL is
 *	not. Called before the devices of the namespace go, which may still deliver packets, and
 *	when the module goes: BPF programs hold the module, so no packet is under way then
 * @net_uninit: free its state of a namespace
 * @dev_event: a device has changed: NETDEV_*, and what the notifier was given; RTNL is held.
 *	Returns 0, or an error for changes that can be refused
 */
struct weir_part {
	const char	*name;
	int		(*init)(void);
	void		(*uninit)(void);
	int		(*attach)(struct weir_module *module);
	void		(*detach)(struct weir_module *module);
	int		(*net_init)(struct net *net);
	void		(*net_flush)(struct net *net);
	void		(*net_uninit)(struct net *net);
	int		(*dev_event)(struct net_device *dev, unsigned long event, void *info);
};

/**
 * struct weir_module - a module
 * @part: its parts, those that others need first
 * @count: number of parts
 * @ns: returns its part of a namespace
 * @net_ops: its callbacks for namespaces, which call weir_module_net_init(), _flush() and _uninit()
 * @devices: its netdevice notifier, which weir_module_attach_devices() fills in
 */
struct weir_module {
	const struct weir_part	*part;
	unsigned int		count;
	struct weir_ns		*(*ns)(const struct net *net);
	struct pernet_operations *net_ops;
	struct notifier_block	devices;
};

int weir_module_init(struct weir_module *module);
void weir_module_uninit(struct weir_module *module);
int weir_module_net_init(const struct weir_module *module, struct net *net);
void weir_module_net_flush(const struct weir_module *module, struct net *net);
void weir_module_net_uninit(const struct weir_module *module, struct net *net);

/* Parts that a module puts where its other parts allow: register @net_ops, and @devices. */
int weir_module_attach_netns(struct weir_module *module);
void weir_module_detach_netns(struct weir_module *module);
int weir_module_attach_devices(struct weir_module *module);
void weir_module_detach_devices(struct weir_module *module);

#endif /* _WEIR_MODULE_H */
