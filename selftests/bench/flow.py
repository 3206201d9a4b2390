#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""A flow of TCP that sends as fast as it may, with DCTCP at both ends.

    flow.py serve PORT FILE     takes what comes, and keeps in FILE how many bytes that are
    flow.py send ADDRESS PORT   sends until it is ended

The file is written anew every few megabytes, by renaming, so that it is whole at any time.
"""
import os
import socket
import sys

STEP = 1 << 20


def made():
    s = socket.socket()
    s.setsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, b"dctcp")
    return s


def keep(file, total):
    with open(file + ".new", "w", encoding="ascii") as f:
        f.write(f"{total}\n")
    os.rename(file + ".new", file)


def serve(port, file):
    listener = made()
    listener.bind(("", int(port)))
    listener.listen()
    keep(file, 0)
    flow, _ = listener.accept()
    room, total, kept = bytearray(1 << 18), 0, 0
    while got := flow.recv_into(room):
        total += got
        if total >= kept + STEP // 8:
            keep(file, total)
            kept = total


def send(address, port):
    flow = made()
    flow.connect((address, int(port)))
    data = bytes(STEP)
    while True:
        flow.sendall(data)


{"serve": serve, "send": send}[sys.argv[1]](*sys.argv[2:])
