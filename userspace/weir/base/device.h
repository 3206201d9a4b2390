/* SPDX-License-Identifier: GPL-2.0 */
#ifndef WEIR_DEVICE_H
#define WEIR_DEVICE_H

/* The number of a device; an exit status, with the reason printed, where there is none. */
int device_find(const char *name, unsigned int *ifindex);

#endif
