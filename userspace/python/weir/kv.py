# SPDX-License-Identifier: BSD-2-Clause
"""Key-value streams: mappers put pairs, a reducer gets each key once. libweir.h tells more.

    with weir.kv.Reducer(job=7, sources=3) as reducer:      # on one host
        for key, value in reducer:
            print(key.decode(), value)

    with weir.kv.Mapper("10.77.4.1", job=7, source=0) as mapper:
        for word in text.split():
            mapper.put(word)
"""
from __future__ import annotations

import ctypes
import errno
from typing import Iterator

from . import Error, _choice, _lib, _number, _OPERATIONS, _text
from .guard import Guarded

__all__ = ["Mapper", "Reducer", "Void"]


_TYPES = {"int32": 1, "float32": 2, "int64": 5}


class Void(Error):
    """The run is void: restart() the mapper and put all pairs again, or give up."""


class _Options(ctypes.Structure):
    _fields_ = [("size", ctypes.c_size_t), ("address", ctypes.c_char_p),
                ("bind_address", ctypes.c_char_p), ("port", ctypes.c_uint16),
                ("job", ctypes.c_uint16), ("source", ctypes.c_uint16),
                ("sources", ctypes.c_uint16), ("type", ctypes.c_uint32),
                ("operation", ctypes.c_uint32), ("local_keys", ctypes.c_uint32),
                ("timeout_ms", ctypes.c_uint32)]


class _Pair(ctypes.Structure):
    _fields_ = [("size", ctypes.c_size_t), ("key", ctypes.c_void_p),
                ("length", ctypes.c_size_t), ("integer", ctypes.c_int64),
                ("real", ctypes.c_double)]


def _declare():
    stream, count = ctypes.c_void_p, ctypes.c_size_t
    handle, options = ctypes.POINTER(ctypes.c_void_p), ctypes.POINTER(_Options)
    for name, restype, argtypes in (
            ("weir_kv_open", ctypes.c_int, [handle, options]),
            ("weir_kv_listen", ctypes.c_int, [handle, options]),
            ("weir_kv_put", ctypes.c_int, [stream, ctypes.c_char_p, count, ctypes.c_double]),
            ("weir_kv_put_integer", ctypes.c_int,
             [stream, ctypes.c_char_p, count, ctypes.c_int64]),
            ("weir_kv_collect", ctypes.c_int, [stream]),
            ("weir_kv_finish", ctypes.c_int, [stream]),
            ("weir_kv_restart", ctypes.c_int, [stream]),
            ("weir_kv_wait", ctypes.c_int, [stream]),
            ("weir_kv_next", ctypes.c_int, [stream, ctypes.POINTER(_Pair)]),
            ("weir_kv_progress", ctypes.c_int, [stream]),
            ("weir_kv_error", ctypes.c_char_p, [stream]),
            ("weir_kv_close", None, [stream])):
        function = getattr(_lib, name)
        function.restype = restype
        function.argtypes = argtypes


_declare()


def _options(dtype, op, **others):
    return _Options(size=ctypes.sizeof(_Options), type=_choice("dtype", _TYPES, dtype),
                    operation=_choice("op", _OPERATIONS, op), **others)


class _End(Guarded):
    """One end of a stream."""

    def __init__(self, function, options):
        super().__init__()
        self._handle = ctypes.c_void_p()
        code = -errno.EINTR
        while code == -errno.EINTR:
            code = function(self._handle, options)
        if code:
            raise Error(-code, _lib.weir_kv_error(None).decode())

    def _call(self, function, *arguments):
        """Calls again after a signal whose handler has raised nothing."""
        if not self._enter():
            raise ValueError("the stream is closed")
        try:
            code = -errno.EINTR
            while code == -errno.EINTR:
                code = function(self._handle, *arguments)
            if code < 0:
                kind = Void if code == -errno.ERESTART else Error
                raise kind(-code, _lib.weir_kv_error(self._handle).decode())
            return code
        finally:
            self._leave()

    def _free(self):
        _lib.weir_kv_close(self._handle)

    def __enter__(self):
        return self

    def __del__(self):
        if hasattr(self, "_handle"):
            self._close()


class Mapper(_End):
    """Puts pairs into a stream, which ends with close() or the end of a with block.

    address             of the box or, where there is none, of the reducer
    job, source         the job's number, and this mapper's among those of the address
    port                UDP port of the job (12064)
    op                  "sum", "min" or "max"
    dtype               "int32", "int64" or "float32"
    local_keys          keys whose values are combined here before they are sent (0)
    bind_address        this host's address (as the routing table chooses)
    timeout             seconds in which nothing comes back, or its box hears nothing of the reducer,
                        after which to give up (30)
    """

    def __init__(self, address: str, *, job: int, source: int, port: int = 0, op: str = "sum",
                 dtype: str = "int32", local_keys: int = 0, bind_address: str | None = None,
                 timeout: float = 0) -> None:
        super().__init__(_lib.weir_kv_open, _options(
            dtype, op, address=_text(address), bind_address=_text(bind_address),
            port=_number("port", port, 16), job=_number("job", job, 16),
            source=_number("source", source, 16),
            local_keys=_number("local_keys", local_keys, 32),
            timeout_ms=_number("timeout (in milliseconds)", round(timeout * 1000), 32)))

    def put(self, key: bytes | str, value: float = 1) -> None:
        """Puts a pair; a str goes as UTF-8. Blocks while the window is full."""
        key = key.encode() if isinstance(key, str) else bytes(key)
        if isinstance(value, int) and -1 << 63 <= value < 1 << 63:
            self._call(_lib.weir_kv_put_integer, key, len(key), value)
        else:
            self._call(_lib.weir_kv_put, key, len(key), value)

    def flush(self) -> None:
        """Lets what was put go on to the reducer. The end of all mappers does so, too."""
        self._call(_lib.weir_kv_collect)

    def progress(self) -> None:
        """To be called each second by a mapper that has nothing to put."""
        self._call(_lib.weir_kv_progress)

    def restart(self) -> None:
        """Restart after Void: all pairs have to be put again."""
        self._call(_lib.weir_kv_restart)

    def close(self) -> None:
        """Returns when all mappers have ended and all pairs are at the reducer."""
        if not self._closed:
            self._call(_lib.weir_kv_finish)
            self._close()

    def __exit__(self, kind, *_):
        if kind is None:
            self.close()
        else:
            self._close()


class Reducer(_End):
    """Takes pairs until all mappers have ended; iterates over keys, as bytes, and values.

    job                 the job's number
    sources             how many send to it: mappers, or boxes
    address             this host's address that they send to (any)
    port, op, dtype     as of a Mapper
    """

    def __init__(self, *, job: int, sources: int, address: str | None = None, port: int = 0,
                 op: str = "sum", dtype: str = "int32") -> None:
        self._integers = dtype != "float32"
        super().__init__(_lib.weir_kv_listen, _options(
            dtype, op, address=_text(address), port=_number("port", port, 16),
            job=_number("job", job, 16), sources=_number("sources", sources, 16)))

    def wait(self) -> None:
        """Returns when all mappers have ended."""
        self._call(_lib.weir_kv_wait)

    def __iter__(self) -> Iterator[tuple[bytes, float]]:
        """Each key once, in no order that is promised; once through in all."""
        self.wait()
        pair = _Pair(size=ctypes.sizeof(_Pair))
        while self._call(_lib.weir_kv_next, pair):
            yield (ctypes.string_at(pair.key, pair.length),
                   pair.integer if self._integers else pair.real)

    def close(self) -> None:
        """Frees it, when another thread's call has left it."""
        self._close()

    def __exit__(self, *_):
        self.close()
