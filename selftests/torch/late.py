#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""A rank comes too late for the first step: its gradient is carried into the second."""

import torch
import torch.distributed as dist
from torch.distributed import distributed_c10d

import weir.torch

SIZE = 200

dist.init_process_group("gloo")
rank = dist.get_rank()
late = dist.get_world_size() - 1
store = distributed_c10d._get_default_store()
model = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(SIZE, SIZE, bias=False))
model.register_comm_hook(weir.torch.state(), weir.torch.allreduce_hook)


def gradient():
    """Its elements on this rank are the number of the rank, from 1; here their mean."""
    model.zero_grad()
    model(torch.full((1, SIZE), rank + 1.0)).sum().backward()
    return next(model.parameters()).grad


if rank == late:
    store.wait(["done"])
assert (gradient() == 2).all()      # (1 + 2 + 3) / 3
if rank == 0:
    store.set("done", "")
dist.barrier()
assert (gradient() == 3.5).all()    # (1 + 2 + 3 + 4 + 4) / 4
assert (gradient() == 2.5).all()    # (1 + 2 + 3 + 4) / 4
dist.barrier()
dist.destroy_process_group()
