# SPDX-License-Identifier: BSD-2-Clause
"""Keys and values of Python's as those of a stream.

A key that is text goes as UTF-8, which has no bytes from 0xf8 on: such a byte begins all others.
"""
from __future__ import annotations

import struct
from collections.abc import Hashable
from typing import Any

from .job import Refused

# The longest key, WEIR_KV_KEY_BYTES.
LONGEST = 64

_MARK, _TEXT, _BYTES, _INTEGER, _REAL, _TUPLE, _CONSTANT = (bytes([0xf8 + i]) for i in range(7))
_CONSTANTS = [None, False, True]


def mark(run: bytes, source: int) -> bytes:
    """The key by which a run's reducer knows that all pairs of a mapper are of this run."""
    return _MARK + run + source.to_bytes(2, "big")


def plain(value: Any) -> Any:
    """A scalar of numpy's as one of Python's."""
    return value.item() if type(value).__module__ == "numpy" and hasattr(value, "item") else value


def _write_text(key):
    # The empty text has no byte of its own.
    return key.encode("utf-8", "surrogatepass") or _TEXT


def _write_integer(key):
    return _INTEGER + key.to_bytes(key.bit_length() // 8 + 1, "big", signed=True)


def _write_real(key):
    if key != key:
        raise Refused("a key is not a number")
    return _REAL + struct.pack(">d", key)


def _write_tuple(key):
    parts = [encode(each) for each in key]
    return _TUPLE + b"".join(bytes([len(part)]) + part for part in parts)


def _write_constant(key):
    return _CONSTANT + bytes([_CONSTANTS.index(key)])


_WRITE = {str: _write_text, bytes: _BYTES.__add__, int: _write_integer, float: _write_real,
          tuple: _write_tuple, bool: _write_constant, type(None): _write_constant}


def encode(key: Hashable) -> bytes:
    """Raises Refused where a stream has no such key."""
    key = plain(key)
    if type(key) not in _WRITE:
        raise Refused(f"a key is of type {type(key).__name__}: it must be text, bytes, an integer, a "
                      "float, or a tuple of these")
    code = _WRITE[type(key)](key)
    if len(code) > LONGEST:
        raise Refused(f"the key {key!r:.80} takes {len(code)} bytes: there is room for {LONGEST}")
    return code


def _read_tuple(code):
    parts = []
    while code:
        end = 1 + code[0]
        parts.append(decode(code[1:end]))
        code = code[end:]
    return tuple(parts)


_READ = {_TEXT: bytes.decode, _BYTES: bytes, _TUPLE: _read_tuple,
         _INTEGER: lambda code: int.from_bytes(code, "big", signed=True),
         _REAL: lambda code: struct.unpack(">d", code)[0],
         _CONSTANT: lambda code: _CONSTANTS[code[0]]}


def decode(code: bytes) -> Hashable:
    """The key that encode() has made it of."""
    read = _READ.get(code[:1])
    return read(code[1:]) if read else code.decode("utf-8", "surrogatepass")


def number(value: Any, integers: bool) -> float:
    """A value for a job of integers, or of floats. Raises Refused where that would change it."""
    value = plain(value)
    if not isinstance(value, (int, float)):
        raise Refused(f"a value is of type {type(value).__name__}: it must be a number")
    if value - value != 0:
        raise Refused(f"a value is {value}: it must be finite")
    if abs(value) >= 2 ** 63 and integers:
        raise Refused("a value takes more than 64 bits")
    if not integers and isinstance(value, int):
        raise Refused("values are integers, and the job's are floats, which round them")
    if integers and value != int(value):
        raise Refused(f"the value {value} is no integer, as the job's are")
    return int(value) if integers else value
