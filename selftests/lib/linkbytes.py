# SPDX-License-Identifier: GPL-2.0
"""Bytes that a worker's link has carried."""


def moved():
    """Return the bytes that eth0 of this network namespace has received and sent."""
    with open("/proc/self/net/dev", encoding="ascii") as f:
        words = next(line.split() for line in f if line.lstrip().startswith("eth0:"))
    return int(words[1]), int(words[9])
