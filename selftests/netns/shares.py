#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Reduce-scatters and all-gathers in a loop, with broadcasts and reductions to one rank.

usage: shares.py [--bytes N] [--iterations N] [--dtype T] BOX JOB NAMESPACE[,BOX,SOURCE]...

A rank in each namespace. The result is one line of JSON: how many bytes a rank has sent and received by
its link at most, divided by those of the vectors. The exit status is 1 if any element is wrong.
"""
import argparse
import json
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
import linkbytes
import rank_loop


class Rank(rank_loop.Rank):
    """One rank. Elements are small integers, of which sums of floats are exact, too."""

    def elements(self, rank):
        import numpy
        return ((numpy.arange(self.count) * 7 + 13 * rank + self.iteration) % 1001 - 500).astype(
            self.options.dtype)

    def expect(self, got, wanted):
        if not (got == wanted).all():
            raise ValueError(f"iteration {self.iteration}: {(got != wanted).sum()} elements are wrong")

    def iterate(self):
        """Sum the vectors of all ranks, and gather the sums: an allreduce in two steps."""
        import numpy
        begin, end = (self.count * rank // self.ranks for rank in (self.rank, self.rank + 1))
        every = [self.elements(rank) for rank in range(self.ranks)]
        part = numpy.empty(end - begin, self.options.dtype)
        self.comm.ireduce_scatter(every[self.rank], part, first=begin).wait()
        self.expect(part, sum(every)[begin:end])
        whole = numpy.empty(self.count, self.options.dtype)
        self.comm.iallgather(part, whole, first=begin).wait()
        self.expect(whole, sum(every))

    def root(self):
        """A reduction to the iteration's rank, and its broadcast, both at once with another gather."""
        import numpy
        every = [self.elements(rank) for rank in range(self.ranks)]
        mine = slice(None) if self.iteration % self.ranks == self.rank else slice(0)
        total, whole, ranks = (numpy.zeros(self.count, self.options.dtype) for _ in range(3))
        requests = [self.comm.ireduce_scatter(every[self.rank], total[mine], first=0),
                    self.comm.iallgather(every[self.rank][mine], whole, first=0),
                    self.comm.iallgather(every[self.rank][:1], ranks[:self.ranks])]
        for each in requests:
            each.wait()
        self.expect(total[mine], sum(every)[mine])
        self.expect(whole, every[self.iteration % self.ranks])
        self.expect(ranks[:self.ranks], numpy.array([each[0] for each in every]))

    def run(self):
        import numpy
        self.count = self.options.bytes // numpy.dtype(self.options.dtype).itemsize
        before = linkbytes.moved()
        while self.iteration < self.options.iterations:
            self.iterate()
            self.iteration += 1
        received, sent = (after - first for first, after in zip(before, linkbytes.moved()))
        self.iteration = 0
        while self.iteration < self.options.iterations:
            self.root()
            self.iteration += 1
        share = self.options.bytes * self.options.iterations
        return {"digests": {}, "sent": sent / share, "received": received / share}


def run(options):
    results = rank_loop.compare([rank_loop.start(options, rank) for rank in range(len(options.namespaces))])
    if results is None:
        return 1
    print(json.dumps({what: round(max(each[what] for each in results), 3) for what in ("sent", "received")}))
    return 0


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--dtype", default="float32")
    return rank_loop.main(parser, Rank, run)


if __name__ == "__main__":
    sys.exit(main())
