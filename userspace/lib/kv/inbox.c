// SPDX-License-Identifier: BSD-2-Clause
#include "kv/inbox.h"

#include <errno.h>
#include <stdlib.h>

struct kv_inbox *kv_inbox_make(void)
{
	struct kv_inbox *inbox = calloc(1, sizeof(*inbox));

	for (size_t i = 0; inbox && i < KV_INBOX; i++) {
		inbox->part[i].iov_base = inbox->bytes[i];
		inbox->part[i].iov_len = sizeof(inbox->bytes[i]);
		inbox->message[i].msg_hdr.msg_iov = &inbox->part[i];
		inbox->message[i].msg_hdr.msg_iovlen = 1;
		inbox->message[i].msg_hdr.msg_name = &inbox->peer[i].any;
	}
	return inbox;
}

int kv_inbox_read(struct kv_inbox *inbox, int fd)
{
	int count;

	for (size_t i = 0; i < KV_INBOX; i++)
		inbox->message[i].msg_hdr.msg_namelen = sizeof(inbox->peer[i].v6);
	count = recvmmsg(fd, inbox->message, KV_INBOX, MSG_DONTWAIT, NULL);
	if (count < 0)
		return -errno;
	for (int i = 0; i < count; i++)
		inbox->peer[i].length = inbox->message[i].msg_hdr.msg_namelen;
	return count;
}
