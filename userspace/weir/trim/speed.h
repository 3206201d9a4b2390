/* SPDX-License-Identifier: GPL-2.0 */
#ifndef WEIR_SPEED_H
#define WEIR_SPEED_H

#include <stdint.h>

/* Bytes a second that a device sends, from its driver; 0 where that reports none. */
uint64_t device_speed(const char *dev);

#endif
