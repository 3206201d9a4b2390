# SPDX-License-Identifier: BSD-2-Clause
"""Functions of Dask's workers: they reduce partitions, and hold the ends of a job's streams.

Mappers wait for each other, as all of them end together, and a thread that waits in the library
cannot be ended. So each end is a process (weir.end), and a task waits for it outside of the worker's
pool of threads. It dies with the worker, and is killed where a run is given up.
"""
from __future__ import annotations

import contextlib
import math
import operator
import os
import pickle
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Hashable, Iterable
from typing import Any

import distributed

from . import keys
from .. import Error
from .job import Job, Refused

COMBINE: dict[str, Callable] = {"sum": operator.add, "min": min, "max": max}

# Of how many keys a mapper puts the partitions' values together.
_LOCAL_KEYS = 65536

Pairs = list[tuple[Hashable, Any]]

# The run of a job that is wanted, by the place of the job; and processes of runs.
_lock = threading.Lock()
_wanted: dict[Any, bytes | None] = {}
_processes: dict[subprocess.Popen, tuple[Any, bytes]] = {}


def fold(part: Iterable, key: Callable, value: Callable, op: str) -> Pairs:
    """A partition of a bag, each key once."""
    combine, found = COMBINE[op], {}
    for item in part:
        its_key, its_value = key(item), value(item)
        found[its_key] = combine(found[its_key], its_value) if its_key in found else its_value
    return list(found.items())


def group(part: Any, by: Any, column: Hashable, op: str) -> Pairs:
    """A partition of a frame."""
    series = getattr(part.groupby(by)[column], op)()
    return list(zip(series.index.tolist(), series.tolist()))


def _is_here(address):
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    try:
        with socket.socket(family, socket.SOCK_DGRAM) as probe:
            probe.bind((address, 0))
    except OSError:
        return False
    return True


def which_are_here(addresses: Iterable[str]) -> list[str]:
    """Those that are this host's."""
    return [address for address in addresses if _is_here(address)]


def _place(job):
    return job.box or job.reducer, job.port, job.id


def want(job: Job, run: bytes | None) -> None:
    """From now on this run of the job goes on, and no other one."""
    with _lock:
        _wanted[_place(job)] = run
        for process, (place, its_run) in _processes.items():
            if place == _place(job) and its_run != run:
                process.kill()


def _start(kind, job, run):
    site = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    path = os.pathsep.join(filter(None, [site, os.environ.get("PYTHONPATH")]))
    with _lock:
        if _wanted.get(_place(job), run) != run:
            raise Refused("another run of the job has begun")
        process = subprocess.Popen([sys.executable, "-m", "weir.end", kind], stdin=subprocess.PIPE,
                                   stdout=subprocess.PIPE, env=os.environ | {"PYTHONPATH": path})
        _processes[process] = (_place(job), run)
        return process


def _ask(process, work):
    with contextlib.suppress(BrokenPipeError):
        process.stdin.write(pickle.dumps(work))
        process.stdin.flush()
    answer = process.stdout.read()
    if not answer:
        raise Refused("the process of a stream's end was killed")
    return pickle.loads(answer)


def _stop(process):
    with _lock:
        del _processes[process]
    process.kill()
    # The process may not have read all that was buffered.
    with contextlib.suppress(BrokenPipeError):
        process.stdin.close()
    process.stdout.close()
    process.wait()


def _run(kind, job, run, **work):
    """An end, from its beginning to its end."""
    process = _start(kind, job, run)
    try:
        answer = _ask(process, work)
    finally:
        _stop(process)
    if isinstance(answer, Exception):
        raise answer
    return answer


def _options(job, op):
    return {"job": job.id, "port": job.port, "op": op, "dtype": job.dtype}


def _put(job, op, run, source, parts):
    pairs = [(keys.encode(key), keys.number(value, job.integers))
             for part in parts for key, value in part]
    pairs.append((keys.mark(run, source), 1))
    _run("map", job, run, pairs=pairs, options=_options(job, op) | {
        "address": job.box or job.reducer, "bind_address": job.mappers[source], "source": source,
        "local_keys": _LOCAL_KEYS, "timeout": job.timeout})


def _check_marks(found, job, run):
    """Nothing is left of a mapper that was not of this run: each has put its mark."""
    for source in range(len(job.mappers)):
        if found.pop(keys.mark(run, source), None) is None:
            raise Refused(f"source {source} was a mapper of another run of the job")


def _merge(found, op):
    """Keys that are equal in Python, such as 1 and 1.0, are one."""
    combine, merged = COMBINE[op], {}
    for code, value in found.items():
        if not math.isfinite(value):
            raise Refused("a sum is beyond float32")
        key = keys.decode(code)
        merged[key] = combine(merged[key], value) if key in merged else value
    return list(merged.items())


def _take(job, op, run):
    sources = 1 if job.box else len(job.mappers)
    found = dict(_run("reduce", job, run, patience=job.timeout, options=_options(job, op) | {
        "address": job.reducer, "sources": sources}))
    _check_marks(found, job, run)
    return _merge(found, op)


def _attempt(function, *arguments):
    """Return the function's result, or why it was refused: Dask would log an exception with all arguments."""
    distributed.secede()
    try:
        return function(*arguments)
    except (Refused, Error) as reason:
        return Refused(str(reason))


def put(job: Job, op: str, run: bytes, source: int, parts: list[Pairs]) -> Refused | None:
    """A task: the mapper with this number."""
    return _attempt(_put, job, op, run, source, parts)


def take(job: Job, op: str, run: bytes) -> Refused | Pairs:
    """A task: the reducer, which returns all pairs."""
    return _attempt(_take, job, op, run)
