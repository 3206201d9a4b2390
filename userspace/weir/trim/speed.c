// SPDX-License-Identifier: GPL-2.0
/* The speed of a device, from its driver. */
#include <linux/ethtool.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "trim/speed.h"

/* Room for three bitmaps of link modes, as long as the kernel's length can get. */
union settings {
	struct ethtool_link_settings link;
	char bytes[sizeof(struct ethtool_link_settings) + 3 * 127 * sizeof(__u32)];
};

static int ask(int fd, const char *dev, union settings *settings)
{
	struct ifreq request = { .ifr_data = (void *)settings };

	strncpy(request.ifr_name, dev, IFNAMSIZ - 1);
	settings->link.cmd = ETHTOOL_GLINKSETTINGS;
	return ioctl(fd, SIOCETHTOOL, &request);
}

/* The first answer gives the length of the bitmaps, as a negative number. */
static uint64_t megabits(int fd, const char *dev)
{
	union settings settings = {};
	int words;

	if (ask(fd, dev, &settings) || settings.link.link_mode_masks_nwords >= 0)
		return 0;
	words = -settings.link.link_mode_masks_nwords;
	memset(&settings, 0, sizeof(settings));
	settings.link.link_mode_masks_nwords = words;
	if (ask(fd, dev, &settings) || settings.link.speed == (__u32)SPEED_UNKNOWN)
		return 0;
	return settings.link.speed;
}

uint64_t device_speed(const char *dev)
{
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	uint64_t speed;

	if (fd < 0)
		return 0;
	speed = megabits(fd, dev) * 1000000 / 8;
	close(fd);
	return speed;
}
