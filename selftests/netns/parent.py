#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""An adversary in the place of a job's parent, packet by packet.

usage: parent.py LINUX SPEC BOX ROUTER WORKER WORKER PARENT ADVERSARY

BOX is the router's address, the others are namespaces. The job has two workers and a parent, which
is on a link of its own. The adversary is on another one. It knows all that can be known without
reading what others send, even the generation, and forges the parent's address. To be run by
parent.sh. Speaks KTAP.
"""
import os
import select
import socket
import struct
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
import ktap
from trio import (CONTROL, COOKIE, DEGRADED, DOWN, INT32_SUM, NOTICE, WANTED, Admin, Worker,
                  enter, until)

linux, spec, box, router, *namespaces = sys.argv[1:]
admin = Admin(router, linux, spec)
JOB, GRADS, GENERATION, RANKS, PORT = 7, 300, 77, 4, 12000
PARENT = "10.77.3.1"
UP = 0x1000
# Bytes of a packet in front of its UDP payload.
HEADERS = 28
MANY = 200


def header(block, flags, count=0, generation=GENERATION, weight=0):
    """Of a packet that goes down."""
    return struct.pack("!BIBBBHH", JOB, block, flags, 0, weight, generation, count | DOWN)


class Parent:
    """The real one: it receives at its address."""

    def __init__(self):
        enter(namespaces[2])
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.socket.bind(("", PORT))
        self.questions = 0

    def take(self, patience=60):
        """The next packet: block, flags, generation, gradients, and what follows the header."""
        if not select.select([self.socket], [], [], patience)[0]:
            return None
        data = self.socket.recv(65536)
        _, block, flags, source, _, generation, count = struct.unpack_from("!BIBBBHH", data)
        assert count & UP and source == 0, data
        self.questions += not count & 0xfff and not flags
        return block, flags, generation, count & 0xfff, data[12:]

    def pending(self):
        """Take what has come, without waiting; return its bytes on the wire, and its packets."""
        size = packets = 0
        while select.select([self.socket], [], [], 0)[0]:
            size += len(self.socket.recv(65536)) + HEADERS
            packets += 1
        return size, packets

    def send(self, data):
        self.socket.sendto(data, (box, PORT))

    def answer(self, nonce, cookie=None):
        """To a join: the generation, or a cookie."""
        flags = CONTROL if cookie is None else COOKIE
        self.send(header(0, flags, generation=0 if cookie else GENERATION) +
                  struct.pack("!IIII", nonce, RANKS, 16, GRADS) + (cookie or bytes(8)) + INT32_SUM)


class Adversary:
    """Sends packets with the parent's address, and counts their bytes."""

    def __init__(self):
        enter(namespaces[3])
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_RAW)
        self.sent = 0

    def forge(self, data, port=PORT):
        udp = struct.pack("!HHHH", port, PORT, 8 + len(data), 0) + data
        ip = struct.pack("!BBHHHBBH4s4s", 0x45, 0, 20 + len(udp), 0, 0x4000, 64, 17, 0,
                         socket.inet_aton(PARENT), socket.inet_aton(box))
        self.socket.sendto(ip + udp, (box, 0))
        self.sent += len(ip + udp)


class Job:
    def __init__(self, **config):
        admin.do("job-add", id=JOB, sources=2, ranks=RANKS, blocks=16, grads=GRADS,
                 address=socket.inet_aton(box), parent=socket.inet_aton(PARENT), parent_source=0, **config)
        for i in range(2):
            admin.do("source-add", job=JOB, id=i, address=socket.inet_aton(f"10.77.{i + 1}.1"))
        self.workers = [Worker(ns, box, JOB, i) for i, ns in enumerate(namespaces[:2])]
        self.parent, self.adversary = Parent(), Adversary()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for one in (*self.workers, self.parent.socket, self.adversary.socket):
            one.close()
        admin.do("job-del", id=JOB)

    def join(self):
        """Both workers join; until a join goes up, which is returned."""
        end = time.monotonic() + 60
        while time.monotonic() < end:
            for i in (0, 1, 0):
                self.workers[i].join(11 + i, RANKS, GRADS)
            packet = self.parent.take(0.1)
            if packet:
                return packet
        raise AssertionError("no join went up")

    def begin(self):
        """The parent begins a generation."""
        _, flags, _, _, body = self.join()
        assert flags == CONTROL, flags
        self.parent.answer(struct.unpack_from("!I", body)[0])
        for worker in self.workers:
            worker.receive_where(lambda p: p.flags == CONTROL and p.generation == GENERATION)
        self.quiet()
        return self

    def quiet(self):
        """Lets go of what has come so far."""
        self.parent.pending()
        for worker in self.workers:
            worker.pending()

    def sum(self, block):
        """Both contribute, and the sum is at the parent."""
        for i, worker in enumerate(self.workers):
            worker.send(block, range(i, i + GRADS), generation=GENERATION, joined=True)
        while True:
            got = self.parent.take()
            assert got, "the sum did not come"
            if got[0] == block and got[3] == GRADS:
                return

    def refused(self, reason):
        return admin.refused(admin.stats(JOB), reason)


def refused(reason):
    """In the whole namespace: what is of no job's parent is of no job."""
    return admin.refused(admin.do("stats-get")["stats"], reason)


def replies_that_nobody_asked_for():
    """Neither the parent nor a worker gets a byte."""
    with Job().begin() as job:
        job.sum(0)
        before = refused("stale")
        for _ in range(MANY):
            job.adversary.forge(header(0, WANTED))
            job.adversary.forge(header(0, 0, weight=1))
        until(lambda: refused("stale") == before + 2 * MANY)
        assert job.parent.pending() == (0, 0)
        assert not any(worker.pending() for worker in job.workers)


def one_question_one_sum():
    """Where a worker asks meanwhile, one reply counts, whoever has sent it."""
    with Job().begin() as job:
        job.sum(0)
        job.workers[1].query(0, generation=GENERATION, joined=True)
        assert job.parent.take()[3] == 0
        before = refused("stale")
        for _ in range(MANY):
            job.adversary.forge(header(0, WANTED))
        until(lambda: refused("stale") == before + MANY - 1)
        size, packets = job.parent.pending()
        assert packets == 1 and size <= 4 * GRADS + 12 + HEADERS, (size, packets)
        # The reply to the next question goes to who has asked alone.
        job.workers[1].query(0, generation=GENERATION, joined=True)
        assert job.parent.take()[3] == 0
        job.parent.send(header(0, 0, weight=2))
        assert job.workers[1].receive().contributors == 2
        assert not job.workers[0].pending()


def ends_no_generation():
    """A notice that the parent has lost its state has to name what only the parent has been sent."""
    with Job().begin() as job:
        job.sum(0)
        job.quiet()
        began = time.monotonic()
        for block in range(1, 4):
            for i in range(MANY):
                job.adversary.forge(header(i, NOTICE | DEGRADED, generation=0))
                job.adversary.forge(header(i, NOTICE, generation=GENERATION + 1))
            job.sum(block)
        # They had the parent asked, and no more often than is due.
        due = 20 * (time.monotonic() - began) + 1
        assert 1 <= job.parent.questions <= due, (job.parent.questions, due)
        assert not any(worker.pending() for worker in job.workers)


def a_parent_that_is_new():
    """The real one can end the generation: it has the probe, and names it."""
    with Job().begin() as job:
        job.sum(0)
        job.quiet()
        job.parent.send(header(0, NOTICE | DEGRADED, generation=0))
        probe = job.parent.take()
        assert probe and probe[3] == 0 and probe[2] != GENERATION, probe
        job.parent.send(header(probe[0], NOTICE | DEGRADED, generation=0))
        for worker in job.workers:
            worker.receive_where(lambda p: p.flags == NOTICE | DEGRADED)
        # All join again, and a join goes up.
        assert job.join()[1] == CONTROL


def an_address_that_has_not_answered():
    """Joins to it are few, and no forged answer makes more of them."""
    with Job() as job:
        body = job.join()[4]
        nonce = struct.unpack_from("!I", body)[0]
        job.quiet()
        began = time.monotonic()
        sent = 0
        for i in range(MANY):
            for worker in (0, 1):
                job.workers[worker].join(11 + worker, RANKS, GRADS)
                sent += 12 + 32 + HEADERS
            # A number that is not the join's.
            job.adversary.forge(header(0, COOKIE, generation=0) +
                                struct.pack("!IIII", nonce ^ 1 << i % 32, RANKS, 16, GRADS) +
                                struct.pack("!Q", i + 1) + INT32_SUM)
        job.workers[0].pending()
        until(lambda: admin.stats(JOB)["joins"] >= 2 * MANY)
        due = 50 * (time.monotonic() - began) + 2
        size, packets = job.parent.pending()
        assert packets <= due and size < sent, (packets, due, size, sent)


def bound_to_port_device_and_vlan():
    """Packets from elsewhere are not the parent's."""
    enter(router)
    device = socket.if_nametoindex("w3")
    with Job(parent_ifindex=device, parent_vlan=0).begin() as job:
        shown = admin.job(JOB)
        assert (shown["parent-ifindex"], shown["parent-vlan"]) == (device, 0), shown
        job.sum(0)
        before = refused("direction")
        for _ in range(MANY):
            job.adversary.forge(header(0, WANTED))
            job.adversary.forge(header(0, 0, GRADS) + bytes(4 * GRADS))
        until(lambda: refused("direction") == before + 2 * MANY)
        assert job.parent.pending() == (0, 0)
        job.parent.send(header(0, 0, GRADS) + bytes(4 * GRADS))
        for worker in job.workers:
            assert worker.receive_where(lambda p: p.sums).block == 0
    with Job(parent_vlan=9) as job:
        before = refused("direction")
        job.adversary.forge(header(0, WANTED))
        job.parent.send(header(0, WANTED))
        until(lambda: refused("direction") == before + 2)
    with Job(parent_port=13000) as job:
        before = refused("direction")
        job.adversary.forge(header(0, WANTED))
        until(lambda: refused("direction") == before + 1)


TESTS = [replies_that_nobody_asked_for, one_question_one_sum, ends_no_generation,
         a_parent_that_is_new, an_address_that_has_not_answered, bound_to_port_device_and_vlan]

sys.exit(ktap.run(TESTS))
