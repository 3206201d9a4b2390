#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""The last rank stops itself while the others train, and comes back to them when it is continued.

Prints "stops" before each stop, and on rank 0 "goes on" some iterations later; at the end a line of JSON: a
digest of the parameters and momenta, how often ranks came back, iterations that this rank did not compute,
the accuracy, and the number of parameters.
"""

import argparse
import hashlib
import json
import os
import signal

import torch
import torch.distributed as dist

import digits
import weir.torch

ALONE = 10      # iterations that the others do meanwhile
TOGETHER = 5    # and all, when the rank is back for the last time

parser = argparse.ArgumentParser()
parser.add_argument("--width", type=int, default=200)
parser.add_argument("--batch", type=int, default=4)
parser.add_argument("--rate", type=float, default=0.01)
parser.add_argument("--stops", type=int, nargs="*", default=[3], metavar="ITERATION")
parser.add_argument("--iterations", type=int, default=0, help="at least so many, and until all came back")
arguments = parser.parse_args()

torch.set_num_threads(1)
dist.init_process_group("gloo")
rank, ranks = dist.get_rank(), dist.get_world_size()
(pixels, answers), test = digits.load()
torch.manual_seed(1)
network = digits.perceptron(arguments.width)
model = torch.nn.parallel.DistributedDataParallel(network, broadcast_buffers=False)
optimizer = torch.optim.SGD(model.parameters(), lr=arguments.rate, momentum=0.9)
state = weir.torch.state()
model.register_comm_hook(state, weir.torch.allreduce_hook)
recovery = weir.torch.Recovery(state, model, optimizer, timeout=300)
stops = list(arguments.stops)
computed, end = 0, None


def compute():
    """Ranks that are at one iteration have parts of one batch."""
    order = torch.Generator().manual_seed(recovery.iteration)
    mine = torch.randperm(len(pixels), generator=order)[rank::ranks][:arguments.batch]
    optimizer.zero_grad()
    torch.nn.functional.cross_entropy(model(pixels[mine]), answers[mine]).backward()
    optimizer.step()


while end is None or recovery.iteration < end:
    if rank == ranks - 1 and stops and recovery.iteration >= stops[0]:
        stops.pop(0)
        print("stops", flush=True)
        os.kill(os.getpid(), signal.SIGSTOP)
    compute()
    computed += 1
    recovery.step()
    if rank == 0 and arguments.stops and recovery.iteration == arguments.stops[0] + ALONE:
        print("goes on", flush=True)
    # All are at the end of one iteration when a rank has come back.
    if recovery.recoveries == len(arguments.stops) and end is None:
        end = max(recovery.iteration + TOGETHER, arguments.iterations)
    assert computed < 10000, "it did not come back"

parameters = b"".join(each.detach().numpy().tobytes() for each in model.parameters())
momenta = b"".join(each["momentum_buffer"].numpy().tobytes() for each in optimizer.state.values())
print(json.dumps({"digest": hashlib.sha256(parameters + momenta).hexdigest(),
                  "recoveries": recovery.recoveries, "skipped": end - computed,
                  "accuracy": digits.accuracy(network, *test),
                  "parameters": sum(each.numel() for each in network.parameters())}))
dist.barrier()
dist.destroy_process_group()
