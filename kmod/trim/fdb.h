/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _WEIR_FDB_H
#define _WEIR_FDB_H

#include <linux/types.h>

struct net_device;

/**
 * struct weir_fdb_entry - a bridge's entry for a station
 * @ifindex: the port that leads to it, or the bridge itself
 * @age: clock ticks of userspace (USER_HZ) since the bridge saw a frame of it
 * @local: it is the bridge's own address, or that of a port
 * @locked: it was seen at a locked port and is not let in
 * @ages: the bridge forgets it when it sends no frames
 */
struct weir_fdb_entry {
	int	ifindex;
	u32	age;
	bool	local;
	bool	locked;
	bool	ages;
};

bool weir_fdb_find(struct net_device *bridge, const u8 *mac, u16 vlan,
		   struct weir_fdb_entry *entry);
int weir_fdb_init(void);
void weir_fdb_uninit(void);

#endif /* _WEIR_FDB_H */
