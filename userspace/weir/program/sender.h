/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The sender of a device's packets: the other end of a veth leaves their checksums to hardware that
 * there is not, unless it is told to finish them. The stack finishes them, and XDP passes them on broken.
 */
#ifndef WEIR_SENDER_H
#define WEIR_SENDER_H

#include <stdbool.h>

/* Return true if the other end leaves checksums undone; false if the module cannot tell. */
bool sender_unfinished(unsigned int ifindex);

/*
 * Refuse a device whose other end leaves checksums undone, with the reason told. Return an exit status.
 * @else_what: another way, for the end of the sentence
 */
int sender_check(const char *dev, unsigned int ifindex, const char *else_what);

#endif
