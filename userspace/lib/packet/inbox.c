// SPDX-License-Identifier: BSD-2-Clause
#include "packet/inbox.h"

#include <errno.h>
#include <netinet/udp.h>
#include <stdlib.h>
#include <string.h>

#include "packet/wire.h"

/* A message's first header lies at the end of a cache line, so that its gradients begin one. */
#define LINE	64

static void set_up_message(struct inbox *inbox, unsigned int i, uint8_t *room, size_t size)
{
	struct msghdr *header = &inbox->messages[i].msg_hdr;

	inbox->vectors[i].iov_base = room + LINE - WIRE_HEADER;
	inbox->vectors[i].iov_len = size;
	header->msg_iov = &inbox->vectors[i];
	header->msg_iovlen = 1;
	if (inbox->merged)
		header->msg_control = &inbox->controls[i];
}

int inbox_init(struct inbox *inbox, size_t size, bool merged)
{
	size_t stride;

	memset(inbox, 0, sizeof(*inbox));
	inbox->merged = merged;
	inbox->at_once = INBOX;
	if (merged && size < INBOX_MERGED)
		size = INBOX_MERGED;
	stride = (LINE + size + LINE - 1) / LINE * LINE;
	inbox->memory = aligned_alloc(LINE, INBOX * stride);
	if (!inbox->memory)
		return -ENOMEM;
	for (unsigned int i = 0; i < INBOX; i++)
		set_up_message(inbox, i, (uint8_t *)inbox->memory + i * stride, size);
	return 0;
}

void inbox_uninit(struct inbox *inbox)
{
	free(inbox->memory);
	inbox->memory = NULL;
}

static void note_lengths(struct inbox *inbox, unsigned int count)
{
	unsigned int longest = INBOX_BYTES / INBOX;

	for (unsigned int i = 0; i < count; i++)
		if (inbox->messages[i].msg_len > longest)
			longest = inbox->messages[i].msg_len;
	inbox->at_once = INBOX_BYTES / longest;
}

int inbox_receive(struct inbox *inbox, int fd, unsigned int most)
{
	int got;

	for (unsigned int i = 0; inbox->merged && i < most; i++)
		inbox->messages[i].msg_hdr.msg_controllen = sizeof(inbox->controls[i]);
	got = recvmmsg(fd, inbox->messages, most, MSG_DONTWAIT, NULL);
	if (got > 0)
		note_lengths(inbox, (unsigned int)got);
	return got;
}

const uint8_t *inbox_at(const struct inbox *inbox, unsigned int index)
{
	return inbox->vectors[index].iov_base;
}

size_t inbox_stride(const struct inbox *inbox, unsigned int index)
{
	const struct mmsghdr *message = &inbox->messages[index];
	const struct cmsghdr *control = CMSG_FIRSTHDR(&message->msg_hdr);
	int size;

	if (!control || control->cmsg_level != SOL_UDP || control->cmsg_type != UDP_GRO)
		return message->msg_len;
	memcpy(&size, CMSG_DATA(control), sizeof(size));
	return size > 0 ? (size_t)size : message->msg_len;
}
