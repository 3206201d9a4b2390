#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""One rank of a group of the backend "weir": what sharded training uses of c10d, as the release has it.

Prints a line for each part that ran.
"""

import copy

import torch
import torch.distributed as dist

import ending
import weir.torch   # noqa: F401

SIZE = 20000
MODERN = int(torch.__version__.split(".")[0]) >= 2


def tensor_collectives():
    mine = torch.full((SIZE,), RANK + 1.0)
    every = torch.empty(SIZE * RANKS)
    dist.all_gather_into_tensor(every, mine)
    assert (every.view(RANKS, SIZE)[:, 0] == torch.arange(1.0, RANKS + 1)).all()
    part = torch.empty(SIZE)
    dist.reduce_scatter_tensor(part, every)
    assert (part == RANKS * (RANK + 1)).all()


def tensors_of_all_kinds():
    """Types that the job does not take, too, and lengths that blocks do not divide."""
    for dtype in (torch.float32, torch.float64, torch.int64, torch.uint8):
        for size in (1, 7, 4099, SIZE):
            whole = (torch.arange(size * RANKS) % 5 + RANK).to(dtype)
            part = torch.empty(size, dtype=dtype)
            dist.reduce_scatter_tensor(part, whole)
            wanted = sum((torch.arange(size * RANKS) % 5 + rank).to(dtype) for rank in range(RANKS))
            assert torch.equal(part, wanted.view(RANKS, -1)[RANK])
            every = torch.empty(size * RANKS, dtype=dtype)
            dist.all_gather_into_tensor(every, part)
            assert torch.equal(every, wanted)
    # Zeroes keep their signs, as they are copied.
    every = torch.empty(SIZE * RANKS)
    dist.all_gather_into_tensor(every, torch.full((SIZE,), -0.0))
    assert torch.signbit(every).all()


def both_at_once():
    """As training has them: the next layer's parameters, and the gradients of the one before."""
    gradients = torch.full((SIZE * RANKS,), RANK + 1.0)
    parts = [torch.empty(SIZE) for _ in range(4)]
    wholes = [torch.empty(SIZE * RANKS) for _ in range(4)]
    works = []
    for layer in range(4):
        works.append(dist.all_gather_into_tensor(wholes[layer], torch.full((SIZE,), RANK + 10.0 * layer),
                                                 async_op=True))
        works.append(dist.reduce_scatter_tensor(parts[layer], gradients * layer, async_op=True))
    for each in works:
        each.wait()
    for layer in range(4):
        assert torch.equal(parts[layer], torch.full((SIZE,), TOTAL * layer))
        assert torch.equal(wholes[layer].view(RANKS, SIZE)[:, -1], torch.arange(RANKS) + 10.0 * layer)


def functional():
    from torch.distributed import _functional_collectives as collectives
    mine = torch.full((SIZE,), RANK + 1.0)
    assert (collectives.all_reduce(mine, "sum", dist.group.WORLD) == TOTAL).all()
    assert (collectives.all_reduce(mine, "avg", dist.group.WORLD) == TOTAL / RANKS).all()
    every = collectives.all_gather_tensor(mine, 0, dist.group.WORLD)
    assert (every.view(RANKS, SIZE)[:, 0] == torch.arange(1.0, RANKS + 1)).all()
    part = collectives.reduce_scatter_tensor(every, "sum", 0, dist.group.WORLD)
    assert (part == RANKS * (RANK + 1)).all()


def device_mesh():
    from torch.distributed.device_mesh import init_device_mesh
    from torch.distributed.tensor import Replicate, Shard, distribute_tensor
    mesh = init_device_mesh("cpu", (2, RANKS // 2), mesh_dim_names=("data", "tensor"))
    whole = (torch.arange(SIZE) % 7).float().view(RANKS * 10, -1)
    spread = distribute_tensor(whole, mesh["tensor"], [Shard(0)])
    assert torch.equal(spread.full_tensor(), whole)
    assert torch.equal(spread.sum().redistribute(placements=[Replicate()]).to_local(), whole.sum())


def tensor_parallel():
    from torch.distributed.device_mesh import init_device_mesh
    from torch.distributed.tensor.parallel import ColwiseParallel, RowwiseParallel, parallelize_module
    torch.manual_seed(1)
    network = torch.nn.Sequential(torch.nn.Linear(64, 128), torch.nn.ReLU(), torch.nn.Linear(128, 64))
    alone = copy.deepcopy(network)
    mesh = init_device_mesh("cpu", (RANKS,))
    parallelize_module(network, mesh, {"0": ColwiseParallel(), "2": RowwiseParallel()})
    x = torch.ones(256, 64)
    torch.testing.assert_close(network(x), alone(x), rtol=1e-4, atol=1e-4)


def fully_sharded():
    """FSDP's first version: the second one takes no CPU tensors in PyTorch 2.6."""
    from torch.distributed.fsdp import FullyShardedDataParallel
    torch.manual_seed(1)
    network = torch.nn.Sequential(torch.nn.Linear(200, 200), torch.nn.Linear(200, 200))
    alone = copy.deepcopy(network)
    network = FullyShardedDataParallel(network, device_id=torch.device("cpu"), use_orig_params=True)
    optimizers = [torch.optim.SGD(each.parameters(), lr=0.01) for each in (network, alone)]
    for _ in range(3):
        for each in optimizers:
            each.zero_grad()
        network(torch.full((1, 200), RANK + 1.0)).sum().backward()
        sum(alone(torch.full((1, 200), rank + 1.0)).sum() for rank in range(RANKS)).backward()
        for each in alone.parameters():
            each.grad /= RANKS
        for each in optimizers:
            each.step()
    with FullyShardedDataParallel.summon_full_params(network):
        for mine, its in zip(network.parameters(), alone.parameters()):
            torch.testing.assert_close(mine.data, its.data)


def zero():
    """Sharded states of the optimizer."""
    from torch.distributed.optim import ZeroRedundancyOptimizer
    torch.manual_seed(1)
    network = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(200, 200))
    alone = copy.deepcopy(network.module)
    optimizer = ZeroRedundancyOptimizer(network.parameters(), torch.optim.Adam, lr=0.01)
    other = torch.optim.Adam(alone.parameters(), lr=0.01)
    for _ in range(3):
        optimizer.zero_grad()
        other.zero_grad()
        network(torch.full((1, 200), RANK + 1.0)).sum().backward()
        sum(alone(torch.full((1, 200), rank + 1.0)).sum() for rank in range(RANKS)).backward()
        for each in alone.parameters():
            each.grad /= RANKS
        optimizer.step()
        other.step()
    for mine, its in zip(network.module.parameters(), alone.parameters()):
        torch.testing.assert_close(mine, its)


def lists():
    """Tensors of all ranks, a list each time: of the job's type and another, contiguous and not."""
    for dtype in (torch.float32, torch.int64):
        for size in (1, 4099, SIZE):
            got = [torch.empty(size, 2, dtype=dtype).t() for _ in range(RANKS)]
            dist.all_gather(got, torch.full((2, size), RANK + 1, dtype=dtype))
            for rank, each in enumerate(got):
                assert torch.equal(each, torch.full((2, size), rank + 1, dtype=dtype))
    work = dist.all_gather([torch.empty(SIZE) for _ in range(RANKS)], torch.full((SIZE,), RANK + 1.0),
                           async_op=True)
    work.wait()
    assert [float(each[-1]) for each in work.result()] == [rank + 1.0 for rank in range(RANKS)]


def objects():
    got = [None] * RANKS
    dist.all_gather_object(got, {"rank": RANK})
    assert [each["rank"] for each in got] == list(range(RANKS))
    box = [{"from": RANK}]
    dist.broadcast_object_list(box, src=1)
    assert box == [{"from": 1}]


dist.init_process_group("weir")
RANK, RANKS = dist.get_rank(), dist.get_world_size()
TOTAL = RANKS * (RANKS + 1) / 2
# Gloo of PyTorch 1.13 has no collectives of single tensors.
for part in [objects, lists, zero] + (
        [tensor_collectives, tensors_of_all_kinds, both_at_once, functional, device_mesh, tensor_parallel, fully_sharded] if MODERN else []):
    part()
    print(part.__name__, flush=True)
ending.leave()
