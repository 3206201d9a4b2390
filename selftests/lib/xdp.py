# SPDX-License-Identifier: GPL-2.0
"""XDP programs that do nothing, loaded without a library."""
import ctypes
import os
import struct

import syscalls

PROG_LOAD, XDP = 5, 6
FRAGS, BOUND = 1 << 5, 1 << 6
CPUMAP = 35
PASS = struct.pack("=QQ", 0x2000000b7, 0x95)    # r0 = XDP_PASS; exit


def program(attach=0, flags=FRAGS, device=0):
    """The descriptor of a program that passes all; by default it takes fragments."""
    code, licence = ctypes.create_string_buffer(PASS), ctypes.create_string_buffer(b"GPL")
    attr = struct.pack("=IIQQIIQII16sII", XDP, len(PASS) // 8, ctypes.addressof(code), ctypes.addressof(licence),
                       0, 0, 0, 0, flags, b"", device, attach).ljust(128, b"\0")
    fd = ctypes.CDLL(None, use_errno=True).syscall(syscalls.BPF, PROG_LOAD, attr, len(attr))
    if fd < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return fd
