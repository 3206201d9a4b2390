# SPDX-License-Identifier: BSD-2-Clause
"""A collective of one rank, from when it is asked for until its result may be forgotten."""

import collections
import threading

import torch

import weir

from . import callbacks, numbers


def _part(storage, begin, count, dtype):
    """So many numbers in storage of bytes, from a byte on."""
    size = torch.empty(0, dtype=dtype).element_size()
    return storage[begin:begin + count * size].view(dtype)


class Call:
    """An allreduce of a tensor in the host's memory. A call of another kind has its own way to the input.

    The channel's thread calls most functions. wait(), is_done(), join() and future() may be called in any
    thread.

    input       the elements, one after another; None if they are to come
    residual    gets those that are not in the result, which may lack ranks then; or None
    timeout     seconds for which it may be the oldest one under way
    fault       an exception, if the input cannot be had
    error       an exception, if it has ended without a result
    """

    def __init__(self, tensor, data, operation, average, residual, timeout):
        self.tensor = tensor
        self.input = data
        self.operation = operation
        self.average = average
        self.residual = residual
        self.timeout = timeout
        self.storage = None
        self.out = None
        self.request = None
        self.fault = None
        self.error = None
        self._done = threading.Event()
        self._futures = collections.deque()

    def is_ready(self):
        """Return whether the input is there, or will never be."""
        return True

    def flags(self):
        average = self.average and self.input.is_floating_point()
        return (weir.ACCEPT_OVERFLOW | (weir.AVERAGE if average else 0) |
                (0 if self.residual is None else weir.ACCEPT_DEGRADED))

    def bytes_held(self):
        """Return the length of the storage that the call needs."""
        return numbers.size(self.input)

    def hold(self, storage):
        """The result's place, in storage of bytes."""
        self.storage = storage
        self.out = _part(storage, 0, self.input.numel(), self.input.dtype)

    def begin(self, comm):
        """By the box."""
        self.request = comm.iallreduce(self.input, self.out, op=self.operation, flags=self.flags(),
                                       residual=self.residual)

    def by_gloo(self, peers):
        """Without the box."""
        peers.allreduce(self.input, self.out, self.operation, self.average)

    def catch_up(self, peers, root):
        """The box is lost, and not all ranks have the result, but rank root has. All ranks call it."""
        peers.broadcast(self.out, root)

    def tensors(self):
        """Return the tensors of the result, as c10d's callers get them."""
        return [self.tensor]

    def deliver(self):
        """The result is there: it goes to the tensor."""
        numbers.deliver(self.out, self.tensor)

    def clear_residual(self):
        """All of this rank's elements are in the result, or there is none to add them to."""
        if self.residual is not None:
            self.residual.zero_()

    def skip(self):
        """End without a result, and with nothing to carry."""
        self.clear_residual()
        self.end()

    def wait(self, seconds=None):
        """Return whether it was done in time."""
        return self._done.wait(seconds)

    def is_done(self):
        return self._done.is_set()

    def join(self):
        """Order what the caller does next after the result. The call must be done."""

    def future(self):
        """A future of the tensor."""
        future = self._new_future()
        self._futures.append(future)
        if self.is_done():
            self._fulfil()
        # To C++ an exception that Python has set is a value, but not that of a future behind.
        return future.then(lambda done: done.value())

    def end(self, error=None):
        self.error = error
        self._done.set()
        if self._futures:
            callbacks.run(self._fulfil)

    def _fulfil(self):
        """Each future once, whichever thread comes first."""
        while self._futures:
            try:
                future = self._futures.popleft()
            except IndexError:
                return
            if self.error:
                future.set_exception(self.error)
            else:
                self._set_result(future)

    def _new_future(self):
        return torch.futures.Future()

    def _set_result(self, future):
        future.set_result(self.tensor)


class _ShareCall(Call):
    """A call with a result that differs from rank to rank, or an input that does.

    The channel keeps a copy of the input: a rank that is ahead when the box is lost takes part again.
    """

    def __init__(self, tensor, data, timeout):
        super().__init__(tensor, data, "sum", False, None, timeout)

    def catch_up(self, peers, root):
        self.by_gloo(peers)


class ReduceScatterCall(_ShareCall):
    """The sum of all ranks' data, of which this rank's share goes to the tensor."""

    def bytes_held(self):
        return numbers.size(self.input) + numbers.size(self.tensor)

    def hold(self, storage):
        self.storage = storage
        kept = _part(storage, 0, self.input.numel(), self.input.dtype)
        self.out = _part(storage, numbers.size(self.input), self.tensor.numel(), self.input.dtype)
        self.input = kept.copy_(self.input)

    def begin(self, comm):
        self.request = comm.ireduce_scatter(self.input, self.out, flags=self.flags())

    def by_gloo(self, peers):
        peers.reduce_scatter(self.input, self.out)


class AllGatherCall(_ShareCall):
    """The data of all ranks, in the order of ranks, which go to tensors: one for all, or one for each."""

    def __init__(self, tensors, data, rank, timeout):
        super().__init__(tensors, data, timeout)
        self._rank = rank

    def tensors(self):
        return self.tensor

    def bytes_held(self):
        return sum(numbers.size(each) for each in self.tensor)

    def hold(self, storage):
        self.storage = storage
        count = self.input.numel()
        self.out = _part(storage, 0, sum(each.numel() for each in self.tensor), self.input.dtype)
        self.input = self.out[self._rank * count:(self._rank + 1) * count].copy_(self.input)

    def begin(self, comm):
        self.request = comm.iallgather(self.input, self.out)

    def by_gloo(self, peers):
        peers.allgather(self.input, self.out)

    def deliver(self):
        for part, each in zip(self.out.split([each.numel() for each in self.tensor]), self.tensor):
            numbers.deliver(part, each)
