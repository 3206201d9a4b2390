# SPDX-License-Identifier: BSD-2-Clause
"""Works of collectives, as c10d's callers use them.

Errors are RuntimeErrors, as Gloo's are; wait() raises them, each time that it is called.
"""

import collections
import datetime

import torch
from torch._C._distributed_c10d import Work

# C++ callers hold no Python object: torch 1.13 then loses the methods below. Works are therefore kept
# until they were used, and of those that no one uses the latest ones.
_UNUSED = 256
_kept = collections.OrderedDict()


def seconds(timeout):
    """Return c10d's timeout in seconds, or None for what it has for no timeout."""
    if timeout is None or timeout.total_seconds() <= 0:
        return None
    return timeout.total_seconds()


class _KeptWork(Work):
    """A work that stays alive until its result was asked for."""

    def __init__(self):
        super().__init__()
        _kept[id(self)] = self
        while len(_kept) > _UNUSED:
            _kept.popitem(last=False)

    def _used(self):
        _kept.pop(id(self), None)

    def synchronize(self):
        """Tensors are in the CPU's memory: there are no streams to wait for."""
        self.wait()

    def source_rank(self):
        return 0

    def is_completed(self):
        if not self._is_done():
            return False
        self._used()
        return True

    def result(self):
        if not self.is_completed():
            raise RuntimeError("the work has not completed: call wait() before result()")
        self.wait()
        return self._tensors()

    def _future_of(self, future, tensors):
        """A future of what tensors() makes of the future's value."""
        def finished(done):
            self._used()
            return tensors(done.value())
        return future.then(finished)


class BoxWork(_KeptWork):
    """A collective by the box: see call.Call."""

    def __init__(self, call):
        super().__init__()
        self._call = call

    def wait(self, timeout=None):
        if not self._call.wait(seconds(timeout)):
            raise RuntimeError("the allreduce has not completed within the wait's timeout")
        self._used()
        if self._call.error:
            raise self._call.error
        self._call.join()
        return True

    def _is_done(self):
        return self._call.is_done()

    def is_success(self):
        return self._call.is_done() and not self._call.error

    def exception(self):
        return self._call.error

    def get_future(self):
        return self._future_of(self._call.future(), lambda _: self._call.tensors())

    def _tensors(self):
        return self._call.tensors()


class StagedWork(_KeptWork):
    """Gloo's work on a copy, whose result goes back to the caller's tensor.

    finish      called once, when the work has succeeded
    """

    def __init__(self, work, tensor, finish):
        super().__init__()
        self._work = work
        self._tensor = tensor
        self._finish = finish
        self._future = work.get_future().then(self._finished)

    def _finished(self, done):
        # Raises the work's error, which the future then has.
        done.value()
        with torch.no_grad():
            self._finish()
        return [self._tensor]

    def wait(self, timeout=datetime.timedelta(0)):
        self._work.wait(timeout)
        self._used()
        self._future.wait()
        return True

    def _is_done(self):
        return self._future.done()

    def is_success(self):
        return self._future.done() and self._work.is_success()

    def exception(self):
        return self._work.exception()

    def get_future(self):
        return self._future_of(self._future, lambda tensors: tensors)

    def _tensors(self):
        return [self._tensor]
