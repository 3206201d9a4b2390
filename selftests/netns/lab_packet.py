# SPDX-License-Identifier: GPL-2.0
"""Packets of format lab, written from the format's description."""
import struct

ETHERTYPE = 0x8777
DOWN = 0xffffffff


class Variant:
    """The header's fields between its first two numbers and the values."""

    def __init__(self, name, reliable, scaled):
        self.name, self.reliable, self.scaled = name, reliable, scaled

    def head(self, workers, values, rank=DOWN, chunk=1, total=3, scale=0, slot=None, size=None):
        data = struct.pack("!II", workers, len(values) if size is None else size)
        if self.reliable:
            data += struct.pack("!IIIB", rank, chunk, total, chunk % 2 if slot is None else slot)
        if self.scaled:
            data += struct.pack("!i", scale)
        return data

    def packet(self, workers, values, kind="i", **said):
        return self.head(workers, values, **said) + struct.pack(f"!{len(values)}{kind}", *values)

    def parse(self, data):
        """(chunk, scale, values) of a result."""
        workers, size = struct.unpack_from("!II", data)
        at, chunk, scale = 8, None, None
        if self.reliable:
            rank, chunk, _, slot = struct.unpack_from("!IIIB", data, at)
            assert rank == DOWN and slot == chunk % 2, data
            at += 13
        if self.scaled:
            scale, = struct.unpack_from("!i", data, at)
            at += 4
        return chunk, scale, struct.unpack_from(f"!{size}i", data, at)


BASIC = Variant("basic", False, False)
SCALED = Variant("basic with m_val", False, True)
RELIABLE = Variant("reliable", True, False)
BOTH = Variant("reliable with m_val", True, True)
VARIANTS = BASIC, SCALED, RELIABLE, BOTH
