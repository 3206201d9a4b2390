# SPDX-License-Identifier: GPL-2.0
"""SwitchML's public worker as it is seen from the wire: its frames, its calls, and its faults.

A worker has no stack: it sends and receives frames in a network namespace whose device has no
address, and whatever comes there it takes for a result, as the real one does. So each frame
that is received is held against all that a result must be.
"""
import random
import select
import socket
import struct
import time

import grpc
import numpy

from trio import PATIENCE, enter

SECOND = 0x8000
BOX_PORT = 48864
ETH_P_ALL = 3
SOL_PACKET, PACKET_IGNORE_OUTGOING = 263, 23
SO_RCVBUFFORCE = 33
KIND = {64: 0x11, 256: 0x13}
SIZE = {64: 1, 256: 3}


def ones(data):
    """The sum of 16-bit words in ones' complement."""
    total = sum(struct.unpack(f"!{len(data) // 2}H", data))
    while total >> 16:
        total = (total & 0xffff) + (total >> 16)
    return total


def pseudo(src, dst, length):
    return ones(src + dst + struct.pack("!HH", 17, length))


def header(grads, tensor, packet, pool, exponents=(0, 0)):
    """Packet numbers are in the order of the worker's own bytes."""
    return (bytes((KIND[grads], tensor & 0xff)) + struct.pack("<I", packet) +
            struct.pack("!Hbb", pool, *exponents))


def payload(numbers):
    return numpy.asarray(numbers, dtype=numpy.int64).astype(numpy.uint32).astype(">u4").tobytes()


def wrapped(numbers):
    """To 32 bits."""
    return numpy.asarray(numbers, dtype=numpy.int64).astype(numpy.uint32).astype(numpy.int32)


class Result:
    """A frame from the box, of which all was looked at but its numbers."""

    def __init__(self, frame, wire):
        assert frame[:6] == wire.mac and frame[6:12] == wire.box_mac, frame[:14].hex()
        assert frame[12:14] == b"\x08\0", f"no IPv4: {frame[:60].hex()}"
        ip, udp, self.said = frame[14:34], frame[34:42], frame[42:]
        length, sport, dport = len(frame) - 14, *struct.unpack("!HH", udp[:4])
        assert ip[0] == 0x45 and struct.unpack("!H", ip[2:4])[0] == length, ip.hex()
        assert ip[9] == 17, f"protocol {ip[9]}: {frame[:60].hex()}"
        assert not ip[6] & 0x3f and not ip[7] and ones(ip) == 0xffff, ip.hex()
        assert ip[12:16] == wire.box and ip[16:20] == wire.ip, ip.hex()
        assert sport == BOX_PORT and struct.unpack("!H", udp[4:6])[0] == length - 20, udp.hex()
        assert ones(udp + self.said + bytes(len(self.said) % 2) +
                    struct.pack("!H", pseudo(ip[12:16], ip[16:20], length - 20))) == 0xffff, "checksum"
        self.frame, self.port = frame, dport
        self.kind, self.tensor = self.said[:2]
        self.packet, = struct.unpack("<I", self.said[2:6])
        self.pool, *self.exponents = struct.unpack("!Hbb", self.said[6:10])
        self.numbers = numpy.frombuffer(self.said[10:], dtype=">i4").astype(numpy.int32)

    def __repr__(self):
        return (f"<tensor {self.tensor} packet {self.packet} pool {self.pool:#x} to {self.port} "
                f"numbers {self.numbers[:4]}>")


class Wire:
    """A worker's end of its link."""

    def __init__(self, namespace, home, ip):
        enter(namespace)
        self.socket = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(ETH_P_ALL))
        self.socket.setsockopt(SOL_PACKET, PACKET_IGNORE_OUTGOING, 1)
        self.socket.setsockopt(socket.SOL_SOCKET, SO_RCVBUFFORCE, 16 << 20)
        self.socket.bind(("eth0", 0))
        enter(home)
        self.mac, self.ip = self.socket.getsockname()[4], socket.inet_aton(ip)
        self.box = self.box_mac = None

    def fileno(self):
        return self.socket.fileno()

    def frame(self, port, said, **odd):
        """As a worker makes it, without any checksum but that of the pseudo header."""
        ip = self.ip if "ip" not in odd else socket.inet_aton(odd["ip"])
        length = len(said) + 8
        head = struct.pack("!BBHHHBBH4s4s", 0x45, 0, length + 20, 0, odd.get("fragment", 0),
                           odd.get("ttl", 128), 17, 0, ip, self.box)
        udp = struct.pack("!HHHH", port, odd.get("dport", BOX_PORT), length, 0)
        if odd.get("sums") == "right":
            head = head[:10] + struct.pack("!H", ~ones(head) & 0xffff) + head[12:]
            total = ones(udp + said + bytes(length % 2) + struct.pack("!H", pseudo(ip, self.box, length)))
            total = ~total & 0xffff or 0xffff
        elif odd.get("sums") == "none":
            total = 0
        else:
            total = pseudo(ip, self.box, length)
        head = head[:10] + struct.pack("!H", struct.unpack("!H", head[10:12])[0] ^ odd.get("ip_wrong", 0)) + head[12:]
        udp = udp[:6] + struct.pack("!H", total ^ odd.get("udp_wrong", 0))
        return odd.get("to", self.box_mac) + self.mac + b"\x08\0" + head + udp + said

    def reused(self, result, port, said):
        """The next packet in a result's own buffer: what is not written anew comes back."""
        ip = result.frame[14:24] + b"\0\0" + self.ip + self.box
        length = len(said) + 8
        udp = struct.pack("!HH", port, BOX_PORT) + result.frame[38:40] + \
            struct.pack("!H", pseudo(self.ip, self.box, length))
        return self.box_mac + self.mac + result.frame[12:14] + ip + udp + said

    def send(self, frame):
        self.socket.send(frame)

    def say(self, port, said, **odd):
        self.send(self.frame(port, said, **odd))

    def pending(self):
        """The next frame that has come, None where there is none."""
        if not select.select([self.socket], [], [], 0)[0]:
            return None
        return Result(self.socket.recv(65536), self)

    def drain(self):
        """Drop all that has come."""
        while select.select([self.socket], [], [], 0)[0]:
            self.socket.recv(65536)

    def receive(self, patience=PATIENCE):
        if not select.select([self.socket], [], [], patience)[0]:
            raise AssertionError("no result came")
        return Result(self.socket.recv(65536), self)


def varint(number):
    out = b""
    while number > 0x7f:
        out += bytes((number & 0x7f | 0x80,))
        number >>= 7
    return out + bytes((number,))


def message(fields):
    """All fields are integers; 0 is not said, as protobuf 3 does."""
    return b"".join(varint(field << 3) + varint(value) for field, value in fields.items() if value)


def parsed(data):
    fields, at = {}, 0

    def take():
        nonlocal at
        number = shift = 0
        while True:
            byte = data[at]
            at += 1
            number |= (byte & 0x7f) << shift
            shift += 7
            if byte < 0x80:
                return number

    while at < len(data):
        key = take()
        assert not key & 7, data.hex()
        fields[key >> 3] = take()
    return fields


class Client:
    """A worker's calls. It has a channel of its own, as if it were a process."""

    def __init__(self, at):
        self.channel = grpc.insecure_channel(at, options=(("grpc.use_local_subchannel_pool", 1),))

    def close(self):
        self.channel.close()

    def start(self, method, fields, raw=None):
        call = self.channel.unary_unary(f"/switchml_proto.{method}")
        return call.future(message(fields) if raw is None else raw, timeout=PATIENCE,
                           wait_for_ready=False)

    def begin(self, method, fields):
        """One that the service has begun with: it takes up a connection's calls in their order."""
        call = self.start(method, fields)
        try:
            self.call("Sync/Broadcast", {3: 0})
        except grpc.RpcError as error:
            assert error.code() == grpc.StatusCode.INVALID_ARGUMENT, error
        return call

    def call(self, method, fields, raw=None):
        return parsed(self.start(method, fields, raw).result())

    def broadcast(self, value, rank, workers, root=0):
        return self.call("Sync/Broadcast",
                         {1: value, 2: rank, 3: workers, 4: root}).get(1, 0)

    def barrier(self, workers):
        assert self.call("Sync/Barrier", {1: workers}) == {}

    def udp_session(self, session, rank, workers, mac, ip, size):
        """The box's MAC and IP addresses."""
        got = self.call("Session/UdpSession", {
            1: session, 2: rank, 3: workers, 4: int.from_bytes(mac, "big"),
            5: int.from_bytes(ip, "big"), 7: size})
        assert got.get(1, 0) == session, got
        return got[2].to_bytes(6, "big"), got[3].to_bytes(4, "big")


def set_up(at, wire, rank, workers, grads):
    """All that a worker calls, in its order."""
    client = Client(at)
    session = client.broadcast(time.time_ns() if rank == 0 else 0, rank, workers)

    def join():
        wire.box_mac, wire.box = client.udp_session(session, rank, workers, wire.mac, wire.ip,
                                                    SIZE[grads])

    if rank == 0:
        join()
        client.barrier(workers)
    else:
        client.barrier(workers)
        join()
    client.barrier(workers)
    client.close()
    return session


class Timer:
    def __init__(self, at, tensor, packet, pool):
        self.at, self.tensor, self.packet, self.pool = at, tensor, packet, pool


class Slice:
    """A thread's part of a tensor: what it sends and makes of results."""

    def __init__(self, numbers, grads, workers):
        self.numbers, self.grads, self.workers = numbers, grads, workers
        self.floats = numbers.dtype == numpy.float32
        self.out = numpy.zeros_like(numbers)
        self.packets = -(-len(numbers) // grads)

    def plan(self, m):
        self.batch = min(m, self.packets)
        self.total = self.packets + (self.batch if self.floats else 0)
        self.scale = {}

    def part(self, packet):
        return slice(packet * self.grads, (packet + 1) * self.grads)

    def said(self, packet):
        """The exponent and the numbers of a packet; garbage where there are none."""
        rows = numpy.full(self.grads, 0x7b5a1234, dtype=numpy.int64)
        exponent = 0x55
        if not self.floats:
            part = self.numbers[self.part(packet)]
            rows[:len(part)] = part
            return 0, rows
        after = self.numbers[self.part(packet)]
        if len(after):
            exponent = int(numpy.frexp(numpy.abs(after).max())[1])
        if packet >= self.batch and packet - self.batch in self.scale:
            part = self.numbers[self.part(packet - self.batch)]
            rows[:len(part)] = numpy.round(part.astype(numpy.float64) *
                                           self.scale[packet - self.batch])
        return exponent, rows

    def take(self, result):
        packet, numbers = result.packet, result.numbers
        if not self.floats:
            part = self.out[self.part(packet)]
            part[:] = numbers[:len(part)]
            return
        if packet >= self.batch:
            part = self.out[self.part(packet - self.batch)]
            part[:] = numbers[:len(part)] / self.scale[packet - self.batch]
        if packet < self.packets:
            # INT32_MAX becomes a power of two in binary32.
            self.scale[packet] = 2.0 ** (31 - result.exponents[0]) / self.workers


class Thread:
    """One of a worker's threads, with its timers."""

    def __init__(self, worker, number, m, timeout):
        self.worker, self.number, self.m, self.timeout = worker, number, m, timeout
        self.port = worker.port + number
        self.sent = 0  # packets of all tensors before this one
        self.slice = None
        self.timer = [None] * m
        self.repeats = 0

    def pool(self, packet):
        s = self.sent + packet
        return 2 * self.m * self.number + s % self.m | (SECOND if s // self.m % 2 else 0)

    def begin(self, tensor, part):
        self.tensor, self.slice, self.received, self.has = tensor, part, 0, set()
        part.plan(self.m)
        now = time.monotonic()
        for j in range(part.batch):
            # It is noted for the packet after the one that it is of.
            self.timer[(j + 1) % self.m] = Timer(now + self.timeout * self.m, tensor, j + 1,
                                                 self.pool(j))
        for j in range(part.batch):
            self.send(tensor, j, self.pool(j))

    def build(self, tensor, packet, pool):
        exponent, rows = self.slice.said(packet)
        return header(self.worker.grads, tensor, packet, pool, (exponent, 0)) + payload(rows)

    def send(self, tensor, packet, pool, result=None):
        wire, said = self.worker.wire, self.build(tensor, packet, pool)
        frame = wire.reused(result, self.port, said) if result else wire.frame(self.port, said)
        if not self.worker.loses(packet == 0):
            wire.send(frame)

    def take(self, result):
        if not self.slice or result.tensor != self.tensor & 0xff:
            return
        if result.packet in self.has:
            self.repeats += 1
            # Others it does not notice.
            if not result.packet % 64:
                return
        assert result.packet < self.slice.total, result
        assert result.pool == self.pool(result.packet), result
        assert len(result.said) == 10 + 4 * self.worker.grads, result
        self.slice.take(result)
        self.has.add(result.packet)
        self.received += 1
        following = result.packet + self.slice.batch
        self.timer[following % self.m] = None
        if following < self.slice.total:
            pool = self.pool(following)
            self.send(self.tensor, following, pool, result)
            self.timer[following % self.m] = Timer(time.monotonic() + self.timeout, self.tensor,
                                                   following, pool)
        if self.received >= self.slice.total:
            self.sent += self.slice.total
            self.slice = None

    def fire(self, now):
        for timer in self.timer:
            if self.slice and timer and timer.at <= now:
                self.send(timer.tensor, timer.packet, timer.pool)
                self.worker.again += 1
                timer.at = now + self.timeout


class Worker:
    """All threads of a worker; tensors are counted from 0."""

    def __init__(self, wire, rank, workers, threads, m, grads, timeout=1.0, port=4000, loss=0,
                 hasty=False):
        self.wire, self.rank, self.workers, self.grads, self.port = wire, rank, workers, grads, port
        self.random, self.loss, self.lost, self.again = random.Random(rank), loss, 0, 0
        # Its timers run out while results wait to be read.
        self.hasty = hasty
        self.threads = [Thread(self, t, m, timeout) for t in range(threads)]
        self.tensor = 0

    def loses(self, first=False):
        """The first packet of a tensor it would never send again."""
        lost = not first and self.random.random() < self.loss
        self.lost += lost
        return lost

    def begin(self, numbers):
        """A tensor, a part to each thread."""
        share = -(-len(numbers) // len(self.threads))
        self.slices = [Slice(numbers[i * share:(i + 1) * share], self.grads, self.workers)
                       for i in range(len(self.threads))]
        for thread, part in zip(self.threads, self.slices):
            if len(part.numbers):
                thread.begin(self.tensor, part)
        self.tensor += 1

    def fire(self):
        now = time.monotonic()
        for thread in self.threads:
            thread.fire(now)

    def work(self):
        """Take what has come first, then fire timers. Return whether the tensor is done."""
        if self.hasty:
            self.fire()
        while True:
            result = self.wire.pending()
            if not result:
                break
            assert 0 <= result.port - self.port < len(self.threads), result
            if not self.loses():
                self.threads[result.port - self.port].take(result)
        self.fire()
        return not any(thread.slice for thread in self.threads)

    def out(self):
        return numpy.concatenate([part.out for part in self.slices])


def reduce(workers, tensors):
    """One tensor, of each worker its own numbers; what each has then."""
    for worker, numbers in zip(workers, tensors):
        worker.begin(numbers)
    end = time.monotonic() + PATIENCE
    while not all([worker.work() for worker in workers]):
        assert time.monotonic() < end, "the tensor is not done"
        select.select([worker.wire for worker in workers], [], [], 0.005)
    return [worker.out() for worker in workers]
