# SPDX-License-Identifier: BSD-2-Clause
"""torch.distributed over weir, by one line.

    import weir.torch

    torch.distributed.init_process_group("weir")        # instead of "gloo"

or, where the process group stays as it is, for the gradients alone:

    model.register_comm_hook(weir.torch.state(), weir.torch.allreduce_hook)

Box and job come from the environment, see weir.environment. Where there is no box, where it is lost
in the middle, and for all that a job cannot sum, Gloo does the work, with the same result on
all ranks; rank 0 says once why.

Where the job's policy does not wait, a rank that was stopped for long comes back by itself:

    state = weir.torch.state()
    model.register_comm_hook(state, weir.torch.allreduce_hook)
    recovery = weir.torch.Recovery(state, model, optimizer)
    while recovery.iteration < iterations:
        ...                     # the gradients of batch number recovery.iteration
        optimizer.step()
        recovery.step()

WEIR_MIN_BYTES          smaller tensors go by Gloo (16384); the value of rank 0 counts
WEIR_DEBUG=1            tells each decision
"""

import inspect as _inspect

import torch.distributed as _distributed

from .backend import create as _create
from .hook import State, allreduce_hook, state
from .recovery import Recovery

__all__ = ["Recovery", "State", "allreduce_hook", "state"]

_register = _distributed.Backend.register_backend
# From torch 2 on a backend says which devices it serves.
_devices = {"devices": ["cpu", "cuda"]} if "devices" in _inspect.signature(_register).parameters else {}
_register("weir", _create, **_devices)
