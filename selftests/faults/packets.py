# SPDX-License-Identifier: GPL-2.0
"""The modules' allocations in the way of a packet, each of which fails.

Most are made in softirq, whichever task that has interrupted, so a fault is not asked for
by number but by call: the next allocations behind it fail. Packets may be lost by that,
as they may by a queue; what comes after is right.
"""
import os
import socket
import struct
import subprocess
import time

from inject import TRIES, put
from named import address
from trio import CONTROL, PATIENCE, Worker, enter, until

GRADS, BLOCKS = 8, 2
UDP_SEGMENT = 103
GROUP, ON_LO, UNNAMED = "239.1.2.3", "10.77.99.254", "10.77.1.253"
ARP = 0x0806
MOST = 200
PKTGEN = "/proc/net/pktgen/"
RING = "/sys/module/slow_port/parameters/xdp_ring"
FORWARD = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "build", "bpf",
                       "weir_forward.bpf.o")
PIN = "/sys/fs/bpf/deflected"


def run(*command):
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)


class Sums:
    """A job of two workers."""

    def __init__(self, box, injection, router, namespaces, ipv6=False, of_box="10.77.1.254", grads=GRADS,
                 **config):
        self.box, self.injection, self.block, self.grads = box, injection, 0, grads
        self.id, of_box = (8, "fd77:1::254") if ipv6 else (7, of_box)
        box.do("job-add", id=self.id, sources=2, blocks=BLOCKS, grads=grads,
               address=address(of_box), **config)
        self.workers, self.tag = [], {}
        for i in (0, 1):
            box.do("source-add", job=self.id, id=i,
                   address=address(("fd77:%d::1" if ipv6 else "10.77.%d.1") % (i + 1)))
            self.workers.append(Worker(namespaces[i], of_box, self.id, i))
        # Workers that get results.
        self.listeners = list(self.workers)
        enter(router)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for worker in self.workers:
            worker.close()
        self.box.do("job-del", id=self.id)

    def numbers(self, source, block):
        return tuple(100 * source + block + i for i in range(self.grads))

    def contribute(self, block):
        for w in self.workers:
            w.send(block, self.numbers(w.source, block), **self.tag)

    def join(self):
        """All join: packets after that have everything that only joined workers' packets have."""
        for w in self.workers * 2:
            w.join(1, 2, self.grads)
        answer = self.workers[0].receive_where(lambda p: p.flags == CONTROL)
        self.tag = {"generation": answer.generation, "joined": True}

    def result(self, worker, block):
        """
        The result that a worker gets. All contribute again until it comes. Status messages come meanwhile, where
        a worker counts as dead, as it may on a slow machine.
        """
        for _ in range(TRIES):
            packet = worker.look_for(lambda p: p.sums and p.block == block, 5)
            if packet:
                return packet
            # One before it may stand half done in its slot.
            for before in range(max(1, block - 2 * BLOCKS), block + 1):
                self.contribute(before)
        raise AssertionError("block %d has no result" % block)

    def settle(self, block):
        """The sums of each result are those of the members that it names."""
        for w in self.listeners:
            packet = self.result(w, block)
            members = packet.members or {0, 1}
            want = [sum(column) for column in zip(*(self.numbers(s, block) for s in members))]
            assert list(packet.sums) == want, packet

    def rounds(self, n=1, before=None):
        """Completes n blocks, and looks at the last; the others' results wait unread."""
        if before:
            before()
        for _ in range(n):
            self.block += 1
            self.contribute(self.block)
        self.settle(self.block)

    def aged(self):
        """A block that one has contributed to, until the timer answers it; the other is late."""
        self.block += 1
        early, late = self.workers
        early.send(self.block, self.numbers(early.source, self.block), **self.tag)
        self.settle(self.block)
        late.send(self.block, self.numbers(late.source, self.block), **self.tag)

    def fails(self, places, act, times=1):
        """Make each call at these places fail, until it has; return how many allocations failed."""
        return self.fail(self.injection.at(*places), act, times)

    def fail(self, sites, act, times=1):
        failed = 0
        for site in sites:
            failed += self.injection.until_failed(site, times, act)
            act()
        return failed


def results(box, injection, router, namespaces):
    """
    A result by itself, and one that others might go with: the timer's, in a room, which is new as
    long as the module's CPUs have not used all of theirs.
    """
    with Sums(box, injection, router, namespaces, policy=2, timeout=10000) as job:
        job.join()

        def both():
            job.rounds()
            job.aged()

        both()
        return job.fails([("agg/out/room.c", "__alloc_pages_noprof"),
                          ("agg/out/skb.c", "__alloc_skb"),
                          ("agg/out/merge.c", "__pskb_copy_fclone")], both)


def held(box, injection, router, namespaces):
    """Receivers that have not read results hold their pages, and the slot takes others."""
    with Sums(box, injection, router, namespaces, grads=1024) as job:
        job.join()
        job.rounds()
        sites = injection.at(("agg/slots/pool.c", "__alloc_pages_noprof"))
        # The other one makes the table.
        return job.fail([max(sites, key=lambda site: site.line())], lambda: job.rounds(20))


def forget_routes():
    put("/proc/sys/net/ipv4/route/flush", 1)


def looked_up(injection):
    """Where routes of IPv4 are looked up, in the order of the source: to a group, and to anyone."""
    return sorted(injection.at(("agg/out/dest.c", "ip_route_output_flow")),
                  key=lambda site: site.line())


def routes(box, injection, router, namespaces):
    with Sums(box, injection, router, namespaces) as job:
        job.rounds()
        n = job.fail(looked_up(injection)[1:], lambda: job.rounds(1, forget_routes))
        return n + job.fails([("agg/out/dest.c", "ip_local_out")],
                             lambda: job.rounds(1, lambda: run("ip", "neigh", "flush", "all")))


def group_route(box, injection, router, namespaces):
    """The route says which device leads to a group, as the job's address is on the loopback device."""
    run("ip", "address", "add", ON_LO, "dev", "lo")
    run("ip", "route", "add", GROUP, "dev", "w1")
    with Sums(box, injection, router, namespaces, of_box=ON_LO, group=address(GROUP)) as job:
        job.listeners = job.workers[:1]
        here = socket.inet_aton(GROUP) + socket.inet_aton("10.77.1.1")
        job.workers[0].socket.setsockopt(socket.IPPROTO_IP, socket.IP_ADD_MEMBERSHIP, here)
        job.rounds()
        n = job.fail(looked_up(injection)[:1], lambda: job.rounds(1, forget_routes))
    run("ip", "route", "del", GROUP, "dev", "w1")
    run("ip", "address", "del", ON_LO + "/32", "dev", "lo")
    return n


def routes6(box, injection, router, namespaces):
    def forget_route():
        for i in (1, 2):
            prefix = "fd77:%d::/64" % i, "dev", "w%d" % i
            run("ip", "-6", "route", "del", *prefix)
            run("ip", "-6", "route", "add", *prefix)

    with Sums(box, injection, router, namespaces, ipv6=True) as job:
        job.rounds()
        n = job.fails([("agg/out/dest.c", "ip6_route_output_flags"),
                       ("agg/out/dest.c", "ip6_dst_lookup_flow")],
                      lambda: job.rounds(1, forget_route))
        return n + job.fails([("agg/out/dest.c", "ip6_local_out")],
                             lambda: job.rounds(1, lambda: run("ip", "-6", "neigh", "flush", "all")))


def degraded(box, injection, router, namespaces):
    """The list of a result's members lies in a piece of a page that is seldom a new one."""
    with Sums(box, injection, router, namespaces, policy=2, timeout=10000000, quorum=1) as job:
        job.join()
        job.rounds()
        return job.fails([("agg/out/skb.c", "__netdev_alloc_frag_align")],
                         lambda: job.rounds(100), 8)


def events(box, injection, router, namespaces):
    """A generation begins for the workers; a listener gets the event, or hears that it was lost."""
    with Sums(box, injection, router, namespaces) as job:
        nonce = 1

        def begin():
            nonlocal nonce
            nonce += 1
            box.heard()
            for _ in range(TRIES):
                # A number that is new makes the others repeat theirs.
                for w in job.workers * 2:
                    w.join(nonce, 2, GRADS)
                if all(answered(w) for w in job.workers):
                    # Listeners get the event, or ENOBUFS for a lost one.
                    until(box.heard, 60)
                    return
            raise AssertionError("no generation begins")

        def answered(worker):
            packet = worker.receive(5)
            while packet:
                if packet.flags == CONTROL and packet.words[0] == nonce:
                    return True
                packet = worker.receive(5)
            return False

        begin()
        return job.fails([("agg/netlink/event.c", "__alloc_skb"),
                          ("agg/netlink/event.c", "netlink_broadcast_filtered")], begin)


def arp(box, injection, router, namespaces):
    """A request for a job's address that no device has goes unanswered; the next one is answered."""
    # A request whose VLAN is unknown is left to the stack.
    run("ethtool", "-K", "w1", "rxvlan", "off", "rx-vlan-stag-hw-parse", "off")
    box.do("job-add", id=8, sources=2, blocks=2, grads=32, format=2, address=address(UNNAMED))
    enter(namespaces[0])
    run("ethtool", "-K", "eth0", "txvlan", "off", "tx-vlan-stag-hw-insert", "off")
    guest = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(ARP))
    guest.bind(("eth0", ARP))
    enter(router)
    own = guest.getsockname()[4]

    def ask(target):
        guest.send(b"\xff" * 6 + own + struct.pack("!HHHBBH", ARP, 1, 0x0800, 6, 4, 1) + own +
                   socket.inet_aton("10.77.1.1") + bytes(6) + socket.inet_aton(target))

    def answers():
        """Return how often a request is answered before a later one for the stack's own address is."""
        count = 0
        ask(UNNAMED)
        ask("10.77.1.254")
        guest.settimeout(PATIENCE)
        while True:
            data = guest.recv(2048)
            sender = socket.inet_ntoa(data[28:32])
            if data[20:22] == b"\0\2" and sender == "10.77.1.254":
                return count
            count += data[20:22] == b"\0\2" and sender == UNNAMED

    try:
        assert answers() == 1
        site = injection.at(("agg/hook/arp.c", "arp_create"))[0]
        found = []
        n = injection.until_failed(site, 1, lambda: found.append(answers()))
        # The failed allocation may have been a detector's.
        assert 1 <= found.count(0) <= n and set(found) <= {0, 1}, found
        assert answers() == 1
    finally:
        guest.close()
        box.do("job-del", id=8)
    return n


def kept(count):
    """The packets that the queue has trimmed, and not dropped then."""
    return count["trim"] - count["dropped-trim"]


class Queue:
    """A port whose queue is full, and a sender on the box itself."""

    def __init__(self, box, injection, router, namespaces, ifindex):
        self.box, self.injection, self.router, self.namespaces = box, injection, router, namespaces
        self.ifindex = ifindex
        enter(namespaces[3])
        # Packets that arrive there are taken without an answer.
        self.sink = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.sink.bind(("", 5000))
        enter(router)
        self.udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.udp.setsockopt(socket.IPPROTO_IP, socket.IP_TOS, 10 << 2)
        run("tc", "qdisc", "add", "dev", "w4", "root", "handle", "1:", "tbf", "rate", "400bit",
            "burst", "10000", "limit", "100000000")
        run("tc", "qdisc", "add", "dev", "w4", "parent", "1:1", "handle", "10:", "weir")

    def __enter__(self):
        self.box.do("trim-set", ifindex=self.ifindex, hook=1, dscp=11, rule={"dscp": 10}, limit=1)
        self.fill()
        return self

    def __exit__(self, *_):
        self.box.do("trim-del", ifindex=self.ifindex)
        run("tc", "qdisc", "del", "dev", "w4", "root")
        self.udp.close()
        self.sink.close()

    def count(self):
        return self.box.counters("trim-get", "trim-stats", ifindex=self.ifindex)

    def send(self, size=1400, port=5000):
        try:
            self.udp.sendto(bytes(size), ("10.77.4.1", port))
        except OSError:
            pass  # the stack has been told of the drop

    def fill(self):
        """Until nothing leaves for longer than this takes."""
        for _ in range(100):
            self.send()
            if self.count()["trim"]:
                return
        raise AssertionError("the queue does not fill")

    def sweep(self, send, packets=1):
        """Sends with each allocation failing in turn: all are counted, as what they became."""
        n = 1
        while n < MOST:
            before = self.count()
            injected = self.injection.nth(n, send)
            after = self.count()
            more = {key: after[key] - before[key] for key in after}
            # A packet that cannot be looked at cannot be trimmed.
            became = more["trim"] + more["failed"] + more["other-dropped"]
            assert became <= packets, more
            if injected:
                assert self.injection.collect() and became, more
                n += 1
            elif became:
                assert not more["failed"], more
                return n - 1
            # Else one had left meanwhile, and this one is in its place.
        raise AssertionError("there is no end of allocations")

    def merged(self, port=5000):
        self.udp.setsockopt(socket.SOL_UDP, UDP_SEGMENT, 1000)
        try:
            return self.sweep(lambda: self.send(4000, port), 5)
        finally:
            self.udp.setsockopt(socket.SOL_UDP, UDP_SEGMENT, 0)

    def mirrored(self, dev, hook, to):
        """Packets are clones there, which must not be written to."""
        run("tc", "qdisc", "add", "dev", dev, "clsact")
        run("tc", "filter", "add", "dev", dev, hook, "matchall", "action", "mirred", "egress",
            "mirror", "dev", to)

    def kept_length(self):
        """A checksum that has to be filled in."""
        self.box.do("trim-set", ifindex=self.ifindex, length=2)
        self.mirrored("w4", "egress", "w3")
        n = self.sweep(self.send)
        run("tc", "qdisc", "del", "dev", "w4", "clsact")
        self.box.do("trim-set", ifindex=self.ifindex, length=1)
        return n

    def fails_by_guest(self, function, size, port, option):
        """Packets of the third worker, as clones; its socket has the option."""
        self.mirrored("w3", "ingress", "w4")
        enter(self.namespaces[2])
        guest = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        guest.setsockopt(*option)
        enter(self.router)

        def send():
            guest.sendto(bytes(size), ("10.77.3.254", port))
            time.sleep(0.1)

        n = self.injection.until_failed(self.injection.at(("trim/trim_skb.c", function))[0], 1, send)
        run("tc", "qdisc", "del", "dev", "w3", "clsact")
        guest.close()
        return n

    def untrusted(self, edge):
        """A mark that is to be taken away, as its device is not believed."""
        self.box.do("trim-set", ifindex=edge, hook=4, edge=1)
        before = self.count()["failed"]
        n = self.fails_by_guest("skb_ensure_writable", 100, 9, (socket.IPPROTO_IP, socket.IP_TOS, 11 << 2))
        # The call that failed may have been a detector's, and the packet none the worse.
        assert before < self.count()["failed"] <= before + n
        self.box.do("trim-del", ifindex=edge)
        return n

    def unseen(self):
        """NDP's shim is behind the UDP header of a merged packet, a clone: it is not linear yet."""
        return self.fails_by_guest("__pskb_pull_tail", 4000, 666, (socket.SOL_UDP, UDP_SEGMENT, 1000))

    def shared(self):
        """The kernel's packet generator keeps what it sends: the queue has to copy it."""
        put(PKTGEN + "kpktgend_0", "add_device w4\n")
        try:
            for option in ("xmit_mode queue_xmit", "count 1", "pkt_size 1400", "dst 10.77.4.1",
                           "dst_mac 02:00:00:00:04:01", "udp_dst_min 5000",
                           "udp_dst_max 5000", "tos 28"):
                put(PKTGEN + "w4", option + "\n")
            return self.copied(self.injection.at(("trim/sch_enqueue.c", "skb_clone"))[0])
        finally:
            put(PKTGEN + "kpktgend_0", "rem_device_all\n")

    def copied(self, site):
        """A copy that cannot be made is a packet refused; the next try of the same is trimmed."""
        n = 0
        for _ in range(TRIES):
            before = self.count()
            n += self.injection.always(site, 1, lambda: put(PKTGEN + "pgctrl", "start\n"))
            after = self.count()
            failed = after["failed"] - before["failed"]
            # It tries again what was refused, or dropped, until one packet is sent.
            trimmed = kept(after) - kept(before)
            if failed and trimmed:
                assert site.failed and failed == trimmed == 1, (before, after)
                return n
            # One had left meanwhile, and this one is in its place; or what failed was a
            # detector's memory.
        raise AssertionError("%s: it was not seen to fail, with what comes after trimmed" % site)


def queue(box, injection, router, namespaces, ifindex, edge):
    with Queue(box, injection, router, namespaces, ifindex) as q:
        n = q.sweep(q.send)
        n += q.merged()
        n += q.merged(666)
        n += q.unseen()
        n += q.untrusted(edge)
        n += q.shared()
        return n + q.kept_length()


class Deflect:
    """A port whose driver hands back all that XDP redirects to it."""

    def __init__(self, box, router, namespace, ifindex):
        self.box, self.ifindex = box, ifindex
        put(RING, 0)
        enter(router)
        # The program that the tool would load is bound to its device, and has paths more: a kernel
        # with all detectors verifies it for minutes.
        run("tc", "qdisc", "add", "dev", "slow0", "root", "handle", "10:", "weir")
        box.do("trim-set", ifindex=ifindex, hook=3, dscp=11, rule={"dscp": 10}, rate=1250000000)
        run("ethtool", "-K", "w3", "rxvlan", "off", "rx-vlan-stag-hw-parse", "off")
        run("bpftool", "prog", "load", FORWARD, PIN)
        run("ip", "link", "set", "w3", "xdpdrv", "pinned", PIN)
        enter(namespace)
        self.udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        enter(router)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.udp.close()
        run("ip", "link", "set", "w3", "xdpdrv", "off")
        os.unlink(PIN)
        self.box.do("trim-del", ifindex=self.ifindex)
        run("tc", "qdisc", "del", "dev", "slow0", "root")

    def count(self):
        return self.box.counters("trim-get", "trim-stats", ifindex=self.ifindex)

    def send(self):
        """A frame is sent by the qdisc, or is lost, and counted as that alone."""
        before = self.count()
        self.udp.sendto(bytes(200), ("10.99.0.2", 5000))
        until(lambda: self.count()["deflected"] + self.count()["lost"] >
              before["deflected"] + before["lost"], 60)
        after = self.count()
        more = {key: after[key] - before[key] for key in after}
        assert more["deflected"] + more["lost"] == 1 and more["deflected"] == more["other"], more


def deflected(box, injection, router, namespaces, ifindex):
    with Deflect(box, router, namespaces[2], ifindex) as port:
        port.send()
        before = port.count()["lost"]
        site = injection.at(("trim/deflect.c", "xdp_build_skb_from_frame"))[0]
        n = injection.until_failed(site, 1, port.send)
        # The call that failed may have been a detector's, and the frame none the worse.
        assert 1 <= port.count()["lost"] - before <= n
        port.send()
        return n
