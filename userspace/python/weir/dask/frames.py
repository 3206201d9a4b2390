# SPDX-License-Identifier: BSD-2-Clause
"""Frames: what of pandas' types a job can do."""
from __future__ import annotations

import dask
import dask.dataframe
import numpy
import pandas

from . import run, worker
from .job import Refused


def _levels(index):
    return index.levels if index.nlevels > 1 else [index]


def _is_text(dtype):
    """Return whether it is one of pandas' own types of text, whatever keeps it (Python, pyarrow)."""
    return not isinstance(dtype, numpy.dtype) and issubclass(dtype.type, str)


def _check(meta):
    """Types that come back as they were."""
    for level in _levels(meta.index):
        plain = isinstance(level.dtype, numpy.dtype) and level.dtype.kind in "iufbO"
        if not plain and not _is_text(level.dtype):
            raise Refused(f"keys are of type {level.dtype}")
    if not isinstance(meta.dtype, numpy.dtype) or meta.dtype.kind not in "iuf":
        raise Refused(f"values are of type {meta.dtype}")


def _index(keys, meta):
    if meta.index.nlevels > 1:
        columns = zip(*keys) if keys else [()] * meta.index.nlevels
        return pandas.MultiIndex.from_arrays(
            [pandas.Index(column, dtype=level.dtype) for column, level in zip(columns, meta.index.levels)],
            names=meta.index.names)
    return pandas.Index(keys, dtype=meta.index.dtype, name=meta.index.name, tupleize_cols=False)


def _series(pairs, meta):
    values = pandas.Series([value for _, value in pairs], index=_index([key for key, _ in pairs], meta),
                           name=meta.name, dtype=None if pairs else meta.dtype)
    series = values.astype(meta.dtype)
    if meta.dtype.kind in "iu" and (series != values).any():
        raise Refused(f"a value is beyond {meta.dtype}")
    return series.sort_index()


def group(frame, by, column, op, job, meta):
    """A series like @meta, of one partition. Raises Refused."""
    _check(meta)
    parts = [dask.delayed(worker.group)(part, by, column, op) for part in frame.to_delayed()]
    series = _series(run.reduce(parts, job, op), meta)
    return dask.dataframe.from_delayed([dask.delayed(series)], meta=meta, verify_meta=False)
