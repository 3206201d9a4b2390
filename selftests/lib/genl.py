# SPDX-License-Identifier: GPL-2.0
"""Requests of the families of weir's modules as bytes, for tests that must be able to send wrong ones."""
import os
import re
import socket
import struct
import sys

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
HEADER = "".join(open(os.path.join(ROOT, "uapi", name), encoding="ascii").read()
                 for name in ("weir.h", "weir_trim_nl.h", "weir_xdp_nl.h"))
# A command tells its family: the first of each, the last family first.
FAMILIES = ((128, b"weir-xdp\0"), (64, b"weir-trim\0"), (0, b"weir\0"))
NETLINK_GENERIC, SOL_NETLINK, EXT_ACK, CAP_ACK, STRICT = 16, 270, 11, 10, 12
CONTROL, GETFAMILY, FAMILY_ID, FAMILY_NAME = 16, 3, 1, 2
MCAST_GROUPS, GROUP_NAME, GROUP_ID, ADD_MEMBERSHIP = 7, 1, 2, 1
ERROR, DONE = 2, 3
REQUEST, ACK, DUMP, TLVS = 1, 4, 0x300, 0x200
TYPE, SENTENCE = 0x3fff, 1


def enumerators(prefix, first):
    """The names behind a prefix, in lower case, of the enum that begins so."""
    for body in re.findall(r"enum \w*\s*{(.*?)}", HEADER, re.S):
        if body.split() and body.split()[0] == prefix + first:
            names = re.findall(r"^\t%s([A-Z0-9_]+)(?: = \d+)?,$" % prefix, body, re.M)
            return [name.lower().replace("_", "-") for name in names]
    raise SystemExit("no header in uapi/ has %s%s" % (prefix, first))


def command(name):
    """The number of a request, by its name without WEIR_CMD_ or WEIR_XDP_CMD_, such as job-add."""
    for prefix, first, number in (("WEIR_CMD_", "JOB_ADD", 1), ("WEIR_CMD_", "TRIM_SET", 64),
                                  ("WEIR_XDP_CMD_", "CHAIN_ADD", 128)):
        names = enumerators(prefix, first)
        if name in names:
            return number + names.index(name)
    raise SystemExit("there is no command %s" % name)


def attribute(number, payload):
    size = 4 + len(payload)
    return struct.pack("=HH", size, number) + payload + bytes(-size % 4)


def attributes(data):
    while len(data) >= 4:
        size, number = struct.unpack_from("=HH", data)
        if size < 4:
            break
        yield number & TYPE, data[4:size]
        data = data[(size + 3) & ~3:]


class Family:
    """A socket that the families of weir's modules are asked by, in this network namespace."""

    def __init__(self, room=65536):
        """@room bytes are read at a time: so much of a dump comes in one message."""
        self.room = room
        self.sock = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, NETLINK_GENERIC)
        self.sock.bind((0, 0))
        for option in EXT_ACK, CAP_ACK, STRICT:
            self.sock.setsockopt(SOL_NETLINK, option, 1)
        self.about = {}
        for _, name in FAMILIES:
            error, _, replies = self.exchange(GETFAMILY, attribute(FAMILY_NAME, name), ACK, CONTROL)
            if not error:
                self.about[name] = dict(attributes(replies[-1]))
        if not self.about:
            sys.exit("no module of weir is loaded")

    def listen(self, group):
        """Hears of what happens from now on."""
        for about in self.about.values():
            for _, one in attributes(about[MCAST_GROUPS]):
                one = dict(attributes(one))
                if one[GROUP_NAME] == group.encode() + b"\0":
                    number = struct.unpack("=I", one[GROUP_ID])[0]
                    self.sock.setsockopt(SOL_NETLINK, ADD_MEMBERSHIP, number)

    def family(self, number):
        """The family that has a command."""
        name = next(name for first, name in FAMILIES if number >= first)
        return struct.unpack("=H", self.about[name][FAMILY_ID])[0]

    def ask(self, number, payload):
        """The error, 0 for none; its sentence; and the attributes of the last reply."""
        error, sentence, replies = self.exchange(number, payload, ACK)
        return error, sentence, replies[-1] if replies else b""

    def dump(self, number, payload=b""):
        """The error, 0 for none; its sentence; and the attributes of each object."""
        return self.exchange(number, payload, DUMP)

    def exchange(self, number, payload, how, family=None):
        family = self.family(number) if family is None else family
        body = struct.pack("=BBH", number, 1, 0) + payload
        self.sock.send(struct.pack("=IHHII", 16 + len(body), family, REQUEST | how, 1, 0) + body)
        replies = []
        while True:
            data = self.sock.recv(self.room)
            while len(data) >= 16:
                size, kind, flags = struct.unpack_from("=IHH", data)
                if kind in (ERROR, DONE):
                    error = -struct.unpack_from("=i", data, 16)[0]
                    # CAP_ACK keeps the request out of the answer, but for its header.
                    tlvs = data[36 if kind == ERROR else 20:size]
                    said = dict(attributes(tlvs)) if error and flags & TLVS else {}
                    return error, said.get(SENTENCE, b"").rstrip(b"\0").decode(), replies
                replies.append(data[20:size])
                data = data[(size + 3) & ~3:]
