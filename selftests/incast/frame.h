/* SPDX-License-Identifier: GPL-2.0 */
/* The frames of an incast: one flow a sender, told apart by the UDP source port. */
#ifndef FRAME_H
#define FRAME_H

#include <linux/if_ether.h>
#include <linux/ip.h>
#include <linux/udp.h>

#define FLOW_PORT	10000	/* source port of sender 0 */
#define FLOWS_MAX	1024

/* No checksum above IP: 0 says that there is none. */
struct flow_frame {
	struct ethhdr eth;
	struct iphdr ip;
	struct udphdr udp;
} __attribute__((packed));

#endif
