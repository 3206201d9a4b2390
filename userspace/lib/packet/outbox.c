// SPDX-License-Identifier: BSD-2-Clause
#include "packet/outbox.h"

#include <netinet/udp.h>
#include <string.h>

#include "packet/wire.h"

unsigned int outbox_room(size_t size, bool merged)
{
	size_t fit = OUTBOX_MERGED / size;

	if (!merged)
		return OUTBOX_PLAIN;
	return fit < OUTBOX ? (unsigned int)fit : OUTBOX;
}

/* Questions are few, and are not asked again for being lost together. */
static bool may_follow(const struct iovec *vector, size_t size, size_t bytes)
{
	return vector->iov_len <= size && vector->iov_len > WIRE_HEADER &&
	       bytes + vector->iov_len <= OUTBOX_MERGED;
}

/* As many as can be one message: all as long as the first, but the last may be shorter. */
static unsigned int run(const struct iovec *vectors, unsigned int count)
{
	size_t size = vectors[0].iov_len, bytes = size;
	unsigned int i = 1;

	while (i < count && vectors[i - 1].iov_len == size && may_follow(&vectors[i], size, bytes))
		bytes += vectors[i++].iov_len;
	return i;
}

static void merge(struct msghdr *header, union outbox_control *control)
{
	uint16_t size = (uint16_t)header->msg_iov[0].iov_len;

	control->header = (struct cmsghdr) {
		.cmsg_len = CMSG_LEN(sizeof(size)),
		.cmsg_level = SOL_UDP,
		.cmsg_type = UDP_SEGMENT,
	};
	memcpy(CMSG_DATA(&control->header), &size, sizeof(size));
	header->msg_control = control;
	header->msg_controllen = sizeof(*control);
}

unsigned int outbox_fill(struct outbox *outbox, unsigned int first, unsigned int count, bool merged)
{
	unsigned int messages = 0, end = first + count, packets;

	for (unsigned int i = first; i < end; i += packets) {
		struct msghdr *header = &outbox->messages[messages].msg_hdr;

		packets = merged ? run(&outbox->vectors[i], end - i) : 1;
		*header = (struct msghdr) {
			.msg_iov = &outbox->vectors[i],
			.msg_iovlen = packets,
		};
		if (packets > 1)
			merge(header, &outbox->controls[messages]);
		messages++;
	}
	return messages;
}

unsigned int outbox_packets(const struct outbox *outbox, unsigned int message)
{
	return (unsigned int)outbox->messages[message].msg_hdr.msg_iovlen;
}

/* A packet by itself is the answer's latency: send() does least for it. */
int outbox_send(struct outbox *outbox, int fd, unsigned int messages)
{
	const struct msghdr *header = &outbox->messages[0].msg_hdr;

	if (messages > 1)
		return sendmmsg(fd, outbox->messages, messages, 0);
	if (header->msg_iovlen > 1)
		return sendmsg(fd, header, 0) < 0 ? -1 : 1;
	return send(fd, header->msg_iov->iov_base, header->msg_iov->iov_len, 0) < 0 ? -1 : 1;
}
