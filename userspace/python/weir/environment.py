# SPDX-License-Identifier: BSD-2-Clause
"""A communicator's options, from the environment that a launcher gives each worker.

WEIR_BOX                the box's address, or those of several that have the job, with commas between
                        them; or where to ask for a job, "weird://10.0.0.254"
WEIR_JOB                the job's id, or ID:PORT where the job has another port than 12000; the
                        name of one that is asked for
WEIR_BIND               this worker's own address
WEIR_GROUP, WEIR_INTERFACE, WEIR_GRADS, WEIR_WINDOW,
WEIR_TIMEOUT, WEIR_RANKS_TIMEOUT, WEIR_RANKS_WARNING, WEIR_FAILOVER, WEIR_TREES,
WEIR_PROGRESS           as the options of weir.Communicator; WEIR_PROGRESS=0 does without the thread

Without rank and ranks the library has the launcher's: those of torchrun (RANK, WORLD_SIZE), Open
MPI, MPICH, PMIx or SLURM.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

_OPTIONS = (("WEIR_BIND", "bind_address", str),
            ("WEIR_GROUP", "group", str), ("WEIR_INTERFACE", "interface", str),
            ("WEIR_GRADS", "grads", int), ("WEIR_WINDOW", "window", int),
            ("WEIR_TIMEOUT", "timeout", float), ("WEIR_RANKS_TIMEOUT", "ranks_timeout", float),
            ("WEIR_RANKS_WARNING", "ranks_warning", float),
            ("WEIR_FAILOVER", "failover", float), ("WEIR_TREES", "trees", int),
            ("WEIR_PROGRESS", "progress", int))


def read(variable: str, kind: Callable[[str], Any]) -> Any:
    """A variable's value, or None; a value of another kind raises ValueError."""
    text = os.environ.get(variable, "")
    try:
        return kind(text) if text else None
    except ValueError:
        raise ValueError(f"{variable} is '{text}': it must be a number") from None


def _job():
    text = os.environ.get("WEIR_JOB", "")
    # The MPI library takes a list, of which a communicator is the first.
    job, _, port = text.split(",")[0].partition(":")
    try:
        return {"job": int(job), **({"port": int(port)} if port else {})} if job else {}
    except ValueError:
        raise ValueError(f"WEIR_JOB is '{text}': it must be ID or ID:PORT") from None


def _box():
    text = os.environ.get("WEIR_BOX", "")
    if "://" in text:
        return {"box": text}
    return {"address": text} if text else {}


def options() -> dict[str, Any]:
    """Return the settings of the environment, as keyword arguments of weir.Communicator."""
    found = {name: read(variable, kind) for variable, name, kind in _OPTIONS}
    box = _box()
    return ({name: value for name, value in found.items() if value is not None} | box |
            ({} if "box" in box else _job()))


def complete(given: dict[str, Any]) -> dict[str, Any]:
    """Options that were given, and what the environment has of the others."""
    given = {name: value for name, value in given.items() if value is not None}
    merged = options()
    if "box" in given or "address" in given:
        for name in "address", "box":
            merged.pop(name, None)
    if "box" in given:
        for name in "job", "port":
            merged.pop(name, None)
    merged |= given
    for name, variable in () if "box" in merged else (("address", "WEIR_BOX"), ("job", "WEIR_JOB")):
        if name not in merged:
            raise ValueError(f"no {name} was given, and {variable} is not set")
    return merged
