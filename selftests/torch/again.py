#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""The default group is destroyed and made anew, with and without something that has the old one."""

import os

import torch
import torch.distributed as dist

import weir.torch   # noqa: F401

SIZE = 40000
PORT = int(os.environ["MASTER_PORT"])

kept = None
for turn in range(3):
    os.environ["MASTER_PORT"] = str(PORT + 1000 * (1 + turn))
    dist.init_process_group("weir")
    ranks = dist.get_world_size()
    tensor = torch.full((SIZE,), dist.get_rank() + 1.0 + turn)
    dist.all_reduce(tensor)
    assert (tensor == ranks * (ranks + 1) / 2 + ranks * turn).all()
    further = dist.new_group()
    dist.all_reduce(tensor, group=further)
    if turn == 0:
        kept = dist.group.WORLD
    dist.barrier()
    dist.destroy_process_group()
    del further
