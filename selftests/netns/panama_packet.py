# SPDX-License-Identifier: GPL-2.0
"""Packets of format panama, written from the format's description."""
import struct

UP, DOWN, FIN = 0x11, 0x12, 1
HEADER = "!BBHBBHIHH"


def packet(values, job=3, tree=0, worker=0, vid=0, round=0, cap=0, fin=False, kind=UP, flags=0,
           sources=1):
    return struct.pack(HEADER, kind, flags | (FIN if fin else 0), job, tree, worker, cap, vid,
                       round, sources) + struct.pack(f"!{len(values)}f", *values)


def result(values, sources, cap, **said):
    return packet(values, kind=DOWN, worker=0, sources=sources, cap=cap, **said)
