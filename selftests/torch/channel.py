#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Two ranks that the box leaves at different collectives, with communicators that fail where they are
told to."""

import datetime
import multiprocessing
import os
import sys
import tempfile
import threading

import torch
from torch.distributed import FileStore

import weir
from weir.torch.channel import Channel
from weir.torch.peers import Peers
from weir.torch.watch import Watch


ALREADY = threading.Event()
ALREADY.set()


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

    def wait(self):
        assert self.test()


class Comm:
    """Makes so many results, each of a value of its own, then has a final error.

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
        return self._make(out)

    def ireduce_scatter(self, tensor, out, **_):
        return self._make(out)

    def iallgather(self, tensor, out, **_):
        # The channel asks by nothing whether the box takes any.
        if not out.numel():
            return Request(0, ALREADY)
        mine = tensor.clone()
        request = self._make(out)
        tensor.copy_(mine)
        return request

    def _make(self, out):
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


def begin(channel, kind, number):
    """A collective of a rank, by its name."""
    mine = torch.full((2, 3), float(number + 1))
    if kind == "reduce_scatter":
        return channel.reduce_scatter(mine, torch.empty(1, 3))
    if kind == "all_gather":
        return channel.all_gather(mine, [torch.empty(4, 3)])
    return channel.allreduce(mine)


def element(kind, tensor):
    if kind == "all_gather":
        return float(tensor[0][0, 0]), float(tensor[0][-1, -1])
    return float(tensor[0, 0])


def rank(number, sums, kinds, path, all_have_theirs, pipe):
    """One rank's results: the first element of each tensor, and of one that was gathered the last."""
    store = FileStore(path, len(sums))
    peers = Peers(store, number, len(sums), datetime.timedelta(seconds=20))
    asked = threading.Event()
    watch = Watch(number, len(sums), "")
    channel = Channel(Comm(sums[number], 110, asked), peers, watch, 20)
    futures = [begin(channel, kind, number).future() for kind in kinds]
    asked.set()
    try:
        pipe.send([element(kind, future.wait()) for kind, future in zip(kinds, futures)])
    except Exception as error:
        pipe.send(str(error))
    # As a program's last barrier has it.
    all_have_theirs.wait()
    channel.close()


def run(sums, kinds):
    """Results of each rank, which is a process."""
    all_have_theirs = multiprocessing.Barrier(len(sums))
    pipes = [multiprocessing.Pipe(duplex=False) for _ in sums]
    with tempfile.TemporaryDirectory() as work:
        ranks = [multiprocessing.Process(target=rank, args=[
            number, sums, kinds, os.path.join(work, "store"), all_have_theirs, pipes[number][1]])
            for number in range(len(sums))]
        for each in ranks:
            each.start()
        for _, sender in pipes:
            sender.close()
        results = [receiver.recv() for receiver, _ in pipes]
        for each in ranks:
            each.join()
    assert not any(each.exitcode for each in ranks), [each.exitcode for each in ranks]
    return results


def main():
    # Results that one rank has from the box the others get from it; then 1 + 2 by Gloo.
    for sums in ([4, 4], [4, 3], [2, 4]):
        most = max(sums)
        wanted = [1000.0 * (i + 1) for i in range(most)] + [3.0] * (7 - most)
        got = run(sums, 7 * ["allreduce"])
        assert got == [wanted, wanted], f"{sums}: {got}"
    # One that has all its results, and asks for no more, is there for the others.
    got = run([4, 3], 4 * ["allreduce"])
    assert got == [[1000.0, 2000.0, 3000.0, 4000.0]] * 2, got
    got = run([1, 4], 7 * ["allreduce"])
    assert all("rank 0 is 3 allreduces behind rank 1" in each for each in got), got
    # What has another result on each rank all do again: the one that is ahead has its own already.
    shares = ["allreduce", "reduce_scatter", "all_gather", "allreduce", "all_gather", "reduce_scatter"]
    got = run([3, 1], shares)
    assert got == [[1000.0, 2000.0, (1.0, 3000.0), 3.0, (1.0, 2.0), 3.0],
                   [1000.0, 3.0, (1.0, 2.0), 3.0, (1.0, 2.0), 3.0]], got
    got = run([2, 4], shares)
    assert got == [[1000.0, 2000.0, (1.0, 2.0), 4000.0, (1.0, 2.0), 3.0],
                   [1000.0, 2000.0, (3000.0, 2.0), 4000.0, (1.0, 2.0), 3.0]], got
    return 0


if __name__ == "__main__":
    multiprocessing.set_start_method("fork")
    sys.exit(main())
