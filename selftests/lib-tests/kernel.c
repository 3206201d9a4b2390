// SPDX-License-Identifier: GPL-2.0
#include "kernel.h"

#include <errno.h>
#include <netinet/udp.h>
#include <stdatomic.h>
#include <stddef.h>
#include <sys/socket.h>

ssize_t __real_sendmsg(int fd, const struct msghdr *message, int flags);
ssize_t __wrap_sendmsg(int fd, const struct msghdr *message, int flags);
int __real_sendmmsg(int fd, struct mmsghdr *messages, unsigned int count, int flags);
int __wrap_sendmmsg(int fd, struct mmsghdr *messages, unsigned int count, int flags);
int __real_setsockopt(int fd, int level, int option, const void *value, socklen_t length);
int __wrap_setsockopt(int fd, int level, int option, const void *value, socklen_t length);

static struct kernel_faults now;
static atomic_uint seen, refused, together;

void kernel_set(const struct kernel_faults *faults)
{
	now = *faults;
	seen = 0;
	refused = 0;
	together = 0;
}

unsigned int kernel_refused(void)
{
	return refused;
}

unsigned int kernel_together(void)
{
	return together;
}

static void note_together(unsigned int count)
{
	unsigned int most = together;

	while (count > most && !atomic_compare_exchange_weak(&together, &most, count))
		;
}

/* Only the library's socket is connected, and so needs no name. */
static bool is_refused(const struct msghdr *message)
{
	unsigned int index;

	if ((!now.refusal && !now.swallows) || message->msg_name || !message->msg_controllen)
		return false;
	index = atomic_fetch_add(&seen, 1);
	if (index < now.after || (now.times && index >= now.after + now.times))
		return false;
	atomic_fetch_add(&refused, 1);
	errno = now.refusal;
	return true;
}

ssize_t __wrap_sendmsg(int fd, const struct msghdr *message, int flags)
{
	if (is_refused(message))
		return now.swallows ? 0 : -1;
	return __real_sendmsg(fd, message, flags);
}

/*
 * As the kernel's: an error behind the first message ends the call before it, and is reported by the
 * next call or not at all.
 */
int __wrap_sendmmsg(int fd, struct mmsghdr *messages, unsigned int count, int flags)
{
	unsigned int good;

	if (!messages->msg_hdr.msg_name)
		note_together(count);
	if (!now.refusal && !now.swallows)
		return __real_sendmmsg(fd, messages, count, flags);
	for (good = 0; good < count; good++)
		if (__wrap_sendmsg(fd, &messages[good].msg_hdr, flags) < 0)
			break;
	return good ? (int)good : -1;
}

int __wrap_setsockopt(int fd, int level, int option, const void *value, socklen_t length)
{
	if (level == SOL_UDP && ((now.no_segment && option == UDP_SEGMENT) ||
				 (now.no_gro && option == UDP_GRO))) {
		errno = ENOPROTOOPT;
		return -1;
	}
	return __real_setsockopt(fd, level, option, value, length);
}
