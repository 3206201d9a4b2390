// SPDX-License-Identifier: GPL-2.0
/* The mocked kernel. */
#include "kernel.h"

unsigned long mock_ram_pages = 1 << 20;
/* The machine has run for an hour: nothing that has never happened looks recent. */
uint64_t mock_ns = 3600 * NSEC_PER_SEC;
bool mock_cpu_has_vectors = true;
bool mock_cpu_has_halves = true;
bool mock_fpu_usable = true;
int mock_fpu;
int mock_fpu_begins;
int mock_locks;
int mock_grace_periods;
long mock_pages;
long mock_memory;
long mock_fail_after = -1;
uint32_t mock_random;
void (*mock_meanwhile)(void);
unsigned int mock_visits;
unsigned int mock_looked;
unsigned int mock_answers;

static struct hrtimer *mock_armed;

void mock_assert(bool ok, const char *what)
{
	if (ok)
		return;
	printf("Bail out! broken in the module: %s\n", what);
	fflush(stdout);
	abort();
}

void mock_other_cpu(void)
{
	if (mock_meanwhile)
		mock_meanwhile();
}

void mock_visit(unsigned int looked, unsigned int answered)
{
	mock_visits++;
	if (looked > mock_looked)
		mock_looked = looked;
	if (answered > mock_answers)
		mock_answers = answered;
	mock_other_cpu();
}

void mock_lock(int *held)
{
	mock_assert(!*held, "a lock is taken twice");
	*held = 1;
	mock_locks++;
}

void mock_unlock(int *held)
{
	mock_assert(*held, "a lock is dropped that is not held");
	*held = 0;
	mock_locks--;
}

static void unlink_timer(struct hrtimer *timer)
{
	struct hrtimer **at = &mock_armed;

	while (*at && *at != timer)
		at = &(*at)->next;
	if (*at)
		*at = timer->next;
	timer->armed = false;
}

void hrtimer_start(struct hrtimer *timer, u64 at, int mode)
{
	struct hrtimer **where = &mock_armed;

	mock_assert(timer->function, "a timer is started that was not set up");
	mock_assert(mode == timer->mode, "a timer is started in another mode");
	unlink_timer(timer);
	timer->at = mode == HRTIMER_MODE_REL_SOFT ? mock_ns + at : at;
	while (*where && (*where)->at <= timer->at)
		where = &(*where)->next;
	timer->next = *where;
	timer->armed = true;
	*where = timer;
}

void hrtimer_cancel(struct hrtimer *timer)
{
	unlink_timer(timer);
}

void mock_run(u64 ns)
{
	struct hrtimer *timer;

	while (mock_armed && mock_armed->at <= ns) {
		timer = mock_armed;
		mock_ns = max(mock_ns, timer->at);
		unlink_timer(timer);
		timer->function(timer);
	}
	mock_ns = max(mock_ns, ns);
}

int mock_timers(void)
{
	struct hrtimer *timer;
	int n = 0;

	for (timer = mock_armed; timer; timer = timer->next)
		n++;
	return n;
}

static bool mock_fails(void)
{
	return mock_fail_after >= 0 && mock_fail_after-- == 0;
}

/* To a cache line, as structs that fill some are in the kernel; not rounded up, or ASan saw less. */
void *mock_alloc(size_t size)
{
	void *p;

	if (mock_fails() || posix_memalign(&p, SMP_CACHE_BYTES, size))
		return NULL;
	mock_memory++;
	return memset(p, 0, size);
}

void mock_free(const void *p)
{
	mock_memory -= !!p;
	free((void *)p);
}

/* A page keeps its old content; a test would see that in a sum. */
struct page *alloc_pages(gfp_t gfp, unsigned int order)
{
	struct page *page;
	unsigned int i;
	u8 *data;

	(void)gfp;
	if (mock_fails())
		return NULL;
	page = calloc(1 << order, sizeof(*page));
	data = aligned_alloc(PAGE_SIZE, PAGE_SIZE << order);
	memset(data, 0xa5, PAGE_SIZE << order);
	for (i = 0; i < 1 << order; i++) {
		page[i].data = data + PAGE_SIZE * i;
		page[i].head = page;
	}
	page->refs = 1;
	mock_pages++;
	return page;
}

void get_page(struct page *page)
{
	mock_assert(page->head->refs > 0, "a freed page is used");
	page->head->refs++;
}

void put_page(struct page *page)
{
	page = page->head;
	mock_assert(page->refs > 0, "a freed page is put");
	if (--page->refs)
		return;
	mock_pages--;
	free(page->data);
	free(page);
}

static u32 fold(u64 sum)
{
	while (sum >> 32)
		sum = (sum & 0xffffffff) + (sum >> 32);
	return sum;
}

__wsum csum_partial(const void *data, int len, __wsum sum)
{
	const u8 *p = data;
	u64 s = sum;
	int i;

	/* In the byte order of the machine, as the kernel does it. */
	for (i = 0; i < len; i++)
		s += i & 1 ? p[i] << 8 : p[i];
	return fold(s);
}

__wsum csum_block_add(__wsum a, __wsum b, int off)
{
	if (off & 1)
		b = (b & 0x00ff00ff) << 8 | (b >> 8 & 0x00ff00ff);
	return fold((u64)a + b);
}

static __sum16 finish(u64 sum)
{
	u32 s = fold(sum);

	s = (s & 0xffff) + (s >> 16);
	s = (s & 0xffff) + (s >> 16);
	return ~s;
}

__sum16 csum_tcpudp_magic(__be32 saddr, __be32 daddr, u32 len, u8 proto,
			  __wsum sum)
{
	return finish((u64)sum + saddr + daddr + htons(len) + htons(proto));
}

__sum16 csum_ipv6_magic(const struct in6_addr *saddr,
			const struct in6_addr *daddr, u32 len, u8 proto,
			__wsum sum)
{
	u64 s = (u64)sum + htonl(len) + htonl(proto);
	int i;

	for (i = 0; i < 4; i++)
		s += (u64)saddr->s6_addr32[i] + daddr->s6_addr32[i];
	return finish(s);
}
