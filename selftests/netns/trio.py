# SPDX-License-Identifier: GPL-2.0
"""A worker that speaks Trio-ML packet by packet, and the box's administrator.

Workers live in network namespaces; a socket stays in the one that it was made in.
"""
import ctypes
import os
import queue
import select
import socket
import struct
import sys
import time

AGED = WANTED = 0x10
FINAL, DEGRADED, OVERFLOW, CONTROL = 8, 4, 2, 1
NOTICE = CONTROL | 0x10
COOKIE = CONTROL | 0x20
BEHIND = CONTROL | 0x40
ACK = 0x40
JOINED = 0x8000
IP_TRANSPARENT = 19
DOWN = 0x4000
# The numbers' description in a join: enum weir_dtype, weir_op, weir_format, and reserved bytes.
INT32_SUM = bytes((1, 1, 1, 0, 0, 0, 0, 0))
CLONE_NEWNET = 0x40000000
# A packet that must come does so far sooner; a machine that is emulated may take its time.
PATIENCE = 120
# A job's timeout, in us, that no machine is late for.
NEVER = 600_000_000

libc = ctypes.CDLL(None, use_errno=True)


def enter(namespace):
    """Makes a namespace this process's own."""
    with open(f"/run/netns/{namespace}") as f:
        if libc.setns(f.fileno(), CLONE_NEWNET):
            raise OSError(ctypes.get_errno(), f"setns {namespace}")


def bits(words):
    """The sources in a bitmap of 32-bit words."""
    return {32 * w + b for w, word in enumerate(words) for b in range(32) if word >> b & 1}


class Packet:
    """A datagram from the box."""

    def __init__(self, data):
        self.data = data
        (self.job, self.block, self.flags, self.source, self.contributors,
         self.generation, count) = struct.unpack_from("!BIBBBHH", data)
        assert count & DOWN, "it does not say that it comes from a box"
        self.count = count & 0xfff
        self.rest = rest = data[12:]
        self.sums = self.members = None
        if self.flags & CONTROL:
            self.words = struct.unpack(f"!{len(rest) // 4}I", rest)
            if self.flags == COOKIE:
                self.cookie = rest[16:24]
            return
        # Of gradients of 2 bytes there is no bitmap to be found here.
        if len(rest) < 4 * self.count:
            self.sums = ()
            return
        self.sums = struct.unpack_from(f"!{self.count}i", rest)
        trailer = rest[4 * self.count:]
        if trailer:
            self.members = bits(struct.unpack(f"!{len(trailer) // 4}I", trailer))

    def numbers(self, kind):
        """The gradients, as numbers of a format of struct."""
        return struct.unpack_from(f"!{self.count}{kind}", self.rest)

    # Of a status message.
    oldest = property(lambda self: self.words[0])
    next = property(lambda self: self.words[1])

    # Of a notice.
    dead = property(lambda self: bits(self.words[:8]))
    excluded = property(lambda self: bits(self.words[8:16]))
    waiting = property(lambda self: bits(self.words[16:]))

    def __repr__(self):
        return (f"<block {self.block} flags {self.flags:#x} contributors {self.contributors} "
                f"generation {self.generation} sums {self.sums} members {self.members}>")


class Worker:
    """One source of a job."""

    def __init__(self, namespace, box, job, source, port=12000, numbers=INT32_SUM, address=""):
        """@address: the source's, which need not be one of the namespace"""
        enter(namespace)
        self.numbers = numbers
        self.box, self.job, self.source = (box, 12000), job, source
        self.cookies, self.put_by = {}, []
        family = socket.AF_INET6 if ":" in box else socket.AF_INET
        self.socket = socket.socket(family, socket.SOCK_DGRAM)
        self.socket.setsockopt(socket.IPPROTO_IP, IP_TRANSPARENT, 1)
        self.socket.bind((address, port))

    def close(self):
        self.socket.close()

    def send(self, block, gradients=(), generation=0, flags=0, joined=False, body=b"", kind="i",
             **other):
        header = struct.pack("!BIBBBHH", other.get("job", self.job), block & 0xffffffff, flags,
                             other.get("source", self.source), 1, generation & 0xffff,
                             len(gradients) | (JOINED if joined else 0))
        self.socket.sendto(header + struct.pack(f"!{len(gradients)}{kind}", *gradients) + body,
                           self.box)

    def query(self, block, **other):
        self.send(block, **other)

    def ack(self, block, generation, final=False):
        """Acknowledges all results before a block."""
        self.send(block, generation=generation, flags=ACK | (FINAL if final else 0), joined=True)

    def join_with(self, cookie, nonce, ranks, grads, lacks=0):
        self.send(lacks, flags=CONTROL,
                  body=struct.pack("!IIII", nonce, ranks, 0, grads) + cookie + self.numbers)

    def join(self, nonce, ranks, grads, lacks=0, patience=PATIENCE):
        """Joins with the cookie that the box gives for the number."""
        end = time.monotonic() + patience
        if nonce not in self.cookies:
            self.join_with(bytes(8), nonce, ranks, grads, lacks)
        while nonce not in self.cookies and time.monotonic() < end:
            if not self.take_cookie(max(0, end - time.monotonic())):
                return
        self.join_with(self.cookies[nonce], nonce, ranks, grads, lacks)

    def take_cookie(self, patience):
        """Of the next packet, if it has one; other packets wait for receive(). False: none came."""
        packet = self.receive_now(patience)
        if packet and packet.flags == COOKIE:
            self.cookies[packet.words[0]] = packet.cookie
        elif packet:
            self.put_by.append(packet)
        return bool(packet)

    def receive(self, patience=PATIENCE):
        """The next packet; None where none comes in time."""
        return self.put_by.pop(0) if self.put_by else self.receive_now(patience)

    def receive_now(self, patience):
        if not select.select([self.socket], [], [], patience)[0]:
            return None
        return Packet(self.socket.recv(65536))

    def look_for(self, right, patience):
        """The next packet that @right holds for; None where none comes in time. Packets before it are dropped."""
        end = time.monotonic() + patience
        while time.monotonic() < end:
            packet = self.receive(max(0, end - time.monotonic()))
            if packet and right(packet):
                return packet
        return None

    def receive_where(self, right):
        """The next packet that @right holds for; packets before it are dropped."""
        packet = self.look_for(right, PATIENCE)
        assert packet, "the packet did not come"
        return packet

    def pending(self):
        """The packets that have come, without waiting."""
        packets, self.put_by = self.put_by, []
        while select.select([self.socket], [], [], 0)[0]:
            packets.append(Packet(self.socket.recv(65536)))
        return packets


class Admin:
    """Requests to the family in one namespace, by the kernel's own ynl."""

    def __init__(self, namespace, linux, spec):
        enter(namespace)
        sys.path.insert(0, os.path.join(linux, "tools/net/ynl"))
        from lib import YnlFamily, NlError
        self.Refused = NlError
        self.ynl = YnlFamily(spec, os.path.join(linux, "Documentation/netlink/genetlink.yaml"))
        self.events = YnlFamily(spec, os.path.join(linux, "Documentation/netlink/genetlink.yaml"))
        self.events.ntf_subscribe("events")

    def do(self, operation, **attributes):
        return self.ynl.do(operation, {k.replace("_", "-"): v for k, v in attributes.items()})

    def dump(self, operation, **attributes):
        return self.ynl.dump(operation, attributes)

    def job(self, job):
        return self.do("job-get", id=job)

    def stats(self, job):
        return self.job(job)["stats"]

    def source(self, job, source):
        return self.do("source-get", job=job, id=source)

    def refused(self, stats, reason):
        return sum(r["packets"] for r in stats.get("refusal", []) if r["reason"] == reason)

    def take_message(self):
        """A message of the events group, None where there is none."""
        self.events.check_ntf()
        messages = self.events.async_msg_queue
        try:
            # Later versions of ynl have a queue there.
            return messages.pop(0) if isinstance(messages, list) else messages.get_nowait()
        except (IndexError, queue.Empty):
            return None

    def event(self, right):
        """The next event that @right holds for."""
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            message = self.take_message()
            if not message:
                time.sleep(0.02)
            elif message["name"] == "event-ntf" and right(message["msg"]):
                return message["msg"]
        raise AssertionError("the event did not come")

    def forget_events(self):
        while self.take_message():
            pass


def until(condition, patience=PATIENCE):
    """Waits for something to become true, for so many seconds at most."""
    end = time.monotonic() + patience
    while time.monotonic() < end:
        if condition():
            return
        time.sleep(0.02)
    raise AssertionError("it did not come true")
