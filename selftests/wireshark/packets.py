# SPDX-License-Identifier: GPL-2.0
"""Packets of each format as the other suites' workers write them, and a file of frames."""
import os
import struct
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "..", "netns"), os.path.join(HERE, "..", "lib")]
import lab_packet
import panama_packet
import switchml_worker
import trio

WORKER, BOX = bytes((10, 0, 1, 1)), bytes((10, 0, 0, 254))


class Recorder(trio.Worker):
    """A worker whose socket keeps what is sent."""

    def __init__(self, job, source):
        self.box, self.job, self.source, self.numbers = None, job, source, trio.INT32_SUM
        self.socket, self.cookies, self.put_by = self, {}, []

    def sendto(self, data, _):
        self.said = data

    def packet(self, *words, **more):
        self.send(*words, **more)
        return self.said

    def join_packet(self, *words):
        self.join_with(*words)
        return self.said


def ones(data):
    total = sum(struct.unpack(f"!{len(data) // 2}H", data))
    while total >> 16:
        total = (total & 0xffff) + (total >> 16)
    return total


def udp(data, port, down=False, tos=0, keep=None):
    """A frame; with @keep so many bytes of it, whose lengths say what there was."""
    source, target = (BOX, WORKER) if down else (WORKER, BOX)
    head = struct.pack("!BBHHHBBH4s4s", 0x45, tos, 28 + len(data), 0, 0, 64, 17, 0, source, target)
    head = head[:10] + struct.pack("!H", ~ones(head) & 0xffff) + head[12:]
    sport, dport = (port, 4000) if down else (4000, port)
    frame = bytes(12) + b"\x08\0" + head + struct.pack("!HHHH", sport, dport, 8 + len(data), 0) + data
    return frame[:keep]


def ethernet(data, kind=lab_packet.ETHERTYPE):
    return (b"\xff" * 6 + bytes(6) + struct.pack("!H", kind) + data).ljust(60, b"\0")


def write(path, frames):
    with open(path, "wb") as f:
        f.write(struct.pack("<IHHiIII", 0xa1b2c3d4, 2, 4, 0, 0, 65535, 1))
        for number, frame in enumerate(frames):
            f.write(struct.pack("<IIII", number, 0, len(frame), len(frame)) + frame)
