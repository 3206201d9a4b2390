# SPDX-License-Identifier: GPL-2.0
"""A split: the lines of a file that begin in one of so many equal ranges of its bytes."""
import codecs
import itertools
import os

LINE_MAX = 16 << 20


def ranges(splits):
    """Splits of a dataset that follow each other, as the first one and how many there are."""
    def dataset(pair):
        at, split = pair
        return {**split, "number": split["number"] - at, "index": split["index"] - at}

    for _, group in itertools.groupby(enumerate(splits), dataset):
        (_, first), *others = group
        yield {"first": first, "splits": 1 + len(others)}


def in_ranges(parts):
    """The splits of what ranges() made."""
    for part in parts:
        first = part["first"]
        for i in range(part["splits"]):
            yield {**first, "number": first["number"] + i, "index": first["index"] + i}


class Split:
    """Iterates over lines, with their ends, but without the file's byte order mark. @at is where the last
    one begins, @read how many bytes were read, of @size."""

    def __init__(self, path, index, count):
        self.file = open(path, "rb")
        whole = os.fstat(self.file.fileno()).st_size
        begin, self.end = whole * index // count, whole * (index + 1) // count
        self.size, self.read = self.end - begin, 0
        # The line that goes on over the range's beginning is the range's before it.
        self.at = self.next = max(0, begin - 1)
        self.file.seek(self.next)
        if begin:
            self.next += len(self.line())
        self.begin = self.next

    def line(self):
        line = self.file.readline(LINE_MAX)
        if len(line) == LINE_MAX:
            raise ValueError(f"is longer than {LINE_MAX >> 20} MiB")
        return line

    def __iter__(self):
        while self.next < self.end:
            self.at = self.next
            line = self.line()
            if not line:
                return
            self.next += len(line)
            self.read = min(self.next - self.begin, self.size)
            yield line if self.at else line.removeprefix(codecs.BOM_UTF8)
        self.read = self.size

    def close(self):
        self.file.close()
