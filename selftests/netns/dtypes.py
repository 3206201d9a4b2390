#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Types of numbers, operations and orders, packet by packet.

usage: dtypes.py LINUX SPEC BOX ROUTER WORKER...

What the box answers is compared, bit for bit, with what numpy makes of the same numbers in
the same order, rounded to bfloat16 by hand. To be run by dtypes.sh. Speaks KTAP.
"""
import fractions
import os
import random
import socket
import sys

import numpy

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
import ktap
from trio import CONTROL, DEGRADED, NEVER, Admin, Worker, until

linux, spec, box, router, *namespaces = sys.argv[1:]
admin = Admin(router, linux, spec)
JOB, N, GRADS = 7, len(namespaces), 257
SUM, MIN, MAX = 1, 2, 3
ARRIVAL, FIXED = 1, 2
rng = numpy.random.default_rng(1)


class Type:
    """A type of the spec: how its numbers are told from their bits, and rounded to."""

    def __init__(self, name, number, bits, nan):
        self.name, self.number, self.bits, self.nan = name, number, bits, nan
        self.size = numpy.dtype(bits).itemsize
        self.kind = {8: "Q", 4: "I", 2: "H"}[self.size]
        self.grads_max = {8: 1024}.get(self.size, 2048)

    def is_integer(self):
        return self.name in ("int32", "int64")

    def values(self, bits):
        """As binary32, or as what they are if they are integers or of 64 bits."""
        if self.is_integer():
            return bits.view(self.name)
        if self.name == "bfloat16":
            return (bits.astype(numpy.uint32) << 16).view(numpy.float32)
        if self.name == "float64":
            return bits.view(numpy.float64)
        return bits.view({4: numpy.float32, 2: numpy.float16}[self.size]).astype(numpy.float32)

    def rounded(self, values):
        """To bits, with one bit pattern for what is no number."""
        if self.is_integer():
            return values.view(self.bits)
        if self.name == "bfloat16":
            x = values.view(numpy.uint32)
            bits = ((x + 0x7fff + (x >> 16 & 1)) >> 16).astype(numpy.uint16)
        elif self.name == "float16":
            with numpy.errstate(over="ignore"):
                bits = values.astype(numpy.float16).view(numpy.uint16)
        else:
            bits = values.view(self.bits).copy()
        bits[numpy.isnan(values)] = self.nan
        return bits

    def any(self, count):
        """Any bits, numbers of about one size, and special ones."""
        bits = rng.integers(0, 1 << 8 * self.size, count, dtype=numpy.uint64).astype(self.bits)
        if self.is_integer():
            bits[count // 4:] &= self.bits(0x3fff)
            return bits
        tame = self.rounded(rng.normal(0, 1, count).astype(self.values(bits).dtype))
        some = rng.integers(0, 4, count)
        bits[some > 0] = tame[some > 0]
        top = 1 << 8 * self.size - 1
        inf = {"float64": 0x7ff << 52, "float32": 0x7f800000, "bfloat16": 0x7f80, "float16": 0x7c00}[self.name]
        for i, special in enumerate((0, top, inf, inf | top, inf + 1, 1, top | 1, inf - 1)):
            bits[rng.integers(0, 8, count) * 8 + i == rng.integers(0, 64, count)] = special
        return bits


TYPES = (Type("int32", 1, numpy.uint32, 0), Type("float32", 2, numpy.uint32, 0x7fc00000),
         Type("bfloat16", 3, numpy.uint16, 0x7fc0), Type("float16", 4, numpy.uint16, 0x7e00),
         Type("int64", 5, numpy.uint64, 0), Type("float64", 6, numpy.uint64, 0x7ff8 << 48))
OPS = {"sum": SUM, "min": MIN, "max": MAX}


class Job:
    """A job of all workers."""

    def __init__(self, kind, op, order=ARRIVAL, grads=GRADS, **config):
        admin.do("job-add", id=JOB, sources=N, address=socket.inet_aton(box), blocks=64,
                 grads=grads, dtype=kind.number, op=op, order=order, **config)
        for i in range(N):
            admin.do("source-add", job=JOB, id=i, address=socket.inet_aton(f"10.77.{i + 1}.1"))
        self.kind = kind
        numbers = bytes((kind.number, op, 1, 0, 0, 0, 0, 0))
        self.workers = [Worker(ns, box, JOB, i, numbers=numbers)
                        for i, ns in enumerate(namespaces)]
        self.taken = 0

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for worker in self.workers:
            worker.close()
        admin.do("job-del", id=JOB)

    def give(self, source, block, bits):
        """Sends a contribution, and waits until it is taken: the order is that of the calls."""
        self.workers[source].send(block, tuple(int(b) for b in bits), kind=self.kind.kind)
        self.taken += 1
        until(lambda: admin.stats(JOB)["contributions"] == self.taken)

    def result(self, block, sources=range(N)):
        """The bits that all receive."""
        packets = [self.workers[s].receive_where(lambda p: p.block == block and p.count)
                   for s in sources]
        assert len({p.data for p in packets}) == 1, packets
        return numpy.array(packets[0].numbers(self.kind.kind), dtype=self.kind.bits)


def combined(kind, op, rows):
    """By numpy, in this order."""
    rows = [kind.values(row) for row in rows]
    total = rows[0].copy()
    with numpy.errstate(all="ignore"):
        for row in rows[1:]:
            if op == SUM:
                total = total + row
            else:
                best = (numpy.minimum if op == MIN else numpy.maximum)(total, row)
                if not kind.is_integer():
                    zero = (total == 0) & (row == 0)
                    minus = numpy.signbit(total), numpy.signbit(row)
                    minus = minus[0] | minus[1] if op == MIN else minus[0] & minus[1]
                    best[zero] = numpy.where(minus, numpy.float32(-0.0), numpy.float32(0))[zero]
                total = best
    return kind.rounded(total)


def same(got, want, rows):
    bad = numpy.nonzero(got != want)[0]
    assert not bad.size, [(int(i), hex(got[i]), hex(want[i]), [hex(r[i]) for r in rows])
                          for i in bad[:3]]


def reduces(kind, op):
    def test():
        with Job(kind, op) as job:
            for block in range(3):
                rows = [kind.any(GRADS) for _ in range(N)]
                order = random.Random(block).sample(range(N), N)
                for source in order:
                    job.give(source, block, rows[source])
                same(job.result(block), combined(kind, op, [rows[s] for s in order]), rows)
    return test


def exactly(column):
    """The sum of doubles as kmod/agg/type/binned64.h has it."""
    if not numpy.all(numpy.isfinite(column)):
        with numpy.errstate(invalid="ignore"):
            return column.sum()
    if numpy.all(column == 0):
        return column.sum()
    # Bits below the two bins that follow the highest one do not count.
    top = max(max(int(numpy.frexp(x)[1]) + 1021, 0) for x in column if x) // 53
    unit = fractions.Fraction(2) ** ((top - 1) * 53 - 1074)
    total = sum(int(fractions.Fraction(float(x)) / unit) for x in column)
    try:
        return float(total * unit)
    except OverflowError:
        return numpy.copysign(numpy.inf, total)


def in_any_order(kind):
    """The same contributions, in other orders and repeated: the same bits."""
    def test():
        with Job(kind, SUM, FIXED) as job:
            rows = [kind.any(GRADS) for _ in range(N)]
            first = None
            for block in range(8):
                for source in random.Random(block).sample(range(N), N):
                    job.give(source, block, rows[source])
                    job.workers[source].send(block, tuple(int(b) for b in rows[source]),
                                             kind=kind.kind)
                got = job.result(block)
                first = got if first is None else first
                same(got, first, rows)
            if kind.name == "float64":
                want = [exactly(column) for column in numpy.array(rows).view(numpy.float64).T]
                same(first, kind.rounded(numpy.array(want)), rows)
                return
            # Where nothing was rounded on the way, it is what numpy has.
            with numpy.errstate(all="ignore"):
                exact = numpy.array([kind.values(r).astype(numpy.float64) for r in rows])
                want = kind.rounded(exact.sum(axis=0).astype(kind.values(rows[0]).dtype))
            near = numpy.all(numpy.isfinite(exact) & (abs(exact) < 8) & (abs(exact) > 2**-10),
                             axis=0)
            assert near.sum() > GRADS / 8, near.sum()
            if kind.size == 4:
                same(first[near], want[near], [r[near] for r in rows])
    return test


def as_large_as_can_be(kind, op, order):
    def test():
        with Job(kind, op, order, grads=kind.grads_max) as job:
            for block in range(2):
                rows = [kind.any(kind.grads_max) for _ in range(N)]
                for source in range(N):
                    job.give(source, block, rows[source])
                got = job.result(block)
                if order == ARRIVAL or op != SUM:
                    same(got, combined(kind, op, rows), rows)
    return test


def degraded(kind):
    """The bitmap follows the gradients, however long these are."""
    def test():
        with Job(kind, SUM, policy=2, timeout=NEVER) as job:
            # A number that is new makes all the others say theirs again.
            for _ in range(2):
                for worker in job.workers:
                    worker.join(7, N, GRADS)
            answers = [w.receive_where(lambda p: p.flags == CONTROL) for w in job.workers]
            generation = {"generation": answers[0].generation, "joined": True}
            rows = [kind.any(5) for _ in range(N)]
            for source in (0, 2):
                job.workers[source].send(0, tuple(int(b) for b in rows[source]), kind=kind.kind,
                                         **generation)
            until(lambda: admin.stats(JOB)["contributions"] == 2)
            admin.do("job-set", id=JOB, timeout=1000)
            packet = job.workers[1].receive_where(lambda p: p.count)
            assert packet.flags & DEGRADED and packet.contributors == 2, packet
            assert len(packet.data) == 12 + 5 * kind.size + 4
            assert packet.data[-4:] == bytes((0, 0, 0, 5)), packet.data[-4:]
            got = numpy.array(packet.numbers(kind.kind), dtype=kind.bits)
            same(got, combined(kind, SUM, [rows[0], rows[2]]), rows)
    return test


def lengths(kind):
    """As many bytes as the type takes, and no others."""
    def test():
        with Job(kind, SUM) as job:
            other = {8: "I", 4: "H", 2: "I"}[kind.size]
            job.workers[0].send(0, (1, 2, 3), kind=other)
            until(lambda: admin.refused(admin.stats(JOB), "length") == 1)
            assert admin.stats(JOB)["contributions"] == 0
    return test


def tests():
    """Names, and what they stand for."""
    for kind in TYPES:
        for name, op in OPS.items():
            yield f"{name} of {kind.name}", reduces(kind, op)
        yield f"{kind.name}, lengths", lengths(kind)
        yield f"{kind.name}, a degraded result", degraded(kind)
    for kind in TYPES:
        if not kind.is_integer():
            yield f"sum of {kind.name} in any order", in_any_order(kind)
        for order, name in ((ARRIVAL, "arrival"), (FIXED, "fixed")):
            yield (f"sum of {kind.grads_max} {kind.name}, order {name}",
                   as_large_as_can_be(kind, SUM, order))


names = {test: name for name, test in tests()}
sys.exit(ktap.run(list(names), name=names.get))
