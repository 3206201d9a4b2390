// SPDX-License-Identifier: GPL-2.0
/*
 * The worker library's receive path: a communicator of one rank of three, whose
 * system calls return the input's packets and errors. The input is a sequence of
 * steps, a byte of kind and one of size each, with so many bytes: a datagram as
 * it is; one that is made to fit in job, generation and block, so that it comes
 * far; results in one merged message, cut at any length; time that passes; an error
 * of the path.
 */
#include <errno.h>
#include <netinet/udp.h>
#include <poll.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <time.h>

#include <libweir.h>
#include <weir.h>
#include "packet/wire.h"

#include "fuzz.h"

#define NONCE		0x77656972
#define COOKIE		0x1122334455667788
#define GENERATION	7
#define GRADS		8
#define RANKS		3
#define COUNT		200
#define WIDEST		4	/* bytes a gradient has at most */

#define MERGED		8	/* results of a merged message at most */
#define PACKET_MAX	512

enum step { STEP_RAW, STEP_FIT, STEP_SUM, STEP_TIME, STEP_ERROR, STEP_MERGED, STEPS };

static struct {
	const uint8_t *data;
	size_t left;
	uint64_t now;		/* ns */
	bool challenged;	/* and the answer was heard */
	bool brought;
	bool joined;
	uint8_t dtype, op;	/* of the job, as the box says */
} in;

ssize_t __wrap_send(int fd, const void *buf, size_t len, int flags);
ssize_t __wrap_recv(int fd, void *buf, size_t len, int flags);
ssize_t __wrap_sendmsg(int fd, const struct msghdr *m, int flags);
int __wrap_sendmmsg(int fd, struct mmsghdr *m, unsigned int n, int flags);
int __wrap_recvmmsg(int fd, struct mmsghdr *m, unsigned int n, int flags, struct timespec *t);
int __wrap_ppoll(struct pollfd *p, nfds_t n, const struct timespec *t, const sigset_t *s);
int __wrap_clock_gettime(clockid_t clock, struct timespec *t);
ssize_t __wrap_getrandom(void *buf, size_t len, unsigned int flags);

static uint8_t next_byte(void)
{
	if (!in.left)
		return 0;
	in.left--;
	return *in.data++;
}

int __wrap_clock_gettime(clockid_t clock, struct timespec *t)
{
	(void)clock;
	t->tv_sec = in.now / 1000000000;
	t->tv_nsec = in.now % 1000000000;
	return 0;
}

ssize_t __wrap_getrandom(void *buf, size_t len, unsigned int flags)
{
	const uint32_t nonce = NONCE;

	(void)flags;
	HOLDS(len == sizeof(nonce));
	memcpy(buf, &nonce, len);
	return len;
}

/* The others are contributions and questions. */
static bool is_join(const struct weir_trio *header)
{
	return header->flags & WEIR_TRIO_CONTROL;
}

ssize_t __wrap_send(int fd, const void *buf, size_t len, int flags)
{
	struct wire_join join;

	(void)fd, (void)flags;
	if (!is_join(buf))
		return len;
	HOLDS(len == WIRE_JOIN);
	wire_get_join(&join, buf);
	HOLDS(join.nonce == NONCE && join.cookie == (in.challenged ? COOKIE : 0));
	in.brought = join.cookie;
	return len;
}

ssize_t __wrap_sendmsg(int fd, const struct msghdr *m, int flags)
{
	ssize_t len = 0;

	(void)fd, (void)flags;
	for (size_t i = 0; i < m->msg_iovlen; i++)
		len += m->msg_iov[i].iov_len;
	/* As long as UDP allows. */
	HOLDS(len <= UINT16_MAX - 28);
	return len;
}

int __wrap_sendmmsg(int fd, struct mmsghdr *m, unsigned int n, int flags)
{
	(void)fd, (void)m, (void)flags;
	return n;
}

/* The next step wakes a poll; time passes all the same. */
int __wrap_ppoll(struct pollfd *p, nfds_t n, const struct timespec *t, const sigset_t *s)
{
	(void)n, (void)s;
	if (in.left) {
		in.now += 1000;
		p[0].revents = POLLIN;
		return 1;
	}
	in.now += t->tv_sec * 1000000000 + t->tv_nsec + 1;
	return 0;
}

static size_t answer_join(uint8_t *packet, uint64_t cookie)
{
	wire_put_header(packet, &(struct wire_header) {
		.generation = cookie ? 0 : GENERATION, .ranks = 1, .down = true,
		.flags = cookie ? WEIR_TRIO_COOKIE : WEIR_TRIO_CONTROL,
	});
	wire_put_join(packet, &(struct wire_join) {
		.nonce = NONCE, .ranks = RANKS, .blocks = 64, .grads = GRADS, .cookie = cookie,
		.dtype = in.dtype, .op = in.op, .format = WEIR_FORMAT_TRIO,
	});
	return WIRE_JOIN;
}

/* Job and generation right, the block near the first. */
static void fit(uint8_t *packet, size_t len)
{
	struct wire_header h;

	if (len < WIRE_HEADER || !wire_get_header(&h, packet, len))
		return;
	h.job = 0;
	h.generation = GENERATION;
	h.down = true;
	h.block %= 64;
	wire_put_header(packet, &h);
}

/* A result as the box would send it, every other with an exponent. */
static size_t sum(uint8_t *packet, uint8_t block)
{
	struct wire_header h = {
		.block = block % 32, .generation = GENERATION, .ranks = RANKS,
		.grads = GRADS, .down = true, .has_exponent = block & 32,
		.exponent = (int8_t)block,
	};
	size_t len = wire_header_size(&h) + GRADS * WIDEST;

	memset(packet, block, len);
	wire_put_header(packet, &h);
	return len - (in.dtype > WEIR_DTYPE_FLOAT32 ? GRADS * WIDEST / 2 : 0);
}

/* Results of consecutive blocks, and a length that the kernel says they have. */
static size_t merged(uint8_t *packet, uint8_t block, size_t *stride)
{
	unsigned int count = next_byte() % MERGED;
	size_t len = 0;

	for (unsigned int i = 0; i <= count; i++)
		len += sum(packet + len, block + i);
	/* That of the results, mostly. */
	*stride = next_byte();
	if (*stride % 4)
		*stride = len / (count + 1);
	return len - next_byte() % 4;
}

/*
 * The next message of the input: its length, or a negative errno; and that of its packets,
 * where they are many.
 */
static ssize_t next_packet(uint8_t *to, size_t room, size_t *stride)
{
	static uint8_t packet[PACKET_MAX];
	enum step step;
	size_t len, i;

	*stride = 0;
	if (!in.left)
		return -EAGAIN;
	step = next_byte() % STEPS;
	len = next_byte();
	if (step == STEP_TIME) {
		in.now += len * len * len * 1000ULL;
		return -EAGAIN;
	}
	if (step == STEP_ERROR)
		return len % 2 ? -ECONNREFUSED : -EHOSTUNREACH;
	if (step == STEP_SUM) {
		len = sum(packet, len);
	} else if (step == STEP_MERGED) {
		len = merged(packet, len, stride);
	} else {
		for (i = 0; i < len; i++)
			packet[i] = next_byte();
		if (step == STEP_FIT)
			fit(packet, len);
	}
	memcpy(to, packet, len < room ? len : room);
	return len;
}

ssize_t __wrap_recv(int fd, void *buf, size_t len, int flags)
{
	size_t stride;
	ssize_t got;

	(void)fd, (void)flags;
	if (!in.joined) {
		HOLDS(len >= WIRE_JOIN);
		if (in.challenged && !in.brought) {
			errno = EAGAIN;
			return -1;
		}
		in.joined = in.brought;
		in.challenged = true;
		return answer_join(buf, in.joined ? 0 : COOKIE);
	}
	got = next_packet(buf, len, &stride);
	if (got >= 0)
		return got;
	errno = -got;
	return -1;
}

static size_t room_of(const struct msghdr *m)
{
	size_t i, room = 0;

	for (i = 0; i < m->msg_iovlen; i++)
		room += m->msg_iov[i].iov_len;
	return room;
}

static void scatter(const struct msghdr *m, const uint8_t *from, size_t len)
{
	size_t i, n;

	for (i = 0; i < m->msg_iovlen && len; i++, from += n, len -= n) {
		n = m->msg_iov[i].iov_len < len ? m->msg_iov[i].iov_len : len;
		memcpy(m->msg_iov[i].iov_base, from, n);
	}
}

/* As UDP_GRO does. */
static void tell_stride(struct msghdr *m, int stride)
{
	struct cmsghdr *control = m->msg_control;

	HOLDS(m->msg_controllen >= CMSG_SPACE(sizeof(stride)));
	m->msg_controllen = 0;
	if (!stride)
		return;
	*control = (struct cmsghdr) {
		.cmsg_len = CMSG_LEN(sizeof(stride)), .cmsg_level = SOL_UDP, .cmsg_type = UDP_GRO,
	};
	memcpy(CMSG_DATA(control), &stride, sizeof(stride));
	m->msg_controllen = CMSG_SPACE(sizeof(stride));
}

int __wrap_recvmmsg(int fd, struct mmsghdr *m, unsigned int n, int flags, struct timespec *t)
{
	uint8_t packet[PACKET_MAX];
	ssize_t got = -EAGAIN;
	size_t room, stride;
	unsigned int i;

	(void)fd, (void)flags, (void)t;
	for (i = 0; i < n; i++) {
		got = next_packet(packet, sizeof(packet), &stride);
		if (got < 0)
			break;
		tell_stride(&m[i].msg_hdr, stride);
		room = room_of(&m[i].msg_hdr);
		scatter(&m[i].msg_hdr, packet, (size_t)got < room ? (size_t)got : room);
		m[i].msg_len = (size_t)got < room ? (size_t)got : room;
		m[i].msg_hdr.msg_flags = (size_t)got > room ? MSG_TRUNC : 0;
	}
	if (i)
		return i;
	errno = -got;
	return -1;
}

/* A box's job, and a call of the library, which may not fit it. */
static void choose(struct weir_options *options, enum weir_type *type)
{
	uint8_t byte = next_byte();

	options->flags = byte & 1 ? WEIR_ACCEPT_DEGRADED : 0;
	in.op = byte >> 1 & 3;
	in.dtype = byte >> 3 & 7;
	*type = WEIR_INT32 + (byte >> 6);
	options->operation = in.op;
}

static void allreduce(const struct weir_options *options, enum weir_type type, void *v)
{
	struct weir *comm;
	int err = weir_open(&comm, options);

	if (err) {
		HOLDS(*weir_error(NULL));
		return;
	}
	err = weir_allreduce(comm, v, v, COUNT, type, options->operation, 0, NULL);
	/* An error has a sentence. */
	HOLDS(err <= 0 && (!err || *weir_error(comm)));
	weir_close(comm);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct weir_options options = {
		.size = sizeof(options), .address = "127.0.0.1", .ranks = RANKS,
		.grads = GRADS, .window = 16, .timeout_ms = 1000,
	};
	uint8_t *v = malloc(COUNT * WIDEST);
	enum weir_type type;

	if (!v || size < 1) {
		free(v);
		return 0;
	}
	in.data = data;
	in.left = size;
	in.now = 1000000000;
	in.challenged = false;
	in.brought = false;
	in.joined = false;
	choose(&options, &type);
	/* Numbers of every size, all finite in every type. */
	for (size_t i = 0; i < COUNT * WIDEST; i++)
		v[i] = (uint8_t)(i * 7 & 0x3b);
	allreduce(&options, type, v);
	free(v);
	return 0;
}
