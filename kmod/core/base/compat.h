/* SPDX-License-Identifier: GPL-2.0 */
/*
 * All differences between kernels are here. Code elsewhere is written to the newest
 * interface, and this file supplies the parts that an older kernel lacks. It tests for
 * each interface itself and not for a version, as distributions backport newer interfaces.
 */
#ifndef _WEIR_COMPAT_H
#define _WEIR_COMPAT_H

#include <linux/btf.h>
#include <linux/hrtimer.h>
#include <linux/if_bridge.h>
#include <linux/local_lock.h>
#include <linux/neighbour.h>
#include <net/genetlink.h>
#include <net/xdp.h>

#ifdef WEIR_HAVE_LINUX_UNALIGNED
#include <linux/unaligned.h>
#else
#include <asm/unaligned.h>
#endif

/* Segmentation was in netdevice.h. */
#ifdef WEIR_HAVE_NET_GSO
#include <net/gso.h>
#else
#include <linux/netdevice.h>
#endif

/* Receive queues were in netdevice.h. */
#ifdef WEIR_HAVE_NETDEV_RX_QUEUE
#include <net/netdev_rx_queue.h>
#endif

#ifndef CONFIG_64BIT
#error "weir needs a 64-bit kernel: its per-CPU counters are read without a seqcount"
#endif

#ifdef CONFIG_CPU_BIG_ENDIAN
#error "weir is tested on little-endian machines alone, and would sum wrong numbers unnoticed"
#endif

/*
 * Kernels are compiled to zero all variables on the stack. For a large variable that is
 * filled before it is read, that would cost a packet more than the rest of its way through
 * here.
 */
#ifndef __uninitialized
#if __has_attribute(__uninitialized__)
#define __uninitialized __attribute__((__uninitialized__))
#else
#define __uninitialized
#endif
#endif

/*
 * With PREEMPT_RT newer kernels let tasks that have disabled bottom halves preempt each other, and
 * have this lock for what such tasks share on a CPU. Those without it do not. Its header is
 * included here alone: 6.12's needs others before it.
 */
#ifndef local_lock_nested_bh
#define local_lock_nested_bh(lock)	((void)(lock))
#define local_unlock_nested_bh(lock)	((void)(lock))
#endif

/* Where the registers of a task in the kernel go that a softirq uses meanwhile, since 6.19. */
#if defined(CONFIG_ARM64) && !defined(WEIR_HAVE_NEON_STATE)
#include <asm/neon.h>
#define kernel_neon_begin(state)	((void)(state), (kernel_neon_begin)())
#define kernel_neon_end(state)		((void)(state), (kernel_neon_end)())
#endif

/* Marks functions that only programs call; all of them are declared in headers, too. */
#ifndef __bpf_kfunc
#define __bpf_kfunc __used noinline
#endif

#ifndef __bpf_kfunc_start_defs
#define __bpf_kfunc_start_defs()					\
	__diag_push();							\
	__diag_ignore_all("-Wmissing-declarations", "kfuncs");		\
	__diag_ignore_all("-Wmissing-prototypes", "kfuncs")
#define __bpf_kfunc_end_defs() __diag_pop()
#endif

/* BTF_SET8 was split: sets of kfuncs have a flag of their own since 6.9. */
#ifndef BTF_KFUNCS_START
#define BTF_KFUNCS_START(name)	BTF_SET8_START(name)
#define BTF_KFUNCS_END(name)	BTF_SET8_END(name)
#endif

/* References to a dst entry are an rcuref since 6.4. */
#ifdef WEIR_HAVE_DST_RCUREF
#define weir_compat_dst_refs(dst) rcuref_read(&(dst)->__rcuref)
#else
#define weir_compat_dst_refs(dst) atomic_read(&(dst)->__refcnt)
#endif

/* A driver's current XDP features, and an event where they change: since 6.3. */
#ifdef WEIR_HAVE_XDP_FEATURES
#define weir_compat_xdp_features(dev) READ_ONCE((dev)->xdp_features)
#define weir_compat_set_xdp_features(dev, features) ((dev)->xdp_features = (features))
#else
#define NETDEV_XDP_ACT_NDO_XMIT		0x1
#define NETDEV_XDP_ACT_NDO_XMIT_SG	0x2
#define NETDEV_XDP_FEAT_CHANGE		(-1UL)
#define weir_compat_xdp_features(dev)					\
	((dev)->netdev_ops->ndo_xdp_xmit ? NETDEV_XDP_ACT_NDO_XMIT |	\
					   NETDEV_XDP_ACT_NDO_XMIT_SG : 0)
#define weir_compat_set_xdp_features(dev, features)			\
	((void)(dev), (void)(features))
#endif

/* Until 6.13 a feature bit kept a device in its namespace. */
#ifdef NETIF_F_NETNS_LOCAL
#define weir_compat_stays(dev) ((dev)->features |= NETIF_F_NETNS_LOCAL)
#else
#define weir_compat_stays(dev) ((dev)->netns_immutable = true)
#endif

/* Entries of stations that a locked port does not let in: since 6.2. */
#ifndef NTF_EXT_LOCKED
#define NTF_EXT_LOCKED		0
#endif
/* Answers for neighbours may be set for each VLAN since 6.3. */
#ifndef BR_NEIGH_VLAN_SUPPRESS
#define BR_NEIGH_VLAN_SUPPRESS	0
#endif

/* The workqueue of no certain CPU has a new name since 6.17, and 7.3 complains of the old one. */
#ifndef WEIR_HAVE_SYSTEM_DFL_WQ
#define system_dfl_wq	system_unbound_wq
#endif

/* Since 6.13 a timer gets its function where it is set up. */
#ifndef WEIR_HAVE_HRTIMER_SETUP
static inline void
hrtimer_setup(struct hrtimer *timer,
	      enum hrtimer_restart (*function)(struct hrtimer *),
	      clockid_t clock, enum hrtimer_mode mode)
{
	hrtimer_init(timer, clock, mode);
	timer->function = function;
}
#endif

/* A fragment may lie in a device's memory, which the CPU cannot read, since 6.12. */
#ifdef WEIR_HAVE_NET_IOV
#define weir_frag_is_readable(frag)	(!skb_frag_is_net_iov(frag))
#else
#define weir_frag_is_readable(frag)	((void)(frag), true)
#endif

/* Arguments of a probe at kfree_skb: rx_sk since 6.11, const since 7.2. */
#ifdef WEIR_HAVE_KFREE_SKB_CONST_SK
#define WEIR_KFREE_SKB_PROTO						\
	void *data, struct sk_buff *skb, void *location,		\
	enum skb_drop_reason reason, const struct sock *rx_sk
#elif defined(WEIR_HAVE_KFREE_SKB_RX_SK)
#define WEIR_KFREE_SKB_PROTO						\
	void *data, struct sk_buff *skb, void *location,		\
	enum skb_drop_reason reason, struct sock *rx_sk
#else
#define WEIR_KFREE_SKB_PROTO						\
	void *data, struct sk_buff *skb, void *location,		\
	enum skb_drop_reason reason
#endif

/* Memory for heads of packets, several at once, cleared. Returns how many there were. */
#ifdef WEIR_HAVE_SKB_CACHE_BULK
#define weir_compat_skb_bulk(skbs, n) napi_skb_cache_get_bulk(skbs, n)
#else
static inline int weir_compat_skb_bulk(void **skbs, int n)
{
	return xdp_alloc_skb_bulk(skbs, n, GFP_ATOMIC | __GFP_ZERO) ? 0 : n;
}
#endif

/* What memory a frame has: since 6.14 only its kind. */
#ifdef WEIR_HAVE_FRAME_MEM_TYPE
#define weir_compat_frame_mem(frame) ((struct xdp_mem_info){ .type = (frame)->mem_type })
#else
#define weir_compat_frame_mem(frame) ((frame)->mem)
#endif

/* Where a program redirects to: of the CPU until 6.11, of the task since. */
#ifdef WEIR_HAVE_NET_CONTEXT
#define weir_compat_redirect_info() bpf_net_ctx_get_ri()
#else
#define weir_compat_redirect_info() this_cpu_ptr(&bpf_redirect_info)
#endif

/* Sentences with numbers in them are there since 6.3. */
#ifndef NETLINK_MAX_FMTMSG_LEN
const char *weir_compat_sentence(const char *format, ...) __printf(1, 2);
#define NL_SET_ERR_MSG_FMT(extack, ...) do {				\
	struct netlink_ext_ack *__said = extack;			\
	if (__said)							\
		__said->_msg = weir_compat_sentence(__VA_ARGS__);	\
} while (0)
#endif

/* Integers of 32 or 64 bits, whichever is enough: since 6.7. */
#ifndef WEIR_HAVE_NLA_UINT
int weir_compat_uint(const struct nlattr *attr, struct netlink_ext_ack *extack);
#define NLA_UINT							\
	NLA_BINARY, .validation_type = NLA_VALIDATE_FUNCTION,		\
	.validate = weir_compat_uint

static inline u64 nla_get_uint(const struct nlattr *attr)
{
	return nla_len(attr) == sizeof(u32) ? nla_get_u32(attr) :
					      nla_get_u64(attr);
}

static inline int nla_put_uint(struct sk_buff *skb, int attr, u64 value)
{
	if (value == (u32)value)
		return nla_put_u32(skb, attr, value);
	return nla_put(skb, attr, sizeof(value), &value);
}
#endif

/* The genl_info of a dump. */
#ifndef WEIR_HAVE_GENL_INFO_DUMP
#define genl_info_dump(cb) genl_dumpit_info(cb)
#endif

/*
 * Operations have been split into "do" and "dump" since 6.2. The generated file has them
 * split; compat_family.c makes the older family from it.
 */
#ifndef WEIR_HAVE_SPLIT_OPS
struct genl_split_ops {
	int (*pre_doit)(const struct genl_split_ops *ops, struct sk_buff *skb,
			struct genl_info *info);
	int (*doit)(struct sk_buff *skb, struct genl_info *info);
	void (*post_doit)(const struct genl_split_ops *ops, struct sk_buff *skb,
			  struct genl_info *info);
	int (*dumpit)(struct sk_buff *skb, struct netlink_callback *cb);
	const struct nla_policy *policy;
	unsigned int maxattr;
	u8 cmd;
	u8 flags;
};

struct weir_compat_family {
	const char			*name;
	unsigned int			version;
	bool				netnsok;
	bool				parallel_ops;
	struct module			*module;
	const struct genl_split_ops	*split_ops;
	unsigned int			n_split_ops;
	const struct genl_multicast_group *mcgrps;
	unsigned int			n_mcgrps;
};

#ifdef WEIR_COMPAT_GENERATED
#define genl_family		weir_compat_family
#define weir_nl_family		weir_compat_spec
#else
extern struct weir_compat_family weir_compat_spec;
int weir_compat_register_family(struct genl_family *family,
				const struct weir_compat_family *spec);
#define genl_register_family(family)					\
	weir_compat_register_family(family, &weir_compat_spec)
#endif
#endif

#endif /* _WEIR_COMPAT_H */
