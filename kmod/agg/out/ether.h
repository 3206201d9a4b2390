/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _WEIR_ETHER_H
#define _WEIR_ETHER_H

struct weir_dest;
struct weir_local;
struct weir_packet;

int weir_ether_send(const struct weir_dest *dest, const struct weir_local *from,
		    const struct weir_packet *pkt);

#endif /* _WEIR_ETHER_H */
