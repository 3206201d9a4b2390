/* SPDX-License-Identifier: GPL-2.0 */
#ifndef WEIRD_PRIVILEGE_H
#define WEIRD_PRIVILEGE_H

/* Keeps CAP_NET_ADMIN, and gives every other capability up for good. */
void privilege_drop(void);

#endif
