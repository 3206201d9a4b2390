// SPDX-License-Identifier: GPL-2.0
#include <arpa/inet.h>
#include <err.h>
#include <errno.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <net/if.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include "tap.h"

#define ROOM		(64 << 20)
#define TAG_LEN		4
#define TAG_AT		12

static void option(int fd, int level, int name, int value)
{
	if (setsockopt(fd, level, name, &value, sizeof(value)))
		err(1, "packet socket, option %d", name);
}

static int packet_socket(const char *dev, int protocol)
{
	struct sockaddr_ll at = {
		.sll_family = AF_PACKET,
		.sll_protocol = htons(protocol),
		.sll_ifindex = if_nametoindex(dev),
	};
	int fd = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, 0);

	if (fd < 0 || !at.sll_ifindex || bind(fd, (void *)&at, sizeof(at)))
		err(1, "packet socket at %s", dev);
	return fd;
}

int tap_listen(const char *dev)
{
	int fd = packet_socket(dev, ETH_P_ALL);

	option(fd, SOL_PACKET, PACKET_AUXDATA, 1);
	option(fd, SOL_PACKET, PACKET_IGNORE_OUTGOING, 1);
	option(fd, SOL_SOCKET, SO_RCVBUFFORCE, ROOM);
	return fd;
}

int tap_sender(const char *dev)
{
	int fd = packet_socket(dev, 0);

	option(fd, SOL_PACKET, PACKET_VNET_HDR, 1);
	option(fd, SOL_SOCKET, SO_SNDBUFFORCE, ROOM);
	return fd;
}

/* Of a queue that is full the socket says that there are no buffers. */
bool tap_send(int fd, const struct virtio_net_hdr *hdr, const void *frame, size_t len,
	      bool queued)
{
	struct iovec parts[] = {
		{ (void *)hdr, sizeof(*hdr) },
		{ (void *)frame, len },
	};

	return writev(fd, parts, 2) >= 0 || (queued && errno == ENOBUFS);
}

static void put_tag(uint8_t *frame, size_t *len, const struct tpacket_auxdata *aux)
{
	uint16_t tag[2] = { htons(ETH_P_8021Q), htons(aux->tp_vlan_tci) };

	if (!(aux->tp_status & TP_STATUS_VLAN_VALID) || *len < TAG_AT)
		return;
	if (aux->tp_status & TP_STATUS_VLAN_TPID_VALID)
		tag[0] = htons(aux->tp_vlan_tpid);
	memmove(frame + TAG_AT + TAG_LEN, frame + TAG_AT, *len - TAG_AT);
	memcpy(frame + TAG_AT, tag, sizeof(tag));
	*len += TAG_LEN;
}

size_t tap_read(int fd, uint8_t *frame)
{
	_Alignas(struct cmsghdr) char control[CMSG_SPACE(sizeof(struct tpacket_auxdata))];
	struct iovec part = { frame, TAP_FRAME_MAX - TAG_LEN };
	struct msghdr msg = {
		.msg_iov = &part, .msg_iovlen = 1,
		.msg_control = control, .msg_controllen = sizeof(control),
	};
	ssize_t got = recvmsg(fd, &msg, MSG_DONTWAIT);
	struct tpacket_auxdata aux;
	struct cmsghdr *c;
	size_t len;

	if (got <= 0)
		return 0;
	len = got;
	for (c = CMSG_FIRSTHDR(&msg); c; c = CMSG_NXTHDR(&msg, c)) {
		if (c->cmsg_level != SOL_PACKET || c->cmsg_type != PACKET_AUXDATA)
			continue;
		memcpy(&aux, CMSG_DATA(c), sizeof(aux));
		put_tag(frame, &len, &aux);
	}
	return len;
}
