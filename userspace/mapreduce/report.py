# SPDX-License-Identifier: GPL-2.0
"""Reports of ends to the program that had them started by mpirun, which hands on their error output.

A report is one line of 512 bytes, in one write. mpirun mixes the outputs of ends, but takes up to 4096
bytes of one, or more of them by a power of two, and so never cuts a report. What commands write to their
error output comes in reports, too: it would move the others', and could look like them.
"""
import base64
import json
import sys
import time

SIZE = 512
BEGIN = b'{"weir-mapreduce":'
# Kinds of reports, and the words that each has.
KINDS = {"map": {"split", "bytes", "of", "pairs", "left_out"}, "put": {"host", "bytes", "of"},
         "reduced": {"reducer", "host", "keys"}, "said": {"split", "base64"}, "failed": {"sentence"}}
# Bytes of error output that have room in a report.
SAID_MAX = 320
# Seconds from one report of how far it is to the next.
OFTEN = 0.5


def line(kind, **words):
    """The report, as bytes."""
    text = json.dumps({"weir-mapreduce": kind, **words}, ensure_ascii=False, separators=(",", ":")).encode()
    if len(text) < SIZE:
        return text.ljust(SIZE - 1) + b"\n"
    longest = max(words, key=lambda key: len(str(words[key])))
    return line(kind, **{**words, longest: str(words[longest])[:-16]})


def tell(kind, **words):
    sys.stderr.flush()
    sys.stderr.buffer.write(line(kind, **words))
    sys.stderr.buffer.flush()


def tell_said(split, text):
    """Reports error output of the split's command."""
    tell("said", split=split, base64=base64.b64encode(text).decode())


def parsed(text):
    """The words of a report; None if it is not one."""
    try:
        told = json.loads(text)
        return told if KINDS[told["weir-mapreduce"]] <= told.keys() else None
    except (ValueError, RecursionError, KeyError, TypeError):
        return None


def read(text):
    """Return what others have written before, and the report's words, or None if the line has no report."""
    before, begin, rest = text.partition(BEGIN)
    told = parsed(begin + rest) if begin else None
    return (before, told) if told else (text, None)


class Now:
    """True once every OFTEN seconds, when it is time for another report."""

    def __init__(self):
        self.next = 0

    def __bool__(self):
        now = time.monotonic()
        if now < self.next:
            return False
        self.next = now + OFTEN
        return True
