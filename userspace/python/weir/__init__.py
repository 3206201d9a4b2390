# SPDX-License-Identifier: BSD-2-Clause
"""Allreduce through a network that sums gradients on the way.

A thin layer over libweir; libweir.h tells more about each option.

    import numpy, weir

    with weir.Communicator("10.77.1.254", job=7, rank=0, ranks=4) as comm:
        gradients = numpy.ones(100000, dtype=numpy.float32)
        comm.allreduce(gradients)                   # in place
        mean = comm.allreduce(gradients, numpy.empty_like(gradients), flags=weir.AVERAGE)

    async def train(comm, gradients, loss):
        await asyncio.gather(*(comm.iallreduce(each) for each in gradients))
        worst = await comm.iallreduce(loss, op="max")   # in a job of maxima

Under a launcher (torchrun, mpirun, srun) the environment has all that a communicator needs: see
weir.environment.

    with weir.Communicator() as comm:
        ...

Vectors are numpy arrays, torch's dense tensors in the CPU's memory, or other objects with the
buffer protocol, of int32 (format 'i'), int64 ('q'), float32 ('f'), float64 ('d') or float16 ('e').
Those of 64 bits go by jobs of their own type alone. Arrays and tensors with
strides are copied; other objects must be C-contiguous. numpy has no bfloat16: give the bits as
integers of 16 bits, with dtype="bfloat16"; a tensor of bfloat16 or an array of ml_dtypes' is taken
as it is. A communicator belongs to one thread at a time, except for close(), which may come from any;
the interpreter's lock is free while it waits.
"""

from __future__ import annotations

import asyncio
import contextlib
import ctypes
import errno
import functools
import os
import select
import sys
import traceback
from collections.abc import Callable, Generator
from typing import Any

from . import environment
from .guard import Guarded, Unique

__all__ = ["ACCEPT_DEGRADED", "ACCEPT_OVERFLOW", "AVERAGE", "Behind", "Communicator", "Error", "Failure",
           "NO_ECN", "Request", "SATURATE", "UNMERGED", "version"]

# Types and operations, and the numbers that the library has for them.
_TYPES = {"int32": 1, "float32": 2, "bfloat16": 3, "float16": 4, "int64": 5, "float64": 6}
_OPERATIONS = {"sum": 1, "min": 2, "max": 3}

# Formats of the buffer protocol, and the types; item size and format of each type's view.
_LONG = {4: "int32", 8: "int64"}[ctypes.sizeof(ctypes.c_long)]
_FORMATS = {"i": "int32", "l": _LONG, "q": "int64", "f": "float32", "d": "float64", "e": "float16",
            "H": "bfloat16", "h": "bfloat16"}
_VIEWS = {"int32": (4, "i"), "float32": (4, "f"), "bfloat16": (2, "H"), "float16": (2, "e"),
          "int64": (8, "q"), "float64": (8, "d")}

# Deliver vectors with sums that left int32 or int64, or that not all ranks are in, without an
# error; Communicator.info() tells.
ACCEPT_OVERFLOW: int = 0x1
ACCEPT_DEGRADED: int = 0x2

# Divide sums of floats by the number of ranks that are in them.
AVERAGE: int = 0x4
UNMERGED: int = 0x8
SATURATE: int = 0x10
NO_ECN: int = 0x40

_PROGRESS = 0x20
_SOURCE = 0x80
_CANCEL = 0x100

# A thread that waits notices within so many seconds that another one has closed the communicator.
_LOOK = 0.1


class Error(OSError):
    """An error of the library: errno, and a sentence."""

    def __str__(self) -> str:
        return self.strerror or super().__str__()


class Behind(Error):
    """The others have left this rank behind: see Communicator.resume()."""


class _Failure(ctypes.Structure):
    _fields_ = [
        ("size", ctypes.c_size_t),
        ("error", ctypes.c_int),
        ("rank", ctypes.c_uint32),
        ("block", ctypes.c_uint64),
        ("silent_ms", ctypes.c_uint64),
        ("sequence", ctypes.c_uint64),
        ("in_", ctypes.c_void_p),
        ("out", ctypes.c_void_p),
        ("count", ctypes.c_size_t),
        ("type", ctypes.c_int),
        ("operation", ctypes.c_int),
        ("flags", ctypes.c_uint32),
    ]


_FALLBACK = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.POINTER(_Failure))


class _Options(ctypes.Structure):
    _fields_ = [
        ("size", ctypes.c_size_t),
        ("address", ctypes.c_char_p),
        ("bind_address", ctypes.c_char_p),
        ("group", ctypes.c_char_p),
        ("interface", ctypes.c_char_p),
        ("port", ctypes.c_uint16),
        ("bind_port", ctypes.c_uint16),
        ("rank", ctypes.c_uint16),
        ("ranks", ctypes.c_uint16),
        ("grads", ctypes.c_uint16),
        ("job", ctypes.c_uint8),
        ("reserved", ctypes.c_uint8),
        ("window", ctypes.c_uint32),
        ("timeout_ms", ctypes.c_uint32),
        ("flags", ctypes.c_uint32),
        ("fallback", _FALLBACK),
        ("fallback_context", ctypes.c_void_p),
        ("on_block", ctypes.c_void_p),
        ("on_block_context", ctypes.c_void_p),
        ("type", ctypes.c_uint32),
        ("operation", ctypes.c_uint32),
        ("ranks_timeout_ms", ctypes.c_uint32),
        ("ranks_warning_ms", ctypes.c_uint32),
        ("on_missing", ctypes.c_void_p),
        ("on_missing_context", ctypes.c_void_p),
        ("box", ctypes.c_char_p),
        ("source", ctypes.c_uint32),
        ("failover_ms", ctypes.c_uint32),
        ("trees", ctypes.c_uint32),
        ("cancel_fd", ctypes.c_int32),
        ("early_bytes", ctypes.c_uint64),
    ]


class _Share(ctypes.Structure):
    _fields_ = [("first", ctypes.c_size_t), ("count", ctypes.c_size_t)]


class _Extra(ctypes.Structure):
    _fields_ = [
        ("size", ctypes.c_size_t),
        ("residual", ctypes.c_void_p),
        ("scale", ctypes.c_double),
        ("follow", ctypes.c_uint32),
        ("reserved", ctypes.c_uint32),
    ]


class _Poll(ctypes.Structure):
    _fields_ = [
        ("size", ctypes.c_size_t),
        ("fd", ctypes.c_int),
        ("group_fd", ctypes.c_int),
        ("writable", ctypes.c_uint32),
        ("reserved", ctypes.c_uint32),
        ("timeout_us", ctypes.c_uint64),
    ]


class _Stats(ctypes.Structure):
    _fields_ = [("size", ctypes.c_size_t)] + [
        (name, ctypes.c_uint64)
        for name in ("packets_sent", "packets_received", "retransmits", "timeouts",
                     "duplicates", "malformed", "elements")
    ] + [
        (name, ctypes.c_uint32)
        for name in ("generation", "window", "blocks", "grads", "receive_buffer", "rtt_us",
                     "rttvar_us", "rtt_min_us", "flight_limit", "reserved")
    ] + [
        (name, ctypes.c_uint64) for name in ("queries", "notices", "early")
    ] + [
        (name, ctypes.c_uint32) for name in ("type", "operation")
    ] + [
        (name, ctypes.c_uint64) for name in ("merged_sent", "merged_received")
    ] + [
        (name, ctypes.c_uint32) for name in ("rank", "ranks", "job", "port")
    ] + [(name, ctypes.c_uint64) for name in ("marked", "moves")] + [
        (name, ctypes.c_uint32) for name in ("trees", "reserved2")
    ] + [(name, ctypes.c_uint64) for name in ("acks", "kept")] + [
        (name, ctypes.c_uint32) for name in ("behind", "reserved3")]


class _Position(ctypes.Structure):
    _fields_ = [
        ("size", ctypes.c_size_t),
        ("sequence", ctypes.c_uint64),
        ("blocks", ctypes.c_uint64 * 16),
        ("job", ctypes.c_uint32),
        ("trees", ctypes.c_uint32),
        ("ranks", ctypes.c_uint32),
        ("grads", ctypes.c_uint32),
    ]


class _Info(ctypes.Structure):
    _fields_ = [
        ("size", ctypes.c_size_t),
        ("blocks", ctypes.c_uint64),
        ("overflow_blocks", ctypes.c_uint64),
        ("degraded_blocks", ctypes.c_uint64),
        ("min_ranks", ctypes.c_uint32),
        ("reserved", ctypes.c_uint32),
        ("missed_blocks", ctypes.c_uint64),
        ("cut_blocks", ctypes.c_uint64),
    ]


class _Members(ctypes.Structure):
    _fields_ = [("size", ctypes.c_size_t), ("notices", ctypes.c_uint64)] + [
        (name, ctypes.c_uint64 * 4) for name in ("dead", "excluded", "waiting", "missing")
    ] + [
        ("all_" + name, ctypes.POINTER(ctypes.c_uint64))
        for name in ("dead", "excluded", "waiting", "missing")
    ]


class _PyBuffer(ctypes.Structure):
    """The interpreter's Py_buffer: unlike ctypes' own ways, it takes read-only objects."""

    _fields_ = [
        ("buf", ctypes.c_void_p),
        ("obj", ctypes.c_void_p),
        ("len", ctypes.c_ssize_t),
        ("itemsize", ctypes.c_ssize_t),
        ("readonly", ctypes.c_int),
        ("ndim", ctypes.c_int),
        ("format", ctypes.c_char_p),
        ("shape", ctypes.c_void_p),
        ("strides", ctypes.c_void_p),
        ("suboffsets", ctypes.c_void_p),
        ("internal", ctypes.c_void_p),
    ]


_WRITABLE = 0x1
_FORMAT = 0x4
_C_CONTIGUOUS = 0x38

_get_buffer = ctypes.pythonapi.PyObject_GetBuffer
_get_buffer.argtypes = [ctypes.py_object, ctypes.POINTER(_PyBuffer), ctypes.c_int]
_get_buffer.restype = ctypes.c_int
_release_buffer = ctypes.pythonapi.PyBuffer_Release
_release_buffer.argtypes = [ctypes.POINTER(_PyBuffer)]
_release_buffer.restype = None


# An array's type as text is dear, and arrays are of few types.
_type_text = functools.lru_cache(maxsize=64)(str)


def _array_of(tensor):
    """numpy's view of a tensor, and the type where numpy has none for it."""
    torch = sys.modules["torch"]
    tensor = tensor.detach()
    if tensor.dtype == torch.bfloat16:
        return tensor.view(torch.int16).numpy(), "bfloat16"
    return tensor.numpy(), None


def _is_tensor(thing):
    # If torch was not imported, there are no tensors.
    torch = sys.modules.get("torch")
    return torch is not None and isinstance(thing, torch.Tensor)


def _is_strided(thing):
    flags = getattr(thing, "flags", None)
    return getattr(flags, "c_contiguous", True) is False


class _Vector:
    """An object's memory, held in place until release()."""

    def __init__(self, thing, dtype, writable):
        self._view = None
        if _is_tensor(thing):
            thing, named = _array_of(thing)
            dtype = dtype or named
        # An array of bfloat16 has no format of numpy's, but a name, and a view of its bits.
        if _type_text(getattr(thing, "dtype", None)) == "bfloat16":
            dtype, thing = dtype or "bfloat16", thing.view("uint16")
        # A strided array is staged in a contiguous copy.
        self._strided = None
        if _is_strided(thing):
            if writable and not thing.flags.writeable:
                raise ValueError("the vector is read-only")
            self._strided, thing = thing, thing.copy("C")
            self._staged = thing
        view = _PyBuffer()
        _get_buffer(thing, view, _FORMAT | _C_CONTIGUOUS | (_WRITABLE if writable else 0))
        self._view = view
        try:
            self.dtype = self._type(dtype)
        except TypeError:
            self.release()
            raise
        self.count = self._view.len // self._view.itemsize
        self.address = self._view.buf

    def _type(self, asked):
        text = (self._view.format or b"B").decode()
        dtype = _FORMATS.get(text.lstrip("@=<" if _LITTLE else "@=>"))
        if not dtype or self._view.itemsize != _VIEWS[dtype][0]:
            raise TypeError(f"elements are of format '{text}': they must be int32 ('i'), int64 "
                            "('q'), float32 ('f'), float64 ('d'), float16 ('e'), or bfloat16 as bits "
                            "('H' and dtype='bfloat16')")
        if dtype == "bfloat16" and asked is None:
            raise TypeError(f"elements are of format '{text}': are they the bits of bfloat16? "
                            "Then say dtype='bfloat16'")
        if asked not in (None, dtype):
            raise TypeError(f"dtype is '{asked}', and the elements are of format '{text}': "
                            f"{dtype}")
        return dtype

    def deliver(self):
        """A result that was staged goes to its place."""
        if self._strided is not None:
            self._strided[...] = self._staged

    def release(self):
        if self._view is not None:
            _release_buffer(self._view)
            self._view = None

    __del__ = release


_LITTLE = ctypes.c_uint16.from_buffer_copy(b"\1\0").value == 1


def _open_library():
    name = "libweir.so.0"
    try:
        return ctypes.CDLL(name)
    except OSError:
        # Where the dynamic linker does not look: PREFIX/lib, from .../python3.X/dist-packages/weir.
        path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../..", name)
        if not os.path.exists(path):
            raise
        return ctypes.CDLL(path)


def _load():
    library = _open_library()
    pointer, count = ctypes.c_void_p, ctypes.c_size_t
    handle = ctypes.POINTER(ctypes.c_void_p)
    for name, restype, argtypes in (
            ("weir_open", ctypes.c_int, [handle, ctypes.POINTER(_Options)]),
            ("weir_close", None, [pointer]),
            ("weir_iallreduce", ctypes.c_int,
             [pointer, pointer, pointer, count, ctypes.c_int, ctypes.c_int, ctypes.c_uint32,
              ctypes.POINTER(_Extra), handle]),
            ("weir_ireduce_scatter", ctypes.c_int,
             [pointer, pointer, pointer, count, ctypes.POINTER(_Share), ctypes.c_int, ctypes.c_uint32,
              handle]),
            ("weir_iallgather", ctypes.c_int,
             [pointer, pointer, pointer, count, ctypes.POINTER(_Share), ctypes.c_int, handle]),
            ("weir_get_poll", ctypes.c_int, [pointer, ctypes.POINTER(_Poll)]),
            ("weir_behind", ctypes.c_int64, [pointer]),
            ("weir_position", ctypes.c_int, [pointer, ctypes.POINTER(_Position)]),
            ("weir_resume", ctypes.c_int, [pointer, ctypes.POINTER(_Position)]),
            ("weir_get_members", ctypes.c_int, [pointer, ctypes.POINTER(_Members)]),
            ("weir_test", ctypes.c_int, [handle]),
            ("weir_error", ctypes.c_char_p, [pointer]),
            ("weir_get_stats", ctypes.c_int, [pointer, ctypes.POINTER(_Stats)]),
            ("weir_get_info", ctypes.c_int, [pointer, ctypes.POINTER(_Info)]),
            ("weir_version", ctypes.c_char_p, [])):
        function = getattr(library, name)
        function.restype = restype
        function.argtypes = argtypes
    return library


_lib = _load()


def version() -> str:
    """The library's version."""
    return _lib.weir_version().decode()


def _text(value):
    return None if value is None else str(value).encode()


def _number(name, value, bits):
    """Checks the range: ctypes would cut off higher bits."""
    value = int(value)
    if not 0 <= value < 1 << bits:
        raise ValueError(f"{name} is {value}: it must be 0 to {(1 << bits) - 1}")
    return value


def _milliseconds(name, place):
    return _number(f"{name} (in milliseconds)", round(place.get(name, 0) * 1000), 32)


def _check(comm, code):
    if code < 0:
        sentence = _lib.weir_error(comm).decode()
        raise (Behind if code == -errno.ESTALE and _is_behind(comm) else Error)(-code, sentence)
    return code


def _stats(comm):
    stats = _Stats(size=ctypes.sizeof(_Stats))
    _lib.weir_get_stats(comm, stats)
    return stats


def _is_behind(comm):
    """Other ranks have gone on, and the communicator is not lost to this one."""
    return comm is not None and bool(_stats(comm).behind)


def _name(table, number):
    return next((name for name, value in table.items() if value == number), None)


def _choice(what, table, name):
    """The number of one of several names."""
    if name not in table:
        raise ValueError(f"{what} is {name!r}: it must be one of {', '.join(table)}")
    return table[name]


def _fields(structure):
    return {name: getattr(structure, name) for name, _ in structure._fields_
            if name not in ("size", "reserved")}


def _ranks(bitmap, ranks):
    return {rank for rank in range(ranks) if bitmap[rank // 64] >> (rank % 64) & 1}


def _elements(address, count, dtype):
    """The library's own view of a vector."""
    if not address:
        return None
    size, kind = _VIEWS[dtype]
    return memoryview((ctypes.c_char * (count * size)).from_address(address)).cast("B").cast(kind)


class Failure:
    """An allreduce that the box did not finish, as a fallback sees it.

    errno, rank, block, sequence
                        as in struct weir_failure
    silent              seconds since something had come from the box
    input               the elements; None where this rank only followed
    out                 where the result goes
    dtype, op, flags    of both; bfloat16 is seen as integers of 16 bits
    """

    errno: int
    rank: int
    block: int
    silent: float
    sequence: int
    dtype: str
    op: str
    flags: int
    input: memoryview | None
    out: memoryview

    def __init__(self, failure: Any) -> None:
        self.errno = -failure.error
        self.rank = failure.rank
        self.block = failure.block
        self.silent = failure.silent_ms / 1000
        self.sequence = failure.sequence
        self.dtype = _name(_TYPES, failure.type)
        self.op = _name(_OPERATIONS, failure.operation)
        self.flags = failure.flags
        source = _elements(failure.in_, failure.count, self.dtype)
        self.input = None if source is None else source.toreadonly()
        self.out = _elements(failure.out, failure.count, self.dtype)


def _closed():
    return Error(errno.ECANCELED, "the communicator was closed before its allreduce had finished")


def _call(fallback):
    """As the library calls it: an exception leaves the allreduce failed."""
    def function(_context, failure):
        try:
            fallback(Failure(failure.contents))
        except Exception:
            traceback.print_exc()
            return 1
        return 0
    return _FALLBACK(function)


class Request(Unique):
    """An allreduce under way. Neither vector may be touched before it has finished.

    It can be awaited in asyncio: other tasks run meanwhile, and any number of requests may be
    awaited at once.
    """

    def __init__(self, comm: Communicator, handle: Any, vectors: list, results: list,
                 out: Any) -> None:
        self._comm = comm
        self._handle = handle
        self._vectors = vectors
        self._results = results
        self._out = out
        self._failure = None
        comm._requests.add(self)

    def test(self) -> bool:
        """Makes progress; tells whether it has finished. Raises its error, if any."""
        self._comm._wake()
        return self._test()

    def _test(self):
        if self._handle is not None:
            if not self._comm._enter():
                raise _closed()
            try:
                if self._handle is not None and not self._take(_lib.weir_test(self._handle)):
                    return False
            finally:
                self._comm._leave()
        if self._failure is not None:
            raise self._failure
        return True

    def wait(self) -> Any:
        """Makes progress until it has finished; returns the result."""
        self._comm._wake()
        while not self._test():
            self._comm._pause()
        return self._out

    def __await__(self) -> Generator[Any, None, Any]:
        while not self._test():
            yield from self._comm._sleep()
        return self._out

    def _take(self, code):
        """Takes what the library returns; tells whether the request has finished."""
        if code in (-errno.EBUSY, -errno.ECHILD):
            _check(self._comm._handle, code)
        if code:
            self._finish(code)
        return bool(code)

    def _finish(self, code):
        try:
            _check(self._comm._handle, code)
        except Error as error:
            self._failure = error
        for vector in self._results:
            vector.deliver()
        self._drop()

    def _drop(self):
        self._handle = None
        self._comm._requests.discard(self)
        for vector in self._vectors:
            vector.release()

    def _abandon(self):
        self._failure = _closed()
        self._drop()


class Communicator(Guarded):
    """One rank's membership of a job. Blocks until all ranks have come.

    What is None is as the environment has it, see weir.environment; else as in parentheses.

    address, port       the box, as the job has it (port 12000)
    job                 the job's id
    box                 instead of the two: where to ask for a job, "weird://10.0.0.254"; where
                        neither is given, $WEIR_BOX
    rank, ranks         this worker's number from 0; how many there are. Without them those of the
                        launcher (torchrun, mpirun, srun)
    source              where the job spans boxes, this worker's source id on its own (the rank)
    grads               elements a packet (1024)
    window              packets under way at most (4096)
    bind_address, bind_port, group, interface
                        where results come to
    timeout             seconds without a packet of the box after which to give up (30)
    ranks_timeout       and seconds for which ranks may be missing while the box answers (1800)
    ranks_warning       after so many a line on the error output names them (60)
    failover            with several addresses, seconds without a packet of the box after which to go
                        to another one (1)
    trees               of how many trees the job is (1): tree t is job + t, goes to the boxes of the
                        address list from the t-th on, in turn, and comes to bind_port + t
    flags               ACCEPT_OVERFLOW, ACCEPT_DEGRADED, AVERAGE, SATURATE, of all calls;
                        UNMERGED, NO_ECN
    progress            a thread of the library goes on with requests while the program computes, and
                        receives results that it is late for (True)
    early_bytes         memory for such results, at most (128 MiB)
    cancel_fd           a file descriptor that, when readable, ends the wait for the ranks: the constructor
                        raises Error with errno ECANCELED (none)
    dtype, op           the type and operation that the job must have (any)
    fallback            a function of a Failure, called when the box has failed for good, then
                        for every allreduce: fills its out by other means, or raises. Sums
                        must then go to another vector, out
    """

    rank: int
    ranks: int

    def __init__(self, address: str | None = None, *, job: int | None = None,
                 rank: int | None = None, ranks: int | None = None,
                 source: int | None = None, box: str | None = None,
                 port: int | None = None, grads: int | None = None, window: int | None = None,
                 bind_address: str | None = None, bind_port: int = 0, group: str | None = None,
                 interface: str | None = None, timeout: float | None = None,
                 ranks_timeout: float | None = None, ranks_warning: float | None = None,
                 flags: int = 0, dtype: str | None = None, op: str | None = None,
                 fallback: Callable[[Failure], None] | None = None,
                 progress: bool | None = None, failover: float | None = None,
                 trees: int | None = None, early_bytes: int = 0,
                 cancel_fd: int | None = None) -> None:
        place = environment.complete(
            {"address": address, "box": box, "job": job, "rank": rank, "ranks": ranks,
             "port": port, "grads": grads, "window": window, "bind_address": bind_address,
             "group": group, "interface": interface, "timeout": timeout,
             "ranks_timeout": ranks_timeout, "ranks_warning": ranks_warning, "progress": progress,
             "failover": failover, "trees": trees})
        super().__init__()
        self._handle = ctypes.c_void_p()
        self._requests = set()
        self._sleepers = []
        self._alarm = None
        self._loop = None
        self._fallback = _FALLBACK() if fallback is None else _call(fallback)
        options = _Options(
            size=ctypes.sizeof(_Options),
            address=_text(place.get("address")),
            bind_address=_text(place.get("bind_address")),
            group=_text(place.get("group")),
            interface=_text(place.get("interface")),
            port=_number("port", place.get("port", 0), 16),
            bind_port=_number("bind_port", bind_port, 16),
            rank=_number("rank", place.get("rank", 0), 16),
            ranks=_number("ranks", place.get("ranks", 0), 16),
            grads=_number("grads", place.get("grads", 0), 16),
            job=_number("job", place.get("job", 0), 8),
            window=_number("window", place.get("window", 0), 32),
            timeout_ms=_milliseconds("timeout", place),
            ranks_timeout_ms=_milliseconds("ranks_timeout", place),
            ranks_warning_ms=_milliseconds("ranks_warning", place),
            failover_ms=_milliseconds("failover", place),
            trees=_number("trees", place.get("trees", 0), 32),
            flags=_number("flags", flags | (_PROGRESS if place.get("progress", True) else 0) |
                          (0 if source is None else _SOURCE) |
                          (0 if cancel_fd is None else _CANCEL), 32),
            fallback=self._fallback,
            type=0 if dtype is None else _choice("dtype", _TYPES, dtype),
            operation=0 if op is None else _choice("op", _OPERATIONS, op),
            box=_text(place.get("box")),
            source=_number("source", source or 0, 32),
            cancel_fd=_number("cancel_fd", cancel_fd or 0, 31),
            early_bytes=_number("early_bytes", early_bytes, 64))
        _check(None, _lib.weir_open(self._handle, options))
        stats = self.stats()
        self.rank = stats["rank"]
        self.ranks = stats["ranks"]

    def iallreduce(self, array: Any, out: Any = None, *, op: str = "sum", dtype: str | None = None,
                   flags: int = 0, residual: Any = None, scale: float | None = None) -> Request:
        """Begins to combine a vector of all ranks; returns a Request.

        array               the elements; see the module's text for which they may be
        out                 where the result goes; None is array itself
        op                  "sum", "min" or "max": the job's
        dtype               "bfloat16" where array has the bits of that
        flags               ACCEPT_OVERFLOW, ACCEPT_DEGRADED, AVERAGE, beside the communicator's
        residual            gets the elements of the blocks that this rank is not in, and zeroes
                            elsewhere
        scale               of floats in a job of int32: each is sent as the integer nearest to
                            x * scale, and comes back as sum / scale. None lets the ranks agree
        """
        vectors = [_Vector(array, dtype, writable=out is None)]
        vectors += [_Vector(other, dtype, writable=True) for other in (out, residual)
                    if other is not None]
        extra = _Extra(size=ctypes.sizeof(_Extra), scale=scale or 0)
        if residual is not None:
            extra.residual = vectors[-1].address
        results = vectors if out is None else vectors[1:]
        return self._begin(vectors, results, vectors[0].address, op, flags, extra,
                           array if out is None else out)

    def ifollow(self, out: Any, *, op: str = "sum", dtype: str | None = None, flags: int = 0,
                scale: float | None = None) -> Request:
        """Begins to have the result of the other ranks, as this one is late; returns a Request."""
        vector = _Vector(out, dtype, writable=True)
        extra = _Extra(size=ctypes.sizeof(_Extra), scale=scale or 0, follow=1)
        return self._begin([vector], [vector], None, op, flags, extra, out)

    def ireduce_scatter(self, array: Any, out: Any, *, first: int | None = None, flags: int = 0) -> Request:
        """Begins to sum a vector of all ranks, of which this one gets a share; returns a Request.

        array               the elements, of the job's own type; all ranks have as many
        out                 where the sums of the share go; its length is the share's
        first               the first element of the share; None is rank times the length of out
        flags               ACCEPT_OVERFLOW, AVERAGE
        """
        whole, share = _Vector(array, None, writable=False), _Vector(out, None, writable=True)
        place = self._share(whole, share, first)
        return self._begun([whole, share], [share], out, lambda handle: _lib.weir_ireduce_scatter(
            self._handle, whole.address, share.address, whole.count, place, _TYPES[whole.dtype],
            _number("flags", flags, 32), handle))

    def iallgather(self, array: Any, out: Any, *, first: int | None = None) -> Request:
        """Begins to gather the shares of all ranks; returns a Request.

        array               this rank's elements, of the job's own type
        out                 where the elements of all ranks go
        first               the place of this rank's in out; None is rank times their number
        """
        share, whole = _Vector(array, None, writable=False), _Vector(out, None, writable=True)
        place = self._share(whole, share, first)
        return self._begun([whole, share], [whole], out, lambda handle: _lib.weir_iallgather(
            self._handle, share.address, whole.address, whole.count, place, _TYPES[whole.dtype], handle))

    def _share(self, whole, share, first):
        if whole.dtype != share.dtype:
            raise TypeError(f"the vectors differ: one is of {whole.dtype} and the other of {share.dtype}")
        first = self.rank * share.count if first is None else _number("first", first, 64)
        return _Share(first=first, count=share.count)

    def _begin(self, vectors, results, source, op, flags, extra, result):
        first = vectors[0]
        for other in vectors:
            if first.dtype != other.dtype or first.count != other.count:
                raise TypeError(f"the vectors differ: {first.count} elements of {first.dtype} and "
                                f"{other.count} of {other.dtype}")
        return self._begun(vectors, results, result, lambda handle: _lib.weir_iallreduce(
            self._handle, source, results[0].address, first.count, _TYPES[first.dtype],
            _choice("op", _OPERATIONS, op), _number("flags", flags, 32), extra, handle))

    def _begun(self, vectors, results, result, call):
        handle = ctypes.c_void_p()
        with self._inside():
            _check(self._handle, call(handle))
            request = Request(self, handle, vectors, results, result)
        self._wake()
        return request

    def poll(self) -> tuple[list[int], list[int], float]:
        """Return what an event loop waits for before Request.test(): descriptors to read, to write,
        and seconds at the latest."""
        with self._inside():
            return self._get_poll()

    def _get_poll(self):
        wanted = _Poll(size=ctypes.sizeof(_Poll))
        _check(self._handle, _lib.weir_get_poll(self._handle, wanted))
        return ([fd for fd in (wanted.fd, wanted.group_fd) if fd >= 0],
                [wanted.fd] if wanted.writable else [], wanted.timeout_us / 1e6)

    def _pause(self):
        """Sleeps until requests may have gone on, or the communicator may be closed."""
        if not self._enter():
            return
        try:
            readable, writable, timeout = self._get_poll()
        finally:
            self._leave()
        poller = select.poll()
        for fd in readable:
            poller.register(fd, select.POLLIN | (select.POLLOUT if fd in writable else 0))
        # Less than a millisecond is not worth a sleep.
        poller.poll(int(min(timeout, _LOOK) * 1000))

    def _sleep(self):
        """A future that is done when requests may have gone on."""
        loop = asyncio.get_running_loop()
        future = loop.create_future()
        if loop is not self._loop:
            self._wake()
        if self._alarm is None and not self._enter():
            future.set_result(None)
            return future
        if self._alarm is None:
            # A loop may look at the descriptors until the alarm is over: they are not closed before.
            self._loop, self._alarm = loop, contextlib.ExitStack()
            self._alarm.callback(self._leave)
            # Only when all that run now have: they may send, and then there is more to wait for.
            self._alarm.callback(loop.call_soon(self._arm, loop).cancel)
        self._sleepers.append(future)
        return future

    def _arm(self, loop):
        readable, writable, timeout = self._get_poll()
        self._alarm.callback(loop.call_later(timeout, self._wake).cancel)
        for fd in readable:
            loop.add_reader(fd, self._wake)
            self._alarm.callback(loop.remove_reader, fd)
        for fd in writable:
            loop.add_writer(fd, self._wake)
            self._alarm.callback(loop.remove_writer, fd)

    def _wake(self):
        if self._alarm is None:
            return
        if self._loop.is_running() and self._loop is not asyncio._get_running_loop():
            self._loop.call_soon_threadsafe(self._wake)
            return
        alarm, self._alarm = self._alarm, None
        sleepers, self._sleepers = self._sleepers, []
        for future in sleepers:
            if not future.done():
                future.set_result(None)
        alarm.close()

    def allreduce(self, array: Any, out: Any = None, **options: Any) -> Any:
        """Combines a vector of all ranks; returns the result. As iallreduce()."""
        return self.iallreduce(array, out, **options).wait()

    def follow(self, out: Any, **options: Any) -> Any:
        """Takes part in an allreduce that this rank is late for, without contributing."""
        return self.ifollow(out, **options).wait()

    def behind(self) -> int:
        """By how many blocks the box has gone on without this rank, as far as is known."""
        with self._inside():
            return _check(self._handle, _lib.weir_behind(self._handle))

    def position(self) -> bytes:
        """The place of the next call among all, for resume() on another rank."""
        position = _Position(size=ctypes.sizeof(_Position))
        with self._inside():
            _check(self._handle, _lib.weir_position(self._handle, position))
        return bytes(position)

    def resume(self, position: bytes) -> None:
        """Goes on at another rank's position, after a call has raised Behind.

        The program first copies all that its calls depend on from that rank, as it is at that
        position: parameters, buffers, the optimizer's state. Raises Behind where the box has evicted
        results from there on: a later position is needed.
        """
        if len(position) != ctypes.sizeof(_Position):
            raise ValueError(f"a position has {ctypes.sizeof(_Position)} bytes, and not "
                             f"{len(position)}")
        with self._inside():
            self._wake()
            _check(self._handle, _lib.weir_resume(self._handle, _Position.from_buffer_copy(position)))

    def members(self) -> dict[str, Any]:
        """Sets of ranks that the box calls dead, excluded, waiting, or missing just now."""
        members = _Members(size=ctypes.sizeof(_Members))
        with self._inside():
            _lib.weir_get_members(self._handle, members)
            return {"notices": members.notices,
                    "dead": _ranks(members.all_dead, self.ranks),
                    "excluded": _ranks(members.all_excluded, self.ranks),
                    "waiting": _ranks(members.all_waiting, self.ranks),
                    "missing": _ranks(members.all_missing, self.ranks)}

    def stats(self) -> dict[str, Any]:
        """The library's counters (struct weir_stats)."""
        with self._inside():
            stats = _stats(self._handle)
        return _fields(stats) | {"type": _name(_TYPES, stats.type),
                                 "operation": _name(_OPERATIONS, stats.operation)}

    def info(self) -> dict[str, int]:
        """Facts about the allreduce that finished last (struct weir_info)."""
        info = _Info(size=ctypes.sizeof(_Info))
        with self._inside():
            _lib.weir_get_info(self._handle, info)
        return _fields(info)

    def close(self) -> None:
        """Leaves the job. Requests that are under way are abandoned.

        It may come from another thread, or from a fallback: what waits for a request raises an Error of
        ECANCELED, and the job is left when no call is inside any longer."""
        self._close()
        self._wake()

    def _free(self):
        handle, self._handle = self._handle, ctypes.c_void_p()
        _lib.weir_close(handle)
        for request in list(self._requests):
            request._abandon()

    @contextlib.contextmanager
    def _inside(self):
        """A call of the library."""
        if not self._enter():
            raise ValueError("the communicator is closed")
        try:
            yield
        finally:
            self._leave()

    def __enter__(self) -> Communicator:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def __del__(self) -> None:
        if hasattr(self, "_loop"):
            self.close()
