# SPDX-License-Identifier: GPL-2.0
"""Requests of rtnetlink as bytes, for what iproute2 cannot say of a device."""
import os
import socket
import struct

from genl import ACK, REQUEST

HEADER = 16


def ask(kind, body, flags=0):
    """RTM_@kind with a struct and attributes in @body; OSError where it is refused."""
    with socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, socket.NETLINK_ROUTE) as sock:
        sock.send(struct.pack("=IHHII", HEADER + len(body), kind, REQUEST | ACK | flags, 1, 0) + body)
        error = -struct.unpack_from("=i", sock.recv(65536), HEADER)[0]
    if error:
        raise OSError(error, os.strerror(error))
