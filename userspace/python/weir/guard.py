# SPDX-License-Identifier: BSD-2-Clause
"""Objects that have a handle of the library: it is freed once, and not while a call is inside."""

from __future__ import annotations

import threading
from typing import Any


class Unique:
    """An object that cannot be copied: both would free the handle."""

    def __reduce_ex__(self, protocol: Any) -> Any:
        raise TypeError(f"a {type(self).__name__} cannot be copied or pickled: open another one")


class Guarded(Unique):
    """Counts the calls inside. They may be another thread's, or have called back into the program.

    A subclass has _free(), which frees the handle. It is called once, by _close() or, if there are calls
    inside, by the last one that leaves.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._calls = 0
        self._closed = False

    def _free(self) -> None:
        raise NotImplementedError

    def _enter(self) -> bool:
        """Tells whether a call may begin; _leave() must follow it."""
        with self._lock:
            if not self._closed:
                self._calls += 1
            return not self._closed

    def _leave(self) -> None:
        with self._lock:
            self._calls -= 1
            is_last = self._closed and not self._calls
        if is_last:
            self._free()

    def _close(self) -> None:
        """Lets no call begin any longer."""
        with self._lock:
            frees = not self._closed and not self._calls
            self._closed = True
        if frees:
            self._free()
