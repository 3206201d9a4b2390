#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""One rank of a group: communication hooks of torch over weir, and weir's over Gloo."""

import argparse
import io
import os

import torch
import torch.distributed as dist
from torch.distributed.algorithms.ddp_comm_hooks import powerSGD_hook

import weir.torch

SIZE = 200


def model():
    torch.manual_seed(1)
    return torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(SIZE, SIZE, bias=False))


def gradient(network):
    """Its elements on this rank are the number of the rank, from 1; here their mean."""
    network.zero_grad()
    network(torch.full((1, SIZE), RANK + 1.0)).sum().backward()
    return next(network.parameters()).grad


def power_sgd():
    """Torch's hook waits for allreduces in callbacks of others."""
    dist.init_process_group("weir")
    network = model()
    state = powerSGD_hook.PowerSGDState(None, matrix_approximation_rank=1, start_powerSGD_iter=2)
    network.register_comm_hook(state, powerSGD_hook.powerSGD_hook)
    for _ in range(5):
        # Of rank 1, so the approximation is close.
        torch.testing.assert_close(gradient(network), torch.full((SIZE, SIZE), 2.5), rtol=1e-4, atol=1e-4)
    dist.destroy_process_group()


def state_outlives_its_group():
    """The interpreter ends without a wait."""
    dist.init_process_group("gloo")
    network, state = model(), weir.torch.state()
    network.register_comm_hook(state, weir.torch.allreduce_hook)
    assert (gradient(network) == 2.5).all()
    dist.barrier()
    dist.destroy_process_group()
    assert state.channel


def state_is_saved():
    """With what this rank's gradients lack."""
    dist.init_process_group("gloo")
    network, state = model(), weir.torch.state(degraded=True)
    network.register_comm_hook(state, weir.torch.allreduce_hook)
    assert (gradient(network) == 2.5).all()
    state.residuals[0] = torch.full((SIZE, SIZE), 4.0 * RANK)
    saved = io.BytesIO()
    torch.save(state, saved)
    state.close()
    saved.seek(0)
    # In a program that has been started again.
    network, state = model(), torch.load(saved, **LOAD_ALL)
    network.register_comm_hook(state, weir.torch.allreduce_hook)
    assert (gradient(network) == 2.5 + 4 * 1.5).all()
    assert (gradient(network) == 2.5).all()
    dist.barrier()
    dist.destroy_process_group()


parser = argparse.ArgumentParser()
parser.add_argument("check")
check = parser.parse_args().check
RANK = int(os.environ["RANK"])
# From torch 2.6 on only tensors are loaded, unless the program says that it trusts the file.
LOAD_ALL = {"weights_only": False} if int(torch.__version__.split(".")[0]) >= 2 else {}
globals()[check]()
