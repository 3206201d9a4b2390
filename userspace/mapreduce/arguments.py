# SPDX-License-Identifier: GPL-2.0
"""Arguments of an end, which hold all that it is told: mpirun hands its standard input to one process alone.

The kernel bounds each argument (128 KiB), and all those of mpirun together (2 MiB, usually).
"""
import base64
import json
import zlib

LONGEST = 1 << 16


def words(spec):
    text = base64.b64encode(zlib.compress(json.dumps(spec).encode())).decode()
    return [text[at:at + LONGEST] for at in range(0, len(text), LONGEST)]


def spec(words):
    return json.loads(zlib.decompress(base64.b64decode("".join(words))))
