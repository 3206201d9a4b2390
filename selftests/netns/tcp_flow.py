#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""A TCP flow that does not end by itself, for tests of queues.

usage: tcp_flow.py receive PORT FILE
       tcp_flow.py send ADDRESS PORT CONGESTION

"receive" takes what comes by one connection after another; FILE is written when it listens.
"send" sends with this congestion control until it gets SIGTERM, and prints "retransmits N".
"""
import os
import signal
import socket
import struct
import sys

RCVBUFFORCE = 33	# SO_RCVBUFFORCE (asm-generic/socket.h)
# where struct tcp_info (linux/tcp.h) has tcpi_total_retrans, a u32
TOTAL_RETRANS = 100
# So much may be on its way: less than the queue's length in packets, and more than the port
# sends while an emulated machine is busy with something else.
WINDOW = 400 * 1024


def receive(port, file):
    server = socket.socket()
    server.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    server.setsockopt(socket.SOL_SOCKET, RCVBUFFORCE, WINDOW)
    server.bind(("", int(port)))
    server.listen()
    with open(f"{file}.new", "w", encoding="ascii") as f:
        f.write("listens\n")
    os.rename(f"{file}.new", file)
    while True:
        connection, _ = server.accept()
        try:
            while connection.recv(65536):
                pass
        except ConnectionResetError:
            pass
        connection.close()


class Ended(Exception):
    """SIGTERM has come."""


def end(*_):
    raise Ended


def send(address, port, congestion):
    s = socket.socket()
    s.setsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, congestion.encode())
    s.connect((address, int(port)))
    data = bytes(65536)
    try:
        signal.signal(signal.SIGTERM, end)
        while True:
            s.send(data)
    except Ended:
        info = s.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 256)
        print("retransmits", struct.unpack_from("I", info, TOTAL_RETRANS)[0])


if sys.argv[1] == "receive":
    receive(*sys.argv[2:])
else:
    send(*sys.argv[2:])
