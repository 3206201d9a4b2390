/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The kernel, as far as the module's own files need it, in userspace. Every
 * kernel header that they include is this one. Calls that can fail in the
 * kernel can be made to fail here (mock.h); calls that are forbidden there stop
 * the test.
 */
#ifndef MOCK_KERNEL_H
#define MOCK_KERNEL_H

#include <arpa/inet.h>
#include <errno.h>
#include <linux/in6.h>
#include <linux/types.h>
#include <linux/udp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mock.h"

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef unsigned long long u64;
typedef int8_t s8;
typedef int16_t s16;
typedef int32_t s32;
typedef long long s64;
typedef unsigned int gfp_t;

#define CONFIG_64BIT	1
#ifdef __x86_64__
#define CONFIG_X86_64	1
#elif defined(__aarch64__)
#define CONFIG_ARM64	1
#endif
#define __rcu
#define noinline __attribute__((noinline))
#define __uninitialized
#define __percpu
#define __packed	__attribute__((packed))
#define __aligned(n)	__attribute__((aligned(n)))
#define __read_mostly
#define __force
#define ____cacheline_aligned __attribute__((aligned(64)))
#define ____cacheline_aligned_in_smp __attribute__((aligned(64)))
#define likely(x)	(x)
#define unlikely(x)	(x)
#define READ_ONCE(x)	(*(volatile __typeof__(x) *)&(x))
#define WRITE_ONCE(x, v) (*(volatile __typeof__(x) *)&(x) = (v))
#define data_race(x)	(x)
#define array_index_nospec(index, size) ((void)(size), (index))
#define BUILD_BUG_ON(x)	_Static_assert(!(x), #x)
#define static_assert(x)	_Static_assert(x, #x)
#define BIT(n)		(1UL << (n))
#define BIT_ULL(n)	(1ULL << (n))
#define sizeof_field(type, field)	sizeof(((type *)0)->field)
#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))
#define roundup_pow_of_two(n)	((n) < 2 ? 1UL : 1UL << (64 - __builtin_clzl((n) - 1UL)))
#define rounddown_pow_of_two(n)	(1UL << (63 - __builtin_clzl(n)))
#define DIV_ROUND_UP(a, b) (((a) + (b) - 1) / (b))
#define DIV_ROUND_UP_ULL(a, b) DIV_ROUND_UP(a, b)
#define U16_MAX		UINT16_MAX
#define S16_MAX		INT16_MAX
#define U8_MAX		UINT8_MAX
#define U32_MAX		UINT32_MAX
#define S32_MAX		((s32)(U32_MAX >> 1))
#define U64_MAX		UINT64_MAX
#define min(a, b)	((a) < (b) ? (a) : (b))
#define max(a, b)	((a) > (b) ? (a) : (b))
#define max_t(t, a, b)	((t)(a) > (t)(b) ? (t)(a) : (t)(b))
#define min3(a, b, c)	min(a, min(b, c))
#define min_t(t, a, b)	((t)(a) < (t)(b) ? (t)(a) : (t)(b))
#define clamp_t(t, v, lo, hi)	min_t(t, max_t(t, v, lo), hi)
#define min_not_zero(a, b)	(!(a) ? (b) : !(b) ? (a) : min(a, b))
#define offsetofend(type, member)	(offsetof(type, member) + sizeof(((type *)0)->member))
#define container_of(p, t, m) ((t *)((char *)(p) - offsetof(t, m)))
#define struct_size(p, m, n) (sizeof(*(p)) + (n) * sizeof((p)->m[0]))

/* ECN, as of <net/inet_ecn.h>. */
enum { INET_ECN_NOT_ECT, INET_ECN_ECT_1, INET_ECN_ECT_0, INET_ECN_CE, INET_ECN_MASK = 3 };

/* Bits. */
#define BITS_PER_LONG	64
#define BITS_TO_LONGS(n)	(((n) + BITS_PER_LONG - 1) / BITS_PER_LONG)
#define DECLARE_BITMAP(name, n) unsigned long name[((n) + 63) / 64]
#define WEIR_BIT_WORD(p, i)	((p)[(i) / 64])
#define set_bit(i, p)		(WEIR_BIT_WORD(p, i) |= 1UL << (i) % 64)
#define clear_bit(i, p)		(WEIR_BIT_WORD(p, i) &= ~(1UL << (i) % 64))
#define test_and_set_bit(i, p)	__test_and_set_bit(i, p)
#define test_and_clear_bit(i, p) ({					\
	bool _was = test_bit(i, p);					\
	clear_bit(i, p);						\
	_was; })
#define __set_bit(i, p)		set_bit(i, p)
#define test_bit(i, p)		(WEIR_BIT_WORD(p, i) >> (i) % 64 & 1)
#define __test_and_set_bit(i, p) ({					\
	bool __was = test_bit(i, p);					\
	set_bit(i, p);							\
	__was; })
#define bitmap_zero(p, n)	memset(p, 0, ((n) + 63) / 64 * 8)
#define bitmap_copy(p, q, n)	memcpy(p, q, ((n) + 63) / 64 * 8)
#define for_each_set_bit(i, p, n)					\
	for ((i) = 0; (i) < (n); (i)++)					\
		if (test_bit(i, p))

static inline void bitmap_set(unsigned long *p, unsigned int first,
			      unsigned int n)
{
	while (n--)
		set_bit(first + n, p);
}

static inline bool bitmap_empty(const unsigned long *p, unsigned int n)
{
	while (n--)
		if (test_bit(n, p))
			return false;
	return true;
}

static inline void bitmap_or(unsigned long *to, const unsigned long *a,
			     const unsigned long *b, unsigned int n)
{
	unsigned int i;

	for (i = 0; i < (n + 63) / 64; i++)
		to[i] = a[i] | b[i];
}

static inline void bitmap_andnot(unsigned long *to, const unsigned long *a,
				 const unsigned long *b, unsigned int n)
{
	unsigned int i;

	for (i = 0; i < (n + 63) / 64; i++)
		to[i] = a[i] & ~b[i];
}

static inline void bitmap_replace(unsigned long *to, const unsigned long *old,
				  const unsigned long *new, const unsigned long *mask, unsigned int n)
{
	unsigned int i;

	for (i = 0; i < (n + 63) / 64; i++)
		to[i] = (old[i] & ~mask[i]) | (new[i] & mask[i]);
}

static inline bool bitmap_subset(const unsigned long *a, const unsigned long *b,
				 unsigned int n)
{
	unsigned int i;

	for (i = 0; i < (n + 63) / 64; i++)
		if (a[i] & ~b[i])
			return false;
	return true;
}

static inline unsigned int find_next_bit(const unsigned long *p, unsigned int n, unsigned int i)
{
	while (i < n && !test_bit(i, p))
		i++;
	return i;
}

static inline unsigned int find_first_and_bit(const unsigned long *a, const unsigned long *b,
					      unsigned int n)
{
	unsigned int i = 0;

	while (i < n && !(test_bit(i, a) && test_bit(i, b)))
		i++;
	return i;
}

static inline bool bitmap_intersects(const unsigned long *a, const unsigned long *b,
				     unsigned int n)
{
	return find_first_and_bit(a, b, n) < n;
}

static inline unsigned int bitmap_weight(const unsigned long *p, unsigned int n)
{
	unsigned int weight = 0;

	while (n--)
		weight += test_bit(n, p);
	return weight;
}

static inline bool bitmap_equal(const unsigned long *a, const unsigned long *b, unsigned int n)
{
	while (n--)
		if (test_bit(n, a) != test_bit(n, b))
			return false;
	return true;
}

static inline void *memchr_inv(const void *p, int c, size_t n)
{
	const u8 *b = p;

	for (; n--; b++)
		if (*b != c)
			return (void *)b;
	return NULL;
}

/* Numbers. */
#define ilog2(n)		(63 - __builtin_clzll(n))
#define div_u64(a, b)		((a) / (b))
#define div64_u64(a, b)		((a) / (b))

static inline u64 div64_u64_rem(u64 a, u64 b, u64 *rest)
{
	*rest = a % b;
	return a / b;
}

/* As the machine's instruction, which traps where the quotient does not fit. */
static inline u64 mul_u64_u64_div_u64(u64 a, u64 b, u64 c)
{
	unsigned __int128 quotient = (unsigned __int128)a * b / c;

	mock_assert(quotient <= UINT64_MAX, "a division overflows");
	return quotient;
}

static inline u64 mul_u64_u32_div(u64 a, u32 b, u32 c)
{
	return mul_u64_u64_div_u64(a, b, c);
}

#define DIV_ROUND_UP(a, b)	(((a) + (b) - 1) / (b))
#define check_add_overflow(a, b, p) __builtin_add_overflow(a, b, p)
#define check_mul_overflow(a, b, p) __builtin_mul_overflow(a, b, p)
#define __ffs64(n)		__builtin_ctzll(n)
#define ror32(word, n)	((word) >> (n) | (word) << (32 - (n)))
#define get_random_u32()	((u32)random())
#define get_random_u32_below(n)	(mock_random % (n))

/* Different each time, as only equal ones could be mistaken. */
static inline void get_random_bytes(void *buf, size_t n)
{
	u8 *to = buf;

	while (n--)
		*to++ = random();
}

typedef struct { u64 key[2]; } siphash_key_t;

/* Depends on all that it is given, which is all that is asked of it here. */
static inline u64 siphash_2u32(u32 a, u32 b, const siphash_key_t *key)
{
	u64 v = key->key[0] ^ ((u64)a << 32 | b);
	unsigned int i;

	for (i = 0; i < 3; i++)
		v = (v ^ v >> 29) * 0xbf58476d1ce4e5b9ULL + key->key[1];
	return v ^ v >> 32;
}

static inline u64 siphash_3u32(u32 a, u32 b, u32 c, const siphash_key_t *key)
{
	const siphash_key_t next = { { siphash_2u32(a, b, key), key->key[1] } };

	return siphash_2u32(c, 0, &next);
}

/* Errors in pointers. */
#define ERR_PTR(e)	((void *)(long)(e))
#define PTR_ERR(p)	((long)(p))
#define IS_ERR(p)	((unsigned long)(p) >= (unsigned long)-4095)

/* Memory. */
#define GFP_KERNEL		0
#define GFP_KERNEL_ACCOUNT	0
#define GFP_ATOMIC		1
#define GFP_NOWAIT		1
#define __GFP_NOMEMALLOC	0
#define __GFP_NOWARN		0
#define __GFP_RETRY_MAYFAIL	0
#define PAGE_SHIFT		12
#define PAGE_SIZE		(1UL << PAGE_SHIFT)
#define SMP_CACHE_BYTES		64
#define ALIGN(x, to)		(((x) + (to) - 1) / (to) * (to))
#define round_up(x, to)		ALIGN(x, to)
#define round_down(x, y)	((x) - (x) % (y))
#define __GFP_COMP		0

/* Of pages that were allocated together the first one counts the references to all. */
struct page {
	int refs;
	u8 *data;
	struct page *head;
};

struct page *alloc_pages(gfp_t gfp, unsigned int order);
#define alloc_page(gfp)		alloc_pages(gfp, 0)
void get_page(struct page *page);
void put_page(struct page *page);
#define page_ref_count(p)	((p)->refs)
#define page_address(p)		((void *)(p)->data)
#define totalram_pages()	mock_ram_pages
#define kzalloc(n, gfp)		mock_alloc(n)
#define kvzalloc(n, gfp)	mock_alloc(n)
#define kcalloc(n, s, gfp)	mock_alloc((size_t)(n) * (s))
#define kmalloc_array(n, s, gfp)	kcalloc(n, s, gfp)
#define kvcalloc(n, s, gfp)	kcalloc(n, s, gfp)
#define kfree(p)		mock_free(p)
#define kvfree(p)		mock_free(p)
#define cond_resched()		do { } while (0)

/* One CPU. */
#define alloc_percpu_gfp(t, gfp)	((t *)mock_alloc(sizeof(t)))
#define free_percpu(p)			mock_free(p)
#define this_cpu_add(x, n)		((x) += (n))
#define this_cpu_inc(x)			((x)++)
#define this_cpu_ptr(p)		(p)
#define this_cpu_read(x)		(x)
#define this_cpu_write(x, v)		((x) = (v))
#define DECLARE_PER_CPU(t, x)		extern __typeof__(t) x
#define DEFINE_PER_CPU(t, x)		__typeof__(t) x
#define IS_ENABLED(option)		0
#define per_cpu_ptr(p, cpu)		(p)
#define raw_smp_processor_id()		0
#define for_each_possible_cpu(cpu)	for ((cpu) = 0; (cpu) < 1; (cpu)++)

typedef struct { s64 v; } atomic64_t;
#define ATOMIC64_INIT(n)	{ n }
#define atomic64_read(a)	((a)->v)
#define atomic64_add_return(n, a) ((a)->v += (n))
#define atomic64_add(n, a)	((void)((a)->v += (n)))
#define atomic64_sub(n, a)	((void)((a)->v -= (n)))
#define atomic64_set(a, n)	((void)((a)->v = (n)))
#define atomic64_or(n, a)	((void)((a)->v |= (n)))
#define atomic64_try_cmpxchg(a, old, new) ({				\
	s64 __seen = cmpxchg(&(a)->v, *(old), new);			\
	bool __done = __seen == *(old);					\
	*(old) = __seen;						\
	__done; })
struct percpu_counter { s64 count; };
#define percpu_counter_add_batch(c, n, batch)	((void)((c)->count += (n)))
#define percpu_counter_read(c)		((c)->count)
#define __percpu_counter_compare(c, to, batch)	\
	((c)->count > (s64)(to) ? 1 : (c)->count < (s64)(to) ? -1 : 0)
typedef struct { int v; } atomic_t;
#define atomic_set(a, n)	((void)((a)->v = (n)))
#define atomic_inc(a)		((void)(a)->v++)
#define atomic_or(n, a)		((void)((a)->v |= (n)))
#define atomic_andnot(n, a)	((void)((a)->v &= ~(n)))
#define atomic_fetch_or(n, a)	({ int _was = (a)->v; (a)->v |= (n); _was; })
#define atomic_dec(a)		((void)(a)->v--)
#define atomic_add_unless(a, n, not) ((a)->v == (not) ? false : ((a)->v += (n), true))
#define atomic_read(a)		((a)->v)
#define atomic_read_acquire(a)	((a)->v)
#define smp_mb()		do { } while (0)
#define smp_load_acquire(p)	READ_ONCE(*(p))
#define smp_store_release(p, v)	WRITE_ONCE(*(p), v)
#define smp_mb__before_atomic()	do { } while (0)
#define smp_mb__after_atomic()	do { } while (0)
#define smp_store_mb(x, v)	((x) = (v), mock_other_cpu())
#define barrier()		mock_other_cpu()
#define xchg(p, new)		({					\
	__typeof__(*(p)) __was = *(p);					\
	*(p) = (new);							\
	__was; })
#define cmpxchg(p, old, new)	({					\
	mock_other_cpu();						\
	__typeof__(*(p)) __seen = *(p);					\
	if (__seen == (old))						\
		*(p) = (new);						\
	__seen; })

/* Locks: only whether one is held, and that none is taken twice. */
typedef struct { int held; } spinlock_t;
struct mutex { int held; };
#define spin_lock_init(l)	((l)->held = 0)
#define spin_lock(l)		mock_lock(&(l)->held)
#define spin_unlock(l)		mock_unlock(&(l)->held)
#define spin_lock_bh(l)		spin_lock(l)
#define spin_unlock_bh(l)	spin_unlock(l)
typedef struct { spinlock_t lock; unsigned int seen; } seqlock_t;
#define seqlock_init(l)		spin_lock_init(&(l)->lock)
#define write_seqlock(l)	(mock_other_cpu(), spin_lock(&(l)->lock), (void)(l)->seen++)
#define write_sequnlock(l)	((void)(l)->seen++, spin_unlock(&(l)->lock))
#define read_seqbegin(l)	((l)->seen)
#define read_seqretry(l, was)	((l)->seen != (was))
#define lockdep_assert_held(l)	mock_assert((l)->held, "lock held")
#define lockdep_is_held(l)	((l)->held)
#define lockdep_assert(c)	mock_assert(c, #c)

struct rcu_head { void *next; };
#define rcu_read_lock_bh_held()		1
#define rcu_read_lock_any_held()	1
#define lockdep_rtnl_is_held()		0
#define rcu_dereference_check(p, c)	(p)
#define rcu_dereference_protected(p, c)	(p)
#define rcu_dereference_bh(p)		(p)
#define rcu_access_pointer(p)	(p)
#define rcu_assign_pointer(p, v)	((p) = (v))
#define RCU_INIT_POINTER(p, v)		((p) = (v))
#define rcu_replace_pointer(p, v, c)	({				\
	__typeof__(p) __old = (p); (p) = (v); __old; })
#define call_rcu(head, function)	(function)(head)
#define synchronize_rcu()		(mock_grace_periods++, mock_other_cpu())

/* Time, which stands still but for mock_run(). */
#define NSEC_PER_USEC		1000ULL
#define NSEC_PER_SEC		1000000000ULL
#define NSEC_PER_MSEC		1000000ULL
#define ktime_get_ns()		mock_ns
#define ns_to_ktime(ns)		(ns)
#define CLOCK_MONOTONIC		1
enum hrtimer_restart { HRTIMER_NORESTART };
#define HRTIMER_MODE_ABS_PINNED_SOFT	0
#define HRTIMER_MODE_REL_SOFT		1

/* Work is done by who calls it. */
#define HZ				250
struct work_struct { void (*func)(struct work_struct *work); };
struct delayed_work { struct work_struct work; bool queued; };
#define INIT_DELAYED_WORK(w, f)		((w)->work.func = (f))
#define to_delayed_work(w)		container_of(w, struct delayed_work, work)
#define schedule_delayed_work(w, delay)	((w)->queued = true)
#define cancel_delayed_work_sync(w)	((w)->queued = false)

struct hrtimer {
	enum hrtimer_restart (*function)(struct hrtimer *timer);
	int mode;
	u64 at;
	struct hrtimer *next;
	bool armed;
};

#define hrtimer_setup(t, f, clock, m)	((t)->function = (f), (t)->mode = (m))
void hrtimer_start(struct hrtimer *timer, u64 at, int mode);
void hrtimer_cancel(struct hrtimer *timer);
#define hrtimer_is_queued(t)	((t)->armed)
#define hrtimer_try_to_cancel(t) (hrtimer_cancel(t), 0)
/* Lets the time pass up to @ns, and timers run in their order. */
void mock_run(u64 ns);
/* Return the number of timers that are armed. */
int mock_timers(void);

/* The vector unit, where there is one that the module uses. */
#ifdef CONFIG_X86_64
#define mock_has_vectors()	__builtin_cpu_supports("avx2")
#define mock_has_halves()	__builtin_cpu_supports("f16c")
#elif defined(CONFIG_ARM64)
#define mock_has_vectors()	true
#define mock_has_halves()	true
#else
#define mock_has_vectors()	false
#define mock_has_halves()	false
#endif
#define X86_FEATURE_AVX2	0
#define X86_FEATURE_F16C	1
#define XFEATURE_MASK_SSE	0
#define XFEATURE_MASK_YMM	0
#define boot_cpu_has(f)							\
	(mock_cpu_has_vectors && ((f) == X86_FEATURE_AVX2 ? mock_has_vectors() : \
				  mock_cpu_has_halves && mock_has_halves()))
#define cpu_has_xfeatures(m, n)	true
#define irq_fpu_usable()	mock_fpu_usable
#define kernel_fpu_begin()	(mock_fpu_begins++, mock_lock(&mock_fpu))
#define kernel_fpu_end()	mock_unlock(&mock_fpu)
#define preempt_disable()	do { } while (0)
#define preempt_enable()	do { } while (0)
#define system_supports_fpsimd()	mock_cpu_has_vectors
#define may_use_simd()		mock_fpu_usable
struct user_fpsimd_state { int none; };
#define kernel_neon_begin(state)	((void)(state), mock_fpu_begins++, mock_lock(&mock_fpu))
#define kernel_neon_end(state)	((void)(state), mock_unlock(&mock_fpu))
#define write_sysreg(value, name)	do { } while (0)

/* Bytes. */
#define get_unaligned(p) \
	(((const struct { typeof(*(p)) value; } __attribute__((packed)) *)(p))->value)

static inline u32 get_unaligned_be32(const void *p)
{
	const u8 *b = p;

	return (u32)b[0] << 24 | b[1] << 16 | b[2] << 8 | b[3];
}

static inline void put_unaligned_be32(u32 v, void *p)
{
	v = htonl(v);
	memcpy(p, &v, 4);
}

static inline void put_unaligned_be16(u16 v, void *p)
{
	v = htons(v);
	memcpy(p, &v, 2);
}

static inline void put_unaligned_be64(u64 v, void *p)
{
	put_unaligned_be32(v >> 32, p);
	put_unaligned_be32(v, p + 4);
}

static inline u16 get_unaligned_be16(const void *p)
{
	u16 v;

	memcpy(&v, p, sizeof(v));
	return __builtin_bswap16(v);
}

static inline u64 get_unaligned_be64(const void *p)
{
	u64 v;

	memcpy(&v, p, sizeof(v));
	return __builtin_bswap64(v);
}

static inline u64 get_unaligned_le64(const void *p)
{
	u64 v;

	memcpy(&v, p, sizeof(v));
	return v;
}

#define le64_to_cpu(v)	(v)
#define be64_to_cpu(v)	__builtin_bswap64(v)
#define cpu_to_be64(v)	__builtin_bswap64(v)

static inline void put_unaligned_le32(u32 v, void *p)
{
	u8 *b = p;
	int i;

	for (i = 0; i < 4; i++)
		b[i] = v >> 8 * i;
}

/* Addresses. */
#define ETH_ALEN 6

static inline bool ipv6_addr_equal(const struct in6_addr *a,
				   const struct in6_addr *b)
{
	return !memcmp(a, b, sizeof(*a));
}

#define IPV6_ADDR_LINKLOCAL 0x0020U

/* As far as it is asked for. */
static inline int ipv6_addr_type(const struct in6_addr *a)
{
	return a->s6_addr[0] == 0xfe && (a->s6_addr[1] & 0xc0) == 0x80 ?
	       IPV6_ADDR_LINKLOCAL : 0;
}

static inline bool ipv6_addr_any(const struct in6_addr *a)
{
	static const struct in6_addr any;

	return ipv6_addr_equal(a, &any);
}

static inline bool ipv6_addr_v4mapped(const struct in6_addr *a)
{
	return !a->s6_addr32[0] && !a->s6_addr32[1] &&
	       a->s6_addr32[2] == htonl(0xffff);
}

/* Checksums, slowly. */
__wsum csum_partial(const void *data, int len, __wsum sum);
__wsum csum_block_add(__wsum a, __wsum b, int off);
__sum16 csum_tcpudp_magic(__be32 saddr, __be32 daddr, u32 len, u8 proto,
			  __wsum sum);
__sum16 csum_ipv6_magic(const struct in6_addr *saddr,
			const struct in6_addr *daddr, u32 len, u8 proto,
			__wsum sum);

/* Packets. */
#define MAX_SKB_FRAGS 17
typedef struct { void *data; u32 size; bool unreadable; } skb_frag_t;
/* A device's memory has no address. */
#define skb_frag_address(f)						\
	({ mock_assert(!(f)->unreadable, "a fragment cannot be read"); (f)->data; })
#define skb_frag_size(f)	((f)->size)

struct skb_shared_info {
	u8 nr_frags;
	u16 gso_size;
	skb_frag_t frags[MAX_SKB_FRAGS];
	struct sk_buff *frag_list;
};

struct sk_buff {
	u8 *data, *tail;
	struct sk_buff *next;
	struct net_device *dev;
	struct skb_shared_info shinfo;
};

#define skb_mac_header(s)	((s)->data)
#define skb_tail_pointer(s)	((s)->tail)
#define skb_headlen(s)		((u32)((s)->tail - (s)->data))
#define skb_shinfo(s)		(&(s)->shinfo)

struct xdp_buff {
	void *data, *data_end;
	bool frags;
	struct skb_shared_info shinfo;
};

#define xdp_buff_has_frags(x)			((x)->frags)
#define xdp_get_buff_len(x)			((u32)((x)->data_end - (x)->data))
#define xdp_get_shared_info_from_buff(x)	(&(x)->shinfo)

/* Headers. */
#define ETH_HLEN	14
#define ETH_P_IP	0x0800
#define ETH_P_IPV6	0x86dd
#define ETH_P_8021Q	0x8100
#define ETH_P_8021AD	0x88a8
#define ETH_P_MPLS_UC	0x8847
#define ETH_P_MPLS_MC	0x8848
#define ETH_P_PPP_SES	0x8864
#define VLAN_HLEN	4
#define VLAN_VID_MASK	0xfff
#define NEXTHDR_HOP	0
#define NEXTHDR_ROUTING	43
#define NEXTHDR_FRAGMENT 44
#define IP6_OFFSET	0xfff8
#define NEXTHDR_DEST	60

struct ethhdr {
	u8 h_dest[6], h_source[6];
	__be16 h_proto;
} __packed;

struct vlan_hdr { __be16 h_vlan_TCI, h_vlan_encapsulated_proto; };

static inline u64 ether_addr_to_u64(const u8 *addr)
{
	u64 u = 0;
	int i;

	for (i = 0; i < ETH_ALEN; i++)
		u = u << 8 | addr[i];
	return u;
}

struct iphdr {
	u8 ihl : 4, version : 4, tos;
	__be16 tot_len, id, frag_off;
	u8 ttl, protocol;
	__be16 check;
	__be32 saddr, daddr;
} __packed;

struct ipv6hdr {
	u8 priority : 4, version : 4, flow_lbl[3];
	__be16 payload_len;
	u8 nexthdr, hop_limit;
	struct in6_addr saddr, daddr;
} __packed;

struct tcphdr {
	__be16 source, dest;
	__be32 seq, ack_seq;
	__be16 flags, window, check, urg_ptr;
};
struct ipv6_opt_hdr { u8 nexthdr, hdrlen; };
struct frag_hdr { u8 nexthdr, reserved; __be16 frag_off; __be32 identification; };

#define eth_type_vlan(proto)	((proto) == htons(0x8100) || (proto) == htons(0x88a8))
#define IP_MF			0x2000
#define IP_OFFSET		0x1fff
#define ip_is_fragment(ip)	(!!((ip)->frag_off & htons(IP_MF | IP_OFFSET)))
#define ipv6_optlen(opt)	(((opt)->hdrlen + 1) << 3)
#define ipv6_get_dsfield(ip)	((u8)(ntohs(*(const __be16 *)(ip)) >> 4))

/* Namespaces and devices. */
#define IFNAMSIZ	16
struct xdp_frame;
struct xdp_rxq_info { struct net_device *dev; };
struct napi_struct { int none; };
struct irq_work { int none; };
typedef struct { int none; } call_single_data_t;
struct net_generic { void *ptr[1]; };
struct net { void *generic; struct net_generic *gen; };
struct net_device { int ifindex; struct net *net; };
#define dev_net(d)		((d)->net)
#define net_generic(n, id)	((n)->generic)

struct xarray { void *slot[8]; };
#define xa_load(xa, i)		((i) < 8 ? (xa)->slot[i] : NULL)
#define xa_for_each(xa, i, entry)					\
	for ((i) = 0; (i) < 8; (i)++)					\
		if (!((entry) = (xa)->slot[i])) { } else

struct dst_cache { int initialised; };

/* Lists. */
struct list_head { struct list_head *next, *prev; };
#define LIST_HEAD(l)		struct list_head l = { &(l), &(l) }
#define list_empty(l)		((l)->next == (l))
static inline void list_add(struct list_head *e, struct list_head *l)
{
	e->next = l->next;
	e->prev = l;
	l->next->prev = e;
	l->next = e;
}

struct llist_node { struct llist_node *next; };
struct llist_head { struct llist_node *first; };

struct hlist_node { struct hlist_node *next, **pprev; };
struct hlist_head { struct hlist_node *first; };

static inline void hlist_add_head_rcu(struct hlist_node *n, struct hlist_head *h)
{
	n->next = h->first;
	n->pprev = &h->first;
	if (n->next)
		n->next->pprev = &n->next;
	h->first = n;
}

static inline void hlist_del_rcu(struct hlist_node *n)
{
	*n->pprev = n->next;
	if (n->next)
		n->next->pprev = n->pprev;
}

static inline void hlist_del_init_rcu(struct hlist_node *n)
{
	hlist_del_rcu(n);
	n->pprev = NULL;
}

#define hlist_unhashed_lockless(n)	(!(n)->pprev)
#define hlist_for_each_entry_rcu(p, h, m, ...)	hlist_for_each_entry_rcu_bh(p, h, m)
#define hlist_for_each_entry(p, h, m)	hlist_for_each_entry_rcu_bh(p, h, m)
#define hlist_for_each_entry_rcu_bh(p, h, m)				\
	for (p = (h)->first ? container_of((h)->first, __typeof__(*p), m) : NULL; p; \
	     p = p->m.next ? container_of(p->m.next, __typeof__(*p), m) : NULL)

#define list_for_each_entry_safe(p, n, l, m)				\
	for (p = container_of((l)->next, __typeof__(*p), m),		\
	     n = container_of(p->m.next, __typeof__(*p), m);		\
	     &p->m != (l);						\
	     p = n, n = container_of(n->m.next, __typeof__(*n), m))

/* Netlink: sentences are kept, and nothing is sent. */
struct netlink_ext_ack { char msg[256]; };
struct genl_info;
struct nlattr { u16 len, type; };
#define NL_SET_ERR_MSG(ext, text)	snprintf((ext)->msg, sizeof((ext)->msg), "%s", text)
#define NL_SET_ERR_MSG_FMT(ext, ...)	snprintf((ext)->msg, sizeof((ext)->msg), __VA_ARGS__)

/* Tracepoints, in the place of job_trace.h. */
#define _WEIR_JOB_TRACE_H
#define trace_weir_contribution(...)	do { } while (0)
#define trace_weir_refusal(...)		do { } while (0)
#define trace_weir_result(...)		do { } while (0)
#define trace_weir_result_enabled()	false
#define trace_weir_send_error(...)	do { } while (0)
#define trace_weir_aged(...)		do { } while (0)
#define trace_weir_scan(job, looked, answered, ns) mock_visit(looked, answered)
#define trace_weir_source_state(...)	do { } while (0)

/* In the place of compat.h: its interfaces in this kernel's form. */
#define _WEIR_COMPAT_H
#define skb_frag_is_net_iov(f)	((f)->unreadable)
#define EXPORT_SYMBOL_NS_GPL(symbol, space)	extern typeof(symbol) symbol

#endif /* MOCK_KERNEL_H */
