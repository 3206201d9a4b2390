# SPDX-License-Identifier: BSD-2-Clause
"""Accelerators, as far as tensors in their memory are to be copied to the host and back.

Work on an accelerator is queued on streams. A copy must come after what the program has queued before, and
the program's next work after the copy back; the host does not wait for either.
"""

from typing import Any, Protocol

import torch

from . import numbers


class Event(Protocol):
    """A point in a stream."""

    def synchronize(self) -> None:
        """Wait, on the host, until the stream has reached it."""


class Adapter(Protocol):
    """One accelerator. Its functions may be called by any thread."""

    def pinned(self, size: int) -> torch.Tensor:
        """Return so many bytes of the host's memory that the accelerator can copy to and from."""

    def stream(self) -> Any:
        """Return a new stream."""

    def flat(self, tensor: torch.Tensor) -> torch.Tensor:
        """Return the elements in one dimension: a view, or of a strided tensor a copy on the current stream."""

    def mark(self) -> Event:
        """Return the point up to which the caller has queued work, on its current stream."""

    def copy(self, target: torch.Tensor, source: torch.Tensor, stream: Any, after: Event | None) -> Event:
        """Queue a copy on a stream, which first waits for a point in another; return the point after it."""

    def wait(self, event: Event) -> None:
        """Have the caller's current stream wait for a point."""

    def fulfil(self, future: Any, value: Any, event: Event) -> None:
        """Set a future's result, for whose users' streams wait for a point."""

    def future(self) -> Any:
        """Return a future that fulfil() takes."""


class Cuda:
    """A GPU, by torch.cuda."""

    def __init__(self, device: torch.device) -> None:
        self._device = device

    def pinned(self, size: int) -> torch.Tensor:
        return torch.empty(size, dtype=torch.uint8, pin_memory=True)

    def stream(self) -> Any:
        return torch.cuda.Stream(self._device)

    def flat(self, tensor: torch.Tensor) -> torch.Tensor:
        return numbers.flat(tensor)

    def mark(self) -> Event:
        return torch.cuda.current_stream(self._device).record_event()

    def copy(self, target: torch.Tensor, source: torch.Tensor, stream: Any, after: Event | None) -> Event:
        with torch.cuda.device(self._device), torch.cuda.stream(stream):
            if after is not None:
                stream.wait_event(after)
            target.copy_(source, non_blocking=True)
            for each in (target, source):
                # Its memory is not given to others before the stream has come so far.
                if each.is_cuda:
                    each.record_stream(stream)
            return stream.record_event()

    def wait(self, event: Event) -> None:
        torch.cuda.current_stream(self._device).wait_event(event)

    def fulfil(self, future: Any, value: Any, event: Event) -> None:
        # The future notes what the current stream has queued.
        with torch.cuda.stream(self.stream()):
            self.wait(event)
            future.set_result(value)

    def future(self) -> Any:
        return torch.futures.Future(devices=[self._device])


_adapters = {}


def adapter_of(tensor: torch.Tensor) -> Any:
    """Return the adapter of the tensor's accelerator; None for the host's memory and unknown ones."""
    if tensor.device.type != "cuda":
        return None
    if tensor.device not in _adapters:
        _adapters[tensor.device] = Cuda(tensor.device)
    return _adapters[tensor.device]
