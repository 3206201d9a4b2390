# SPDX-License-Identifier: GPL-2.0
"""weir_xdp's allocations in the way of a packet, each of which fails.

As in packets.py, faults are asked for by call. What runs around XDP programs loses no packet
for lack of memory but those that it holds itself: a sample, or the report of a flow, is lost
alone. Packets come from one worker to the router itself.
"""
import select
import socket
import struct
import subprocess

from genl import Family, attributes, command
from named import NAMES
from packets import run
from trio import PATIENCE, enter, until

PORT = 9000
# struct nlmsghdr and struct genlmsghdr.
HEADERS = 20


class Guest:
    """A worker that sends numbered datagrams to the router."""

    def __init__(self, router, namespace, to):
        self.namespace, self.router, self.to = namespace, router, (to, PORT)
        self.number = self.pad = 0
        enter(router)
        self.sink = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.sink.bind(("", PORT))
        self.socket = self.new_socket()

    def close(self):
        self.socket.close()
        self.sink.close()

    def new_socket(self):
        enter(self.namespace)
        made = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        made.bind(("", 0))
        enter(self.router)
        return made

    def send(self):
        self.number += 1
        self.socket.sendto(struct.pack("!I", self.number).ljust(self.pad, b"\0"), self.to)

    def arrived(self):
        """Return whether the last datagram has arrived."""
        while True:
            try:
                data = self.sink.recv(2048, socket.MSG_DONTWAIT)
            except BlockingIOError:
                return False
            if struct.unpack_from("!I", data)[0] == self.number:
                return True


class Reports:
    """A listener that gets the records of flows as they end, here a second after their last packet."""

    def __init__(self, box, guest, ifindex):
        self.box, self.guest, self.ifindex = box, guest, ifindex
        run("weir", "flow", "on", "dev", "w3", "flows", "64", "idle", "1s")
        self.family = Family()
        error, sentence, _ = self.family.ask(command("flow-listen"), b"")
        assert not error, sentence

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.family.sock.close()
        run("weir", "flow", "off", "dev", "w3")

    def lost(self):
        return self.box.counters("flow-get", "flow-stats", ifindex=self.ifindex)["lost"]

    def ports(self):
        """The source ports of the flows that have been reported since this was asked last."""
        ports = set()
        sport = NAMES["flow-record"].index("sport") + 1
        while True:
            try:
                data = self.family.sock.recv(65536, socket.MSG_DONTWAIT)
            except BlockingIOError:
                return ports
            while len(data) >= HEADERS:
                size = struct.unpack_from("=I", data)[0]
                record = dict(attributes(data[HEADERS:size]))
                ports.add(struct.unpack("=I", record[sport])[0] if sport in record else None)
                data = data[(size + 3) & ~3:]

    def report(self):
        """A new flow is reported, or its report is counted as lost."""
        before = self.lost()
        self.guest.socket.close()
        self.guest.socket = self.guest.new_socket()
        port = self.guest.socket.getsockname()[1]
        self.guest.send()
        until(lambda: port in self.ports() or self.lost() > before, 60)


def reports(box, injection, router, namespaces, ifindex):
    guest = Guest(router, namespaces[2], "10.77.3.254")
    failed = 0
    with Reports(box, guest, ifindex) as listener:
        listener.report()
        for site in injection.at(*(("xdp/netlink/flow_record.c", function) for function in
                                   ("__alloc_skb", "skb_clone", "netlink_unicast"))):
            before = listener.lost()
            n = injection.until_failed(site, 1, listener.report)
            lost = listener.lost()
            # The failed allocation may have been a detector's, or that of a copy that is not needed.
            assert lost - before <= n, (before, lost, n)
            listener.report()
            assert listener.lost() == lost, "lost with memory"
            failed += n
    guest.close()
    return failed


class Samples:
    """A listener to packets that a filter samples, all of them."""

    def __init__(self, box, guest, ifindex):
        self.box, self.guest, self.ifindex = box, guest, ifindex
        run("weir", "filter", "add", "dev", "w3", "prio", "10", "rule", "proto=udp",
            "action", "sample", "1", "group", "7")
        self.listener = subprocess.Popen(["sample-listen"], stdout=subprocess.PIPE, bufsize=0)
        assert self.line() == [b"listens"]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.listener.kill()
        self.listener.wait()
        self.listener.stdout.close()
        run("weir", "filter", "flush")

    def count(self):
        return self.box.counters("filter-get", "filter-stats", ifindex=self.ifindex, prio=10)

    def send(self):
        """A datagram goes on, whatever becomes of its sample. Returns whether one was made."""
        before = self.count()
        self.guest.send()
        until(self.guest.arrived, 60)
        after = self.count()
        assert after["packets"] == before["packets"] + 1, (before, after)
        return after["sampled"] - before["sampled"]

    def line(self):
        """The words of the listener's next line."""
        assert select.select([self.listener.stdout], [], [], PATIENCE)[0], "no listener is told"
        return self.listener.stdout.readline().split()

    def heard(self):
        """A datagram's sample comes; those before it came, or were lost."""
        size = 100 + self.guest.number
        assert self.send_long(size) == 1
        # The packet's length is the fourth word.
        while int(self.line()[3]) != size + 42:
            pass

    def send_long(self, size):
        self.guest.pad = size
        try:
            return self.send()
        finally:
            self.guest.pad = 0


def samples(box, injection, router, namespaces, ifindex):
    guest = Guest(router, namespaces[2], "10.77.3.254")
    failed = 0
    with Samples(box, guest, ifindex) as listener:
        listener.heard()
        for function in "__alloc_skb", "psample_sample_packet":
            site = injection.at(("xdp/filter/sample.c", function))[0]
            made = []
            n = injection.until_failed(site, 1, lambda: made.append(listener.send()))
            # The failed allocation may have been a detector's.
            assert len(made) - sum(made) <= n, made
            listener.heard()
            failed += n
    guest.close()
    return failed


class Order:
    """A device whose datagrams go on in the order of their flows, or are counted as lost."""

    def __init__(self, box, guest, ifindex):
        self.box, self.guest, self.ifindex = box, guest, ifindex
        # The guest fills checksums in itself: XDP passes on what is there.
        enter(guest.namespace)
        run("ethtool", "-K", "eth0", "tx", "off")
        enter(guest.router)
        run("weir", "order", "add", "dev", "w3", "prio", "1", "rule", "proto=udp", "cpus", "0-1")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        run("weir", "order", "flush")

    def lost(self):
        return self.box.counters("order-get", "order-stats", ifindex=self.ifindex, prio=1)["lost"]

    def send(self):
        """A datagram arrives, or is counted as lost."""
        before = self.lost()
        self.guest.send()
        until(lambda: self.guest.arrived() or self.lost() > before, 60)


def orders(box, injection, router, namespaces, ifindex):
    guest = Guest(router, namespaces[2], "10.77.3.254")
    with Order(box, guest, ifindex) as order:
        order.send()
        assert not order.lost(), "lost with memory"
        site = injection.at(("core/base/compat.h", "xdp_alloc_skb_bulk"))[0]
        n = injection.until_failed(site, 1, order.send)
        lost = order.lost()
        # The failed allocation may have been a detector's.
        assert 1 <= lost <= n, (lost, n)
        order.send()
        assert order.lost() == lost, "lost with memory"
    guest.close()
    return n
