#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Workers of format panama, packet by packet, at a box that sums.

usage: panama.py ROUTER WORKER...

The packets are written from the format's description with plain sockets, and the congestion
window from the paper (figure 5). To be run by panama.sh, which sets up

	worker I: eth0 10.0.I.1/24 --- wI 10.0.I.254/24 of the router, which has 10.9.9.9

Speaks KTAP.
"""
import functools
import json
import os
import random
import select
import socket
import struct
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
import handmade
import ktap
from handmade import NEVER, PATIENCE, enter, run, until
from named import Box, address
from panama_packet import DOWN, FIN, HEADER, packet, result

ROUTER, *NAMESPACES = sys.argv[1:]
BOX, PORT, GROUP = "10.9.9.9", 12056, "239.9.9.9"
FORMAT = 5
# Slots of a table with `blocks 8`: a quarter for open blocks, the rest retains results.
RETAINED = 32
DSCP = 56
NOT_ECT, ECT_1, ECT_0, CE = range(4)
# Until a worker sends again what was not answered.
AGAIN = 0.1
UDP_SEGMENT = 103

rng = random.Random(1)


def weir(*words):
    return run(ROUTER, "weir", *words)


def values(count):
    """Few enough bits for sums of them to be exact."""
    return [rng.randrange(-1 << 16, 1 << 16) / 8 for _ in range(count)]


def sums(rows):
    return [sum(column) for column in zip(*rows)]


class Socket:
    """A worker's, bound to the format's port."""

    def __init__(self, worker, group, at):
        enter(NAMESPACES[worker])
        self.worker, self.box = worker, (at, PORT)
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.socket.setsockopt(socket.SOL_IP, socket.IP_RECVTOS, 1)
        self.socket.bind(("", PORT))
        if group:
            here = socket.inet_aton(GROUP) + socket.inet_aton(f"10.0.{worker + 1}.1")
            self.socket.setsockopt(socket.SOL_IP, socket.IP_ADD_MEMBERSHIP, here)

    def send(self, data, ecn=ECT_0, dscp=DSCP, segment=0):
        self.socket.setsockopt(socket.SOL_IP, socket.IP_TOS, dscp << 2 | ecn)
        more = [(socket.SOL_UDP, UDP_SEGMENT, struct.pack("=H", segment))] if segment else []
        self.socket.sendmsg([data], more, 0, self.box)

    def take(self):
        """The next packet and its ECN."""
        data, extra, _, sender = self.socket.recvmsg(65536, 64)
        assert sender == self.box, sender
        tos = [value[0] for level, kind, value in extra
               if (level, kind) == (socket.SOL_IP, socket.IP_TOS)][0]
        assert tos >> 2 == DSCP, tos
        return data, tos & 3


class Workers(handmade.Workers):
    """The first @count workers, their sockets, and a job of @trees trees."""

    def __init__(self, count, job=3, trees=1, blocks=64, grads=1024, group=False, at=BOX,
                 **config):
        self.count, self.job, self.trees = count, job, trees
        self.room = max(1, blocks // 2)
        # The source id of each worker at its box, and the number of sources of this box.
        self.ids, self.sources = range(count), count
        if group:
            config["group"] = address(GROUP)
        self.config = {"blocks": blocks, "grads": grads, "address": address(at), **config}
        for tree in range(trees):
            self.add_job(tree)
        super().__init__(box, [Socket(i, group, at) for i in range(count)])

    def add_job(self, tree):
        box.do("job-add", id=16 * self.job + tree, sources=self.count, format=FORMAT, **self.config)
        for i in range(self.count):
            box.do("source-add", job=16 * self.job + tree, id=i, ifindex=PORT_INDEXES[i],
                   address=address(f"10.0.{i + 1}.1"))

    def __exit__(self, *_):
        super().__exit__()
        for tree in range(self.trees):
            box.do("job-del", id=16 * self.job + tree)

    def all_receive(self, want, ecn=ECT_0):
        for i in range(self.count):
            got = self.receive(i)
            assert got == (want, ecn), f"worker {i}: {got}, not {want.hex()} {ecn}"

    def stats(self, tree=0):
        return box.counters("job-get", "stats", id=16 * self.job + tree)


class Tiers(Workers):
    """Two tiers (the paper's figure 3): two workers at this box, whose parent is a box in the
    last worker's namespace, and a third worker at that one. The link between the boxes loses
    packets."""

    ROOT = "10.0.4.1"

    def __init__(self, count=3, job=3, trees=1, blocks=64, loss=0, root_blocks=None):
        assert count == 3
        self.count, self.job, self.trees = count, job, trees
        self.room = min(blocks, root_blocks or blocks) // 2
        self.ids, self.sources = (0, 1, 1), 2
        run(ROUTER, "sysctl", "-qw", "net.ipv4.ip_forward=1")
        for tree in range(trees):
            n = 16 * job + tree
            box.do("job-add", id=n, sources=2, blocks=blocks, grads=1024, format=FORMAT,
                   address=address(BOX), parent=address(self.ROOT), **{"parent-source": 0})
            for i in range(2):
                box.do("source-add", job=n, id=i, address=address(f"10.0.{i + 1}.1"))
            self.root("job", "add", "id", str(n), "sources", "2", "blocks", str(root_blocks or blocks),
                      "grads", "1024", "address", self.ROOT, "format", "panama")
            self.root("source", "add", "job", str(n), "id", "0", "address", BOX)
            self.root("source", "add", "job", str(n), "id", "1", "address", "10.0.3.1")
        self.root("port", "attach", "dev", "eth0", "mode", "tc")
        self.lossy = [(ROUTER, "w4"), (NAMESPACES[3], "eth0")] if loss else []
        for namespace, device in self.lossy:
            run(namespace, "tc", "qdisc", "add", "dev", device, "root", "netem", "loss", f"{loss}%")
        handmade.Workers.__init__(self, box, [Socket(i, False, self.ROOT if i == 2 else BOX)
                                              for i in range(count)])

    @staticmethod
    def root(*words):
        return run(NAMESPACES[3], "weir", *words)

    def __exit__(self, *_):
        super().__exit__()
        for namespace, device in self.lossy:
            run(namespace, "tc", "qdisc", "del", "dev", device, "root")
        self.root("port", "flush")
        self.root("job", "flush")
        run(ROUTER, "sysctl", "-qw", "net.ipv4.ip_forward=0")


def exact_bytes(count):
    """Each worker sends each packet once, in any order; all hear exactly its sum."""
    def test():
        with Workers(count, job=15, trees=2) as w:
            for vid, size in enumerate((1, 2, 64, 364, 1024)):
                rows = [values(size) for _ in range(count)]
                where = {"job": 15, "tree": 1, "vid": vid, "round": 65535, "fin": size == 1024}
                for i in rng.sample(range(count), count):
                    w.send(i, packet(rows[i], worker=i, cap=100, **where))
                w.all_receive(result(sums(rows), count, 32, **where))
            assert w.stats(1)["contributions"] == 5 * count
            assert w.stats(0)["contributions"] == 0
            w.refused()
    return test


def ecn():
    """CE if any packet has it; else Not-ECT if any has that; else ECT(0)."""
    with Workers(3) as w:
        for vid, said in enumerate((a, b, c) for a in range(4) for b in range(4)
                                   for c in range(4)):
            for i in range(3):
                w.send(i, packet([1], worker=i, vid=vid), ecn=said[i])
            want = CE if CE in said else NOT_ECT if NOT_ECT in said else ECT_0
            w.all_receive(result([3], 3, 32, vid=vid), ecn=want)
        w.refused()


def repeated_with_the_mark():
    """A worker that has lost a result gets it again, CE and all, whatever its packet has now."""
    with Workers(2) as w:
        w.send(0, packet([1], cap=9), ecn=CE)
        w.send(1, packet([2], worker=1, cap=7), ecn=ECT_0)
        w.all_receive(result([3], 2, 7), ecn=CE)
        w.send(1, packet([2], worker=1, cap=1, fin=True), ecn=NOT_ECT)
        assert w.receive(1) == (result([3], 2, 7), CE)
        assert w.stats()["repeats"] == 1


def cwnd_cap():
    """The least of all that is said, and half of the table."""
    with Workers(3, blocks=16) as w:
        for vid, (said, want) in enumerate((((100, 100, 100), 8), ((3, 100, 100), 3),
                                            ((100, 100, 2), 2), ((0, 0, 0), 8),
                                            ((0, 5, 0), 5), ((65535, 8, 9), 8))):
            for i in range(3):
                w.send(i, packet([1], worker=i, vid=vid, cap=said[i]))
            w.all_receive(result([3], 3, want, vid=vid))


def in_flight():
    """A window of packets, which come in any order, and what lies behind it."""
    with Workers(2, blocks=8) as w:
        vids = [3, 1, 0, 2]
        for vid in vids:
            w.send(0, packet([vid], vid=vid))
        until(lambda: w.stats()["contributions"] == 4)
        w.send(0, packet([4], vid=RETAINED))
        w.refused(busy=1)
        w.send(0, packet([4], vid=100))
        w.refused(ahead=1)
        for vid in reversed(vids):
            w.send(1, packet([10], worker=1, vid=vid))
            w.all_receive(result([vid + 10], 2, 4, vid=vid))
        w.refused()


def one_tree_ahead():
    """A tree goes on while another one stands still."""
    with Workers(2, trees=2, blocks=4) as w:
        w.send(0, packet([1], tree=1))
        for vid in range(40):
            for i in range(2):
                w.send(i, packet([i], worker=i, vid=vid))
            w.all_receive(result([1], 2, 2, vid=vid))
        w.send(1, packet([1], tree=1, worker=1))
        w.all_receive(result([2], 2, 2, tree=1))
        w.refused()


def rounds():
    """VIDs begin with 0 in each round; a worker that lacks a result of the last one asks for it."""
    with Workers(2, blocks=8) as w:
        for round in (7, 8, 9):
            for vid in range(3):
                for i in range(2):
                    w.send(i, packet([round], worker=i, vid=vid, round=round, fin=vid == 2))
                w.all_receive(result([2 * round], 2, 4, vid=vid, round=round, fin=vid == 2))
        w.send(0, packet([10], round=10))
        until(lambda: w.stats()["contributions"] == 19)
        # A late one of the round before is not the new one's, but is answered.
        w.send(1, packet([9], worker=1, vid=0, round=9))
        assert w.receive(1) == (result([18], 2, 4, round=9), ECT_0)
        w.send(1, packet([10], worker=1, round=10))
        w.all_receive(result([20], 2, 4, round=10))
        w.send(1, packet([8], worker=1, vid=0, round=8))
        w.refused(generation=1)


def restarted_workers():
    """Workers that start again begin a round that is newer than the job's, as `weir job show` has it."""
    with Workers(2, blocks=8) as w:
        for vid in range(6):
            for i in range(2):
                w.send(i, packet([1], worker=i, vid=vid, round=40))
            w.all_receive(result([2], 2, 4, vid=vid, round=40))
        # With an older round they are refused; with the same one they get the results of before.
        w.send(0, packet([5], round=39))
        w.refused(generation=1)
        w.send(0, packet([5], vid=5, round=40))
        assert w.receive(0) == (result([2], 2, 4, vid=5, round=40), ECT_0)
        now, = json.loads(weir("-j", "job", "show", "id", "48"))
        for vid in range(6):
            for i in range(2):
                w.send(i, packet([7], worker=i, vid=vid, round=now["generation"] + 1))
            w.all_receive(result([14], 2, 4, vid=vid, round=41))
        w.refused()


def a_table_behind():
    """A worker that asks for a result of more than a table ago is refused, and counted."""
    with Workers(2, blocks=8) as w:
        for vid in range(RETAINED + 1):
            for i in range(2):
                w.send(i, packet([1], worker=i, vid=vid))
            w.all_receive(result([2], 2, 4, vid=vid))
        w.send(1, packet([1], worker=1, vid=1))
        assert w.receive(1) == (result([2], 2, 4, vid=1), ECT_0)
        w.send(1, packet([1], worker=1, vid=0))
        w.refused(stale=1)


def set_up_again():
    """Of a round of 60 packets the box loses all that it has, in the middle: workers that send again
    what was not answered get the sums of all packets."""
    with Workers(3, blocks=16) as w:
        rows = [[values(4) for _ in range(60)] for _ in range(3)]
        windows = [Tree(rows[i]) for i in range(3)]
        # The first two have sent all they may; the last one nothing of it.
        for vid in range(30):
            for i in range(3):
                w.send(i, packet(rows[i][vid], worker=i, vid=vid, round=5))
            want = struct.pack("!4f", *sums([rows[i][vid] for i in range(3)]))
            for i in range(3):
                data, _ = w.receive(i)
                assert data[16:] == want
                windows[i].results[vid] = want
        for i in range(2):
            for vid in range(30, 38):
                w.send(i, packet(rows[i][vid], worker=i, vid=vid, round=5))
        until(lambda: w.stats()["contributions"] == 106)
        weir("job", "del", "id", "48")
        w.add_job(0)
        for t in windows:
            t.next = 30
            t.cwnd = t.ssthresh = 8
        train(w, [[t] for t in windows], 5, 0, 0)
        for vid in range(60):
            want = struct.pack("!4f", *sums([rows[i][vid] for i in range(3)]))
            assert all(t.results[vid] == want for t in windows), vid
        assert w.stats()["contributions"] == 90, w.stats()


class Tree:
    """A worker's window in one tree (figure 5), and what it has under way."""
    G = 1 / 16

    def __init__(self, packets):
        self.packets = packets
        self.ssthresh, self.alpha, self.cwnd = 64, 1, 2
        self.received = self.marked = 0
        self.next, self.due, self.results = 0, {}, {}
        self.most = 0

    def done(self):
        return len(self.results) == len(self.packets)

    def first(self):
        """The first that is not answered: how far ahead of it others are is limited."""
        return next(v for v in range(len(self.packets) + 1) if v not in self.results)

    def wants(self, now):
        """VIDs to send now, those again that were not answered."""
        while self.next < len(self.packets) and len(self.due) < self.cwnd and \
                self.next < self.first() + self.cwnd:
            self.due[self.next] = 0
            self.next += 1
        self.most = max(self.most, len(self.due))
        late = [vid for vid, due in self.due.items() if due <= now]
        for vid in late:
            self.due[vid] = now + AGAIN
        return late

    def hear(self, vid, cap, ce, what):
        if vid in self.results:
            assert self.results[vid] == what, "two results of one packet"
            return
        self.results[vid] = what
        del self.due[vid]
        self.received += 1
        self.marked += ce
        if self.received >= self.cwnd:
            self.alpha = self.alpha * (1 - self.G) + self.G * self.marked / self.received
            if self.marked:
                self.cwnd = max(1, int(self.cwnd * (1 - self.alpha / 2)))
                self.ssthresh = self.cwnd
            elif self.cwnd < self.ssthresh:
                self.cwnd *= 2
            else:
                self.cwnd += 1
            self.received = self.marked = 0
        self.cwnd = min(self.cwnd, cap)


def train(w, trees, round, loss, marks):
    """All workers send all packets of all their trees, on links that lose and mark."""
    sockets = {s.socket: s for s in w.socket}
    end = time.monotonic() + PATIENCE
    while not all(t.done() for mine in trees for t in mine):
        assert time.monotonic() < end, [[len(t.results) for t in mine] for mine in trees]
        for worker, mine in enumerate(trees):
            for tree, t in enumerate(mine):
                for vid in t.wants(time.monotonic()):
                    if rng.random() >= loss:
                        w.send(worker, packet(t.packets[vid], tree=tree, worker=w.ids[worker], vid=vid,
                                              round=round, fin=vid == len(t.packets) - 1),
                               ecn=CE if rng.random() < marks else ECT_0)
        for s in select.select(list(sockets), [], [], AGAIN / 10)[0]:
            data, mark = sockets[s].take()
            if rng.random() < loss:
                continue
            kind, flags, _, tree, _, cap, vid, of, sources = struct.unpack_from(HEADER, data)
            assert (kind, sources) == (DOWN, w.count), data
            if of != round:
                continue
            t = trees[sockets[s].worker][tree]
            assert bool(flags & FIN) == (vid == len(t.packets) - 1), (vid, flags)
            assert 1 <= cap <= w.room
            t.hear(vid, cap, mark == CE, data[16:])


def training(count, trees, loss, marks, rounds=3, packets=24, make=Workers):
    """Packets go to the trees in turn; each sum is right, and no packet counts twice."""
    def test():
        with make(count, trees=trees, blocks=16) as w:
            for round in range(rounds):
                rows = [[[values(16) for _ in range(packets + tree)] for tree in range(trees)]
                        for _ in range(count)]
                windows = [[Tree(r) for r in mine] for mine in rows]
                train(w, windows, round, loss, marks)
                for tree in range(trees):
                    for vid in range(packets + tree):
                        want = sums([rows[i][tree][vid] for i in range(count)])
                        want = struct.pack(f"!{len(want)}f", *want)
                        for i in range(count):
                            assert windows[i][tree].results[vid] == want, (round, tree, vid)
                most = max(t.most for mine in windows for t in mine)
                assert most <= w.room and (marks or loss or most == w.room), most
            for tree in range(trees):
                assert w.stats(tree)["contributions"] == w.sources * rounds * (packets + tree)
    return test


def two_tiers():
    """The sum, FIN, ECN and cwnd_cap of all workers of both boxes come to all of them."""
    with Tiers(root_blocks=32) as w:
        for vid, (caps, marks, fins) in enumerate((
                ((9, 100, 100), (ECT_0, ECT_0, ECT_0), (1, 1, 1)),
                ((100, 100, 7), (ECT_0, ECT_0, CE), (1, 1, 0)),
                ((100, 0, 100), (CE, ECT_0, ECT_0), (0, 1, 1)),
                ((0, 0, 0), (ECT_0, ECT_0, NOT_ECT), (0, 0, 0)))):
            rows = [values(364) for _ in range(3)]
            for i in rng.sample(range(3), 3):
                w.send(i, packet(rows[i], worker=w.ids[i], vid=vid, cap=caps[i], fin=fins[i]),
                       ecn=marks[i])
            cap = min([c for c in caps if c] + [16])
            ecn = CE if CE in marks else NOT_ECT if NOT_ECT in marks else ECT_0
            w.all_receive(result(sums(rows), 3, cap, vid=vid, fin=all(fins)), ecn=ecn)
        stats = w.stats()
        assert (stats["parent-sums"], stats["parent-results"], stats["parent-queries"]) == (4, 4, 0), stats
        # Packets between the root and its own worker pass by this box. Who has lost a result gets it
        # again, from its own box.
        w.forget_refusals()
        w.send(1, packet([1], worker=1, vid=3))
        w.refused(count=1)
        w.send(1, packet(rows[1], worker=1, vid=3))
        assert w.receive(1)[0] == result(sums(rows), 3, 16, vid=3)
        assert w.stats()["parent-sums"] == 4
        # A result of the parent that nobody waits for is none, and one from elsewhere is no result.
        w.send(0, result([1], 3, 16, vid=3))
        w.refused(direction=1)


def the_parent_lacks_it():
    """A sum that is lost on its way up is sent again, when a worker sends its packet again."""
    with Tiers() as w:
        w.root("job", "del", "id", "48")
        for i in range(2):
            w.send(i, packet([1], worker=i))
        until(lambda: w.stats()["parent-sums"] == 1)
        w.root("job", "add", "id", "48", "sources", "2", "blocks", "64", "grads", "1024", "address",
               w.ROOT, "format", "panama")
        w.root("source", "add", "job", "48", "id", "0", "address", BOX)
        w.root("source", "add", "job", "48", "id", "1", "address", "10.0.3.1")
        w.send(2, packet([1], worker=1))
        w.send(0, packet([1], worker=0))
        w.all_receive(result([3], 3, 32))
        assert w.stats()["parent-sums"] == 2


def slows_down():
    """A worker whose packets alone are marked slows all down, and all alike."""
    with Workers(3, blocks=64) as w:
        rows = [values(4) for _ in range(200)]
        trees = [[Tree(rows)] for _ in range(3)]
        vids = 0
        while vids < 200:
            wanted = [t[0].wants(float("inf")) for t in trees]
            assert wanted[0] == wanted[1] == wanted[2], wanted
            for vid in wanted[0]:
                for i in range(3):
                    w.send(i, packet(rows[vid], worker=i, vid=vid),
                           ecn=CE if i == 1 and vid >= 62 else ECT_0)
                for i in range(3):
                    data, mark = w.receive(i)
                    assert (mark == CE) == (vid >= 62), (vid, mark)
                    cap, vid_heard = struct.unpack_from("!HI", data, 6)
                    trees[i][0].hear(vid_heard, cap, mark == CE, data[16:])
            vids += len(wanted[0])
            if vids <= 62:
                before = trees[0][0].cwnd
        now = {t[0].cwnd for t in trees}
        assert len(now) == 1 and now.pop() < before / 4, (now, before)


def a_group():
    """One result for all, as the paper's multicast tree has it."""
    # A group is reached by the device that has the job's address, here the first worker's.
    with Workers(3, group=True, at="10.0.1.254") as w:
        for i in range(3):
            w.send(i, packet([i], worker=i), ecn=CE if i == 1 else ECT_0)
        got = w.receive(0)
        assert got == (result([3], 3, 32), CE), got
        assert w.stats()["results"] == 1
    # With an address that no device towards the workers has, the route to the group decides.
    run(ROUTER, "ip", "route", "add", GROUP, "dev", "w2")
    with Workers(3, group=True) as w:
        for i in range(3):
            w.send(i, packet([i], worker=i))
        assert w.receive(1) == (result([3], 3, 32), ECT_0)
    run(ROUTER, "ip", "route", "del", GROUP, "dev", "w2")


def merged():
    """Contributions that one call sends, and the stack cuts up, or does not."""
    with Workers(2) as w:
        for i in range(2):
            data = [packet([vid, i], worker=i, vid=vid, fin=vid == 4) for vid in range(5)]
            w.send(i, b"".join(data), segment=len(data[0]), ecn=CE if i else ECT_0)
        for vid in range(5):
            w.all_receive(result([2 * vid, 1], 2, 32, vid=vid, fin=vid == 4), ecn=CE)
        w.refused()


def partial():
    """A result says how many are in it."""
    with Workers(4, policy=2, timeout=NEVER, quorum=3) as w:
        for i in range(3):
            w.send(i, packet([1], worker=i, cap=20 + i))
        w.all_receive(result([3], 3, 20))
        w.send(3, packet([1], worker=3, cap=1), ecn=CE)
        assert w.receive(3) == (result([3], 3, 20), ECT_0)
        w.send(0, packet([1], vid=1))
        until(lambda: w.stats()["contributions"] == 4)
        box.do("job-set", id=16 * w.job, timeout=50000)
        w.all_receive(result([1], 1, 32, vid=1))


def refusals():
    whole = packet([1, 2])
    with Workers(2) as w:
        for name, data in (("direction", packet([1], kind=DOWN)),
                           ("direction", result([3], 2, 32)),
                           ("flags", packet([1], kind=0x21)), ("flags", packet([1], flags=4)),
                           ("length", packet([])), ("length", whole[:-1]), ("length", whole + b"\0"),
                           ("runt", whole[:15]), ("runt", whole[:0]),
                           ("no_source", packet([1], worker=2)), ("spoofed", packet([1], worker=1)),
                           ("weight", packet([1], sources=2)), ("too_long", packet([1] * 1025))):
            w.send(0, data)
            w.refused(**{name: 1})
        assert w.stats()["contributions"] == 0
        # A packet that the box itself has sent, it does not take from a worker either.
        for i in range(2):
            w.send(i, packet([1], worker=i))
        data = [w.receive(i)[0] for i in range(2)]
        for i in range(2):
            w.send(i, data[i])
        w.refused(direction=2)
        w.send(0, packet([1], vid=1 << 20))
        w.refused(ahead=1)


def not_ours():
    """Another DSCP, or a tree that is none, is the stack's business, unmodified."""
    with Workers(2) as w:
        enter(ROUTER)
        listener = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        listener.bind((BOX, PORT))
        listener.settimeout(PATIENCE)
        for dscp in (0, 8, 55, 57, 63):
            data = packet(values(5), vid=dscp)
            w.send(0, data, dscp=dscp)
            assert listener.recv(65536) == data, dscp
        w.refused()
        for data in (packet([1], tree=1), packet([1], tree=16), packet([1], job=2),
                     packet([1], job=19)):
            w.send(0, data)
            assert listener.recv(65536) == data
        w.refused(no_job=4)
        listener.close()
        assert w.stats()["contributions"] == 0


def tests():
    for count in (1, 2, 4):
        yield f"{count} workers", exact_bytes(count)
    yield "ECN", ecn
    yield "a result is repeated as it was", repeated_with_the_mark
    yield "cwnd_cap", cwnd_cap
    yield "packets in flight", in_flight
    yield "one tree ahead of another", one_tree_ahead
    yield "rounds", rounds
    yield "workers that start again", restarted_workers
    yield "a table behind", a_table_behind
    yield "a box that is set up again", set_up_again
    yield "training, 4 trees", training(4, 4, 0, 0)
    yield "training, lossy and marked", training(4, 3, 0.1, 0.1)
    yield "all slow down alike", slows_down
    yield "two tiers", two_tiers
    yield "two tiers, a sum is lost", the_parent_lacks_it
    yield "two tiers, training", training(3, 3, 0, 0, make=Tiers)
    yield "two tiers, training, lossy and marked", training(3, 2, 0.1, 0.1,
                                                            make=functools.partial(Tiers, loss=10))
    yield "a group", a_group
    yield "merged", merged
    yield "partial results", partial
    yield "refusals", refusals
    yield "what is not ours", not_ours


def attach(mode):
    """The ports' programs listen to what there are jobs for."""
    def test():
        weir("job", "add", "id", "48", "sources", "2", "blocks", "2", "grads", "64",
             "address", BOX, "format", "panama")
        job, = json.loads(weir("-j", "job", "show", "id", "48"))
        assert (job["format"], job["dtype"], job["port"]) == ("panama", "float32", PORT), job
        for port in PORTS:
            weir("port", "attach", "dev", port, "mode", mode)
        for port in json.loads(weir("-j", "port", "show")):
            assert port["mode"] == mode and port["udp"] == [PORT, 12000], port
        weir("job", "flush")
    return test


enter(ROUTER)
box = Box()
LINK = {link["ifname"]: link for link in json.loads(run(ROUTER, "ip", "-j", "link"))}
PORTS = [f"w{i + 1}" for i in range(len(NAMESPACES))]
PORT_INDEXES = [LINK[port]["ifindex"] for port in PORTS]

names = {}
for a_mode in os.environ["WEIR_MODES"].split():
    names[attach(a_mode)] = f"{a_mode}: attach"
    for name, test in tests():
        names[functools.partial(test)] = f"{a_mode}: {name}"


sys.exit(ktap.run(list(names), name=names.get, mend=lambda: weir("job", "flush")))
