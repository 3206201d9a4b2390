# SPDX-License-Identifier: GPL-2.0
"""The exporter of flows without a module: records are made up, and go to a collector on this machine (feed.c)."""
import os
import socket
import subprocess
import time

import ktap

FEED = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../build/bin/test-flow-feed")
PATIENCE = 60


def need_exporter():
    """Skip all tests if it was not built."""
    if not os.access(FEED, os.X_OK):
        ktap.skip_all("there is no libfixbuf for weir-flow-export")


class Feed:
    def __init__(self, *words):
        # No buffer: what is written is there.
        self.fed = 0
        self.process = subprocess.Popen([FEED, *map(str, words)], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE, bufsize=0)

    def add(self, count=1, kind="add"):
        """Record N has N packets. Return the packets of these records."""
        self.process.stdin.write(f"{kind}\n".encode() * count)
        self.fed += count
        return sum(range(self.fed - count + 1, self.fed + 1))

    def send(self):
        self.process.stdin.write(b"send\n")

    def end(self):
        """Number of records that were dropped, and what was said."""
        out, said = self.process.communicate(timeout=PATIENCE)
        assert self.process.returncode == 0, said
        return int(out), said.decode()


def listener(kind, port=0):
    sock = socket.socket(socket.AF_INET, kind)
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    sock.bind(("127.0.0.1", port))
    sock.settimeout(0.05)
    if kind == socket.SOCK_STREAM:
        sock.listen()
    return sock


def until(what, step):
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        value = step()
        if value:
            return value
    raise AssertionError(f"not within {PATIENCE} s: {what}")
