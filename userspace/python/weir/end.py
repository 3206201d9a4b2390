# SPDX-License-Identifier: BSD-2-Clause
"""One end of a key-value stream, as a process of its own, which can be ended while it waits.

    python3 -m weir.end map     puts pairs into a stream, as often as its run becomes void
    python3 -m weir.end reduce  takes them

Both read a pickled dictionary from the standard input, which the parent holds open: where it is
closed, as the parent has died, so does the end. What they have is pickled to the standard output: a
list of pairs, or the exception.

options     of weir.kv.Mapper or weir.kv.Reducer, as a dictionary
pairs       to put: a list of keys, as bytes, and values
patience    seconds for which a reducer waits for an address that another one still has
"""
from __future__ import annotations

import errno
import os
import pickle
import sys
import threading
import time
from typing import Any

from . import Error, kv

Pairs = list[tuple[bytes, float]]


def _put_all(mapper, pairs):
    for key, value in pairs:
        mapper.put(key, value)
    mapper.close()


def put(options: dict[str, Any], pairs: Pairs) -> Pairs:
    """Returns when all pairs are at the reducer; nothing comes back."""
    mapper = kv.Mapper(**options)
    again = False
    while True:
        try:
            if again:
                mapper.restart()
            _put_all(mapper, pairs)
            return []
        except kv.Void:
            again = True


def _listen(options, patience):
    until = time.monotonic() + patience
    while True:
        try:
            return kv.Reducer(**options)
        except Error as error:
            if error.errno != errno.EADDRINUSE or time.monotonic() > until:
                raise
        time.sleep(0.1)


def take(options: dict[str, Any], patience: float) -> Pairs:
    """All pairs, each key once."""
    with _listen(options, patience) as reducer:
        return list(reducer)


def _end_with_parent():
    os.read(0, 1)
    os._exit(1)


def main() -> None:
    work = pickle.load(sys.stdin.buffer)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    try:
        answer = {"map": put, "reduce": take}[sys.argv[1]](**work)
    except Exception as error:
        answer = error
    pickle.dump(answer, sys.stdout.buffer)
    sys.stdout.flush()
    os._exit(0)


if __name__ == "__main__":
    main()
