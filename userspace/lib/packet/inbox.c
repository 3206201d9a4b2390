// SPDX-License-Identifier: BSD-2-Clause
#include "packet/inbox.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/ip.h>
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
	header->msg_control = &inbox->controls[i];
}

int inbox_init(struct inbox *inbox, size_t size, bool merged)
{
	size_t stride;

	memset(inbox, 0, sizeof(*inbox));
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
	/* One more than is taken mostly: a call that takes fewer has emptied the socket. */
	inbox->at_once = INBOX_BYTES / longest + 1;
	if (inbox->at_once > INBOX)
		inbox->at_once = INBOX;
}

int inbox_receive(struct inbox *inbox, int fd, unsigned int most)
{
	int got;

	for (unsigned int i = 0; i < most; i++)
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

static bool is_of(const struct cmsghdr *control, int level, int type)
{
	return control->cmsg_level == level && control->cmsg_type == type;
}

static void note_stride(struct inbox_notes *notes, const struct cmsghdr *control)
{
	int size;

	memcpy(&size, CMSG_DATA(control), sizeof(size));
	if (size > 0)
		notes->stride = (size_t)size;
}

static void note_mark(struct inbox_notes *notes, int tos)
{
	notes->marked = (tos & IPTOS_ECN_MASK) == IPTOS_ECN_CE;
}

/* IPv4 gives its byte as one, IPv6 as an int. */
struct inbox_notes inbox_notes(const struct inbox *inbox, unsigned int index)
{
	struct mmsghdr *message = (struct mmsghdr *)&inbox->messages[index];
	struct inbox_notes notes = { .stride = message->msg_len };
	struct cmsghdr *control = CMSG_FIRSTHDR(&message->msg_hdr);
	int tclass;

	for (; control; control = CMSG_NXTHDR(&message->msg_hdr, control)) {
		if (is_of(control, SOL_UDP, UDP_GRO)) {
			note_stride(&notes, control);
		} else if (is_of(control, IPPROTO_IP, IP_TOS)) {
			note_mark(&notes, *CMSG_DATA(control));
		} else if (is_of(control, IPPROTO_IPV6, IPV6_TCLASS)) {
			memcpy(&tclass, CMSG_DATA(control), sizeof(tclass));
			note_mark(&notes, tclass);
		}
	}
	return notes;
}
