// SPDX-License-Identifier: BSD-2-Clause
#include "packet/outbox.h"

#include <netinet/udp.h>
#include <string.h>

#include "packet/wire.h"

unsigned int outbox_fit(size_t size)
{
	size_t fit = OUTBOX_MERGED / size;

	return fit < OUTBOX ? (unsigned int)fit : OUTBOX;
}

unsigned int outbox_room(size_t size, bool merged)
{
	return merged ? OUTBOX_MESSAGES * outbox_fit(size) : OUTBOX_PLAIN;
}

void outbox_put(struct outbox *outbox, unsigned int index, void *packets, uint32_t count,
		uint32_t size)
{
	outbox->vectors[index] = (struct iovec) { packets, (size_t)count * size };
	outbox->sizes[index] = size;
}

/*
 * Return true if a vector may follow @bytes of packets of @size bytes in their message. Questions may
 * not: they are few, and are not asked again for being lost together.
 */
static bool may_follow(const struct outbox *outbox, unsigned int index, uint32_t size, size_t bytes)
{
	const struct iovec *vector = &outbox->vectors[index];
	uint32_t its = outbox->sizes[index];

	if (its != size && (its > size || vector->iov_len != its))
		return false;
	if (bytes / size + vector->iov_len / its > OUTBOX)
		return false;
	return its > WIRE_HEADER && bytes + vector->iov_len <= OUTBOX_MERGED;
}

/*
 * As many vectors as can be one message: all packets are as long as the first, but the last may
 * be shorter. *@bytes is the message's length.
 */
static unsigned int run(const struct outbox *outbox, unsigned int first, unsigned int end,
			size_t *bytes)
{
	uint32_t size = outbox->sizes[first];
	unsigned int i = first + 1;

	*bytes = outbox->vectors[first].iov_len;
	while (i < end && outbox->sizes[i - 1] == size && may_follow(outbox, i, size, *bytes))
		*bytes += outbox->vectors[i++].iov_len;
	return i - first;
}

static void merge(struct msghdr *header, union outbox_control *control, uint16_t size)
{
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
	unsigned int messages = 0, end = first + count, vectors;

	outbox->appended = 0;
	for (unsigned int i = first; i < end; i += vectors) {
		struct msghdr *header = &outbox->messages[messages].msg_hdr;
		size_t bytes = 0;

		vectors = merged ? run(outbox, i, end, &bytes) : 1;
		*header = (struct msghdr) {
			.msg_iov = &outbox->vectors[i],
			.msg_iovlen = vectors,
		};
		if (bytes > outbox->sizes[i])
			merge(header, &outbox->controls[messages], (uint16_t)outbox->sizes[i]);
		messages++;
	}
	return messages;
}

bool outbox_append(struct outbox *outbox, unsigned int messages, void *packet, uint32_t size)
{
	struct msghdr *header = &outbox->messages[messages - 1].msg_hdr;
	struct iovec *last = &header->msg_iov[header->msg_iovlen - 1];
	unsigned int first = (unsigned int)(header->msg_iov - outbox->vectors);
	uint32_t each = outbox->sizes[first];
	size_t bytes = 0;

	for (unsigned int i = 0; i < header->msg_iovlen; i++)
		bytes += header->msg_iov[i].iov_len;
	if (outbox->sizes[last - outbox->vectors] != each || size >= each ||
	    bytes / each >= OUTBOX || bytes + size > OUTBOX_MERGED)
		return false;
	last[1] = (struct iovec) { packet, size };
	if (!header->msg_control)
		merge(header, &outbox->controls[messages - 1], (uint16_t)each);
	header->msg_iovlen++;
	outbox->appended = messages;
	return true;
}

unsigned int outbox_vectors(const struct outbox *outbox, unsigned int message)
{
	return (unsigned int)outbox->messages[message].msg_hdr.msg_iovlen -
	       (outbox->appended == message + 1);
}

bool outbox_is_merged(const struct outbox *outbox, unsigned int message)
{
	return outbox->messages[message].msg_hdr.msg_control;
}

/* A packet by itself is the answer's latency: send() does least for it. */
int outbox_send(struct outbox *outbox, int fd, unsigned int messages)
{
	const struct msghdr *header = &outbox->messages[0].msg_hdr;

	if (messages > 1)
		return sendmmsg(fd, outbox->messages, messages, 0);
	if (outbox_is_merged(outbox, 0))
		return sendmsg(fd, header, 0) < 0 ? -1 : 1;
	return send(fd, header->msg_iov->iov_base, header->msg_iov->iov_len, 0) < 0 ? -1 : 1;
}
