# SPDX-License-Identifier: GPL-2.0
"""Limits of calls and connections, in total and per address, with room for known workers.

gRPC accepts connections without a limit of its own, and stops accepting for good when it runs out
of files. So this looks at the process's own sockets several times a second, and shuts down those
that are too many; the limit on open files is far above what can come in between.
"""
import asyncio
import ipaddress
import os
import resource
import socket
import urllib.parse

from refusal import full

# Calls, and connections, at once: those of one address, those of all, and more for known workers.
ADDRESS_CALLS, ALL_CALLS, KNOWN_CALLS = 64, 96, 32
ADDRESS_CONNECTIONS, ALL_CONNECTIONS, KNOWN_CONNECTIONS = 40, 192, 64
# Seconds between two looks.
PERIOD = 0.25


def caller_of(peer):
    """The address in gRPC's name of a call's peer, None if it has none."""
    kind, _, rest = urllib.parse.unquote(peer).partition(":")
    if kind not in ("ipv4", "ipv6"):
        return None
    return plain(rest.rpartition(":")[0].strip("[]"))


def plain(text):
    address = ipaddress.ip_address(text)
    return getattr(address, "ipv4_mapped", None) or address


def group_of(address):
    """Return the group that an address counts to: a host chooses the lower half of its IPv6 address."""
    if address is None or address.version == 4:
        return address
    return ipaddress.ip_network((int(address) >> 64 << 64, 64))


class Room:
    """Limits the number of calls: grpcio 1.51 takes a limit, and does not keep it."""

    def __init__(self, known):
        self.known, self.calls = known, {}

    def enter(self, group):
        mine = self.calls.get(group, 0)
        if mine >= ADDRESS_CALLS:
            raise full(f"{mine} calls from {group} wait already")
        most = ALL_CALLS + (KNOWN_CALLS if group in self.known() else 0)
        if sum(self.calls.values()) >= most:
            raise full(f"{most} calls wait already")
        self.calls[group] = mine + 1

    def leave(self, group):
        self.calls[group] -= 1
        if not self.calls[group]:
            del self.calls[group]


def too_many(connections, known):
    """Of (connection, group) from the oldest to the newest, the connections to shut down."""
    groups, kept_for_known, excess = {}, 0, []
    for age, (connection, group) in enumerate(connections):
        if group in known and kept_for_known < KNOWN_CONNECTIONS:
            kept_for_known += 1
        elif len(groups.setdefault(group, [])) < ADDRESS_CONNECTIONS:
            groups[group].append((age, connection))
        else:
            excess.append(connection)
    # The group with most connections loses its newest one.
    for _ in range(sum(map(len, groups.values())) - ALL_CONNECTIONS):
        most = max(filter(None, groups.values()), key=lambda mine: (len(mine), mine[-1]))
        excess.append(most.pop()[1])
    return excess


class Connections:
    """The connections to a port of this process."""

    def __init__(self, port, known, log):
        self.port, self.known, self.log = port, known, log
        self.sockets = {}  # by the socket's name in /proc, its group; None if it is another one
        self.crowded = False

    def look(self):
        """The numbers of all open sockets, by name. Who the new ones are of is noted."""
        now = {}
        for fd in map(int, os.listdir("/proc/self/fd")):
            try:
                name = os.readlink(f"/proc/self/fd/{fd}")
            except OSError:
                continue
            if name.startswith("socket:"):
                now[name] = fd
        self.sockets = {name: group for name, group in self.sockets.items() if name in now}
        for name in now.keys() - self.sockets.keys():
            self.sockets[name] = self.identify(now[name])
        return now

    def identify(self, fd):
        try:
            with socket.socket(fileno=os.dup(fd)) as copy:
                if copy.family not in (socket.AF_INET, socket.AF_INET6) or \
                        copy.getsockname()[1] != self.port:
                    return None
                return group_of(plain(copy.getpeername()[0]))
        except OSError:
            return None

    def shut(self, name, fd):
        """Whatever the number stands for by now, only that socket is shut down."""
        try:
            copy = os.dup(fd)
            is_it = os.readlink(f"/proc/self/fd/{copy}") == name
            with socket.socket(fileno=copy) as connection:
                if is_it:
                    connection.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass

    def enforce(self):
        now = self.look()
        excess = too_many([(name, group) for name, group in self.sockets.items() if group],
                          self.known())
        for name in excess:
            self.shut(name, now[name])
            # It is closed soon, and counts no more.
            self.sockets[name] = None
        if excess and not self.crowded:
            self.log(f"too many connections: {len(excess)} of the newest ones are closed")
        self.crowded = bool(excess)

    async def watch(self):
        while True:
            await asyncio.sleep(PERIOD)
            self.enforce()


def raise_files():
    """As many open files as may be: see above."""
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
