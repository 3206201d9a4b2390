# SPDX-License-Identifier: BSD-2-Clause
"""DistributedDataParallel's gradients over weir: a communication hook.

A bucket is on its way as soon as its gradients are there, while those of the next are
computed. What the job's policy leaves out of a sum is not lost: the mean is over those that are in
it, and the part of this rank's gradient that is not is added to its next one.
"""

from typing import Any

import torch
import torch.distributed as dist
from torch.distributed import distributed_c10d
from torch.distributed.distributed_c10d import PrefixStore

from . import meeting, note, numbers
from .backend import ProcessGroupWeir

_made = 0


class State:
    """State that the hook keeps from step to step: the way to the box, and residuals of parameters.

    It can be saved with its residuals, each rank's own. All ranks load it together, when the default process
    group is there, of which the loaded state is.

    residuals   by the number of the parameter, in the order in which gradients first come
    """

    def __init__(self, group: Any, channel: Any, min_bytes: int, degraded: bool) -> None:
        self.group = group
        self.channel = channel
        self.min_bytes = min_bytes
        self.degraded = degraded
        self.residuals = {}
        self._numbers = {}

    def number(self, parameter: torch.nn.Parameter) -> int:
        """Of the parameter, alike each time that a program runs."""
        return self._numbers.setdefault(parameter, len(self._numbers))

    def __getstate__(self) -> dict[str, Any]:
        return {"degraded": self.degraded, "residuals": self.residuals}

    def __setstate__(self, saved: dict[str, Any]) -> None:
        group = dist.group.WORLD
        self.__init__(group, *_way(group), saved["degraded"])
        self.residuals = saved["residuals"]

    def close(self) -> None:
        if self.channel:
            self.channel.close()
            self.channel = None


def state(process_group: Any = None, degraded: bool = True) -> State:
    """The hook's state. All ranks of the process group (the default one) call it.

    degraded    take sums that lack ranks, where the job's policy is not to wait; else Gloo
                makes those anew
    """
    group = process_group or dist.group.WORLD
    return State(group, *_way(group), degraded)


def _way(group):
    """A channel and the size from which on it is used, as meeting.begin() has it."""
    global _made
    # A group of the backend "weir" has a way to the box, and a job gives a rank one.
    if isinstance(group, ProcessGroupWeir):
        return group.channel, group.min_bytes
    _made += 1
    store = PrefixStore(f"weir-hook/{_made}", distributed_c10d._get_default_store())
    return meeting.begin(store, dist.get_rank(group), dist.get_world_size(group), _timeout(group))


def _timeout(group):
    """The group's timeout, where its backend for CPU tensors has one."""
    if hasattr(group, "_get_backend"):
        group = group._get_backend(torch.device("cpu"))
    options = getattr(group, "options", None)
    return getattr(options, "_timeout", distributed_c10d.default_pg_timeout)


# DDP looks at the annotations, which must be the types themselves.
def allreduce_hook(state: State,
                   bucket: dist.GradBucket) -> torch.futures.Future[torch.Tensor]:
    """The mean of a bucket over the ranks: for register_comm_hook()."""
    buffer = bucket.buffer()
    size = numbers.size(buffer)
    if not state.channel or size < state.min_bytes or not state.channel.suits(buffer, "sum"):
        note.debug(dist.get_rank(), f"bucket {bucket.index()} of {size} bytes goes by the group")
        return _by_group(state.group, buffer)
    if not state.degraded:
        return state.channel.allreduce(buffer, average=True).future()
    return _with_residual(state, bucket, buffer)


def _by_group(group, buffer):
    buffer.div_(dist.get_world_size(group))
    work = dist.all_reduce(buffer, group=group, async_op=True)
    return work.get_future().then(lambda future: future.value()[0])


def _with_residual(state, bucket, buffer):
    # Buckets are made again after the first step: a residual belongs to a parameter.
    parameters, gradients = bucket.parameters(), bucket.gradients()
    for parameter, gradient in zip(parameters, gradients):
        carried = state.residuals.pop(state.number(parameter), None)
        if carried is not None:
            gradient.add_(carried)
    residual = torch.empty_like(buffer)
    call = state.channel.allreduce(buffer, average=True, residual=residual)

    def carry(done):
        result = done.value()
        if residual.any():
            parts = residual.split([gradient.numel() for gradient in gradients])
            for parameter, gradient, part in zip(parameters, gradients, parts):
                state.residuals[state.number(parameter)] = part.view_as(gradient)
        return result

    return call.future().then(carry)
