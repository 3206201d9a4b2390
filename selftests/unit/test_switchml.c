// SPDX-License-Identifier: GPL-2.0
/*
 * SwitchML from the other end of the wire: what the module makes of single packets, and of
 * whole sessions of workers that do all that the public one does, its faults too, over links
 * that lose packets.
 */
#include "box.h"
#include "agg/format/format.h"
#include "unit.h"

#define PORT		48864
#define WORKER_PORT	4000
#define GRADS		64
#define H		(7 * NSEC_PER_MSEC)
#define TIMEOUT		(10 * NSEC_PER_MSEC)
#define SECOND		0x8000

static struct weir_job *new_job(unsigned int sources, u32 blocks)
{
	struct weir_job_config cfg = box_config(&weir_format_switchml, 3, sources, blocks, GRADS);
	struct weir_job *job;

	cfg.blocks.repeat_after = H;
	job = box_job_of(&cfg);
	CHECK(job);
	return job;
}

/* Slot and set of a thread's packet @s, of all that it ever sends. */
static u16 pool(u32 m, u32 thread, u32 s)
{
	return (2 * m * thread + s % m) | (s / m % 2 ? SECOND : 0);
}

struct said {
	u16 source;
	u16 port;
	u8 tensor;
	u32 packet;
	u16 pool;
	s8 exponent[2];
	s32 value;		/* of all gradients */
	u16 count;		/* 0 for 64 */
};

static struct weir_contrib contrib_of(const struct weir_job *job, const struct said *p)
{
	struct weir_contrib c = box_contrib(job, p->source, p->packet, p->count ?: GRADS);

	c.job = 99;
	c.source = 99;
	c.format = WEIR_FORMAT_SWITCHML;
	c.flags = WEIR_CONTRIB_UNNAMED;
	c.sport = p->port ?: WORKER_PORT;
	c.dport = PORT;
	c.generation = p->tensor;
	c.said[WEIR_SWITCHML_SAID_KIND] = WEIR_SWITCHML_64;
	c.said[WEIR_SWITCHML_SAID_POOL] = p->pool;
	c.said[WEIR_SWITCHML_SAID_EXPONENT] = (u8)p->exponent[1] << 8 | (u8)p->exponent[0];
	return c;
}

static int give(const struct weir_job *job, struct said p)
{
	struct weir_contrib c = contrib_of(job, &p);
	s32 grads[256];
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(grads); i++)
		grads[i] = p.value + i;
	return box_send(&c, grads, 0);
}

#define SAID(...)		((struct said){ __VA_ARGS__ })
#define TAKEN(...)		CHECK_EQ(give(job, SAID(__VA_ARGS__)), 0)
#define REFUSED(r, ...)		CHECK_EQ(give(job, SAID(__VA_ARGS__)), WEIR_REASON_##r)

/* Packet @i went to @source's @port, with this header and this first sum. */
static void answered(unsigned int i, u16 source, u16 port, const char *header, s32 sum)
{
	const struct box_sent *p = &box.packet[i];
	struct in6_addr to = box_addr(source + 1);

	if (!CHECK(i < box.sent))
		return;
	CHECK(ipv6_addr_equal(&p->to, &to));
	CHECK_EQ(p->dport, port);
	CHECK_EQ(p->bytes, 10 + 4 * GRADS);
	CHECK(!memcmp(&p->hdr, header, 10));
	CHECK_EQ(box_result(p, 0), sum);
}

static void switchml_answer(void)
{
	struct weir_job *job;

	box_up();
	job = new_job(3, 16);
	TAKEN(.source = 1, .port = 4001, .tensor = 200, .packet = 0, .pool = 5 | SECOND,
	      .exponent = { -3, -128 }, .value = 10);
	TAKEN(.source = 0, .port = 4000, .tensor = 200, .packet = 0, .pool = 5 | SECOND,
	      .exponent = { -7, -128 }, .value = 20);
	CHECK_EQ(box.sent, 0);
	TAKEN(.source = 2, .port = 65535, .tensor = 200, .packet = 0, .pool = 5 | SECOND,
	      .exponent = { -4, 127 }, .value = -5);
	CHECK_EQ(box.sent, 3);
	answered(0, 0, 4000, "\x11\xc8\0\0\0\0\x80\x05\xfd\x7f", 25);
	answered(1, 1, 4001, "\x11\xc8\0\0\0\0\x80\x05\xfd\x7f", 25);
	answered(2, 2, 65535, "\x11\xc8\0\0\0\0\x80\x05\xfd\x7f", 25);
	box_forget();
	/* Packet numbers are little-endian. */
	TAKEN(.source = 0, .tensor = 200, .packet = 1, .pool = 6 | SECOND, .exponent = { 5 });
	TAKEN(.source = 1, .port = 4001, .tensor = 200, .packet = 1, .pool = 6 | SECOND,
	      .exponent = { -3 });
	TAKEN(.source = 2, .port = 65535, .tensor = 200, .packet = 1, .pool = 6 | SECOND,
	      .exponent = { 0 });
	answered(0, 0, 4000, "\x11\xc8\1\0\0\0\x80\x06\x05\0", 0);
	box_forget();
	/* Sums are modulo 2^32, and nothing is said of it. */
	TAKEN(.source = 0, .port = 9, .packet = 0, .pool = 1, .value = INT32_MAX - 63);
	TAKEN(.source = 1, .port = 9, .packet = 0, .pool = 1, .value = INT32_MAX - 63);
	TAKEN(.source = 2, .port = 9, .packet = 0, .pool = 1, .value = 3);
	answered(0, 0, 9, "\x11\0\0\0\0\0\0\1\0\0", 1 - 126);
	CHECK_EQ(box_counter(WEIR_C_OVERFLOWS), 0);
	box_down();
}

/* Packets from the address of no source, to no job, or of another form. */
static void switchml_refusals(void)
{
	struct weir_contrib c;
	struct weir_job *job, *trio;

	box_up();
	job = new_job(2, 16);
	trio = box_job(7, 2, 4, 16);
	REFUSED(NO_SOURCE, .source = 2);
	/* Slots that this job lacks, and slots that no job has. */
	REFUSED(AHEAD, .packet = 0, .pool = 8);
	REFUSED(AHEAD, .packet = 0, .pool = 0x4001);
	REFUSED(STALE, .packet = 1, .pool = 2);
	/* No program of ours hands over such packets. */
	c = contrib_of(job, &SAID(.pool = 1));
	c.flags |= WEIR_CONTRIB_JOIN;
	c.udp_len = 20 + sizeof(struct weir_join);
	CHECK_EQ(box_send(&c, NULL, 0), WEIR_REASON_JOIN);
	c = contrib_of(job, &SAID(.pool = 1));
	c.count = 0;
	c.udp_len = 20;
	CHECK_EQ(box_send(&c, NULL, 0), WEIR_REASON_LENGTH);
	/* Sent to this box, but to no job: its stack is not to see it. */
	c = contrib_of(job, &SAID(.pool = 1));
	c.dport = 1;
	CHECK_EQ(box_send(&c, NULL, 0), WEIR_REASON_NO_JOB);
	c.daddr[3] = htonl(0x0a000000 | 253);
	CHECK_EQ(box_send(&c, NULL, 0), WEIR_REASON_NO_JOB);
	c.daddr[3] = htonl(0x0a000000 | 252);
	CHECK_EQ(box_send(&c, NULL, 0), WEIR_REASON_NOT_LOCAL);
	/* And so what a parser has found bad. */
	CHECK_EQ(weir_refuse(&box.dev, &c, WEIR_REASON_RUNT), WEIR_REASON_NOT_LOCAL);
	c.daddr[3] = htonl(0x0a000000 | 253);
	CHECK_EQ(weir_refuse(&box.dev, &c, WEIR_REASON_RUNT), WEIR_REASON_NO_JOB);
	c = contrib_of(job, &SAID(.pool = 1));
	CHECK_EQ(weir_refuse(&box.dev, &c, WEIR_REASON_RUNT), WEIR_REASON_RUNT);
	/* Of other formats that may be passed, as it was. */
	c = box_contrib(trio, 0, 0, 1);
	c.daddr[3] = htonl(0x0a000000 | 253);
	CHECK_EQ(weir_refuse(&box.dev, &c, WEIR_REASON_RUNT), WEIR_REASON_NOT_LOCAL);
	c.job = 99;
	CHECK_EQ(box_send(&c, NULL, 0), WEIR_REASON_NO_JOB);
	CHECK_EQ(box.sent, 0);
	box_down();
}

/* A thread whose first packets are those of a tensor that it has not begun, or has ended. */
static void switchml_tensors(void)
{
	struct weir_job *job;

	box_up();
	job = new_job(2, 16);
	REFUSED(STALE, .packet = 1, .pool = 1);
	TAKEN(.packet = 0, .pool = 0);
	TAKEN(.packet = 1, .pool = 1);
	REFUSED(STALE, .packet = 1, .pool = 1, .tensor = 1);
	REFUSED(STALE, .packet = 1, .pool = 1, .port = 4064);
	REFUSED(DUPLICATE, .packet = 0, .pool = 0);
	/* A packet that names a place neither its own nor that of the one before. */
	REFUSED(STALE, .packet = 3, .pool = 1);
	REFUSED(STALE, .packet = 2, .pool = 3);
	/* The next one. */
	TAKEN(.packet = 0, .pool = 2, .tensor = 1);
	REFUSED(STALE, .packet = 1, .pool = 1);
	REFUSED(STALE, .packet = 2, .pool = 2);
	TAKEN(.packet = 1, .pool = 3, .tensor = 1);
	CHECK_EQ(box_counter(WEIR_C_CONTRIBUTIONS), 4);
	/* By another thread, whose slots are others. */
	TAKEN(.packet = 0, .pool = 6, .tensor = 1, .port = 4001);
	box_down();
}

/* Each result is sent again when the time has come. */
static void switchml_repeats(void)
{
	struct weir_job *job;

	box_up();
	job = new_job(2, 16);
	mock_ns = H;
	TAKEN(.source = 0, .value = 1);
	TAKEN(.source = 1, .value = 2, .port = 5000);
	CHECK_EQ(box.sent, 2);
	box_forget();
	mock_ns += H - 1;
	REFUSED(DUPLICATE, .source = 0, .value = 100);
	mock_ns += 1;
	TAKEN(.source = 1, .value = 100, .port = 5000);
	CHECK_EQ(box.sent, 1);
	answered(0, 1, 5000, "\x11\0\0\0\0\0\0\0\0\0", 3);
	REFUSED(DUPLICATE, .source = 1, .value = 100, .port = 5000);
	box_down();
}

/* Of one source, with a window of 2 in slots 0 and 1, from slot 1 on. */
static void switchml_again(void)
{
	struct weir_job *job;

	box_up();
	job = new_job(1, 16);
	/* The window shows as slots come to their other set. */
	TAKEN(.packet = 0, .pool = 0);
	TAKEN(.packet = 1, .pool = 1);
	TAKEN(.packet = 2, .pool = 0 | SECOND);
	TAKEN(.tensor = 1, .packet = 0, .pool = 1 | SECOND);
	TAKEN(.tensor = 1, .packet = 2, .pool = 1);
	box_forget();
	/* Packet 1 was lost, and comes as packet 0. */
	TAKEN(.tensor = 1, .packet = 1, .pool = 1 | SECOND, .value = 4);
	answered(0, 0, 4000, "\x11\1\1\0\0\0\0\0\0\0", 4);
	CHECK_EQ(box.sent, 1);
	box_forget();
	/* So it does when its result was lost. */
	mock_ns += H;
	TAKEN(.tensor = 1, .packet = 1, .pool = 1 | SECOND, .value = 5);
	answered(0, 0, 4000, "\x11\1\1\0\0\0\0\0\0\0", 4);
	CHECK_EQ(box.sent, 1);
	box_down();
}

/* The last packet that has come is not early when it comes again, numbered as the one before. */
static void switchml_last_again(void)
{
	struct weir_job *job;

	box_up();
	job = new_job(1, 16);
	TAKEN(.packet = 0, .pool = 0, .value = 3);
	TAKEN(.packet = 1, .pool = 1, .value = 4);
	box_forget();
	mock_ns += H;
	TAKEN(.packet = 1, .pool = 0, .value = 4);
	CHECK_EQ(box.sent, 1);
	answered(0, 0, 4000, "\x11\0\1\0\0\0\0\1\0\0", 4);
	box_down();
}

/* The window shows as well by what comes to the same set again, in slots before the first. */
static void switchml_window(void)
{
	struct weir_job *job;

	box_up();
	job = new_job(1, 16);
	TAKEN(.packet = 0, .pool = 0);
	TAKEN(.tensor = 1, .packet = 0, .pool = 1, .value = 7);
	TAKEN(.tensor = 1, .packet = 1, .pool = 0 | SECOND);
	TAKEN(.tensor = 1, .packet = 3, .pool = 0);
	box_forget();
	/* So this one is early, and not the one whose number it has. */
	mock_ns += H;
	TAKEN(.tensor = 1, .packet = 2, .pool = 0 | SECOND, .value = 99);
	CHECK_EQ(box.sent, 1);
	answered(0, 0, 4000, "\x11\1\0\0\0\0\0\1\0\0", 7);
	box_forget();
	TAKEN(.tensor = 1, .packet = 2, .pool = 1 | SECOND, .value = 8);
	answered(0, 0, 4000, "\x11\1\2\0\0\0\x80\1\0\0", 8);
	/* Later packets have the right number; no worker numbers them otherwise. */
	REFUSED(STALE, .tensor = 1, .packet = 5, .pool = 1);
	REFUSED(STALE, .tensor = 1, .packet = 4, .pool = 0);
	box_down();
	/* But not by slots before the first of the other set: this was numbered as the one before. */
	box_up();
	job = new_job(1, 16);
	TAKEN(.packet = 0, .pool = 2);
	TAKEN(.packet = 2, .pool = 0 | SECOND);
	TAKEN(.packet = 3, .pool = 2 | SECOND);
	box_down();
}

/* The result of packet 0 was lost: what comes is the packet after the first window. */
static void switchml_early(void)
{
	struct weir_job *job;

	box_up();
	job = new_job(2, 16);
	/* While the window is not known. */
	TAKEN(.source = 0, .packet = 0, .pool = 0, .value = 1);
	TAKEN(.source = 0, .packet = 1, .pool = 1, .value = 2);
	REFUSED(DUPLICATE, .source = 0, .packet = 2, .pool = 1, .value = 99);
	TAKEN(.source = 1, .packet = 0, .pool = 0, .value = 3);
	box_forget();
	REFUSED(DUPLICATE, .source = 0, .packet = 2, .pool = 1, .value = 99);
	mock_ns += H;
	TAKEN(.source = 0, .packet = 2, .pool = 1, .value = 99);
	CHECK_EQ(box.sent, 1);
	answered(0, 0, 4000, "\x11\0\0\0\0\0\0\0\0\0", 4);
	box_forget();
	/* While the other has gone on, by which it is known. */
	TAKEN(.source = 1, .packet = 1, .pool = 1, .value = 4);
	TAKEN(.source = 1, .packet = 2, .pool = 0 | SECOND, .value = 5);
	box_forget();
	mock_ns += H;
	TAKEN(.source = 0, .packet = 2, .pool = 1, .value = 99);
	CHECK_EQ(box.sent, 1);
	answered(0, 0, 4000, "\x11\0\0\0\0\0\0\0\0\0", 4);
	box_forget();
	/* Then it comes as it should. */
	TAKEN(.source = 0, .packet = 2, .pool = 0 | SECOND, .value = 6);
	CHECK_EQ(box.sent, 2);
	answered(0, 0, 4000, "\x11\0\2\0\0\0\x80\0\0\0", 11);
	box_down();
}

/*
 * A packet that is numbered as the one before opens no block unless a later one has come: the
 * first packets of a short tensor may have been all.
 */
static void switchml_short(void)
{
	struct weir_job *job;

	box_up();
	job = new_job(2, 64);
	TAKEN(.source = 0, .packet = 0, .pool = 0);
	TAKEN(.source = 0, .packet = 1, .pool = 1);
	REFUSED(DUPLICATE, .source = 0, .packet = 2, .pool = 1, .value = 99);
	TAKEN(.source = 1, .packet = 0, .pool = 0);
	TAKEN(.source = 1, .packet = 1, .pool = 1);
	/* The next tensor begins there. */
	box_forget();
	TAKEN(.source = 0, .tensor = 1, .packet = 0, .pool = 2, .value = 1);
	TAKEN(.source = 1, .tensor = 1, .packet = 0, .pool = 2, .value = 1);
	CHECK_EQ(box.sent, 2);
	/* One that another worker has sent may still be early, until its sender has all before it. */
	TAKEN(.source = 0, .tensor = 1, .packet = 1, .pool = 3, .value = 2);
	REFUSED(DUPLICATE, .source = 1, .tensor = 1, .packet = 1, .pool = 2, .value = 2);
	mock_ns += H;
	box_forget();
	TAKEN(.source = 1, .tensor = 1, .packet = 1, .pool = 2, .value = 2);
	CHECK_EQ(box.sent, 1);
	answered(0, 1, 4000, "\x11\1\0\0\0\0\0\2\0\0", 2);
	box_forget();
	TAKEN(.source = 1, .tensor = 1, .packet = 1, .pool = 2, .value = 2);
	CHECK_EQ(box.sent, 2);
	answered(0, 0, 4000, "\x11\1\1\0\0\0\0\3\0\0", 4);
	box_down();
}

/* A single float: its exponent's result is lost by one worker, while the other goes on. */
static void switchml_scalar(void)
{
	struct weir_job *job;

	box_up();
	job = new_job(2, 64);
	TAKEN(.source = 0, .packet = 0, .pool = 0, .value = 1);
	TAKEN(.source = 1, .packet = 0, .pool = 0, .value = 1);
	TAKEN(.source = 0, .packet = 1, .pool = 1, .value = 3);
	mock_ns += H;
	box_forget();
	TAKEN(.source = 1, .packet = 1, .pool = 0, .value = 99);
	CHECK_EQ(box.sent, 1);
	answered(0, 1, 4000, "\x11\0\0\0\0\0\0\0\0\0", 2);
	box_forget();
	TAKEN(.source = 1, .packet = 1, .pool = 1, .value = 4);
	CHECK_EQ(box.sent, 2);
	answered(0, 0, 4000, "\x11\0\1\0\0\0\0\1\0\0", 7);
	box_down();
}

/*
 * As many tensors, of one packet each, that their numbers come round: with a window of 128
 * packets each slot sees the same number in both sets, with 256 twice in the same.
 */
static void switchml_comes_round(void)
{
	static const u32 windows[] = { 1, 3, 64, 128, 256, 512 };
	struct weir_job *job;
	unsigned int i;
	u32 s, m;
	u16 w;

	for (i = 0; i < ARRAY_SIZE(windows); i++) {
		m = windows[i];
		box_up();
		job = new_job(2, 4096);
		for (s = 0; s < 3000; s++) {
			for (w = 0; w < 2; w++)
				TAKEN(.source = w, .tensor = s, .packet = 0,
				      .pool = pool(m, 0, s), .value = s);
			CHECK_EQ(box.sent, 2);
			CHECK_EQ(box_result(&box.packet[0], 0), 2 * (s32)s);
			box_forget();
			if (ktap_failed())
				break;
		}
		box_down();
	}
}

/* A thread that has nothing to do for 255 tensors says the same number again. */
static void switchml_idle_thread(void)
{
	struct weir_job *job;
	u32 round, p;

	box_up();
	job = new_job(1, 16);
	for (round = 0; round < 3; round++) {
		for (p = 0; p < 4; p++)
			TAKEN(.tensor = 7, .packet = p, .pool = pool(2, 0, p), .value = round);
		CHECK_EQ(box.sent, 4);
		CHECK_EQ(box_result(&box.packet[3], 0), round);
		box_forget();
	}
	box_down();
}

/* As far as numbers go. */
static void switchml_long(void)
{
	struct weir_job *job;
	u32 p;

	box_up();
	job = new_job(1, 64);
	for (p = 0; p < 100; p++) {
		TAKEN(.packet = p, .pool = pool(7, 1, p + 5), .value = p);
		CHECK_EQ(get_unaligned_be32(&box.packet[0].hdr) & 0xffff, p << 8);
		CHECK_EQ(box_result(&box.packet[0], 0), p);
		box_forget();
	}
	/* Packets of which each has a slot of its own, 4 billion later. */
	TAKEN(.tensor = 1, .packet = 0, .pool = pool(7, 1, 105));
	TAKEN(.tensor = 1, .packet = 0xffffffff, .pool = pool(7, 1, 105 + 0xffffffff % 14));
	answered(1, 0, 4000, "\x11\1\xff\xff\xff\xff\x80\x11\0\0", 0);
	box_down();
}

/*
 * Whole sessions. Links keep the order of packets, as Ethernet does; each has its delay, and
 * loses some. No session has a loss that no box makes good: of the first packet of a tensor, or
 * of any where a tensor has fewer packets than the window.
 */
#define WORKERS		4
#define THREADS		2
#define WINDOW		8
#define PACKETS		64
#define ON_THE_WAY	16384

/* A timer that sends again: what, as it was noted. */
struct timer {
	bool armed;
	u64 at;
	u32 packet;
	u16 pool;
	u8 tensor;
};

struct thread {
	u32 tensor;
	u32 s;			/* packets of all tensors before this one */
	u32 total;		/* packets of this one; 0 between two */
	u32 batch;		/* how many of them came first */
	u32 received;		/* as the worker counts */
	bool has[PACKETS];
	u64 begins;		/* with the next tensor */
	u64 period;
	struct timer timer[WINDOW];
};

struct flying {
	u64 at;
	u64 order;
	bool up;
	u16 worker;
	u16 thread;
	struct said p;
};

static struct session {
	struct weir_job *job;
	u32 n, threads, m, tensors;
	unsigned int loss;		/* in a thousand, each way */
	bool floats;
	u64 pause;			/* up to so much between two tensors */
	u64 random;
	u64 order;
	u32 flying;
	struct flying air[ON_THE_WAY];
	struct thread thread[WORKERS][THREADS];
	unsigned long lost, wrong, again, early, twice;
} net;

static u32 any(u32 below)
{
	net.random = net.random * 6364136223846793005ULL + 1442695040888963407ULL;
	return (net.random >> 33) % below;
}

static s32 number(u32 w, u32 t, u32 tensor, u32 packet)
{
	return w * 1000003 + t * 7919 + tensor * 104729 + packet * 31;
}

static s32 sum_of(u32 t, u32 tensor, u32 packet)
{
	u32 sum = 0, w;

	for (w = 0; w < net.n; w++)
		sum += number(w, t, tensor, packet);
	return sum;
}

/*
 * Each tensor has so many packets. Where packets are lost they are more than the window; of
 * floats there are as many again that have exponents alone.
 */
static u32 packets_of(u32 tensor)
{
	u32 more = (tensor * 7 + tensor / 3) % (2 * net.m + 1);

	return net.loss ? net.m + !net.floats + more : 1 + more;
}

static void fly(bool up, u16 w, u16 t, struct said p)
{
	struct flying *f = &net.air[net.flying];

	if (!CHECK(net.flying < ON_THE_WAY))
		return;
	net.flying++;
	/* Links keep the order, whatever their delay. */
	*f = (struct flying){ .at = mock_ns + 30000, .order = net.order++, .up = up,
			      .worker = w, .thread = t, .p = p };
}

static bool is_lost(bool up, const struct said *p)
{
	if (any(1000) >= net.loss || (up && !p->packet))
		return false;
	net.lost++;
	return true;
}

static void sends(u16 w, u16 t, u32 tensor, u32 packet, u16 where)
{
	const struct thread *th = &net.thread[w][t];
	bool right = packet < th->total && (packet < th->batch || th->has[packet - th->batch]);
	struct said p = {
		.source = w, .port = 4000 + 100 * w + t, .tensor = tensor, .packet = packet,
		.pool = where, .exponent = { packet },
		/* A packet whose turn has not come has any value. */
		.value = right ? number(w, t, th->tensor, packet) : (s32)any(UINT32_MAX),
	};

	if (!is_lost(true, &p))
		fly(true, w, t, p);
}

static void arm(struct timer *timer, u64 in, u32 tensor, u32 packet, u16 where)
{
	*timer = (struct timer){ .armed = true, .at = mock_ns + in, .tensor = tensor,
				 .packet = packet, .pool = where };
}

static void begin(u16 w, u16 t)
{
	struct thread *th = &net.thread[w][t];
	u32 j;

	th->total = packets_of(th->tensor);
	th->batch = min(net.m, th->total);
	if (net.floats)
		th->total += th->batch;
	th->received = 0;
	th->period = TIMEOUT;
	memset(th->has, 0, sizeof(th->has));
	/* Timers are noted for the packet after the one that they are of. */
	for (j = 0; j < th->batch; j++)
		arm(&th->timer[(j + 1) % net.m], TIMEOUT * net.m, th->tensor, j + 1,
		    pool(net.m, t, th->s + j));
	for (j = 0; j < th->batch; j++)
		sends(w, t, th->tensor, j, pool(net.m, t, th->s + j));
}

static void end(struct thread *th)
{
	th->s += th->total;
	th->tensor++;
	th->total = 0;
	th->begins = mock_ns + (net.pause ? any(net.pause) : 0);
}

static void receives(u16 w, u16 t, const struct said *p)
{
	struct thread *th = &net.thread[w][t];
	u32 next = p->packet + th->batch;

	if (!th->total)
		return;
	/* Others that come twice are not seen to. */
	if (p->packet < PACKETS && th->has[p->packet]) {
		if (!(p->packet % 64))
			return;
		net.twice++;
	}
	if (p->tensor != (u8)th->tensor)
		return;
	if (!CHECK(p->packet < th->total) ||
	    !CHECK_EQ(p->value, sum_of(t, th->tensor, p->packet)) ||
	    !CHECK_EQ(p->exponent[0], (s8)p->packet) ||
	    !CHECK_EQ(p->pool, pool(net.m, t, th->s + p->packet)))
		net.wrong++;
	th->has[p->packet % PACKETS] = true;
	th->received++;
	th->timer[next % net.m].armed = false;
	if (next < th->total) {
		sends(w, t, th->tensor, next, pool(net.m, t, th->s + next));
		arm(&th->timer[next % net.m], th->period, th->tensor, next,
		    pool(net.m, t, th->s + next));
	}
	if (th->received >= th->total)
		end(th);
}

/* The packets that the box has sent go down. */
static void box_says(void)
{
	unsigned int i;

	for (i = 0; i < box.sent; i++) {
		const struct box_sent *b = &box.packet[i];
		const struct weir_switchml *hdr = (const void *)&b->hdr;
		u16 w = ntohl(b->to.s6_addr32[3]) % 256 - 1, t = b->dport - 4000 - 100 * w;
		struct said p = {
			.tensor = hdr->job,
			.packet = hdr->packet[0] | hdr->packet[1] << 8,
			.pool = hdr->pool[0] << 8 | hdr->pool[1],
			.exponent = { hdr->exponent[0] }, .value = box_result(b, 0),
		};

		if (CHECK(w < net.n && t < net.threads) && !is_lost(false, &p))
			fly(false, w, t, p);
	}
	box_forget();
}

static void lands(struct flying f)
{
	u64 seen = box_counter(WEIR_C_CONTRIBUTIONS);

	if (!f.up) {
		receives(f.worker, f.thread, &f.p);
		return;
	}
	give(net.job, f.p);
	net.early += f.p.packet == net.m && f.p.pool == pool(net.m, f.thread,
			net.thread[f.worker][f.thread].s + net.m - 1);
	net.again += box_counter(WEIR_C_CONTRIBUTIONS) == seen;
	box_says();
}

static void fires(u16 w, u16 t, struct timer *timer)
{
	struct thread *th = &net.thread[w][t];

	sends(w, t, timer->tensor, timer->packet, timer->pool);
	timer->at = mock_ns + th->period;
}

/* When something happens next, and that it does. False where nothing does any more. */
static bool step(void)
{
	struct flying *first = NULL;
	struct thread *of = NULL;
	struct timer *due = NULL;
	u64 at = UINT64_MAX;
	u32 w, t, i, fw = 0, ft = 0;

	for (i = 0; i < net.flying; i++)
		if (!first || net.air[i].at < first->at ||
		    (net.air[i].at == first->at && net.air[i].order < first->order))
			first = &net.air[i];
	if (first)
		at = first->at;
	for (w = 0; w < net.n; w++)
		for (t = 0; t < net.threads; t++) {
			struct thread *th = &net.thread[w][t];

			if (!th->total && th->tensor < net.tensors && th->begins < at) {
				at = th->begins;
				of = th;
				due = NULL;
				fw = w, ft = t;
			}
			for (i = 0; th->total && i < net.m; i++)
				if (th->timer[i].armed && th->timer[i].at < at) {
					at = th->timer[i].at;
					of = th;
					due = &th->timer[i];
					fw = w, ft = t;
				}
		}
	if (at == UINT64_MAX)
		return false;
	mock_ns = max(mock_ns, at);
	if (due) {
		fires(fw, ft, due);
	} else if (of) {
		begin(fw, ft);
	} else {
		struct flying f = *first;

		*first = net.air[--net.flying];
		lands(f);
	}
	return true;
}

static bool all_done(void)
{
	u32 w, t;

	for (w = 0; w < net.n; w++)
		for (t = 0; t < net.threads; t++)
			if (net.thread[w][t].tensor < net.tensors)
				return false;
	return true;
}

static void play(u32 n, u32 threads, u32 m, u32 tensors, unsigned int loss, bool floats,
		 u64 pause)
{
	u64 limit;

	memset(&net, 0, sizeof(net));
	net.n = n, net.threads = threads, net.m = m, net.tensors = tensors;
	net.loss = loss, net.floats = floats, net.pause = pause;
	net.random = ktap_seed() * 10000 + n * 1000 + threads * 100 + m * 10 + loss + floats;
	box_up();
	mock_ns = NSEC_PER_SEC;
	limit = mock_ns + 10000 * NSEC_PER_SEC;
	net.job = new_job(n, 2 * 128);
	while (!all_done() && !ktap_failed() && CHECK(mock_ns < limit) && CHECK(step()))
		;
	CHECK_EQ(net.wrong, 0);
	CHECK_EQ(net.twice, 0);
	if (loss && m > 1)
		CHECK(net.lost && net.again && net.early);
	box_down();
}

static void switchml_sessions(void)
{
	play(1, 1, 1, 20, 0, false, 0);
	play(2, 2, 4, 40, 0, true, 0);
	play(4, 2, 8, 40, 0, false, 5 * TIMEOUT);
	/* Some are so late that the others send all again. */
	play(3, 2, 8, 60, 0, false, 30 * TIMEOUT);
	play(2, 1, 4, 300, 0, false, 30 * TIMEOUT);
}

static void switchml_sessions_with_losses(void)
{
	static const u32 workers[] = { 1, 2, 3, 4 }, windows[] = { 1, 2, 4, 8 };
	unsigned int i, k, floats;

	for (i = 0; i < ARRAY_SIZE(workers); i++)
		for (k = 0; k < ARRAY_SIZE(windows); k++)
			for (floats = 0; floats < 2; floats++) {
				play(workers[i], 1 + k % 2, windows[k], 300, 30, floats, 0);
				play(workers[i], 2, windows[k], 100, 100, floats, TIMEOUT);
			}
}

const struct ktap_test switchml_tests[] = {
	KTAP_TEST(switchml_answer),
	KTAP_TEST(switchml_refusals),
	KTAP_TEST(switchml_tensors),
	KTAP_TEST(switchml_repeats),
	KTAP_TEST(switchml_again),
	KTAP_TEST(switchml_last_again),
	KTAP_TEST(switchml_window),
	KTAP_TEST(switchml_early),
	KTAP_TEST(switchml_short),
	KTAP_TEST(switchml_scalar),
	KTAP_TEST(switchml_comes_round),
	KTAP_TEST(switchml_idle_thread),
	KTAP_TEST(switchml_long),
	KTAP_TEST(switchml_sessions),
	KTAP_TEST(switchml_sessions_with_losses),
};
SUITE_END(switchml);
