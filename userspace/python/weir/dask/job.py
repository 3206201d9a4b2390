# SPDX-License-Identifier: BSD-2-Clause
"""The job that reduces, and the places of its ends."""
from __future__ import annotations

import dataclasses
from collections.abc import Sequence

from .. import _choice, kv


class Refused(Exception):
    """The job does not do it: a sentence why."""


@dataclasses.dataclass(frozen=True)
class Job:
    """A job of format kv, as it was added to the box, or one of mappers and a reducer without a box.

    id          the job's number
    mappers     addresses of the job's sources, in the order of their numbers from 0 on: each is of a
                host with a Dask worker, and a host may have several
    reducer     address of the reducer, the job's "parent": of a host with a Dask worker
    box         the job's own address; without one mappers send to the reducer
    port        UDP port of the job (12064)
    dtype       "int32", "int64" or "float32", as the job has it
    timeout     seconds: how long to wait for an answer of the box or the reducer, or for a worker on
                one of the hosts, before Dask does the work (30)

    A job does one reduction at a time.
    """

    id: int
    mappers: Sequence[str]
    reducer: str
    box: str | None = None
    port: int = 0
    dtype: str = "int32"
    timeout: float = 30

    def __post_init__(self) -> None:
        if isinstance(self.mappers, str) or not self.mappers:
            raise ValueError(f"mappers is {self.mappers!r}: it must have the address of "
                             "each source")
        object.__setattr__(self, "mappers", tuple(self.mappers))
        _choice("dtype", kv._TYPES, self.dtype)

    @property
    def integers(self) -> bool:
        """Return whether its values are integers."""
        return self.dtype.startswith("int")
