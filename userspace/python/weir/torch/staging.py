# SPDX-License-Identifier: BSD-2-Clause
"""Allreduces of tensors in an accelerator's memory, in chunks through pinned memory of the host.

While the box sums one chunk, the next one is copied out and the one before is copied in:

    accelerator    out 0   out 1   out 2   ...      (one stream)
    box                    sum 0   sum 1   sum 2
    accelerator                    in 0    in 1     (another stream)

Each chunk is a call of its own. Calls are queued in the order in which the program makes them, alike on all
ranks; the channel begins one when its copy has come.
"""

import queue
import threading

from . import numbers
from .call import Call

CHUNK_BYTES = 4 << 20

# Chunks that are copied out, summed, or copied in.
_BUFFERS = 6


class _Buffer:
    """Pinned memory, and up to when it is copied from."""

    def __init__(self, memory):
        self.memory = memory
        self.event = None

    def of(self, like):
        return self.memory[:numbers.size(like)].view(like.dtype)


class Chunk(Call):
    """A part of a tensor in an accelerator's memory.

    part        the part, on the accelerator
    back        the place of the residual there, or None
    """

    def __init__(self, staging, tensor, part, operation, average, back, timeout):
        super().__init__(tensor, None, operation, average, None, timeout)
        self._staging = staging
        self._part = part
        self._back = back
        self._buffers = []
        self._ready = threading.Event()
        self._event = None
        # A copy to make when the part is there, and its target: of the last part of a strided tensor.
        self.whole = None

    def is_ready(self):
        return self._ready.is_set()

    def fail(self, error):
        self.fault = error
        self._ready.set()

    def copy_out(self, after):
        """Fill the input. Waits for a buffer, and for the accelerator."""
        staging = self._staging
        self._buffers.append(staging.take())
        self.input = self._buffers[0].of(self._part)
        staging.adapter.copy(self.input, self._part, staging.out, after).synchronize()
        if self._back is not None:
            self._buffers.append(staging.take())
            self.residual = self._buffers[1].of(self._part)
        self._ready.set()

    def deliver(self):
        self.input.copy_(self.out)
        self._copy_in(self._buffers[0], self._part, self.input)
        self._copy_residual_in()
        if self.whole:
            self._event = self._staging.adapter.copy(*self.whole, self._staging.back, None)

    def _copy_in(self, buffer, target, source):
        staging = self._staging
        self._event = buffer.event = staging.adapter.copy(target, source, staging.back, None)

    def _copy_residual_in(self):
        if self.residual is not None:
            self._copy_in(self._buffers[1], self._back, self.residual)

    def skip(self):
        self.clear_residual()
        self._copy_residual_in()
        self.end()

    def end(self, error=None):
        while self._buffers:
            self._staging.give(self._buffers.pop())
        super().end(error)

    def join(self):
        if self._event is not None:
            self._staging.adapter.wait(self._event)

    def _new_future(self):
        return self._staging.adapter.future()

    def _set_result(self, future):
        if self._event is None:
            future.set_result(self.tensor)
        else:
            self._staging.adapter.fulfil(future, self.tensor, self._event)


class Staging:
    """One accelerator's way through a channel.

    start       a function that queues a call with the channel
    kick        a function that has the channel look whether calls are ready
    """

    def __init__(self, adapter, start, kick):
        self.adapter = adapter
        self.out, self.back = adapter.stream(), adapter.stream()
        self._start = start
        self._kick = kick
        self._spare = queue.SimpleQueue()
        for _ in range(_BUFFERS):
            self._spare.put(_Buffer(None))
        self._copies = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._copy, name="weir-staging", daemon=True)
        self._thread.start()

    def take(self):
        buffer = self._spare.get()
        if buffer.memory is None:
            buffer.memory = self.adapter.pinned(CHUNK_BYTES)
        if buffer.event is not None:
            buffer.event.synchronize()
            buffer.event = None
        return buffer

    def give(self, buffer):
        self._spare.put(buffer)

    def allreduce(self, tensor, operation, average, residual, timeout):
        """Start an allreduce; return the call of the last chunk, which has the result of all."""
        flat = self.adapter.flat(tensor)
        parts = flat.split(CHUNK_BYTES // flat.element_size())
        backs = [None] * len(parts) if residual is None else residual.view(-1).split(len(parts[0]))
        after = self.adapter.mark()
        calls = [Chunk(self, tensor, part, operation, average, back, timeout)
                 for part, back in zip(parts, backs)]
        if not tensor.is_contiguous():
            calls[-1].whole = (tensor.detach(), flat.view(tensor.shape))
        for each in calls:
            self._copies.put((each, after))
            self._start(each)
        return calls[-1]

    def _copy(self):
        while True:
            item = self._copies.get()
            if item is None:
                return
            call, after = item
            if not call.is_done():
                try:
                    call.copy_out(after)
                except RuntimeError as error:
                    call.fail(error)
            self._kick()

    def close(self):
        self._copies.put(None)
