#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""The time of an iteration while ranks are slowed down.

usage: pace.py [--bytes N] [--iterations N] [--usual S] [--share PERCENT] BOX JOB NAMESPACE...

A rank in each namespace computes for so many seconds and calls allreduce. An iteration has three points,
at each of which one rank is slowed down with the given probability, for 0.5 to 2 times the usual time of
an iteration (Trio paper, section 6). The result is one line of JSON: the mean time of an iteration by the
middle rank's clock, how often ranks were slowed down, and how often they have resumed. The exit status
is 1 if any sum is wrong or differs between ranks.
"""
import argparse
import json
import os
import statistics
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
import rank_loop

SEED = 16


def slowdowns(options):
    """Seconds by iteration and rank: the same for each rank that asks."""
    import numpy
    random = numpy.random.RandomState(SEED)
    shape = (options.iterations, 3)
    who = random.randint(len(options.namespaces), size=shape)
    slow = (random.random_sample(shape) < options.share / 100) * random.uniform(0.5, 2, shape)
    return numpy.array([(slow * (who == rank)).sum(axis=1)
                        for rank in range(len(options.namespaces))]).T * options.usual


class Rank(rank_loop.Rank):
    """One rank, which computes for its usual time, or longer."""

    def __init__(self, options, rank):
        super().__init__(options, rank)
        self.slow = slowdowns(options)[:, rank]

    def compute(self):
        time.sleep(self.options.usual / 2 + self.slow[self.iteration])


def run(options):
    results = rank_loop.compare([rank_loop.start(options, rank) for rank in range(len(options.namespaces))])
    if results is None:
        return 1
    seconds = statistics.median(r["seconds"] for r in results)
    print(json.dumps({"iteration_ms": round(1000 * seconds / options.iterations, 3),
                      "slowed": int((slowdowns(options) > 0).sum()),
                      "resumed": sum(r["resumed"] for r in results)}))
    return 0


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--usual", type=float, default=1,
                        help="seconds of an iteration, half of which it computes")
    parser.add_argument("--share", type=float, default=16, help="probability of a slowdown, per cent")
    parser.set_defaults(dtype="float32")
    return rank_loop.main(parser, Rank, run)


if __name__ == "__main__":
    sys.exit(main())
