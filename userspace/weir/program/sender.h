/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Who sends a device its packets: the other end of a veth leaves their checksums to hardware that
 * there is not, unless it is told to finish them. The stack does that, and XDP passes them on broken.
 */
#ifndef WEIR_SENDER_H
#define WEIR_SENDER_H

#include <stdbool.h>

/* Does the other end leave checksums undone? False where the module cannot tell. */
bool sender_unfinished(unsigned int ifindex);

/*
 * An exit status: refused, with the reason told, where it does. @else_what: another way, for the
 * end of the sentence
 */
int sender_check(const char *dev, unsigned int ifindex, const char *else_what);

#endif
