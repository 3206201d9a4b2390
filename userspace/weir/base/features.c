// SPDX-License-Identifier: GPL-2.0
/* Network devices as ethtool shows them: their features by name, and their driver. */
#include <linux/ethtool.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/device.h"

static int ask(int fd, const char *dev, void *data)
{
	struct ifreq request = { .ifr_data = data };

	strncpy(request.ifr_name, dev, IFNAMSIZ - 1);
	return ioctl(fd, SIOCETHTOOL, &request);
}

static uint32_t feature_count(int fd, const char *dev)
{
	/* The request is for one set, so one number follows. */
	union {
		struct ethtool_sset_info info;
		char bytes[sizeof(struct ethtool_sset_info) + sizeof(uint32_t)];
	} set = { .info = { .cmd = ETHTOOL_GSSET_INFO,
			    .sset_mask = 1ULL << ETH_SS_FEATURES } };

	if (ask(fd, dev, &set) || !set.info.sset_mask)
		return 0;
	return set.info.data[0];
}

/* The number of a feature; @count where there is none of this name. */
static uint32_t feature_index(int fd, const char *dev, const char *name, uint32_t count)
{
	struct ethtool_gstrings *strings;
	uint32_t i = count;

	strings = calloc(1, sizeof(*strings) + (size_t)count * ETH_GSTRING_LEN);
	if (!strings)
		return count;
	strings->cmd = ETHTOOL_GSTRINGS;
	strings->string_set = ETH_SS_FEATURES;
	strings->len = count;
	if (!ask(fd, dev, strings)) {
		for (i = 0; i < count; i++) {
			const char *entry = (const char *)strings->data + i * ETH_GSTRING_LEN;

			if (!strncmp(entry, name, ETH_GSTRING_LEN))
				break;
		}
	}
	free(strings);
	return i;
}

/* The block of 32 features that one is in. */
static void feature_read(int fd, const char *dev, uint32_t index, uint32_t count,
			 struct ethtool_get_features_block *block)
{
	uint32_t words = (count + 31) / 32;
	struct ethtool_gfeatures *features;

	features = calloc(1, sizeof(*features) + words * sizeof(features->features[0]));
	if (!features)
		return;
	features->cmd = ETHTOOL_GFEATURES;
	features->size = words;
	if (!ask(fd, dev, features))
		*block = features->features[index / 32];
	free(features);
}

/* The feature's bit in the block; 0 where there is none of this name. */
static uint32_t feature_find(const char *dev, const char *name,
			     struct ethtool_get_features_block *block)
{
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	uint32_t count, index, bit = 0;

	memset(block, 0, sizeof(*block));
	if (fd < 0)
		return 0;
	count = feature_count(fd, dev);
	index = count ? feature_index(fd, dev, name, count) : 0;
	if (index < count) {
		feature_read(fd, dev, index, count, block);
		bit = 1U << (index % 32);
	}
	close(fd);
	return bit;
}

bool device_feature(const char *dev, const char *name)
{
	struct ethtool_get_features_block block;
	uint32_t bit = feature_find(dev, name, &block);

	return block.active & bit;
}

bool device_feature_free(const char *dev, const char *name)
{
	struct ethtool_get_features_block block;
	uint32_t bit = feature_find(dev, name, &block);

	return block.available & bit;
}

void device_driver(const char *dev, char driver[32], char bus[32])
{
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	struct ethtool_drvinfo info = { .cmd = ETHTOOL_GDRVINFO };

	if (fd >= 0 && ask(fd, dev, &info))
		memset(&info, 0, sizeof(info));
	snprintf(driver, 32, "%.31s", info.driver);
	snprintf(bus, 32, "%.31s", info.bus_info);
	if (fd >= 0)
		close(fd);
}

bool device_hides_vlan(const char *dev)
{
	return device_feature(dev, "rx-vlan-hw-parse") ||
	       device_feature(dev, "rx-vlan-stag-hw-parse");
}
