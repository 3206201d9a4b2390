/* SPDX-License-Identifier: GPL-2.0 */
/* Features that a device's driver has for XDP programs, by the kernel's netdev family. */
#ifndef WEIR_NETDEV_H
#define WEIR_NETDEV_H

#include <stdbool.h>
#include <stdint.h>

/* enum netdev_xdp_act; linux/netdev.h has it since 6.3. */
#define NETDEV_BASIC	(1U << 0)	/* programs */
#define NETDEV_RX_SG	(1U << 5)	/* frames that do not fit a page */

/* Returns false where the kernel does not tell. */
bool netdev_features(unsigned int ifindex, uint64_t *features);

/* Return true if programs can read from the driver the VLAN tags that it takes off. */
bool netdev_tells_vlan(unsigned int ifindex);

#endif
