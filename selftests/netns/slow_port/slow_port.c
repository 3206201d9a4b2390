// SPDX-License-Identifier: GPL-2.0
/*
 * A port with several transmit queues and byte queue limits, slower than any sender: each
 * queue sends so many frames a jiffy, and keeps so many in its ring. It tells of frames
 * that come without their queue's lock, or to a queue that was stopped, which no driver
 * could stand. It drops the frames that it sends. Only for kernels that tests are run on.
 *
 * Frames that XDP redirects have a ring of their own, for all CPUs, which sends so many
 * bytes a jiffy. As virtio does, it has moved the beginning of a frame that it finds no
 * room for.
 */
#include <linux/etherdevice.h>
#include <linux/module.h>
#include <linux/netdevice.h>
#include <linux/rtnetlink.h>
#include <linux/skbuff.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>
#include <net/xdp.h>

#define SLOW_QUEUES	16
#define SLOW_FRAME	1514
#define SLOW_XDP_RING	1024
#define SLOW_XDP_HEADER	12

static unsigned int queues = 4;
module_param(queues, uint, 0444);
MODULE_PARM_DESC(queues, "transmit queues");

static unsigned int ring = 64;
module_param(ring, uint, 0444);
MODULE_PARM_DESC(ring, "frames in the ring of a queue");

static unsigned int batch = 1;
module_param(batch, uint, 0644);
MODULE_PARM_DESC(batch, "frames that a queue sends a jiffy");

static unsigned long sent[SLOW_QUEUES];
module_param_array(sent, ulong, NULL, 0444);
MODULE_PARM_DESC(sent, "frames that each queue has sent");

static unsigned int xdp_ring = 32;
module_param(xdp_ring, uint, 0644);
MODULE_PARM_DESC(xdp_ring, "redirected frames in their ring");

static unsigned int xdp_batch = 4;
module_param(xdp_batch, uint, 0644);
MODULE_PARM_DESC(xdp_batch, "redirected frames, of 1514 bytes, that are sent a jiffy");

static unsigned long xdp_sent;
module_param(xdp_sent, ulong, 0444);
MODULE_PARM_DESC(xdp_sent, "redirected frames that were sent");

static unsigned long xdp_refused;
module_param(xdp_refused, ulong, 0444);
MODULE_PARM_DESC(xdp_refused, "redirected frames that found their ring full");

static unsigned long unlocked;
module_param(unlocked, ulong, 0444);
MODULE_PARM_DESC(unlocked, "frames that came without the lock of their queue");

static unsigned long unasked;
module_param(unasked, ulong, 0444);
MODULE_PARM_DESC(unasked, "frames that came to a queue that was stopped");

/**
 * struct slow_queue - a transmit queue
 * @txq: as the stack has it
 * @ring: frames on their way
 * @work: sends them
 * @sent: where they are counted
 */
struct slow_queue {
	struct netdev_queue	*txq;
	struct sk_buff_head	ring;
	struct delayed_work	work;
	unsigned long		*sent;
};

/**
 * struct slow_xdp - the ring of redirected frames
 * @lock: of all of it
 * @frame: the ring
 * @head: the first of them
 * @waiting: how many there are
 * @credit: bytes that may be sent now
 * @work: sends them
 */
struct slow_xdp {
	spinlock_t		lock;
	struct xdp_frame	*frame[SLOW_XDP_RING];
	unsigned int		head;
	unsigned int		waiting;
	long			credit;
	struct delayed_work	work;
};

/**
 * struct slow_port - the device's private part
 * @queue: its transmit queues
 * @xdp: for redirected frames
 */
struct slow_port {
	struct slow_queue queue[SLOW_QUEUES];
	struct slow_xdp xdp;
};

static struct net_device *slow_dev;

static void slow_work(struct work_struct *work)
{
	struct slow_queue *q = container_of(work, struct slow_queue, work.work);
	unsigned int n, bytes = 0;
	struct sk_buff *skb;

	local_bh_disable();
	for (n = 0; n < batch; n++) {
		skb = skb_dequeue(&q->ring);
		if (!skb)
			break;
		bytes += skb->len;
		consume_skb(skb);
	}
	__netif_tx_lock(q->txq, smp_processor_id());
	*q->sent += n;
	netdev_tx_completed_queue(q->txq, n, bytes);
	if (netif_tx_queue_stopped(q->txq) && skb_queue_len(&q->ring) < ring)
		netif_tx_wake_queue(q->txq);
	__netif_tx_unlock(q->txq);
	local_bh_enable();
	if (!skb_queue_empty(&q->ring))
		schedule_delayed_work(&q->work, 1);
}

static netdev_tx_t slow_xmit(struct sk_buff *skb, struct net_device *dev)
{
	struct slow_port *port = netdev_priv(dev);
	struct slow_queue *q = &port->queue[skb_get_queue_mapping(skb)];

	if (READ_ONCE(q->txq->xmit_lock_owner) != smp_processor_id())
		unlocked++;
	if (netif_tx_queue_stopped(q->txq))
		unasked++;
	dev_sw_netstats_tx_add(dev, 1, skb->len);
	netdev_tx_sent_queue(q->txq, skb->len);
	skb_orphan(skb);
	skb_queue_tail(&q->ring, skb);
	if (skb_queue_len(&q->ring) >= ring)
		netif_tx_stop_queue(q->txq);
	schedule_delayed_work(&q->work, 1);
	return NETDEV_TX_OK;
}

static struct xdp_frame *slow_xdp_next(struct slow_xdp *x)
{
	struct xdp_frame *frame = x->frame[x->head];

	x->head = (x->head + 1) % SLOW_XDP_RING;
	x->waiting--;
	return frame;
}

static void slow_xdp_work(struct work_struct *work)
{
	struct slow_xdp *x = container_of(work, struct slow_xdp, work.work);
	struct xdp_frame *frame;

	spin_lock_bh(&x->lock);
	x->credit = min_t(long, x->credit, 0) + SLOW_FRAME * xdp_batch;
	while (x->waiting && x->credit > 0) {
		frame = slow_xdp_next(x);
		x->credit -= xdp_get_frame_len(frame);
		xdp_return_frame(frame);
		xdp_sent++;
	}
	if (x->waiting)
		schedule_delayed_work(&x->work, 1);
	spin_unlock_bh(&x->lock);
}

static void slow_xdp_push(struct xdp_frame *frame)
{
	frame->data -= SLOW_XDP_HEADER;
	memset(frame->data, 0, SLOW_XDP_HEADER);
	frame->headroom -= SLOW_XDP_HEADER;
	frame->len += SLOW_XDP_HEADER;
}

static int slow_xdp_xmit(struct net_device *dev, int n,
			 struct xdp_frame **frames, u32 flags)
{
	struct slow_xdp *x = &((struct slow_port *)netdev_priv(dev))->xdp;
	int i;

	spin_lock(&x->lock);
	for (i = 0; i < n && x->waiting < min(xdp_ring, SLOW_XDP_RING); i++)
		x->frame[(x->head + x->waiting++) % SLOW_XDP_RING] = frames[i];
	xdp_refused += n - i;
	spin_unlock(&x->lock);
	if (i < n)
		slow_xdp_push(frames[i]);
	schedule_delayed_work(&x->work, 1);
	return i;
}

static int slow_open(struct net_device *dev)
{
	netif_tx_start_all_queues(dev);
	return 0;
}

static int slow_stop(struct net_device *dev)
{
	struct slow_port *port = netdev_priv(dev);
	unsigned int i;

	netif_tx_disable(dev);
	cancel_delayed_work_sync(&port->xdp.work);
	while (port->xdp.waiting)
		xdp_return_frame(slow_xdp_next(&port->xdp));
	for (i = 0; i < queues; i++) {
		cancel_delayed_work_sync(&port->queue[i].work);
		skb_queue_purge(&port->queue[i].ring);
		netdev_tx_reset_queue(port->queue[i].txq);
	}
	return 0;
}

static const struct net_device_ops slow_ops = {
	.ndo_open		= slow_open,
	.ndo_stop		= slow_stop,
	.ndo_start_xmit		= slow_xmit,
	.ndo_xdp_xmit		= slow_xdp_xmit,
	.ndo_set_mac_address	= eth_mac_addr,
	.ndo_validate_addr	= eth_validate_addr,
};

static void slow_setup(struct net_device *dev)
{
	ether_setup(dev);
	dev->netdev_ops = &slow_ops;
	dev->pcpu_stat_type = NETDEV_PCPU_STAT_TSTATS;
	eth_hw_addr_random(dev);
#ifdef SLOW_HAVE_XDP_FEATURES
	dev->xdp_features = NETDEV_XDP_ACT_NDO_XMIT | NETDEV_XDP_ACT_NDO_XMIT_SG;
#endif
}

static int __init slow_init(void)
{
	struct slow_port *port;
	unsigned int i;
	int err;

	if (!queues || queues > SLOW_QUEUES || !ring)
		return -EINVAL;
	slow_dev = alloc_netdev_mqs(sizeof(struct slow_port), "slow%d",
				    NET_NAME_ENUM, slow_setup, queues, 1);
	if (!slow_dev)
		return -ENOMEM;
	port = netdev_priv(slow_dev);
	spin_lock_init(&port->xdp.lock);
	INIT_DELAYED_WORK(&port->xdp.work, slow_xdp_work);
	for (i = 0; i < queues; i++) {
		port->queue[i].txq = netdev_get_tx_queue(slow_dev, i);
		port->queue[i].sent = &sent[i];
		skb_queue_head_init(&port->queue[i].ring);
		INIT_DELAYED_WORK(&port->queue[i].work, slow_work);
	}
	err = register_netdev(slow_dev);
	if (err)
		free_netdev(slow_dev);
	return err;
}

static void __exit slow_exit(void)
{
	unregister_netdev(slow_dev);
	free_netdev(slow_dev);
}

module_init(slow_init);
module_exit(slow_exit);
MODULE_DESCRIPTION("A slow port with several queues, for tests");
MODULE_LICENSE("GPL");
