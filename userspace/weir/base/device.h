/* SPDX-License-Identifier: GPL-2.0 */
#ifndef WEIR_DEVICE_H
#define WEIR_DEVICE_H

#include <stdbool.h>

/* The number of a device; an exit status, with the reason printed, where there is none. */
int device_find(const char *name, unsigned int *ifindex);

/* features.c: return true if a feature of a device, by the name that ethtool gives it, is on. */
bool device_feature(const char *dev, const char *name);

/* Return true if the feature can be set. */
bool device_feature_free(const char *dev, const char *name);

/* Return true if a device takes VLAN tags of either kind off the frames that come in. */
bool device_hides_vlan(const char *dev);

/* The name of its driver, and its place on the bus; empty where it has none. */
void device_driver(const char *dev, char driver[32], char bus[32]);

#endif
