#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""A worker of format toy: worker.py BOX JOB RANK RANKS. Fails where a sum is wrong."""
import socket
import struct
import sys
import time

BOX, (JOB, RANK, RANKS) = sys.argv[1], map(int, sys.argv[2:])
PORT, BLOCKS, GRADS = 12100, 40, 32
PATIENCE, AGAIN = 60, 0.2


def gradient(rank, block, i):
    return (rank + 1) * (block * 1000 + i) - 7


def packet(block, kind=b"?"):
    grads = [gradient(RANK, block, i) for i in range(GRADS)]
    return struct.pack(f"!cBHI{GRADS}i", kind, JOB, RANK, block, *grads)


def receive():
    """A result; all are marked."""
    data, extra, _, _ = s.recvmsg(2048, 64)
    # The one is a byte, the other an int.
    marks = {kind: value[0] for _, kind, value in extra}
    assert marks in ({socket.IP_TOS: 0x28}, {socket.IPV6_TCLASS: 0x28}), marks
    return data


if ":" in BOX:
    s = socket.socket(socket.AF_INET6, socket.SOCK_DGRAM)
    s.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_RECVTCLASS, 1)
else:
    s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    s.setsockopt(socket.SOL_IP, socket.IP_RECVTOS, 1)
s.bind(("", PORT))
s.settimeout(AGAIN)
end = time.monotonic() + PATIENCE
for block in range(BLOCKS):
    want = [sum(gradient(r, block, i) for r in range(RANKS)) for i in range(GRADS)]
    want = struct.pack(f"!cBHI{GRADS}i", b"!", JOB, RANKS, block, *want)
    while True:
        s.sendto(packet(block), (BOX, PORT))
        try:
            got = receive()
            # An answer to what was sent twice may come twice.
            while got[4:8] != want[4:8]:
                got = receive()
            break
        except TimeoutError:
            assert time.monotonic() < end, f"block {block} is not answered"
    assert got == want, f"block {block}: {got.hex()}, not {want.hex()}"
# No box takes a packet that a box has sent.
s.sendto(want, (BOX, PORT))
