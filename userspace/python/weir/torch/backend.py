# SPDX-License-Identifier: BSD-2-Clause
"""The c10d backend "weir": Gloo, with allreduces of the first group's CPU tensors by the box."""

import weakref

import torch
import torch.distributed as dist
from torch._C._distributed_c10d import _create_work_from_future
from torch.distributed.distributed_c10d import PrefixStore, ProcessGroupGloo

from . import meeting, note

# c10d's operations, as the job has them, and whether it is the mean.
_OPERATIONS = ((dist.ReduceOp.SUM, "sum", False), (dist.ReduceOp.AVG, "sum", True),
               (dist.ReduceOp.MIN, "min", False), (dist.ReduceOp.MAX, "max", False))

# A job has one communicator a rank: other groups than the default one are Gloo's. What ends the
# channel of that, when the group is destroyed and nothing has it any more.
_end = None


def _operation(asked):
    return next(((name, mean) for each, name, mean in _OPERATIONS if asked == each), (None, False))


class ProcessGroupWeir(dist.ProcessGroup):
    """A group of ranks whose large allreduces the box does."""

    def __init__(self, store, rank, ranks, timeout):
        super().__init__(rank, ranks)
        self._place = rank
        self._gloo = ProcessGroupGloo(PrefixStore("gloo", store), rank, ranks, timeout)
        self.channel, self.min_bytes = None, 0
        self._open(store, rank, ranks)

    def _open(self, store, rank, ranks):
        global _end
        if dist.is_initialized():
            note.debug(rank, f"a further group, of {ranks} ranks, is Gloo's")
            return
        # The default group before this one was destroyed, but a model may have it still.
        if _end:
            _end()
        self.channel, self.min_bytes = meeting.begin(store, rank, ranks)
        if self.channel:
            _end = weakref.finalize(self, self.channel.close)

    def getBackendName(self):
        return "weir"

    def allreduce(self, tensors, opts=None):
        opts = opts or dist.AllreduceOptions()
        # c10d's functions pass options, its older callers the operation itself.
        asked = getattr(opts, "reduceOp", opts)
        operation, mean = _operation(asked)
        if not self._goes_by_box(tensors, operation):
            return self._gloo.allreduce(tensors, opts)
        future = self.channel.allreduce(tensors[0], operation, mean)
        return _create_work_from_future(future.then(lambda done: [done.value()]))

    def broadcast(self, tensors, opts=None):
        # Gloo of older releases has no bfloat16, but bytes.
        if tensors[0].dtype == torch.bfloat16:
            tensors = [each.view(-1).view(torch.uint8) for each in tensors]
        return self._gloo.broadcast(tensors, opts or dist.BroadcastOptions())

    def _goes_by_box(self, tensors, operation):
        size = sum(each.numel() * each.element_size() for each in tensors)
        if (self.channel and len(tensors) == 1 and size >= self.min_bytes and
                self.channel.suits(tensors[0], operation)):
            return True
        note.debug(self._place, f"an allreduce of {size} bytes ({operation}, {tensors[0].dtype}) "
                   "goes by Gloo")
        return False

    def shutdown(self):
        """Later releases call it as the group is destroyed."""
        if self.channel:
            self.channel.close()
            self.channel = None


def _delegate(name):
    def call(self, *arguments, **options):
        return getattr(self._gloo, name)(*arguments, **options)
    call.__name__ = name
    return call


for _name in ("allgather", "_allgather_base", "allgather_coalesced", "allreduce_coalesced",
              "alltoall", "alltoall_base", "barrier", "gather", "monitored_barrier",
              "recv", "recv_anysource", "reduce", "reduce_scatter", "_reduce_scatter_base",
              "scatter", "send"):
    setattr(ProcessGroupWeir, _name, _delegate(_name))


def create(store, rank, ranks, timeout):
    """As c10d asks for a process group."""
    return ProcessGroupWeir(store, rank, ranks, timeout)
