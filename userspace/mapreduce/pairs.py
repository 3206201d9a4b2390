# SPDX-License-Identifier: GPL-2.0
"""The pairs of a mapper, as lines of files: one for each reducer, which a key's hash chooses."""
import fcntl
import math
import os
import re
import tempfile
import zlib

from maps import KEY_MAX

BUFFER = 1 << 16
INTEGER = re.compile(rb"[+-]?[0-9]{1,20}")
# Characters that Python's numbers may have, and strtod's not.
BLANK = re.compile(rb"[\s_]")
RANGES = {"int32": range(-(1 << 31), 1 << 31), "int64": range(-(1 << 63), 1 << 63)}


def is_value(text, kind):
    """Return whether this may be put as a value of that type."""
    if kind in RANGES:
        return bool(INTEGER.fullmatch(text)) and int(text) in RANGES[kind]
    try:
        return not BLANK.search(text) and not math.isnan(float(text))
    except ValueError:
        return False


def new_file():
    """One without a name: however its processes end, nothing of it is left."""
    file = tempfile.TemporaryFile(buffering=0)
    fcntl.fcntl(file, fcntl.F_SETFL, fcntl.fcntl(file, fcntl.F_GETFL) | os.O_APPEND)
    return file


class Pairs:
    """Files that several processes append to. Lines are written whole."""

    def __init__(self, files, kind):
        self.files, self.buffers = files, [bytearray() for _ in files]
        self.kind, self.count, self.left_out = kind, 0, 0

    def put(self, key, value=None):
        """Appends a pair. ValueError where it is none."""
        if not 0 < len(key) <= KEY_MAX or b"\t" in key:
            raise ValueError(f"has a key of {len(key)} bytes; keys have 1 to {KEY_MAX}, none of which is a tab")
        if value is not None and not is_value(value, self.kind):
            raise ValueError(f"has the value '{value.decode(errors='replace')}', which is none of {self.kind}")
        number = zlib.crc32(key) % len(self.files) if len(self.files) > 1 else 0
        buffer = self.buffers[number]
        buffer += key if value is None else key + b"\t" + value
        buffer += b"\n"
        self.count += 1
        if len(buffer) > BUFFER:
            self.write(number)

    def write(self, number):
        buffer = self.buffers[number]
        if self.files[number].write(buffer) != len(buffer):
            raise OSError("a write broke off: is the disk full?")
        buffer.clear()

    def flush(self):
        for number, buffer in enumerate(self.buffers):
            if buffer:
                self.write(number)
