# SPDX-License-Identifier: BSD-2-Clause
"""Messages of the plug-in."""

import os
import sys


def say(text):
    print(f"weir: {text}", file=sys.stderr, flush=True)


def debug(rank, text):
    if os.environ.get("WEIR_DEBUG", "0") not in ("", "0"):
        say(f"rank {rank}: {text}")
