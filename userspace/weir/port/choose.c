// SPDX-License-Identifier: GPL-2.0
/*
 * The mode that is best for a device and its packets: tc where they come merged, which it sums
 * in one pass; else XDP, where the driver has it. Generic XDP is never the best: it runs where
 * tc does, and takes no merged packets.
 */
#include <glob.h>
#include <stdio.h>
#include <string.h>

#include <weir.h>

#include "base/device.h"
#include "netlink/netdev.h"
#include "port/attach.h"

/* A page less the room before a frame and behind it, and the Ethernet header. */
#define XDP_PAGE_MTU	(4096 - 256 - 320 - 14)

/* Bits of a virtio device's features, which are written as a line of 0 and 1. */
#define VIRTIO_GUEST_USO4	54
#define VIRTIO_GUEST_USO6	55

/* Return true if the host has been told that it may send merged UDP packets. */
static bool virtio_merged(const char *bus)
{
	char pattern[96], bits[65] = "";
	glob_t found;
	FILE *file;

	snprintf(pattern, sizeof(pattern), "/sys/bus/*/devices/%s/virtio*/features", bus);
	if (glob(pattern, 0, NULL, &found))
		return false;
	file = fopen(found.gl_pathv[0], "re");
	globfree(&found);
	if (!file)
		return false;
	if (!fgets(bits, sizeof(bits), file))
		*bits = '\0';
	fclose(file);
	return strlen(bits) > VIRTIO_GUEST_USO6 &&
	       (bits[VIRTIO_GUEST_USO4] == '1' || bits[VIRTIO_GUEST_USO6] == '1');
}

const char *port_merged(const struct link *link)
{
	char driver[32], bus[32];

	if (!strcmp(link->kind, "veth"))
		return "the other end of a veth sends them so, and would have to cut them for XDP";
	if (!strcmp(link->kind, "tun") && device_feature(link->name, "tx-udp-segmentation"))
		return "the guest of a tap sends them so";
	device_driver(link->name, driver, bus);
	if (!strcmp(driver, "virtio_net") && virtio_merged(bus))
		return "the host sends them so";
	if (!device_feature(link->name, "rx-gro"))
		return NULL;
	if (device_feature(link->name, "rx-gro-list"))
		return "GRO merges them (rx-gro-list is on)";
	if (device_feature(link->name, "rx-udp-gro-forwarding"))
		return "GRO merges them (rx-udp-gro-forwarding is on)";
	return NULL;
}

/* Write to @why the reason that XDP cannot be had in the driver, or "" if it can. */
static void xdp_lacks(const struct link *link, char why[PORT_WHY])
{
	uint32_t id = link->driver_id ?: link->generic_id ?: link->hardware_id;
	uint64_t features;
	char name[32];

	*why = '\0';
	if (id && !bpf_identify(id, name, sizeof(name), NULL) && strcmp(name, WEIR_XDP_NAME))
		snprintf(why, PORT_WHY, "the XDP program %u (%s) is of somebody else", id, name);
	else if (!netdev_features(link->ifindex, &features))
		return;
	else if (!(features & NETDEV_BASIC))
		snprintf(why, PORT_WHY, "the driver has no XDP of its own");
	else if (!(features & NETDEV_RX_SG) && link->mtu > XDP_PAGE_MTU)
		snprintf(why, PORT_WHY, "the driver's XDP takes frames of a page, and the MTU is %u",
			 link->mtu);
}

void port_choose(const struct link *link, struct choice *choice)
{
	const char *merged = port_merged(link);

	choice->mode = WEIR_MODE_TC;
	if (merged) {
		snprintf(choice->why, sizeof(choice->why), "packets come merged: %s", merged);
		return;
	}
	xdp_lacks(link, choice->why);
	if (*choice->why)
		return;
	choice->mode = WEIR_MODE_XDP;
	snprintf(choice->why, sizeof(choice->why),
		 "packets come one by one, which XDP in the driver is quickest for");
}
