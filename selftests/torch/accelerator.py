#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""One rank of a group of the backend "weir", whose tensors are in the memory of an accelerator.

The accelerator is simulated: its tensors are the host's, and all that is queued on its streams is done later, by
a thread for each, after a pause. What is not ordered by events is thus done in the wrong order, and sums are
wrong.
"""

import argparse
import queue
import random
import sys
import threading
import time

import torch
import torch.distributed as dist

import weir.torch
from weir.torch import device, staging

CHUNK = 16384
COUNT = 5 * CHUNK // 4 + 77     # elements: five chunks and a part of one


class Event:
    def __init__(self):
        self._reached = threading.Event()
        self.reach = self._reached.set

    def synchronize(self):
        self._reached.wait()


class Stream:
    """Does what is queued, in order."""

    def __init__(self, seed):
        self._work = queue.SimpleQueue()
        self._pauses = random.Random(seed)
        threading.Thread(target=self._run, daemon=True).start()

    def add(self, function):
        self._work.put(function)

    def mark(self):
        event = Event()
        self.add(event.reach)
        return event

    def _run(self):
        while True:
            function = self._work.get()
            time.sleep(self._pauses.uniform(0, 0.004))
            function()


class Simulated:
    """weir.torch.device.Adapter of such an accelerator."""

    def __init__(self):
        self._streams = 0
        self._memory = []
        self.program = self.stream()
        self.copies = []
        self.fault = None

    def empty(self, *shape):
        self._memory.append(torch.full(shape, -1.0))
        return self._memory[-1]

    def has(self, tensor):
        return any(each.data_ptr() <= tensor.data_ptr() < each.data_ptr() + 4 * each.numel() for each in self._memory)

    def flat(self, tensor):
        if tensor.is_contiguous():
            return tensor.view(-1)
        copy = self.empty(*tensor.shape)
        self.program.add(lambda: copy.copy_(tensor))
        return copy.view(-1)

    def pinned(self, size):
        return torch.zeros(size, dtype=torch.uint8)

    def stream(self):
        self._streams += 1
        return Stream(self._streams)

    def mark(self):
        return self.program.mark()

    def copy(self, target, source, stream, after):
        if self.fault:
            raise RuntimeError(self.fault)
        direction = "in" if self.has(target) else "out"

        def copy():
            self.copies.append((direction, "begins"))
            target.copy_(source)
            self.copies.append((direction, "ends"))

        if after:
            stream.add(after.synchronize)
        stream.add(copy)
        return stream.mark()

    def wait(self, event):
        self.program.add(event.synchronize)

    def future(self):
        return torch.futures.Future()

    def fulfil(self, future, value, event):
        event.synchronize()
        future.set_result(value)

    def synchronize(self):
        self.mark().synchronize()


def expected(turn):
    return sum(rank + 1 + turn for rank in range(RANKS))


def in_the_order_of_streams():
    """The program never waits for the accelerator: it queues, and reduces."""
    tensor, seen = accelerator.empty(COUNT), []
    for turn in range(6):
        accelerator.program.add(lambda turn=turn: tensor.fill_(RANK + 1 + turn))
        dist.all_reduce(tensor)
        accelerator.program.add(lambda: seen.append(tensor.clone()))
    accelerator.synchronize()
    for turn, each in enumerate(seen):
        assert (each == expected(turn)).all(), (turn, each)


def many_at_once():
    """Mixed with the host's tensors."""
    tensors = [accelerator.empty(COUNT) if i % 2 else torch.empty(COUNT) for i in range(6)]
    for i, each in enumerate(tensors):
        (accelerator.program.add if i % 2 else lambda f: f())(lambda i=i, each=each: each.fill_(RANK + 1 + i))
    works = [dist.all_reduce(each, async_op=True) for each in tensors]
    for each in reversed(works):
        each.wait()
    accelerator.synchronize()
    for i, each in enumerate(tensors):
        assert (each == expected(i)).all(), (i, each)


def with_strides():
    tensor = accelerator.empty(200, 100)
    accelerator.program.add(lambda: tensor.copy_(torch.arange(20000.).view(200, 100) + RANK))
    dist.all_reduce(tensor.t())
    accelerator.synchronize()
    assert (tensor == torch.arange(20000.).view(200, 100) * RANKS + sum(range(RANKS))).all()


def by_futures():
    tensor = accelerator.empty(COUNT)
    accelerator.program.add(lambda: tensor.fill_(RANK + 1))
    future = dist.all_reduce(tensor, async_op=True).get_future()
    doubled = future.then(lambda done: done.value()[0] * 2)
    assert (doubled.wait() == 2 * expected(0)).all()
    mean = accelerator.empty(COUNT)
    accelerator.program.add(lambda: mean.fill_(RANK + 1))
    work = dist.all_reduce(mean, op=dist.ReduceOp.AVG, async_op=True)
    work.wait()
    accelerator.synchronize()
    assert work.result()[0] is mean and (mean == expected(0) / RANKS).all()


def residuals():
    """Of results in which all ranks are: zeros."""
    tensor, residual = accelerator.empty(COUNT), accelerator.empty(COUNT)
    accelerator.program.add(lambda: tensor.fill_(RANK + 1))
    call = dist.group.WORLD.channel.allreduce(tensor, "sum", False, residual)
    assert call.wait(60) and not call.error
    call.join()
    accelerator.synchronize()
    assert (tensor == expected(0)).all() and (residual == 0).all()


def overlap():
    """Chunks are copied out while the first one waits for its sum, to which the last rank comes late."""
    store = dist.PrefixStore("overlap", dist.distributed_c10d._get_default_store())
    del accelerator.copies[:]
    tensor = accelerator.empty(COUNT)
    accelerator.program.add(lambda: tensor.fill_(RANK + 1))
    if RANK == RANKS - 1:
        store.wait([f"ahead {rank}" for rank in range(RANKS - 1)])
    work = dist.all_reduce(tensor, async_op=True)
    if RANK < RANKS - 1:
        while accelerator.copies.count(("out", "ends")) < 4:
            time.sleep(0.01)
        assert ("in", "begins") not in accelerator.copies
        store.set(f"ahead {RANK}", "")
    work.wait()
    accelerator.synchronize()
    assert (tensor == expected(0)).all() and accelerator.copies.count(("in", "ends")) == 6, accelerator.copies


def without_the_box():
    """It is lost in the middle: the test ends it at the word."""
    tensor, seen = accelerator.empty(COUNT), []
    print("lose it", flush=True)
    for turn in range(40):
        accelerator.program.add(lambda turn=turn: tensor.fill_(RANK + 1 + turn))
        dist.all_reduce(tensor)
        accelerator.program.add(lambda: seen.append(tensor.clone()))
        if turn == 5:
            accelerator.synchronize()
            sys.stdin.readline()
    accelerator.synchronize()
    for turn, each in enumerate(seen):
        assert (each == expected(turn)).all(), (turn, each)


def fault():
    """One rank's accelerator fails: no rank waits."""
    if RANK == 1:
        accelerator.fault = "the accelerator has failed"
    for _ in range(2):
        try:
            dist.all_reduce(accelerator.empty(COUNT))
        except RuntimeError as error:
            assert "the accelerator has failed" in str(error), error
        else:
            assert False, "there is a result"


parser = argparse.ArgumentParser()
parser.add_argument("checks", nargs="+")
checks = parser.parse_args().checks
staging.CHUNK_BYTES = CHUNK
accelerator = Simulated()
device.adapter_of = lambda tensor: accelerator if accelerator.has(tensor) else None
dist.init_process_group("weir")
RANK, RANKS = dist.get_rank(), dist.get_world_size()
for check in checks:
    globals()[check]()
if "fault" not in checks:
    dist.barrier()
dist.destroy_process_group()
