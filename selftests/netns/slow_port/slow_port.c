// SPDX-License-Identifier: GPL-2.0
/*
 * A port with several transmit queues and byte queue limits, slower than any sender:
 * each queue sends so many frames a jiffy, and keeps so many in its ring. It tells of
 * frames that come without their queue's lock, or to a queue that was stopped, which no
 * driver could stand. What it sends goes nowhere. Only for kernels that tests are run on.
 */
#include <linux/etherdevice.h>
#include <linux/module.h>
#include <linux/netdevice.h>
#include <linux/rtnetlink.h>
#include <linux/skbuff.h>
#include <linux/workqueue.h>

#define SLOW_QUEUES	16

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
 * struct slow_port - the device's private part
 * @queue: its transmit queues
 */
struct slow_port {
	struct slow_queue queue[SLOW_QUEUES];
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
	.ndo_set_mac_address	= eth_mac_addr,
	.ndo_validate_addr	= eth_validate_addr,
};

static void slow_setup(struct net_device *dev)
{
	ether_setup(dev);
	dev->netdev_ops = &slow_ops;
	dev->pcpu_stat_type = NETDEV_PCPU_STAT_TSTATS;
	eth_hw_addr_random(dev);
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
