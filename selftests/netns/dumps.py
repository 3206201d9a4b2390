#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Dumps of many objects, by readers with little room, show what those with much room see.

usage: dumps.py BOX WORKER	namespaces; run by dumps.sh. Speaks KTAP.

The kernel fills the room that the reader has and goes on in the next message, so the end of
a message may fall upon any attribute of an object, which is then put off as a whole. Rooms
of all sizes are tried, as many as an object is long.
"""
import os
import socket
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
import ktap
from named import Box, address, lasting
from trio import Worker, enter

router, worker = sys.argv[1:]
# Less than this the kernel takes for no room of the reader's.
ROOM, STEP = 4096, 4
# Of each as many as fill some messages.
JOBS, SOURCES, BLOCKS, POLICIES = 30, 30, 32, 24


def devices():
    return [index for index, name in socket.if_nameindex() if name.startswith("d")]


enter(router)
box = Box()
RATE = {"packets": 1000, "bytes": 1000000}


def agree(operation, what=lambda o: o, **which):
    """Room by room, @what of the objects is the same."""
    objects = box.dump(operation, **which)
    whole = [what(o) for o in objects]
    longest = max(map(len, objects))
    small = Box(ROOM)
    assert sum(map(len, objects)) > 2 * ROOM + longest, "they have room in two messages"
    for room in range(ROOM, ROOM + longest + STEP, STEP):
        small.family.room = room
        got = [what(o) for o in small.dump(operation, **which)]
        assert got == whole, (room, len(got), len(whole))
    small.close()


def jobs():
    for i in range(JOBS):
        box.do("job-add", id=i, sources=2, blocks=2, grads=2, address=address("10.77.1.254"),
               group=address("239.1.2.3"), rate=RATE, policy=2, timeout=1000000000, quorum=1)
    agree("job-get")
    box.do("job-flush")


def sources():
    box.do("job-add", id=7, sources=SOURCES, blocks=2, grads=2, address=address("fd77::1"))
    for i in range(SOURCES):
        box.do("source-add", job=7, id=i, address=address("fd77::%x" % (i + 2)), ifindex=devices()[0],
               rate=RATE)
    agree("source-get")
    agree("source-get", job=7)
    box.do("job-flush")


def blocks():
    box.do("job-add", id=7, sources=100, blocks=BLOCKS, grads=2, address=address("10.77.1.254"))
    box.do("source-add", job=7, id=0, address=address("10.77.1.1"))
    one = Worker(worker, "10.77.1.254", 7, 0)
    enter(router)
    for _ in range(100):
        for block in range(BLOCKS):
            one.send(block, (1, 2))
        if len(box.dump("block-get")) == BLOCKS:
            break
    # They grow older.
    agree("block-get", lambda o: lasting("block", o))
    one.close()
    box.do("job-flush")


def ports():
    for ifindex in devices():
        box.do("port-add", ifindex=ifindex)
    agree("port-get")
    for ifindex in devices():
        box.do("port-del", ifindex=ifindex)


def trims():
    """Policies of different lengths, so that the ends lie everywhere in their rules."""
    for n, ifindex in enumerate(devices()[:POLICIES]):
        box.do("trim-set", ifindex=ifindex, hook=1, dscp=11, rule=[
            {"dscp": 12 + i, "proto": 17, "port": 5000 + i} for i in range(1 + n % 8)])
    agree("trim-get")


def queues():
    """Of the qdiscs that dumps.sh has made."""
    agree("trim-queue-get")


def name(test):
    return "%s are shown whole, wherever a message ends" % test.__name__


sys.exit(ktap.run([jobs, sources, blocks, ports, trims, queues], name))
