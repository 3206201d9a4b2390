// SPDX-License-Identifier: GPL-2.0
/*
 * Sends a few UDP datagrams that a trimming policy takes, to port 5000.
 *
 *	send-marked ADDRESS COUNT SIZE
 *
 * As "trim-traffic send" does, for tests that send some again and again: python takes an emulated
 * machine longer to start than all the rest of such a test.
 */
#include <arpa/inet.h>
#include <err.h>
#include <stdlib.h>
#include <sys/socket.h>

#define DSCP 10
#define PORT 5000
#define LARGEST 1472

static int marked(void)
{
	int tos = DSCP << 2, fd = socket(AF_INET, SOCK_DGRAM, 0);

	if (fd < 0 || setsockopt(fd, IPPROTO_IP, IP_TOS, &tos, sizeof(tos)))
		err(1, "socket");
	return fd;
}

int main(int argc, char **argv)
{
	static const char payload[LARGEST];
	struct sockaddr_in to = { .sin_family = AF_INET, .sin_port = htons(PORT) };
	int fd, count, size;

	if (argc != 4)
		errx(2, "usage: send-marked ADDRESS COUNT SIZE");
	if (inet_pton(AF_INET, argv[1], &to.sin_addr) != 1)
		errx(2, "%s is no address", argv[1]);
	count = atoi(argv[2]);
	size = atoi(argv[3]);
	if (size < 0 || size > LARGEST)
		errx(2, "a datagram has up to %d bytes", LARGEST);
	/* Not connected: nobody may listen there, which is no matter. */
	fd = marked();
	while (count-- > 0)
		if (sendto(fd, payload, size, 0, (struct sockaddr *)&to, sizeof(to)) != size)
			err(1, "%s", argv[1]);
	return 0;
}
