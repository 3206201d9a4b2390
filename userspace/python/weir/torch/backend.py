# SPDX-License-Identifier: BSD-2-Clause
"""The c10d backend "weir": Gloo, with large collectives of the first group by the box.

Those are allreduces, and from torch 2 on, whose Gloo has them, the ones of sharded training.
"""

import contextlib
import weakref

import torch
import torch.distributed as dist
from torch.distributed.distributed_c10d import PrefixStore, ProcessGroupGloo

from . import callbacks, gloo, meeting, note, numbers
from .work import BoxWork, seconds

# A job has one communicator a rank: other groups than the default one are Gloo's. What ends the
# channel of that, when the group is destroyed and nothing has it any longer.
_end = None


_MODERN = int(torch.__version__.split(".")[0]) >= 2


@contextlib.contextmanager
def _profiled(name):
    """An event of the profiler, if one runs, which ends with a call that the body passes."""
    if not torch.autograd._profiler_enabled():
        yield lambda call: None
        return
    with torch.autograd.profiler.record_function(f"weir:{name}") as event:
        yield lambda call: event._call_end_callbacks_on_future(call.future())


def _timeout(options):
    """In seconds, of a call's options, which may be left out."""
    return seconds(getattr(options[0], "timeout", None)) if options else None


class ProcessGroupWeir(dist.ProcessGroup):
    """A group of ranks whose large allreduces the box does."""

    def __init__(self, store, rank, ranks, timeout):
        super().__init__(rank, ranks)
        self._place = rank
        self._ranks = ranks
        self.timeout = timeout
        self._gloo = ProcessGroupGloo(PrefixStore("gloo", store), rank, ranks, timeout)
        # Gloo's threads run callbacks, and may hold this object last. They cannot join themselves.
        weakref.finalize(self, callbacks.run, list.pop, [self._gloo]).atexit = False
        # From torch 2 on a group's name, and what it does not do itself, are its backends'.
        if hasattr(self, "_register_backend"):
            for each in ("cpu", "cuda") if torch.cuda.is_available() else ("cpu",):
                self._register_backend(torch.device(each), dist.ProcessGroup.BackendType.GLOO, self._gloo)
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
        self.channel, self.min_bytes = meeting.begin(store, rank, ranks, self.timeout)
        if self.channel:
            _end = weakref.finalize(self, self.channel.close)
            # At the interpreter's end the channel closes itself.
            _end.atexit = False

    def getBackendName(self):
        return "weir"

    def allreduce(self, tensors, opts=None):
        opts = opts or dist.AllreduceOptions()
        # c10d's functions pass options, its older callers the operation itself.
        asked = getattr(opts, "reduceOp", opts)
        operation, mean = numbers.operation(asked)
        if not self._goes_by_box("an allreduce", tensors, operation, lambda: (
                len(tensors) == 1 and self.channel.suits(tensors[0], operation))):
            return gloo.allreduce(self._gloo, self._ranks, tensors, opts, asked)
        with _profiled("all_reduce") as ends_with:
            call = self.channel.allreduce(tensors[0], operation, mean,
                                          timeout=seconds(getattr(opts, "timeout", None)))
            ends_with(call)
        return BoxWork(call)

    def _reduce_scatter_base(self, output, data, *options):
        operation, mean = numbers.operation(options[0].reduceOp if options else dist.ReduceOp.SUM)
        if not (_MODERN and not mean and output.numel() * self._ranks == data.numel() and
                self._goes_by_shares("a reduce_scatter", [data], [output], operation)):
            return self._gloo._reduce_scatter_base(output, data, *options)
        with _profiled("reduce_scatter") as ends_with:
            call = self.channel.reduce_scatter(data, output, timeout=_timeout(options))
            ends_with(call)
        return BoxWork(call)

    def allgather(self, outputs, data, *options):
        if not (len(data) == len(outputs) == 1 and len(outputs[0]) == self._ranks and
                all(each.numel() == data[0].numel() for each in outputs[0]) and
                self._goes_by_shares("an all_gather", outputs[0], data)):
            return self._gloo.allgather(outputs, data, *options)
        return self._gather(outputs[0], data[0], options)

    def _allgather_base(self, output, data, *options):
        if not (_MODERN and output.numel() == self._ranks * data.numel() and
                self._goes_by_shares("an all_gather", [output], [data])):
            return self._gloo._allgather_base(output, data, *options)
        return self._gather([output], data, options)

    def _gather(self, outputs, data, options):
        with _profiled("all_gather") as ends_with:
            call = self.channel.all_gather(data, outputs, timeout=_timeout(options))
            ends_with(call)
        return BoxWork(call)

    def _goes_by_shares(self, name, whole, share, operation="sum"):
        """Return whether each rank sends or gets its share by the box, as all ranks find alike."""
        return self._goes_by_box(name, whole, operation,
                                 lambda: self.channel.suits_shares([*whole, *share], operation))

    def broadcast(self, tensors, opts=None):
        # Gloo of older releases has no bfloat16, but bytes.
        if tensors[0].dtype == torch.bfloat16:
            tensors = [each.view(-1).view(torch.uint8) for each in tensors]
        return self._gloo.broadcast(tensors, opts or dist.BroadcastOptions())

    def _goes_by_box(self, name, tensors, operation, suits):
        """Return whether tensors are large enough for the box, and suit its job."""
        size = sum(numbers.size(each) for each in tensors)
        if self.channel and size >= self.min_bytes and suits():
            return True
        note.debug(self._place, f"{name} of {size} bytes ({operation}, {tensors[0].dtype}) goes by Gloo")
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


for _name in ("allgather_coalesced", "allreduce_coalesced",
              "alltoall", "alltoall_base", "barrier", "gather", "monitored_barrier",
              "recv", "recv_anysource", "reduce", "reduce_scatter",
              "scatter", "send"):
    setattr(ProcessGroupWeir, _name, _delegate(_name))


def create(store, rank, ranks, timeout):
    """As c10d asks for a process group."""
    return ProcessGroupWeir(store, rank, ranks, timeout)
