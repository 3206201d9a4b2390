# SPDX-License-Identifier: GPL-2.0
"""Packets of workers that come by another device than the route to their worker leads to.

A worker is told the MAC address of the route's device. Where its packets come by another one they are for
another host, so the module refuses them, and leaves them to the stack: a packet socket sees them there.
"""
import asyncio
import contextlib
import ctypes
import ipaddress
import socket
import struct

from box import PORT
from refusal import Refused

ETH_P_IP, SO_ATTACH_FILTER = 0x800, 26
PACKET_OTHERHOST, PKTTYPE = 3, 0xfffff004
IP_HEADER = 20


def packet_filter():
    """The classic BPF program that takes datagrams to SwitchML's port in frames to another host."""
    program = (
        (0x30, 0, 0, PKTTYPE), (0x15, 0, 8, PACKET_OTHERHOST),
        (0x30, 0, 0, 9), (0x15, 0, 6, socket.IPPROTO_UDP),
        (0x28, 0, 0, 6), (0x45, 4, 0, 0x1fff),  # a later fragment has no ports
        (0xb1, 0, 0, 0), (0x48, 0, 0, 2), (0x15, 0, 1, PORT),
        (0x06, 0, 0, IP_HEADER), (0x06, 0, 0, 0))
    return b"".join(struct.pack("HBBI", *instruction) for instruction in program)


def open_socket():
    try:
        opened = socket.socket(socket.AF_PACKET, socket.SOCK_DGRAM, socket.htons(ETH_P_IP))
    except PermissionError as error:
        raise Refused(f"cannot open a packet socket: {error.strerror}: run weir-switchml as root") from None
    text = packet_filter()
    program = (ctypes.c_char * len(text)).from_buffer_copy(text)
    opened.setsockopt(socket.SOL_SOCKET, SO_ATTACH_FILTER,
                      struct.pack("HP", len(text) // 8, ctypes.addressof(program)))
    opened.setblocking(False)
    return opened


class Strays:
    """@seen(address, dev) is called for each."""

    def __init__(self, seen):
        self.seen, self.socket = seen, open_socket()
        asyncio.get_running_loop().add_reader(self.socket, self.take)

    def take(self):
        with contextlib.suppress(BlockingIOError):
            header, (dev, *_) = self.socket.recvfrom(IP_HEADER)
            self.seen(str(ipaddress.IPv4Address(header[12:16])), dev)

    def close(self):
        asyncio.get_running_loop().remove_reader(self.socket)
        self.socket.close()
