#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Workers as a student's lab has them, packet by packet, at a host bridge that sums.

usage: lab.py ROUTER WORKER...

The packets are written from the report (SwitchML lab, group 11) with plain sockets, and what
the box answers is compared byte for byte. To be run by lab.sh, which sets up

	worker I: eth0 02:00:00:00:00:0I 10.0.0.I/24 --- wI, a port of br0 (10.0.0.254/24)

The aggregator's address is 10.0.0.0, which is nobody's. Speaks KTAP.
"""
import contextlib
import functools
import json
import math
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
from genl import attributes
from handmade import NEVER, PATIENCE, enter, run, until
from lab_packet import BASIC, BOTH, DOWN, ETHERTYPE, RELIABLE, SCALED, VARIANTS
from named import NAMES, Box, Refused, address, number

ROUTER, *NAMESPACES = sys.argv[1:]
AGGREGATOR, PORT = "10.0.0.0", 8000
ALL = b"\xff" * 6
JOB, GRADS = 9, 1024
LAB, LAB_ETHERNET = 2, 3
# Until a worker sends again what was not answered.
AGAIN = 0.05

rng = random.Random(1)


def weir(*words):
    return run(ROUTER, "weir", *words)


def mac(worker):
    return bytes((2, 0, 0, 0, 0, worker + 1))


def ip(worker):
    return f"10.0.0.{worker + 1}"


class Udp:
    """A worker's socket, bound to port 8000 as the report has it."""
    name = "UDP"

    def __init__(self, worker, port=PORT):
        enter(NAMESPACES[worker])
        self.worker = worker
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.socket.bind(("", port))

    def send(self, data, to=(AGGREGATOR, PORT)):
        self.socket.sendto(data, to)

    def take(self):
        data, sender = self.socket.recvfrom(65536)
        assert sender == (AGGREGATOR, PORT), sender
        return data


class Ethernet:
    """A worker's socket for frames."""
    name = "Ethernet"

    def __init__(self, worker):
        enter(NAMESPACES[worker])
        self.worker = worker
        self.socket = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(ETHERTYPE))
        self.socket.bind(("eth0", ETHERTYPE))

    def send(self, data, to=ALL, sender=None, kind=ETHERTYPE):
        self.socket.send(to + (sender or mac(self.worker)) + struct.pack("!H", kind) + data)

    def take(self):
        data = self.socket.recv(65536)
        assert data[:6] == ALL and data[12:14] == b"\x87\x77", data[:14]
        assert data[6:12].hex(":") == PORT_MACS[self.worker], data[:14]
        return data[14:]


LINKS = Udp, Ethernet


class Workers(handmade.Workers):
    """The first @count workers, their sockets, and a job that sums for them."""

    def __init__(self, link, count, **config):
        self.link, self.count = link, count
        self.frames = link is Ethernet
        config = dict({"id": JOB, "sources": count, "blocks": 2, "grads": GRADS}, **config)
        if self.frames:
            box.do("job-add", format=LAB_ETHERNET, address=ALL, **config)
        else:
            box.do("job-add", format=LAB, address=address(AGGREGATOR), **config)
        for i in range(count):
            where = {"address": mac(i)} if self.frames else {"address": address(ip(i))}
            box.do("source-add", job=JOB, id=i, ifindex=PORT_INDEXES[i], **where)
        super().__init__(box, [link(i) for i in range(count)])

    def __exit__(self, *_):
        super().__exit__()
        box.do("job-del", id=JOB)

    def all_receive(self, want):
        """All hear the same, these bytes and nothing else before them."""
        for i in range(self.count):
            data = self.receive(i)
            # The shortest frames may have been filled up.
            got = data[:len(want)] if self.frames and data and len(data) == 46 else data
            assert got == want, f"worker {i}: {data and data.hex()}, not {want.hex()}"

    def stats(self):
        return box.counters("job-get", "stats", id=JOB)


def values(count):
    return [rng.randrange(-1 << 20, 1 << 20) for _ in range(count)]


def sums(rows):
    return [sum(column) for column in zip(*rows)]


def one_chunk(w, variant, size, **said):
    """Each worker sends one chunk, in any order; all hear exactly its sum."""
    rows = [values(size) for _ in range(w.count)]
    scales = [rng.randrange(-1000, 1000) for _ in range(w.count)]
    for i in rng.sample(range(w.count), w.count):
        w.send(i, variant.packet(w.count, rows[i], rank=i, scale=scales[i], **said))
    w.all_receive(variant.packet(w.count, sums(rows), scale=max(scales), **said))


def exact_bytes(link, variant, count):
    def test():
        with Workers(link, count) as w:
            for size in (1, 32, 33, 256, 1024):
                for chunk in (1, 2, 3):
                    one_chunk(w, variant, size, chunk=chunk, total=3)
            assert w.stats()["contributions"] == 15 * count
            w.refused()
    return test


def iterations(link, variant):
    """Iterations of one chunk and of several, one after the other."""
    def test():
        with Workers(link, 2) as w:
            for total in (1, 1, 1, 2, 2, 3, 5, 1):
                for chunk in range(1, total + 1):
                    one_chunk(w, variant, 32, chunk=chunk, total=total)
            w.refused()
    return test


class Train:
    """A worker that sends each chunk until it is answered, on links that lose. Chunks are a
    variant, a packet and its number."""

    def __init__(self, w, worker, chunks, loss, twice):
        self.w, self.worker, self.chunks = w, worker, chunks
        self.loss, self.twice = loss, twice
        self.at, self.due, self.results = 0, 0, []

    def done(self):
        return self.at == len(self.chunks)

    def ask(self):
        """Sends what is to be answered, where it is time."""
        if self.done() or time.monotonic() < self.due:
            return
        self.due = time.monotonic() + AGAIN
        for _ in range(1 + (rng.random() < self.twice)):
            if rng.random() >= self.loss:
                self.w.send(self.worker, self.chunks[self.at][1])

    def hear(self):
        data = self.w.receive(self.worker)
        if rng.random() < self.loss or self.done():
            return
        variant, _, chunk = self.chunks[self.at]
        got, scale, result = variant.parse(data)
        if got == chunk:
            self.results.append((scale, result))
            self.at, self.due = self.at + 1, 0


def all_train(w, trains):
    end = time.monotonic() + PATIENCE
    sockets = {w.socket[t.worker].socket: t for t in trains}
    while not all(t.done() for t in trains):
        assert time.monotonic() < end, [t.at for t in trains]
        for t in trains:
            t.ask()
        for s in select.select(list(sockets), [], [], AGAIN / 5)[0]:
            sockets[s].hear()


def lossy(link, variant, count, totals, loss=0.2, twice=0.2):
    """Packets are lost both ways and some come twice; each sum is right."""
    def test():
        with Workers(link, count) as w:
            rows = [[values(32) for _ in range(count)] for _ in range(sum(totals))]
            scales = [[rng.randrange(-99, 99) for _ in range(count)] for _ in rows]
            names = [(c, total) for total in totals for c in range(1, total + 1)]
            trains = [Train(w, i, [(variant, variant.packet(count, rows[k][i], rank=i,
                                                            scale=scales[k][i],
                                                            chunk=c, total=total), c)
                                   for k, (c, total) in enumerate(names)], loss, twice)
                      for i in range(count)]
            all_train(w, trains)
            for t in trains:
                for k, (scale, result) in enumerate(t.results):
                    assert list(result) == sums(rows[k]), (t.worker, k)
                    assert scale in (None, max(scales[k])), (scale, scales[k])
            assert w.stats()["contributions"] == count * len(rows)
            w.forget_refusals()
    return test


def old_chunks(link):
    """Duplicates of the newest chunk, of the one before and of older ones change nothing."""
    def test():
        with Workers(link, 2) as w:
            rows = [[values(8) for _ in range(2)] for _ in range(6)]
            data = [[RELIABLE.packet(2, rows[c][i], rank=i, chunk=c + 1, total=6)
                     for i in range(2)] for c in range(6)]
            for c in range(6):
                w.send(0, data[c][0])
                until(lambda: w.stats()["contributions"] == 2 * c + 1)
                w.send(0, data[c][0])
                w.refused(duplicate=1)
                w.send(0, RELIABLE.packet(2, rows[c][0], rank=0, chunk=c + 2, total=9))
                w.refused(stale=1)
                if c:
                    # The other may have lost the result before, and is answered again.
                    w.send(1, data[c - 1][1])
                    assert RELIABLE.parse(w.receive(1))[2] == tuple(sums(rows[c - 1]))
                    w.send(0, data[c - 1][0])
                    w.refused(stale=1)
                # The one that follows the sixth is called as the first.
                for old in range(c - 1):
                    w.send(old % 2, data[old][old % 2])
                    w.refused(**{"ahead" if c == 5 and not old else "stale": 1})
                w.send(1, data[c][1])
                w.all_receive(RELIABLE.packet(2, sums(rows[c]), chunk=c + 1, total=6))
                w.send(1, data[c][1])
                assert RELIABLE.parse(w.receive(1))[2] == tuple(sums(rows[c]))
            # The next iteration begins with 1.
            one_chunk(w, RELIABLE, 8, chunk=1, total=6)
            w.refused()
            assert w.stats()["repeats"] == 11, w.stats()
    return test


def largest_scale(link):
    def test():
        with Workers(link, 2) as w:
            edge = (0, 0), (-5, -7), (-1, 1), (-1 << 31, (1 << 31) - 1), (-1 << 31, -1 << 31)
            for chunk, scales in enumerate(edge, 1):
                for i in range(2):
                    w.send(i, BOTH.packet(2, [i], rank=i, scale=scales[i], chunk=chunk,
                                          total=9))
                w.all_receive(BOTH.packet(2, [1], scale=max(scales), chunk=chunk, total=9))
    return test


def power(numbers):
    """The least M with 2^M at least as large as all of them."""
    return max(math.frexp(max(map(abs, numbers)))[1], -100)


def quantised(link, count, loss):
    """Floats, as the report scales them: a chunk's M goes with the chunk before it."""
    def test():
        rows = [[[rng.gauss(0, 10.0 ** rng.randrange(-6, 7)) for _ in range(32)]
                 for _ in range(6)] for _ in range(count)]
        with Workers(link, count) as w:
            state = [{"k": 0, "due": 0, "scale": None, "sums": []} for _ in range(count)]
            end = time.monotonic() + PATIENCE

            def packet(i, s):
                # The first chunk is a dummy with the scale of the first that is none.
                chunk = [0] * 32
                if s["k"]:
                    chunk = [round(v * s["scale"]) for v in rows[i][s["k"] - 1]]
                m = power(rows[i][s["k"]]) if s["k"] < 6 else 0
                return BOTH.packet(count, chunk, rank=i, scale=m, chunk=s["k"] + 1, total=7)
            while any(s["k"] < 7 for s in state):
                assert time.monotonic() < end, state
                for i, s in enumerate(state):
                    if s["k"] < 7 and time.monotonic() >= s["due"]:
                        s["due"] = time.monotonic() + AGAIN
                        if rng.random() >= loss:
                            w.send(i, packet(i, s))
                sockets = [x.socket for x in w.socket]
                for x in select.select(sockets, [], [], AGAIN / 5)[0]:
                    i = sockets.index(x)
                    s = state[i]
                    chunk, m, result = BOTH.parse(w.receive(i))
                    if rng.random() < loss or s["k"] == 7 or chunk != s["k"] + 1:
                        continue
                    if s["k"]:
                        s["sums"].append([v / s["scale"] for v in result])
                    s["scale"] = ((1 << 31) - 1) / (count * 2.0 ** m)
                    s["k"], s["due"] = s["k"] + 1, 0
            for k in range(6):
                exact = [math.fsum(rows[i][k][v] for i in range(count)) for v in range(32)]
                largest = max(abs(v) for i in range(count) for v in rows[i][k])
                for s in state:
                    # Half a unit of each worker's, where a unit is N 2^M / (2^31 - 1).
                    bound = count * count * 2 * largest / ((1 << 31) - 1)
                    assert all(abs(a - b) <= bound for a, b in zip(s["sums"][k], exact)), k
            assert all(s["sums"] == state[0]["sums"] for s in state)
            w.forget_refusals()
    return test


def restart_reliable(link):
    """Workers that begin anew in the middle sum their own chunks alone."""
    def test():
        with Workers(link, 2) as w:
            one_chunk(w, RELIABLE, 4, chunk=1, total=9)
            one_chunk(w, RELIABLE, 4, chunk=2, total=9)
            w.send(0, RELIABLE.packet(2, values(4), rank=0, chunk=3, total=9))
            until(lambda: w.stats()["contributions"] == 5)
            rows = [values(4) for _ in range(2)]
            trains = [Train(w, i, [(RELIABLE, RELIABLE.packet(2, rows[i], rank=i, chunk=1,
                                                              total=3), 1)], 0, 0)
                      for i in range(2)]
            all_train(w, trains)
            assert all(list(t.results[0][1]) == sums(rows) for t in trains)
            assert number(dict(attributes(box.do("job-get", id=JOB)))[
                NAMES["job"].index("generation") + 1]) == 2
            w.forget_refusals()
    return test


def restart_basic(link):
    """A chunk of workers that are gone is given up after the timeout."""
    def test():
        with Workers(link, 2, timeout=NEVER) as w:
            one_chunk(w, BASIC, 4)
            w.send(0, BASIC.packet(2, values(4)))
            until(lambda: w.stats()["contributions"] == 3)
            w.send(0, BASIC.packet(2, values(4)))
            w.refused(duplicate=1)
            box.do("job-set", id=JOB, timeout=1000)
            until(lambda: w.stats()["aged"] == 1)
            box.do("job-set", id=JOB, timeout=NEVER)
            rows = [values(4) for _ in range(2)]
            # The one that had not come before comes first.
            w.send(1, BASIC.packet(2, rows[1]))
            until(lambda: w.stats()["contributions"] == 4)
            w.send(0, BASIC.packet(2, rows[0]))
            w.all_receive(BASIC.packet(2, sums(rows)))
            w.refused()
    return test


def refusals(link):
    """A packet that is not right is counted under its reason, and neither summed nor answered."""
    def test():
        # One worker more than the job has sources: it is no source.
        with Workers(link, 2) as w, contextlib.closing(link(2).socket):
            stranger = link(3)
            v = [1, 2, 3]
            good = BASIC.packet(2, v)
            # Frames are filled up to 46 bytes, behind which more is too much.
            tail = bytes(46) if w.frames else b""
            for data, reason in (
                    (good[:7], "runt"), (good[:4], "runt"),
                    (good[:-1], "length"), (good[:-3], "length"),
                    (good + b"\1", "length"), (good + b"\1" * 3, "length"),
                    (good + tail + b"\1", "length"), (good + tail + b"\0\0", "length"),
                    (BASIC.packet(2, v, size=4), "length"),
                    (BASIC.packet(2, v, size=0), "length"),
                    (BASIC.packet(2, v, size=0x40000003), "length"),
                    (BASIC.packet(2, v, size=0xffffffff), "length"),
                    (BASIC.packet(2, [1] * (GRADS + 1)), "too-long"),
                    (BASIC.packet(3, v), "workers"), (BASIC.packet(0, v), "workers"),
                    (BASIC.packet(0xffffffff, v), "workers"),
                    (RELIABLE.packet(1, v * 3, rank=0), "workers"),
                    (RELIABLE.packet(2, v * 3, rank=1), "spoofed"),
                    (RELIABLE.packet(2, v * 3, rank=2), "spoofed"),
                    (RELIABLE.packet(2, v * 3, rank=DOWN), "direction"),
                    (RELIABLE.packet(2, v * 3, rank=0, chunk=0, slot=0), "chunk"),
                    (RELIABLE.packet(2, v * 3, rank=0, chunk=4, total=3), "chunk"),
                    (RELIABLE.packet(2, v * 3, rank=0, chunk=1, total=0), "chunk"),
                    (RELIABLE.packet(2, v * 3, rank=0, chunk=1, slot=0), "chunk"),
                    (RELIABLE.packet(2, v * 3, rank=0, chunk=2, slot=1), "chunk"),
                    (RELIABLE.packet(2, v * 3, rank=0, chunk=1, slot=3), "chunk"),
                    (BOTH.packet(2, v * 3, rank=1), "spoofed"),
                    (BOTH.packet(2, v * 3, rank=0)[:-1], "length"),
                    (SCALED.packet(2, v * 3)[:-1], "length")):
                w.send(0, data)
                w.refused(**{reason: 1})
            stranger.send(good)
            w.refused(no_source=1)
            stranger.socket.close()
            assert w.stats()["contributions"] == 0
            # No worker has heard anything but the results that come now.
            one_chunk(w, BASIC, 3)
            w.refused()
            # Of one chunk all contributions are alike.
            w.send(0, good)
            until(lambda: w.stats()["contributions"] == 3)
            for other in (BASIC.packet(2, v[:2]), SCALED.packet(2, v * 3)):
                w.send(1, other)
                w.refused(count=1)
            w.send(1, RELIABLE.packet(2, v * 3, rank=1))
            w.refused(stale=1)
            w.send(1, good)
            w.all_receive(BASIC.packet(2, [2, 4, 6]))
    return test


def spoofed_udp():
    """Another's address, from behind another port of the bridge."""
    with Workers(Udp, 2) as w:
        run(NAMESPACES[2], "ip", "address", "add", f"{ip(0)}/32", "dev", "eth0")
        enter(NAMESPACES[2])
        liar = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        liar.bind((ip(0), PORT))
        liar.sendto(BASIC.packet(2, [1]), (AGGREGATOR, PORT))
        w.refused(no_source=1)
        liar.close()
        run(NAMESPACES[2], "ip", "address", "del", f"{ip(0)}/32", "dev", "eth0")
        one_chunk(w, BASIC, 3)


def spoofed_ethernet():
    with Workers(Ethernet, 2) as w:
        liar = Ethernet(2)
        liar.send(BASIC.packet(2, [1]), sender=mac(0))
        w.refused(no_source=1)
        # A frame from the address of one of the box's ports comes in by another: of no source.
        liar.send(BASIC.packet(2, [1]), sender=bytes.fromhex(PORT_MACS[0].replace(":", "")))
        w.refused(no_source=1)
        liar.socket.close()
        one_chunk(w, BASIC, 3)
        with contextlib.suppress(Refused):
            box.do("source-set", job=JOB, id=1, ifindex=PORT_INDEXES[1],
                   address=bytes.fromhex(PORT_MACS[0].replace(":", "")))
            raise AssertionError("a source has an address of the box")


def padded():
    """Frames as short as a real wire has them, filled up with zeroes."""
    with Workers(Ethernet, 2) as w:
        for size in range(1, 10):
            rows = [values(size) for _ in range(2)]
            for i in range(2):
                data = BASIC.packet(2, rows[i])
                w.send(i, data + bytes(max(0, 46 - len(data))))
            w.all_receive(BASIC.packet(2, sums(rows)))
        # Where a chunk of another variant is filled up, nothing tells what it is.
        data = RELIABLE.packet(2, [1, 2], rank=0)
        w.send(0, data + bytes(46 - len(data)))
        w.refused(length=1)
        one_chunk(w, BASIC, 3)


def in_vlan():
    """Tagged frames, answered with tagged ones."""
    with Workers(Ethernet, 1, sources=1) as w:
        box.do("source-set", job=JOB, id=0, vlan=5)
        w.send(0, BASIC.packet(1, [7, 8]))
        w.refused(no_source=1)
        enter(NAMESPACES[0])
        everything = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(3))
        everything.setsockopt(263, 8, 1)        # SOL_PACKET, PACKET_AUXDATA
        everything.bind(("eth0", 3))
        w.send(0, b"\0\5\x87\x77" + BASIC.packet(1, [7, 8]), kind=0x8100)

        def answer():
            if not select.select([everything], [], [], 0)[0]:
                return False
            data, aux, _, _ = everything.recvmsg(65536, 1024)
            tci = struct.unpack_from("=IIIHHHH", aux[0][2])[5] if aux else 0
            return data[12:14] == b"\x87\x77" and data[6:12].hex(":") == PORT_MACS[0] and \
                data[14:30] == BASIC.packet(1, [7, 8]) and tci & 4095 == 5
        until(answer)
        everything.close()


class Arp:
    """A worker that asks by hand."""

    def __init__(self, worker):
        enter(NAMESPACES[worker])
        self.worker = worker
        self.socket = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(0x0806))
        self.socket.bind(("eth0", 0x0806))

    def ask(self, target, sender=None, header=(1, 0x0800, 6, 4, 1), to=ALL, tag=b""):
        packet = struct.pack("!HHBBH", *header) + mac(self.worker) + \
            socket.inet_aton(sender or ip(self.worker)) + bytes(6) + socket.inet_aton(target)
        self.socket.send(to + mac(self.worker) + tag + b"\x08\x06" + packet)

    def answers(self, target):
        """MAC addresses that answered for one, up to a question that is answered for certain."""
        found = []
        end = time.monotonic() + PATIENCE
        self.ask("10.0.0.254")
        while time.monotonic() < end:
            if not select.select([self.socket], [], [], 1)[0]:
                self.ask("10.0.0.254")
                continue
            data = self.socket.recv(2048)
            if data[20:22] != b"\0\2":
                continue
            if data[28:32] == socket.inet_aton("10.0.0.254"):
                return found
            if data[28:32] == socket.inet_aton(target):
                assert data[:6] == mac(self.worker) == data[32:38], data
                assert data[38:42] == socket.inet_aton(ip(self.worker)), data
                assert data[6:12] == data[22:28], data
                found.append(data[22:28].hex(":"))
        raise AssertionError("nobody answers at all")


def forget_neighbours():
    for namespace in NAMESPACES:
        run(namespace, "ip", "neigh", "flush", "dev", "eth0")


def arp():
    with Workers(Udp, 2):
        a = Arp(1)
        own = PORT_MACS[1]
        a.ask(AGGREGATOR)
        assert a.answers(AGGREGATOR) == [own]
        # Once for each question, and not to what is none: another's address, one that tells
        # of its own, an answer, other kinds of addresses, cut short.
        for _ in range(3):
            a.ask(AGGREGATOR)
        assert a.answers(AGGREGATOR) == [own] * 3
        a.ask("10.0.0.77")
        a.ask(AGGREGATOR, sender=AGGREGATOR)
        a.ask(AGGREGATOR, sender="224.0.0.1")
        for header in ((1, 0x0800, 6, 4, 2), (6, 0x0800, 6, 4, 1), (1, 0x86dd, 6, 4, 1),
                       (1, 0x0800, 8, 4, 1), (1, 0x0800, 6, 16, 1), (1, 0x0800, 6, 4, 9)):
            a.ask(AGGREGATOR, header=header)
        a.socket.send(ALL + mac(1) + b"\x08\x06" + bytes(20))
        assert a.answers(AGGREGATOR) == []
        assert a.answers("10.0.0.77") == []
        a.socket.close()
    # The job with that address has gone.
    a = Arp(1)
    a.ask(AGGREGATOR)
    assert a.answers(AGGREGATOR) == []
    a.socket.close()
    # All have heard worker 1 claim the address.
    forget_neighbours()


def arp_of_the_box():
    """An address that is the box's own is answered by its own stack, once."""
    run(ROUTER, "ip", "address", "add", f"{AGGREGATOR}/32", "dev", "br0")
    try:
        with Workers(Udp, 2) as w:
            a = Arp(1)
            a.ask(AGGREGATOR)
            assert a.answers(AGGREGATOR) == [BRIDGE_MAC]
            a.socket.close()
            forget_neighbours()
            one_chunk(w, BASIC, 5)
    finally:
        run(ROUTER, "ip", "address", "del", f"{AGGREGATOR}/32", "dev", "br0")
        forget_neighbours()


def results_come_from_it():
    """Results reach workers from an address that no host has, by the report's port alone."""
    with Workers(Udp, 2) as w:
        one_chunk(w, BASIC, 5)
        # Another port of the worker's is a source's where it says so.
        box.do("source-set", job=JOB, id=1, port=8001)
        w.send(1, BASIC.packet(2, [1]))
        w.refused(no_source=1)
        other = Udp(1, 8001)
        w.socket[1].socket.close()
        w.socket[1] = other
        one_chunk(w, BASIC, 5)


def other_traffic():
    """A packet that is not the job's crosses the bridge as it was."""
    with Workers(Udp, 2) as w:
        w.forget_refusals()
        run(NAMESPACES[0], "ping", "-c", "3", "-i", "0.1", "-W", "5", ip(1))
        run(NAMESPACES[0], "ping", "-c", "3", "-i", "0.1", "-W", "5", "-s", "8000", ip(2))
        for port in 7999, 8001, 12345:
            a, b = Udp(0, port), Udp(3, port)
            data = rng.randbytes(1400)
            a.send(data, to=(ip(3), port))
            assert b.socket.recv(65536) == data
            a.socket.close()
            b.socket.close()
        w.refused()
        # To the job's port, but to a worker and not to the aggregator.
        b = Udp(3, PORT)
        w.send(0, BASIC.packet(2, [1]), to=(ip(3), PORT))
        assert b.socket.recv(65536) == BASIC.packet(2, [1])
        b.socket.close()
        w.refused(not_local=1)
        one_chunk(w, BASIC, 3)


def other_frames():
    """Frames of other kinds are flooded as ever; those that are taken are not."""
    with Workers(Ethernet, 2) as w:
        enter(NAMESPACES[3])
        witness = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(3))
        witness.bind(("eth0", 3))

        def seen(kind):
            data = rng.randbytes(100)
            w.send(0, data, kind=kind)
            end = time.monotonic() + PATIENCE
            while time.monotonic() < end:
                if not select.select([witness], [], [], 1)[0]:
                    continue
                got = witness.recv(65536)
                assert got[12:14] != b"\x87\x77", "a frame that was taken is flooded"
                if got[:14] == ALL + mac(0) + struct.pack("!H", kind) and got[14:114] == data:
                    return
            raise AssertionError("a frame is not flooded")
        seen(0x8776)
        one_chunk(w, BASIC, 20)
        seen(0x88b5)
        w.send(0, BASIC.packet(2, [1] * 20, size=3))
        w.refused(length=1)
        seen(0x8778)
        w.refused()
        witness.close()
    # Without a job nothing is taken.
    a, b = Ethernet(0), Ethernet(3)
    a.send(BASIC.packet(2, [5] * 20))
    assert b.socket.recv(65536) == ALL + mac(0) + b"\x87\x77" + BASIC.packet(2, [5] * 20)
    a.socket.close()
    b.socket.close()


def both_jobs():
    """One of each kind at a time, at the same ports."""
    with Workers(Udp, 2) as w:
        box.do("job-add", id=10, format=LAB_ETHERNET, address=ALL, sources=2, blocks=2, grads=64)
        for i in range(2):
            box.do("source-add", job=10, id=i, ifindex=PORT_INDEXES[i], address=mac(i))
        frames = [Ethernet(i) for i in range(2)]
        one_chunk(w, BASIC, 20)
        for f in frames:
            f.send(BASIC.packet(2, [f.worker + 1] * 20))
        for f in frames:
            assert f.take() == BASIC.packet(2, [3] * 20)
            f.socket.close()
        one_chunk(w, BASIC, 20)
        box.do("job-del", id=10)


def floats(link):
    """Values are of the job's type."""
    def test():
        with Workers(link, 2, dtype=2) as w:
            for i in range(2):
                w.send(i, BASIC.packet(2, [0.5 + i] * 20, kind="f"))
            w.all_receive(BASIC.packet(2, [2.0] * 20, kind="f"))
    return test


def tests():
    """Names, and what they stand for."""
    for link in LINKS:
        for variant in VARIANTS:
            for count in (1, 2, 8):
                yield f"{variant.name}, {count} workers", link, exact_bytes(link, variant, count)
            yield f"{variant.name}, iterations", link, iterations(link, variant)
        yield "lossy, 2 workers", link, lossy(link, RELIABLE, 2, (5, 5, 7))
        yield "lossy, 8 workers", link, lossy(link, BOTH, 8, (4, 4))
        yield "lossy, iterations of two chunks", link, lossy(link, RELIABLE, 3, (2,) * 6)
        yield ("lossy, iterations of one chunk", link,
               lossy(link, RELIABLE, 3, (1,) * 8, twice=0))
        yield "old chunks", link, old_chunks(link)
        yield "the largest m_val", link, largest_scale(link)
        yield "quantised floats", link, quantised(link, 3, 0)
        yield "quantised floats, lossy", link, quantised(link, 4, 0.15)
        yield "float32", link, floats(link)
        yield "workers begin anew", link, restart_reliable(link)
        yield "workers begin anew, basic", link, restart_basic(link)
        yield "refusals", link, refusals(link)
    yield "another's address", Udp, spoofed_udp
    yield "another's address", Ethernet, spoofed_ethernet
    yield "padded", Ethernet, padded
    yield "in a VLAN", Ethernet, in_vlan
    yield "results come from nobody's address", Udp, results_come_from_it
    yield "ARP for nobody's address", Udp, arp
    yield "ARP for an address of the box", Udp, arp_of_the_box
    yield "other traffic", Udp, other_traffic
    yield "other frames", Ethernet, other_frames
    yield "jobs of both kinds", Udp, both_jobs


def attach(mode):
    """The ports' programs listen to what there are jobs for."""
    def test():
        weir("job", "add", "id", "9", "sources", "2", "blocks", "2", "grads", "64",
             "address", AGGREGATOR, "format", "lab")
        weir("job", "add", "id", "10", "sources", "2", "blocks", "2", "grads", "64",
             "address", "ff:ff:ff:ff:ff:ff", "format", "lab-ethernet")
        for port in PORTS:
            weir("port", "attach", "dev", port, "mode", mode)
        for port in json.loads(weir("-j", "port", "show")):
            assert port["mode"] == mode and port["udp"] == [8000, 12000] and \
                port["ethertype"] == "0x8777", port
        weir("job", "flush")
    return test


enter(ROUTER)
box = Box()
LINK = {link["ifname"]: link for link in json.loads(run(ROUTER, "ip", "-j", "link"))}
PORTS = [f"w{i + 1}" for i in range(len(NAMESPACES))]
PORT_MACS = [LINK[port]["address"] for port in PORTS]
PORT_INDEXES = [LINK[port]["ifindex"] for port in PORTS]
BRIDGE_MAC = LINK["br0"]["address"]


def flush():
    with contextlib.suppress(Refused):
        box.do("job-del", id=JOB)
    weir("job", "flush")


names = {}
for a_mode in os.environ["WEIR_MODES"].split():
    names[attach(a_mode)] = f"{a_mode}: attach"
    for name, a_link, test in tests():
        names[functools.partial(test)] = f"{a_mode}: {a_link.name}: {name}"
sys.exit(ktap.run(list(names), name=names.get, mend=flush))
