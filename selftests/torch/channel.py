#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Two ranks that the box leaves at different allreduces: threads, with communicators that fail
where they are told to."""

import datetime
import os
import sys
import threading

import torch
from torch.distributed import HashStore

import weir
from weir.torch.channel import Channel
from weir.torch.peers import Peers
from weir.torch.watch import Watch


class Request:
    def __init__(self, error, asked):
        self._error = error
        self._asked = asked

    def test(self):
        if not self._asked.is_set():
            return False
        if self._error:
            raise weir.Error(self._error, "told to fail")
        return True


class Comm:
    """Sums so many vectors, each to a value of its own, then has a final error.

    A box sums nothing that a rank has not begun. So nothing is done here before the program has
    asked for all: from then on each rank has begun what another may finish.
    """

    def __init__(self, sums, error, asked):
        self._sums = sums
        self._error = error
        self._asked = asked
        self._done = 0
        self._wake = os.eventfd(1)

    def stats(self):
        return {"type": "float32", "operation": "sum", "elements": 0}

    def iallreduce(self, tensor, out, **_):
        self._done += 1
        if self._done > self._sums:
            return Request(self._error, self._asked)
        out.fill_(self._done * 1000)
        return Request(0, self._asked)

    def info(self):
        return {"degraded_blocks": 0}

    def behind(self):
        return 0

    def poll(self):
        return [], [], 0.01

    def close(self):
        pass


def run(sums, calls):
    """Results of each rank: the first element of each vector."""
    store = HashStore()
    results = [None] * len(sums)
    all_have_theirs = threading.Barrier(len(sums))

    def rank(number):
        peers = Peers(store, number, len(sums), datetime.timedelta(seconds=20))
        asked = threading.Event()
        watch = Watch(number, len(sums), "")
        channel = Channel(Comm(sums[number], 110, asked), peers, watch, 20)
        futures = [channel.allreduce(torch.full((2, 3), float(number + 1))).future()
                   for _ in range(calls)]
        asked.set()
        try:
            results[number] = [float(future.wait()[0, 0]) for future in futures]
        except Exception as error:
            results[number] = str(error)
        # As a program's last barrier has it.
        all_have_theirs.wait()
        channel.close()

    threads = [threading.Thread(target=rank, args=[number]) for number in range(len(sums))]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    return results


def main():
    # Results that one rank has from the box the others get from it; then 1 + 2 by Gloo.
    for sums in ([4, 4], [4, 3], [2, 4]):
        most = max(sums)
        wanted = [1000.0 * (i + 1) for i in range(most)] + [3.0] * (7 - most)
        got = run(sums, 7)
        assert got == [wanted, wanted], f"{sums}: {got}"
    # One that has all its results, and asks for no more, is there for the others.
    got = run([4, 3], 4)
    assert got == [[1000.0, 2000.0, 3000.0, 4000.0]] * 2, got
    got = run([1, 4], 7)
    assert all("rank 0 is 3 allreduces behind rank 1" in each for each in got), got
    return 0


if __name__ == "__main__":
    sys.exit(main())
