# SPDX-License-Identifier: BSD-2-Clause
"""Reductions by key of Dask's collections, by a job of format kv.

    import distributed, weir.dask

    client = distributed.Client("10.0.3.1:8786")
    job = weir.dask.Job(7, box="10.0.0.254", mappers=["10.0.1.1", "10.0.2.1"], reducer="10.0.3.1")

    counts = weir.dask.frequencies(words, job)                  # words.frequencies()
    sums = weir.dask.foldby(sales, "shop", job, value="euros")  # sales.foldby("shop", ...)
    least = weir.dask.groupby(frame, "shop", "euros", job, op="min")
                                                # frame.groupby("shop")["euros"].min()

Each partition is reduced by the worker that has it. Mappers, which are tasks on the hosts of the job's
sources, put what is left into streams to the box, and the reducer's task on its own host takes what
the box lets through. The call returns when that is done; what it returns is a collection as that of
the call it replaces, and holds the result.

A worker that dies is no error: Dask starts its task again, all mappers put their pairs again, and
each counts once. Where the job does not do the work, Dask does, with a RuntimeWarning that says
why: nothing answers, no worker has one of the addresses, or lacks this module; a key takes more than
64 bytes, or is neither text, bytes, an integer, a float, True, False, None nor a tuple of these; a
value is not the job's. The input is computed again then, but for what was persisted. Exceptions of
the caller's functions are raised.

A job of int32 takes values from -2147483648 to 2147483647, and these bounds hold for what is left of
a key of a partition, too; sums of all may have 64 bits, as all numbers of a job of int64. A job of
float32 takes floats, which it rounds to float32.
"""
from __future__ import annotations

import functools
import operator
import warnings
from collections.abc import Callable, Hashable
from typing import Any

import dask.bag

from . import run, worker
from .job import Job, Refused

__all__ = ["Job", "foldby", "frequencies", "groupby"]


def _or_else(plain, by_job):
    try:
        return by_job()
    except Refused as reason:
        warnings.warn(f"weir: Dask does it, without the job: {reason}", RuntimeWarning, stacklevel=3)
        return plain()


def _check_op(op):
    if op not in worker.COMBINE:
        raise ValueError(f"op is {op!r}: it must be one of {', '.join(worker.COMBINE)}")


def _getter(key):
    """As Dask reads a key that is no function: an item, or a list of items."""
    if callable(key):
        return key
    return operator.itemgetter(*key) if isinstance(key, list) else operator.itemgetter(key)


def _one(_):
    return 1


def _itself(item):
    return item


def _fold_by_job(bag, key, value, op, job):
    parts = bag.map_partitions(functools.partial(worker.fold, key=key, value=value, op=op))
    return dask.bag.from_sequence(run.reduce(parts.to_delayed(), job, op), npartitions=1)


def frequencies(bag: dask.bag.Bag, job: Job) -> dask.bag.Bag:
    """Count each item of a bag, in place of bag.frequencies(): return a bag of items and counts.

    job     of integers, and of sums
    """
    return _or_else(bag.frequencies, lambda: _fold_by_job(bag, _itself, _one, "sum", job))


def _plain_foldby(bag, key, value, op):
    combine = worker.COMBINE[op]

    # Functions that are made here go to workers as they are, also to those that lack this module.
    def add(found, item):
        return value(item) if found is None else combine(found, value(item))
    return bag.foldby(key, add, None, combine)


def foldby(bag: dask.bag.Bag, key: Callable | Hashable | list, job: Job, *,
           value: Callable | Hashable | None = None, op: str = "sum") -> dask.bag.Bag:
    """The values of each key of a bag, put together, in place of bag.foldby(): a bag of keys and values.

    key     an item's key: a function, or what to take of the item, or a list of these
    value   the same of its value (1)
    op      "sum", "min" or "max", as the job has it
    """
    _check_op(op)
    key, value = _getter(key), _one if value is None else _getter(value)
    return _or_else(lambda: _plain_foldby(bag, key, value, op),
                    lambda: _fold_by_job(bag, key, value, op, job))


def groupby(frame: Any, by: Hashable | list, column: Hashable, job: Job, *, op: str = "sum") -> Any:
    """In place of frame.groupby(by)[column].sum(), min() or max(), of a dask.dataframe: a series.

    by      the label of the column that has the keys, or a list of labels
    column  the label of that with the values
    op      "sum", "min" or "max", as the job has it
    """
    # It takes pandas, which bags do without.
    from . import frames
    _check_op(op)
    plain = getattr(frame.groupby(by)[column], op)()
    return _or_else(lambda: plain, lambda: frames.group(frame, by, column, op, job, plain._meta))
