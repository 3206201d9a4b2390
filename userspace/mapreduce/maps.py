# SPDX-License-Identifier: GPL-2.0
"""Map steps that are built in: functions from lines of a split to pairs of a key and a value.

A value of None is 1. A line that a step cannot read raises ValueError with a sentence.
"""
import base64
import dataclasses
import re
import socket
import struct
import unicodedata
from typing import Callable

KEY_MAX = 64


@dataclasses.dataclass
class Step:
    """@run: from lines to pairs; @operation: the usual reduction; @print_key: as a reader wants it;
    @ranked: the greatest value is printed first; @leaves_out: keys that are too long, which else are
    faults of the data."""
    run: Callable = None
    operation: str = None
    print_key: Callable = None
    ranked: bool = False
    leaves_out: bool = False


class Letters(dict):
    """For str.translate(): letters and marks stay, all else becomes a blank. Bytes that are not UTF-8, which
    are lone surrogates here, are letters of another encoding."""

    def __missing__(self, code):
        kind = unicodedata.category(chr(code))
        self[code] = chr(code) if kind[0] in "LM" or kind == "Cs" else " "
        return self[code]


LETTERS = Letters()
WORD = re.compile(rb"[a-z]+")
# Of what LETTERS leaves. A mark without a letter before it is of an emoji, for instance.
ANY_WORD = re.compile(r"[\w\ud800-\udfff]\S*")


def words_of(line):
    """The words of a line, without distinction of case."""
    if line.isascii():
        return WORD.findall(line.lower())
    text = unicodedata.normalize("NFC", line.decode(errors="surrogateescape").casefold())
    return [word.encode(errors="surrogateescape") for word in ANY_WORD.findall(text.translate(LETTERS))]


def wordcount(lines):
    """Each word."""
    for line in lines:
        for word in words_of(line):
            yield word, None


def packed_flow(words):
    """A flow's five words in few bytes, which are letters."""
    try:
        family = socket.AF_INET6 if b":" in words[0] else socket.AF_INET
        ends = [socket.inet_pton(family, word.decode()) for word in words[:2]]
        return base64.b64encode(struct.pack(">BHH", *map(int, words[2:])) + b"".join(ends))
    except (OSError, ValueError, struct.error):
        raise ValueError("takes two addresses, the protocol's number and two ports") from None


def printed_flow(key):
    """The five words of packed_flow()."""
    packed = base64.b64decode(key)
    numbers, ends = packed[:5], packed[5:]
    half = len(ends) // 2
    family = socket.AF_INET6 if half == 16 else socket.AF_INET
    words = [socket.inet_ntop(family, end) for end in (ends[:half], ends[half:])]
    return " ".join([*words, *map(str, struct.unpack(">BHH", numbers))]).encode()


def flow_sizes(lines):
    """Each packet's flow, and its bytes."""
    for line in lines:
        words = line.split()
        if len(words) != 6:
            raise ValueError("takes SOURCE DESTINATION PROTOCOL PORT PORT BYTES")
        yield packed_flow(words[:5]), words[5]


def rank(lines):
    """Each node that a link leads to. Lines that begin with # are comments, as graphs have them."""
    for line in lines:
        words = line.split()
        if line.startswith(b"#") or not words:
            continue
        if len(words) != 2:
            raise ValueError("takes two nodes: FROM TO")
        yield words[1], None


def maximum(lines):
    """Yield the text before the last blank, and the number after it."""
    for line in lines:
        words = line.rsplit(None, 1)
        if len(words) != 2:
            raise ValueError("takes KEY VALUE")
        yield words[0], words[1]


STEPS = {
    "wordcount": Step(wordcount, "sum", leaves_out=True),
    "flow-sizes": Step(flow_sizes, "sum", print_key=printed_flow),
    "rank": Step(rank, "sum", ranked=True),
    "maximum": Step(maximum, "max"),
    "run": Step(),
}
