#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""One rank of a group of the backend "weir": what comes out is right, whoever does it."""

import argparse

import torch
import torch.distributed as dist

import weir.torch   # noqa: F401

LARGE, SMALL = 50001, 100


def values(rank, count, dtype):
    """Small integers, which all types have."""
    return ((torch.arange(count) * 7 + rank * 5) % 17 - 8).to(dtype)


def expected(count, dtype, operation=None):
    every = torch.stack([values(rank, count, torch.float64) for rank in range(RANKS)])
    result = {dist.ReduceOp.MIN: lambda: every.min(0).values,
              dist.ReduceOp.MAX: lambda: every.max(0).values}.get(operation,
                                                                  lambda: every.sum(0))()
    return result.to(dtype)


def sums():
    for dtype in (torch.float32, torch.float16, torch.bfloat16, torch.int32, torch.float64, torch.int64):
        for count in (LARGE, SMALL):
            # Gloo of some releases has no sums of bfloat16.
            if dtype == torch.bfloat16 and count == SMALL:
                continue
            tensor = values(RANK, count, dtype)
            dist.all_reduce(tensor)
            assert (tensor == expected(count, dtype)).all(), (dtype, count)
    square = values(RANK, LARGE - 1, torch.float32).view(-1, 100)
    dist.all_reduce(square)
    assert (square.view(-1) == expected(LARGE - 1, torch.float32)).all()


def operations():
    for operation in (dist.ReduceOp.MIN, dist.ReduceOp.MAX):
        tensor = values(RANK, LARGE, torch.float32)
        dist.all_reduce(tensor, op=operation)
        assert (tensor == expected(LARGE, torch.float32, operation)).all()
    tensor = values(RANK, LARGE, torch.float32)
    dist.all_reduce(tensor, op=dist.ReduceOp.AVG)
    assert (tensor == expected(LARGE, torch.float32) / RANKS).all()


def many_at_once():
    """By the box and by Gloo, finished in another order than begun."""
    tensors = [values(RANK, 1000 + 977 * i, torch.float32) for i in range(30)]
    works = [dist.all_reduce(tensor, async_op=True) for tensor in tensors]
    for i in reversed(range(30)):
        works[i].wait()
        assert works[i].is_completed()
        assert (tensors[i] == expected(len(tensors[i]), torch.float32)).all()
    work = dist.all_reduce(torch.ones(LARGE), async_op=True)
    assert (work.get_future().wait()[0] == RANKS).all()


def infinities():
    """They reach all ranks, in jobs of integers, too; and all is well after them."""
    for value in (torch.inf, torch.nan):
        tensor = torch.ones(LARGE)
        if RANK == 1:
            tensor[77] = value
        dist.all_reduce(tensor)
        assert not torch.isfinite(tensor[77]) and torch.isnan(tensor[77]) == (value != value)
        assert (tensor[:77] == RANKS).all() and (tensor[78:] == RANKS).all()
    dist.all_reduce(tensor.fill_(1))
    assert (tensor == RANKS).all()


def profiled():
    with torch.autograd.profiler.profile() as profile:
        tensor = torch.ones(LARGE)
        works = [dist.all_reduce(tensor, async_op=True) for _ in range(3)]
        for each in works:
            each.wait()
            each.get_future().wait()
    events = [each for each in profile.function_events if each.name == "weir:all_reduce"]
    assert len(events) == 3, profile.function_events


def everything_else():
    tensor = torch.full((LARGE,), float(RANK))
    dist.broadcast(tensor, 2)
    assert (tensor == 2).all()
    every = [torch.zeros(5) for _ in range(RANKS)]
    dist.all_gather(every, torch.full((5,), float(RANK)))
    assert [float(each[0]) for each in every] == list(range(RANKS))
    tensor = torch.ones(LARGE)
    dist.reduce(tensor, 1)
    assert RANK != 1 or (tensor == RANKS).all()
    tensor = torch.zeros(1)
    dist.scatter(tensor, [torch.full((1,), float(i)) for i in range(RANKS)] if RANK == 0 else None)
    assert tensor == RANK
    if RANK == 0:
        dist.send(torch.ones(3), 1)
    elif RANK == 1:
        dist.recv(tensor := torch.zeros(3), 0)
        assert (tensor == 1).all()
    half = dist.new_group([0, 1])
    if RANK < 2:
        dist.all_reduce(tensor := torch.ones(LARGE), group=half)
        assert (tensor == 2).all()
    things = [None] * RANKS
    dist.all_gather_object(things, {"rank": RANK})
    assert [each["rank"] for each in things] == list(range(RANKS))
    dist.barrier()


parser = argparse.ArgumentParser()
parser.add_argument("checks", nargs="+")
dist.init_process_group("weir")
RANK, RANKS = dist.get_rank(), dist.get_world_size()
for check in parser.parse_args().checks:
    globals()[check]()
dist.barrier()
dist.destroy_process_group()
