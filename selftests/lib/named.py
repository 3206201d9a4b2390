# SPDX-License-Identifier: GPL-2.0
"""Requests of the weir family by the names of their attributes, and what came of all."""
import errno
import fcntl
import socket
import struct
import sys

from genl import Family, attribute, attributes, command, enumerators

NESTED = 0x8000
SIOCGIFMTU, SIOCSIFMTU = 0x8921, 0x8922
NAMES = {kind: enumerators("WEIR_A_%s_" % kind.upper().replace("-", "_"), first)
         for kind, first in (("job", "ID"), ("source", "JOB"), ("port", "IFINDEX"),
                             ("trim", "IFINDEX"), ("block", "JOB"), ("total", "JOBS"),
                             ("rate", "PACKETS"), ("trim-rule", "DSCP"), ("stats", "CONTRIBUTIONS"),
                             ("trim-stats", "WHOLE"), ("trim-queue", "IFINDEX"), ("trim-pool", "NAME"), ("trim-acl", "NAME"),
                             ("chain", "IFINDEX"), ("order", "IFINDEX"), ("order-stats", "PACKETS"),
                             ("flow", "IFINDEX"), ("flow-stats", "RECORDS"),
                             ("flow-record", "IFINDEX"), ("flow-alarm", "IFINDEX"),
                             ("filter", "IFINDEX"), ("filter-match", "RULE"),
                             ("filter-stats", "PACKETS"), ("filter-source", "IFINDEX"), ("device", "IFINDEX"))}
# Nests whose attributes are of a set with another name.
NESTS = {"rule": "trim-rule", "match": "filter-match", "common": "filter-match"}
# Numbers of 64 bits; all others have 32.
LONG = {("order", "bytes"), ("rate", "bytes"), ("rate", "bytes-burst"), ("trim", "rate"), ("trim", "limit-bytes"), ("trim", "port-limit"), ("trim-pool", "size"),
        ("trim", "trimmed-dscps"), ("trim", "control-dscps"), ("flow", "trimmed"), ("flow", "rate"), ("flow", "source")}
# Attributes that change by themselves.
PASSING = {"stats", "lateness", "missing", "direct", "age", "data-depth", "sends", "header-depth",
           "data-max", "header-max", "known", "blocked", "trim", "tx-trim", "dropped-trim"}


class Refused(Exception):
    """errno and the kernel's sentence."""


def address(text):
    return socket.inet_pton(socket.AF_INET6 if ":" in text else socket.AF_INET, text)


def encode(kind, **values):
    """Attributes: numbers, bytes, True for a flag, dictionaries for nests, lists of them."""
    data = b""
    for key, value in values.items():
        key = key.replace("_", "-")
        number = NAMES[kind].index(key) + 1
        for one in value if isinstance(value, list) else [value]:
            if isinstance(one, dict):
                data += attribute(number | NESTED, encode(NESTS.get(key, key), **one))
            elif isinstance(one, bytes):
                data += attribute(number, one)
            elif one is True:
                data += attribute(number, b"")
            else:
                data += attribute(number, struct.pack("=Q" if (kind, key) in LONG else "=I", one))
    return data


def number(data):
    return int.from_bytes(data, sys.byteorder)


def kind_of(operation):
    kind = operation.rsplit("-", 1)[0]
    return "total" if kind == "stats" else kind


def lasting(kind, data):
    """An object's attributes, but for what changes by itself."""
    named = [(NAMES[kind][n - 1], value) for n, value in attributes(data)]
    return tuple((name, value) for name, value in named if name not in PASSING)


class Box:
    """The module's part of the namespace that this is made in."""

    def __init__(self, room=65536):
        """@room bytes are read of an answer at a time."""
        self.room = room
        self.control = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.open()

    def open(self):
        """The family's numbers are others each time the module is loaded."""
        self.family = Family(self.room)
        self.events = Family()
        self.events.listen("events")

    def close(self):
        self.family.sock.close()
        self.events.sock.close()

    def do(self, operation, **values):
        error, sentence, reply = self.family.ask(command(operation),
                                                 encode(kind_of(operation), **values))
        if error:
            raise Refused(error, sentence)
        return reply

    def dump(self, operation, **values):
        kind = kind_of(operation)
        error, sentence, objects = self.family.dump(command(operation), encode(kind, **values))
        if error:
            raise Refused(error, sentence)
        return objects

    def get(self, operation, **values):
        """The lasting attributes of one object."""
        return lasting(kind_of(operation), self.do(operation, **values))

    def list(self, operation, **values):
        """The lasting attributes of all objects."""
        return [lasting(kind_of(operation), o) for o in self.dump(operation, **values)]

    def counters(self, operation, names, **values):
        """An object's counters by name; @names is that of their kind."""
        stats = dict(attributes(self.do(operation, **values)))
        stats = stats[NAMES[kind_of(operation)].index("stats") + 1]
        return {NAMES[names][n - 1]: number(value) for n, value in attributes(stats)}

    def heard(self):
        """Take what the listener has received. Return whether there was anything, or anything was lost."""
        any_heard = False
        while True:
            try:
                self.events.sock.recv(65536, socket.MSG_DONTWAIT)
            except BlockingIOError:
                return any_heard
            except OSError as e:
                if e.errno != errno.ENOBUFS:
                    raise
            any_heard = True

    def mtu(self, name):
        request = struct.pack("16si12x", name.encode(), 0)
        return struct.unpack_from("16si", fcntl.ioctl(self.control, SIOCGIFMTU, request))[1]

    def set_mtu(self, name, mtu):
        fcntl.ioctl(self.control, SIOCSIFMTU, struct.pack("16si12x", name.encode(), mtu))

    def state(self):
        """All that requests can change."""
        self.heard()
        return (self.get("stats-get"), self.list("job-get"), self.list("source-get"),
                self.list("port-get"), self.list("trim-get"), self.list("trim-pool-get"), self.list("trim-acl-get"),
                self.list("chain-get"), self.list("flow-get"), self.list("filter-get"), self.list("order-get"),
                self.mtu("w2"))
