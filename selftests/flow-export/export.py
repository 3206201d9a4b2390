#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""The exporter of flows: collectors of IPFIX that start late, go away, and come back. No module is needed."""
import os
import socket
import struct
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "lib"))
import ktap  # noqa: E402
from feed import PATIENCE, Feed, listener, need_exporter, until  # noqa: E402

TEMPLATES = 2
OPTIONS = 3
RECORD = 62     # bytes of IPv4 with ports; those of ICMP have two bytes less
IPV4, ICMPV4, SAMPLE = 256, 258, 260


def sets_of(message):
    """Ids of the sets of a message, and how many records of IPv4 are in its data."""
    version, length = struct.unpack_from("!HH", message)
    assert version == 10 and length == len(message), (version, length, len(message))
    at, ids, records = 16, [], 0
    while at < length:
        number, size = struct.unpack_from("!HH", message, at)
        ids.append(number)
        if number == IPV4:
            records += (size - 4) // RECORD
        at += size
    return ids, records


def messages_of(stream):
    """Whole messages of a stream that has ended."""
    while stream:
        length = struct.unpack_from("!H", stream, 2)[0]
        if length > len(stream):
            return
        yield stream[:length]
        stream = stream[length:]


def templates_while_records_keep_coming():
    """A collector that has missed the first templates gets them, though there is never a pause."""
    early = listener(socket.SOCK_DGRAM)
    port = early.getsockname()[1]
    feed = Feed(port, 1)
    feed.add()
    feed.send()
    first = until("the first templates", lambda: received(early))
    assert TEMPLATES in sets_of(first)[0]
    early.close()
    late = listener(socket.SOCK_DGRAM, port)

    def has_templates():
        feed.add(100)
        message = received(late)
        return message and TEMPLATES in sets_of(message)[0]
    until("templates", has_templates)
    feed.end()
    late.close()


def data_of(messages, number):
    """Contents of the sets of this template."""
    found = []
    for message in messages:
        at = 16
        while at < len(message):
            kind, size = struct.unpack_from("!HH", message, at)
            if kind == number:
                found.append(message[at + 4:at + size])
            at += size
    return found


def types_of_icmp_and_samples():
    """ICMP has a type and a code in place of ports; a sample is announced before its records, and again."""
    collector = listener(socket.SOCK_DGRAM)
    feed = Feed(collector.getsockname()[1], 1)
    feed.process.stdin.write(b"icmp\nsample\nadd\nsend\n")
    messages = []

    def comes(kind, count):
        message = received(collector)
        if message:
            messages.append(message)
        return len(data_of(messages, kind)) >= count
    until("a record of ICMP", lambda: comes(ICMPV4, 1))
    # 44 bytes of counts, times, selector and device come first.
    assert b"\x08\x03" == data_of(messages, ICMPV4)[0][44:46], messages
    until("the sample", lambda: comes(SAMPLE, 1))
    assert any(OPTIONS in sets_of(message)[0] for message in messages)
    options = data_of(messages, SAMPLE)[0]
    # The device, one packet of 100, the same as an interval, random; then there is a sample no longer.
    assert struct.unpack_from("!QIIIIH", options) == (7, 1, 100, 1, 99, 3), options
    until("the end of the sample", lambda: comes(SAMPLE, 2))
    order = [kind for message in messages for kind in sets_of(message)[0]]
    assert order.index(SAMPLE) < order.index(IPV4), order

    def again():
        feed.process.stdin.write(b"add\nsend\n")
        return comes(SAMPLE, 3)
    until("the sample with the templates", again)
    feed.end()
    collector.close()


def received(sock):
    try:
        return sock.recv(65536)
    except TimeoutError:
        return None


def accepted(sock):
    try:
        return sock.accept()[0]
    except TimeoutError:
        return None


def everything(connection):
    connection.settimeout(PATIENCE)
    data = b""
    while True:
        more = connection.recv(65536)
        if not more:
            return data
        data += more


def collector_that_goes_is_called_again():
    """By TCP: after a reset records go on, with templates first, and those lost are counted."""
    there = listener(socket.SOCK_STREAM)
    port = there.getsockname()[1]
    feed = Feed("--tcp", port, 60)
    feed.add(10)
    feed.send()
    first = until("a connection", lambda: accepted(there))
    first.settimeout(PATIENCE)
    head = first.recv(4, socket.MSG_WAITALL)
    rest = first.recv(struct.unpack_from("!H", head, 2)[0] - 4, socket.MSG_WAITALL)
    assert TEMPLATES in sets_of(head + rest)[0]
    first.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    first.close()
    there.close()
    sent = 10

    def is_dropped():
        nonlocal sent
        feed.add(100)
        feed.send()
        sent += 100
        assert feed.process.poll() is None, "it has ended"
        return sent > 1000
    until("records are fed", is_dropped)
    again = listener(socket.SOCK_STREAM, port)

    def comes():
        feed.add()
        feed.send()
        return accepted(again)
    second = until("it calls again", comes)
    feed.add(50)
    dropped, said = feed.end()
    messages = [sets_of(message) for message in messages_of(everything(second))]
    assert TEMPLATES in messages[0][0], messages[:3]
    assert sum(records for _, records in messages) >= 50 and dropped > 0, (messages, dropped)
    assert "is gone" in said and "there again" in said, said
    again.close()


need_exporter()
sys.exit(ktap.run([
    types_of_icmp_and_samples, templates_while_records_keep_coming, collector_that_goes_is_called_again,
]))
