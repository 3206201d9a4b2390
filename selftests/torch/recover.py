#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""A rank is stopped while the others train, and comes back to them: prints the parameters' digest, how
often ranks came back, and how many iterations this rank did not compute."""

import hashlib
import json
import os
import signal

import torch
import torch.distributed as dist

import weir.torch

SIZE = 200
STOP = 3        # the iteration before which the last rank stops
ALONE = 10      # iterations that the others do meanwhile
TOGETHER = 5    # and all, when it is back

dist.init_process_group("gloo")
rank = dist.get_rank()
last = dist.get_world_size() - 1
torch.manual_seed(1)
model = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(SIZE, SIZE),
                                                  broadcast_buffers=False)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)
state = weir.torch.state()
model.register_comm_hook(state, weir.torch.allreduce_hook)
recovery = weir.torch.Recovery(state, model, optimizer, timeout=100)
computed, end = 0, None


def compute():
    torch.manual_seed(1000 * recovery.iteration + rank)
    optimizer.zero_grad()
    model(torch.randn(4, SIZE)).square().mean().backward()
    optimizer.step()


while end is None or recovery.iteration < end:
    if rank == last and recovery.iteration == STOP:
        print("stops", flush=True)
        os.kill(os.getpid(), signal.SIGSTOP)
    compute()
    computed += 1
    recovery.step()
    if rank == 0 and recovery.iteration == STOP + ALONE:
        print("goes on", flush=True)
    # All are at the end of one iteration when a rank has come back.
    if recovery.recoveries and end is None:
        end = recovery.iteration + TOGETHER
    assert computed < 10000, "it did not come back"

parameters = b"".join(each.detach().numpy().tobytes() for each in model.parameters())
momenta = b"".join(each["momentum_buffer"].numpy().tobytes() for each in optimizer.state.values())
print(json.dumps({"digest": hashlib.sha256(parameters + momenta).hexdigest(),
                  "recoveries": recovery.recoveries, "skipped": end - computed}))
dist.barrier()
dist.destroy_process_group()
